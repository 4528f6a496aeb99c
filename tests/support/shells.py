"""An IPython shell in the test's own process, with the extension and a task in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from IPython.core.getipython import get_ipython
from IPython.testing.globalipapp import start_ipython
from jobs import SAMPLES
from torch import nn

import vfnb

MAGICS = "FlowMagics"


def small_task(rate: float = 0.1) -> vfnb.Task:
    """Make a task that trains thousands of steps a second, from the same weights each time."""
    weights = torch.Generator().manual_seed(0)
    model = nn.Linear(2, 2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=weights))
    inputs = torch.randn(SAMPLES, 2, generator=weights)
    data = torch.utils.data.TensorDataset(inputs, torch.arange(SAMPLES) % 2)
    return vfnb.Task(model, data, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=rate))


@contextmanager
def shell_with_vfnb() -> Iterator[Any]:
    """Give the one shell that a process can have, as after `%load_ext vfnb`; its runs and names go with it."""
    shell: Any = get_ipython() or start_ipython()
    names = set(shell.user_ns)
    vfnb.load_ipython_extension(shell)
    flow = shell.magics_manager.registry[MAGICS].flow
    try:
        yield shell
    finally:
        if flow.pool is not None:
            flow.pool.close()
        for job in flow.training().values():
            job.stop()
            job.stop()
            job.wait(timeout=60)
        vfnb.unload_ipython_extension(shell)
        shell.magics_manager.registry.pop(MAGICS)
        shell.extension_manager.loaded.discard("vfnb")
        shell.config.pop("VFlow", None)
        for name in set(shell.user_ns) - names:
            del shell.user_ns[name]
