"""The packaged MiniLM, as `make notebooks-live` fetches it: transformers' BERT, and trained on virtual nodes."""

from functools import partial
from pathlib import Path

import pytest
import torch

import vfnb
from vfnb.papers import minilm, minilm_folder, movie_snippets, tokenized


def test_it_encodes_as_transformers_does() -> None:
    from transformers import AutoModel

    tokens = tokenized(movie_snippets()[1][:8], minilm_folder() / "tokenizer.json")
    ours, theirs = minilm().eval(), AutoModel.from_pretrained(minilm_folder()).eval()

    with torch.no_grad():
        expected = theirs(input_ids=tokens.ids, attention_mask=tokens.mask).last_hidden_state
        encoded = ours.encode(tokens.ids, tokens.mask)

    shown = tokens.mask.bool()
    torch.testing.assert_close(encoded[shown], expected[shown], rtol=0, atol=1e-5)


@pytest.mark.timeout(300)
def test_a_model_of_transformers_and_ours_have_the_same_bits_on_one_worker_and_on_two(tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    tokens = tokenized(movie_snippets(train=64)[0], minilm_folder() / "tokenizer.json")
    of_transformers = partial(AutoModelForSequenceClassification.from_pretrained, str(minilm_folder()), num_labels=2)
    four = vfnb.VirtualCluster(accelerator="", count=4, global_batch=16)
    for name, model in (("ours", minilm), ("theirs", of_transformers)):
        task = vfnb.Task(model, tokens, None, partial(torch.optim.AdamW, lr=3e-4))
        jobs = [vfnb.Job(task, four, devices=on, steps=2, run_dir=tmp_path / f"{name}-{on}") for on in (1, 2)]
        for job in jobs:
            job.start()
            job.wait(timeout=250)

        assert jobs[0].fingerprint == jobs[1].fingerprint
