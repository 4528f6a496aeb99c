"""Snippets and their encoder, on a file and weights of a few lines."""

from functools import partial
from pathlib import Path

import pytest
import torch
from hub_doubles import WORDS, tiny_bert

import vfnb
from vfnb.ground import SpecError
from vfnb.papers import Snippet, minilm, movie_snippets, tokenized

LINES = ["1\t2.5\ta good film", "2\t-1.5\tit is bad ", "3\t0.4\tfine", "4\t1.0\tfine plot", "5\t-3\tdull dull\tdull"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with five snippets, and weights and vocabulary of a tiny BERT in the packaged form."""
    from safetensors.torch import load_file, save_file
    from transformers import AutoTokenizer

    (tmp_path / "movie_snippets.tsv").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    place = tmp_path / "minilm"
    place.mkdir()
    tiny_bert(place)
    held = load_file(place / "model.safetensors")
    bare = {name.removeprefix("bert."): one for name, one in held.items() if name.startswith("bert.")}
    save_file(bare, place / "model.safetensors")
    AutoTokenizer.from_pretrained(place).backend_tokenizer.save(str(place / "tokenizer.json"))
    return tmp_path


def test_what_is_nearly_neutral_is_left_out_and_the_sets_share_nothing(folder: Path) -> None:
    train, test = movie_snippets(folder, train=2, test=2)

    assert {one.text: one.positive for one in (*train, *test)} == {
        "a good film": True,
        "it is bad": False,
        "fine plot": True,
        "dull dull\tdull": False,
    }
    assert movie_snippets(folder, train=1, test=2) == (train[:1], test)


def test_more_than_there_are_is_refused(folder: Path) -> None:
    with pytest.raises(SpecError, match="train=3 and test=2 are more than the 4 clear snippets"):
        movie_snippets(folder, train=3, test=2)


def test_tokens_are_padded_and_cut_to_one_length(folder: Path) -> None:
    snippets = (Snippet("a good film", positive=True), Snippet("it is a bad bad film", positive=False))

    tokens = tokenized(snippets, folder / "minilm" / "tokenizer.json", tokens=6)

    assert len(tokens) == 2
    assert [WORDS[word] for word in tokens[0]["input_ids"]] == ["[CLS]", "a", "good", "film", "[SEP]", "[PAD]"]
    assert tokens[0]["attention_mask"].tolist() == [1, 1, 1, 1, 1, 0]
    assert [tokens[index]["labels"].item() for index in range(2)] == [1, 0]
    assert len(tokens[1]["input_ids"]) == 6


def test_the_encoder_is_the_bert_that_its_weights_are_of(folder: Path) -> None:
    from transformers import AutoModel

    ids = torch.tensor([[2, 5, 6, 8, 3, 0], [2, 12, 13, 5, 7, 3]])
    mask = (ids != 0).long()
    theirs = AutoModel.from_pretrained(folder / "minilm").eval()
    ours = minilm(folder).eval()

    with torch.no_grad():
        expected = theirs(input_ids=ids, attention_mask=mask).last_hidden_state
        encoded = ours.encode(ids, mask)

    torch.testing.assert_close(encoded[mask.bool()], expected[mask.bool()], rtol=1e-5, atol=1e-5)
    assert not ours.words.weight.requires_grad
    assert ours.head.weight.requires_grad


def test_padding_changes_no_answer(folder: Path) -> None:
    model = minilm(folder).eval()
    ids = torch.tensor([[2, 5, 6, 8, 3]])
    padded = torch.nn.functional.pad(ids, (0, 4))

    with torch.no_grad():
        torch.testing.assert_close(model(ids, torch.ones_like(ids)).logits, model(padded, (padded != 0).long()).logits)


def test_snippets_are_learned(folder: Path, tmp_path: Path) -> None:
    train, test = (
        tokenized(part, folder / "minilm" / "tokenizer.json") for part in movie_snippets(folder, train=2, test=2)
    )
    task = vfnb.Task(partial(minilm, folder), train, None, partial(torch.optim.AdamW, lr=0.01), evaluate=test)
    two = vfnb.VirtualCluster(accelerator="", count=2, global_batch=2)
    job = vfnb.Job(task, two, devices=1, epochs=5, engine="inline", run_dir=tmp_path / "run")
    job.start()
    job.wait()

    assert repr(task) == "Task(minilm, 2 samples)"
    assert job.history.loss.iloc[-1] < 0.8 * job.history.loss.iloc[0]
