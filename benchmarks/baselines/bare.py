"""The user's own work and nothing else: take the samples, pass forward and backward, let the optimizer step.

What a step of vfnb takes beyond this is what vfnb adds.
"""

import time
from collections.abc import Iterator

import torch
from baselines.serving import serve
from workloads import Workload


def steps(work: Workload, passes: int, samples: int) -> Iterator[float]:
    """Train for ever and yield the seconds of each step."""
    torch.set_num_threads(1)
    torch.default_generator.manual_seed(0)
    model, loss = work.build().train(), work.loss
    optimizer = work.optimizer(model.parameters())
    inputs, labels = work.data(samples).tensors
    while True:
        begun = time.perf_counter()
        for indices in torch.randperm(samples)[: passes * work.micro].split(work.micro):
            value = loss(model(inputs.index_select(0, indices)), labels.index_select(0, indices))
            (value / passes).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        yield time.perf_counter() - begun


if __name__ == "__main__":
    serve(steps)
