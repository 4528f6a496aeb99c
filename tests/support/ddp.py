"""PyTorch's own DistributedDataParallel, one process a virtual node, as the yardstick."""

import multiprocessing
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from jobs import BATCH, NODES, pictures
from torch import nn


def train_with_ddp(folder: Path, optimizer: str, steps: int, orders: list[list[int]]) -> dict[str, torch.Tensor]:
    """Train the plain convnet with as many processes as virtual nodes.

    Args:
        folder: For the store and the answer.
        optimizer: "sgd" or "adamw".
        steps: How many.
        orders: The sample indices of each step's batch.

    Returns:
        Process 0's state.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "jobs"])
    processes = [
        context.Process(target=_train, args=(rank, str(folder), optimizer, orders[:steps])) for rank in range(NODES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=100)
        assert process.exitcode == 0, f"a process of DDP ended with {process.exitcode}"
    state: dict[str, torch.Tensor] = torch.load(folder / "ddp.pt", weights_only=True)
    return state


def plain_convnet() -> nn.Module:
    """Make a convnet with batch norm and without dropout, or a bias before batch norm."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        return nn.Sequential(
            nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3)
        )


def optimizer_of(name: str, parameters: Any) -> torch.optim.Optimizer:
    """Make one of the two optimizers."""
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)
    return torch.optim.AdamW(parameters, lr=0.001)


def _train(rank: int, folder: str, optimizer_name: str, orders: list[list[int]]) -> None:
    torch.set_num_threads(1)
    store = dist.FileStore(f"{folder}/ddp-store", NODES)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=NODES)
    model = nn.parallel.DistributedDataParallel(plain_convnet())
    optimizer = optimizer_of(optimizer_name, model.parameters())
    images, labels = pictures()
    share = BATCH // NODES
    for order in orders:
        mine = torch.tensor(order[rank * share : (rank + 1) * share])
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images[mine]), labels[mine]).backward()
        optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), f"{folder}/ddp.pt")
    dist.barrier()
    dist.destroy_process_group()
