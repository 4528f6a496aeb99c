"""A row of a job's history: what one committed step was."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A committed step.

    Args:
        step: The step, counted from 1.
        epoch: The epoch it belongs to, counted from 0.
        loss: The weighted mean loss of the global batch; nan where the step was skipped.
        lr: The learning rate of the first parameter group that the step used.
        samples: How many samples the global batch had.
        samples_per_second: `samples` over wall seconds since the commit before, pauses left out.
        workers: How many workers computed it.
        grad_norm: The 2-norm of the mean gradient before clipping, where known.
        noise_scale: The gradient noise scale in samples, where it can be estimated yet.
        skipped: Whether the step changed nothing.
        at: When it was committed, in Unix seconds.
        metrics: What the evaluation after this step gave; empty where there was none.
        fingerprint: Of what was learned up to this step, where it was taken.
    """

    step: int
    epoch: int
    loss: float
    lr: float
    samples: int
    samples_per_second: float
    workers: int
    grad_norm: float | None = None
    noise_scale: float | None = None
    skipped: bool = False
    at: float = 0.0
    metrics: dict[str, float] = field(default_factory=dict)
    fingerprint: str | None = None
