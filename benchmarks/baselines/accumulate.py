"""Accelerate's own loop: gradients accumulated over micro-batches, as its documentation writes it.

Nothing in it waits that need not: no `.item()`, gradients set to None, whole micro-batches taken from the tensors
in one call.
"""

import time
from collections.abc import Iterator
from itertools import chain, repeat

import torch
from accelerate import Accelerator
from baselines.serving import serve
from torch.utils.data import BatchSampler, DataLoader, RandomSampler
from workloads import Workload


def steps(work: Workload, passes: int, samples: int) -> Iterator[float]:
    """Train for ever and yield the seconds of each step."""
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=passes)
    torch.set_num_threads(1)  # accelerate picks a count of its own
    torch.default_generator.manual_seed(0)
    model = work.build().train()
    data, loss = work.data(samples), work.loss
    sampler = BatchSampler(RandomSampler(data), work.micro, drop_last=True)
    loader = DataLoader(data, sampler=sampler, batch_size=None)
    model, optimizer = accelerator.prepare(model, work.optimizer(model.parameters()))
    begun = time.perf_counter()
    for number, (inputs, labels) in enumerate(chain.from_iterable(repeat(loader)), start=1):
        with accelerator.accumulate(model):
            accelerator.backward(loss(model(inputs), labels))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if number % passes == 0:
            yield time.perf_counter() - begun
            begun = time.perf_counter()


if __name__ == "__main__":
    serve(steps)
