"""A Hugging Face causal model trained through its own `.loss`, with ragged lengths."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from hub_doubles import datasets, tiny_bert
from jobs import SAMPLES, finished, job_of, slots
from plain import apart, orders
from transformers import GPT2Config, GPT2LMHeadModel

import vfnb
from vfnb.papers import load
from vfnb.spec import Warned

STEPS, WORDS, LONGEST = 20, 23, 7


def test_a_causal_models_own_loss_agrees_with_the_plain_large_batch(tmp_path: Path) -> None:
    model, data = _tiny(), Sentences()
    task = vfnb.Task(model, data, None, partial(torch.optim.SGD, lr=0.1))
    job = finished(job_of(task, tmp_path, slots(2), steps=STEPS, collate=padded), within=100)

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for order in orders(STEPS, SAMPLES):
        optimizer.zero_grad()
        loss = model(**padded([data[index] for index in order])).loss
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))

    assert apart(job.model.state_dict(), model.state_dict()) == []
    torch.testing.assert_close(torch.tensor(job.history.loss.tolist()), torch.tensor(losses), rtol=1e-5, atol=0)
    assert not any(isinstance(event, Warned) for event in job.events)


def test_tokenized_rows_and_their_collator_give_the_same_bits_on_one_worker_and_on_two(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", datasets([]))
    tuned = load("virtualflow-bert-base-glue", "full", batch=8, model=tiny_bert(tmp_path))
    four = vfnb.VirtualCluster(accelerator="", count=4, global_batch=8)

    jobs = [
        vfnb.Job(tuned.task, four, steps=4, run_dir=tmp_path / str(number), **where)
        for number, where in enumerate(({"devices": 1, "engine": "inline"}, {"devices": slots(2)}))
    ]
    for job in jobs:
        finished(job, within=100)

    assert jobs[0].fingerprint == jobs[1].fingerprint
    assert list(jobs[0].history.accuracy.dropna()) == list(jobs[1].history.accuracy.dropna()) != []


class Sentences:
    """Sentences of one to seven words; most have one, which leaves nothing to predict."""

    def __init__(self) -> None:
        drawn = torch.Generator().manual_seed(4)
        lengths = torch.randint(2, LONGEST + 1, (SAMPLES,), generator=drawn)
        lengths[torch.rand(SAMPLES, generator=drawn) < 0.6] = 1
        self.words = [torch.randint(0, WORDS, (int(length),), generator=drawn) for length in lengths]

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.words[index]


def padded(sentences: list[torch.Tensor]) -> dict[str, Any]:
    """Pad to the longest sentence at hand; what is padded does not count."""

    def pad(rows: list[torch.Tensor], value: int) -> torch.Tensor:
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value)

    return {
        "input_ids": pad(sentences, 0),
        "attention_mask": pad([torch.ones_like(words) for words in sentences], 0),
        "labels": pad(sentences, -100),
    }


def _tiny() -> GPT2LMHeadModel:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        sizes = {"vocab_size": WORDS, "n_positions": 8, "n_embd": 16, "n_layer": 1, "n_head": 2}
        no_dropout = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
        return GPT2LMHeadModel(GPT2Config(**sizes, **no_dropout, bos_token_id=0, eos_token_id=0))
