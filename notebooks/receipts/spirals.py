"""Train a small classifier of two spirals as 64 V100s would, and keep its receipt beside this file.

`python notebooks/receipts/spirals.py` trains and writes spirals.json anew;
`vfnb verify notebooks/receipts/spirals.json --task notebooks/receipts/spirals.py:task` replays what is there.
"""

import tempfile
import threading
from functools import partial
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import TensorDataset

import vfnb

RECEIPT = Path(__file__).with_suffix(".json")
SAMPLES, STEPS = 4096, 48


def classifier() -> nn.Module:
    """Make the model; each job calls this under its own seed."""
    return nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))


def spirals() -> TensorDataset:
    """Make points on two spirals, with their arm as label."""
    noise = torch.Generator().manual_seed(0)
    turn = torch.rand(SAMPLES, generator=noise)
    arm = torch.arange(SAMPLES) % 2
    angle = 9.0 * turn + torch.pi * arm
    points = torch.stack([turn * torch.cos(angle), turn * torch.sin(angle)], dim=1)
    return TensorDataset(points + 0.02 * torch.randn(SAMPLES, 2, generator=noise), arm)


def task() -> vfnb.Task:
    """Give the task."""
    return vfnb.Task(classifier, spirals(), nn.CrossEntropyLoss(), partial(torch.optim.AdamW, lr=0.01))


def main() -> None:
    """Train on two devices, go on with one, and keep the receipt."""
    tick = threading.Event()
    target = vfnb.VirtualCluster.parse("64xV100", global_batch=512)
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder) / "spirals"
        options = vfnb.Options(fingerprint_every=4)
        job = vfnb.Job(task(), target, devices=["cpu:0", "cpu:1"], steps=STEPS, run_dir=run_dir, options=options)
        job.start()
        while len(job.history) < STEPS // 4:
            tick.wait(0.01)
        job.resize(["cpu:0"])
        job.wait()
        RECEIPT.write_text((run_dir / "receipt.json").read_text() + "\n")
    print(f"{RECEIPT.name}: {job.fingerprint}")


if __name__ == "__main__":
    main()
