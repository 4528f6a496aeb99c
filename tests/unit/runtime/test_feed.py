"""Each pass gets its own samples, wherever the worker's blocks lie and whichever step of the epoch it is."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from measured import blueprint_of
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.numerics import permutation
from vfnb.runtime.feed import Feed
from vfnb.runtime.passes import passes_of
from vfnb.spec import Layout

SAMPLES, BATCH, LAYOUT = 40, 16, Layout(6, 4)


@pytest.mark.parametrize("blocks", [(0, 1, 2, 3), (0, 2), (1, 3), (3,)])
@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_worker_reads_the_samples_of_its_own_blocks_in_the_epochs_order(blocks: tuple[int, ...], step: int) -> None:
    numbers = TensorDataset(torch.arange(SAMPLES).float().unsqueeze(1), torch.zeros(SAMPLES, 1))
    task = vfnb.Task(nn.Linear(1, 1), numbers, nn.MSELoss(), partial(torch.optim.SGD, lr=0.1))
    program = replace(blueprint_of(task).program(""), layout=LAYOUT, global_batch=BATCH, seed=5)
    feed = Feed(program, torch.device("cpu"))
    passes = passes_of(LAYOUT, blocks, feed.samples_in(step), 1)

    read = [batch[0].flatten().tolist() for batch in feed.batches(step, passes, lambda _: passes)]

    epoch, within = divmod(step - 1, 3)
    order = permutation(SAMPLES, 5, epoch)[within * BATCH : (within + 1) * BATCH].tolist()
    assert read == [[order[place] for place in one.positions] for one in passes]
