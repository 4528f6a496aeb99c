"""Small jobs that finish in seconds: a convnet, a transformer and a token-weighted MLP, each with its data."""

import itertools
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.runtime import LocalEngine, Probe
from vfnb.spec import WorkerJoined

NODES, BATCH, SAMPLES, STEPS = 8, 32, 120, 12  # the fourth step of an epoch is short


class Convnet(nn.Module):
    """Batch norm and dropout: buffers and random streams."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 4, 3),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Flatten(),
            nn.Linear(4 * 36, 3),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.body(images)


class Transformer(nn.Module):
    """Dropout, layer norm, tied weights."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.2, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(16, 11, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(self.embedding(tokens))).mean(1)


def token_loss(model: nn.Module, batch: Any) -> vfnb.Weighted:
    """Weigh by the labels that count."""
    inputs, labels = batch
    total = nn.functional.cross_entropy(model(inputs), labels, ignore_index=-100, reduction="sum")
    return vfnb.Weighted(total, (labels != -100).sum())


def pictures() -> tuple[torch.Tensor, torch.Tensor]:
    """Make images and labels."""
    images = torch.randn(SAMPLES, 1, 8, 8, generator=torch.Generator().manual_seed(1))
    return images, (images.mean((1, 2, 3)) * 30).long().clamp(-1, 1) + 1


def convnet_task() -> vfnb.Task:
    """Give the convnet's task, evaluated each epoch."""
    train = TensorDataset(*pictures())
    optimizer = partial(torch.optim.SGD, lr=0.05, momentum=0.9)
    return vfnb.Task(_seeded(Convnet), train, nn.CrossEntropyLoss(), optimizer, evaluate=train, schedule=decay)


def transformer_task() -> vfnb.Task:
    """Give the transformer's task, with AdamW."""
    data = torch.Generator().manual_seed(2)
    tokens = torch.randint(0, 11, (SAMPLES, 5), generator=data)
    train = TensorDataset(tokens, tokens[:, 0])
    return vfnb.Task(_seeded(Transformer), train, nn.CrossEntropyLoss(), partial(torch.optim.AdamW, lr=0.003))


def tokens_task() -> vfnb.Task:
    """Give an MLP's task with a token-weighted loss: some virtual nodes weigh more, some nothing."""
    data = torch.Generator().manual_seed(3)
    inputs = torch.randn(SAMPLES, 6, generator=data)
    labels = torch.randint(0, 4, (SAMPLES,), generator=data)
    labels[torch.rand(SAMPLES, generator=data) < 0.6] = -100
    train = TensorDataset(inputs, labels)
    model = _seeded(lambda: nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4)))
    return vfnb.Task(model, train, token_loss, partial(torch.optim.Adam, lr=0.01))


def tiny_task() -> vfnb.Task:
    """Give a task of the shortest steps."""
    train = TensorDataset(torch.ones(SAMPLES, 2), torch.zeros(SAMPLES, dtype=torch.int64))
    return vfnb.Task(_seeded(lambda: nn.Linear(2, 2)), train, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))


TASKS: dict[str, Callable[[], vfnb.Task]] = {
    "convnet": convnet_task,
    "transformer": transformer_task,
    "tokens": tokens_task,
}


def decay(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    """Anneal over the run."""
    return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)


def job_of(  # noqa: PLR0913  # a test names just what it needs
    task: vfnb.Task,
    folder: Path,
    devices: Any = 1,
    *,
    engine: Any = "local",
    faults: Probe | None = None,
    steps: int = STEPS,
    seed: int = 0,
    **options: Any,
) -> vfnb.Job:
    """Make a job over eight virtual nodes."""
    cluster = vfnb.VirtualCluster(accelerator="V100", count=NODES, global_batch=BATCH)
    if faults is not None:
        engine = LocalEngine(probe=faults)
    run_dir = folder / f"run-{next(_numbers)}"
    chosen = vfnb.Options(**options)
    return vfnb.Job(
        task, cluster, devices=devices, steps=steps, seed=seed, engine=engine, run_dir=run_dir, options=chosen
    )


def finished(job: vfnb.Job, within: float = 60) -> vfnb.Job:
    """Start a job and wait for its end; where it does not come, say where every worker stands."""
    job.start()
    try:
        job.wait(timeout=within)
    except TimeoutError as error:
        raise AssertionError(f"{error}\n{stacks(job)}") from error
    return job


def stacks(job: vfnb.Job) -> str:
    """Have a job's workers print their threads' stacks, and give the ends of their logs."""
    for pid in {event.pid for event in job.events if isinstance(event, WorkerJoined)} - {os.getpid()}:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR1)
    time.sleep(1)  # a signal has no answer to wait for, and the test has failed already
    logs = sorted((job.run_dir / "logs").glob("*.log"))
    return "\n".join(f"{log.name}:\n{log.read_text(errors='replace')[-4000:]}" for log in logs)


def until(met: Callable[[], object], within: float = 60) -> None:
    """Wait for a condition that no event announces; one that is never met fails the test."""
    deadline = time.monotonic() + within
    while not met():
        assert time.monotonic() < deadline, f"not met within {within} s"
        time.sleep(0.02)


def reach(job: vfnb.Job, state: str, within: float = 60) -> None:
    """Wait until a job is in a state; an end fails at once."""

    def there() -> bool:
        now = job.state
        assert now == state or now not in ("done", "stopped", "failed"), f"the job is {now}, not {state}"
        return now == state

    until(there, within)


def slots(count: int) -> list[str]:
    """Name CPU slots, which may outnumber cores."""
    return [f"cpu:{index}" for index in range(count)]


_numbers = itertools.count()


def _seeded(build: Callable[[], nn.Module]) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        return build()
