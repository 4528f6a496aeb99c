"""What a user's mistake gets: one clear sentence, before any worker starts where that can be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from jobs import finished, job_of, slots
from session_doubles import CLUSTER, Net, pairs, seeded_net, small_task
from torch import nn
from torch.utils.data import IterableDataset
from torchmetrics import Metric
from torchmetrics.classification import MulticlassAccuracy, MulticlassConfusionMatrix
from torchmetrics.regression import R2Score

import vfnb
from vfnb.session import Job
from vfnb.spec import NotGuaranteed, Options, VirtualCluster, Warned, Weighted

Loss = Callable[[nn.Module, Any], Any]


def mean(model: nn.Module, batch: Any) -> torch.Tensor:
    return nn.functional.cross_entropy(model(batch[0]), batch[1])


def loss_of(change: Callable[[torch.Tensor], Any]) -> Loss:
    return lambda model, batch: change(mean(model, batch))


def calling(function: Callable[..., Any], *arguments: Any) -> Loss:
    return lambda model, batch: mean(model, batch) + 0 * bool(function(*arguments))


class Sparse(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(5, 3, sparse=True), nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(x + self.words(torch.zeros(len(x), dtype=torch.int64)))


LOSSES: dict[str, tuple[Loss, str]] = {
    "no scalar": (
        lambda model, batch: model(batch[0]),
        r"the loss is a tensor of shape \(\d, 2\), not a scalar",
    ),
    "a number": (
        loss_of(lambda loss: 1.0),
        "the loss is a float, not a scalar; return its mean over",
    ),
    "nothing": (loss_of(lambda loss: None), "the loss is a NoneType, not a scalar"),
    "detached": (loss_of(torch.detach), r"the loss does not depend on any parameter.*\.detach\(\)"),
    "negative weight": (loss_of(lambda loss: Weighted(loss, -1)), "the loss has weight -1.0; a weight is a finite"),
    "endless weight": (loss_of(lambda loss: Weighted(loss, torch.tensor(torch.inf))), "the loss has weight inf;"),
    "many weights": (loss_of(lambda loss: Weighted(loss, torch.ones(3))), "which is not one number; sum it over"),
    "all_reduce": (calling(dist.all_reduce, torch.zeros(1)), r"calls torch\.distributed\.all_reduce; vfnb sums"),
    "barrier": (calling(dist.barrier), r"calls torch\.distributed\.barrier; .*take the call out"),
    "get_rank": (calling(dist.get_rank), r"calls torch\.distributed\.get_rank"),
    "a group": (calling(dist.init_process_group, "gloo"), r"calls torch\.distributed\.init_process_group"),
}


@pytest.mark.parametrize(("loss", "said"), LOSSES.values(), ids=LOSSES)
def test_a_loss_that_cannot_be_is_refused_before_the_start(loss: Loss, said: str) -> None:
    job = _job(loss=loss)

    with pytest.raises(vfnb.SpecError, match=said):
        job.start()
    assert job.state == "new"


@pytest.mark.parametrize("kind", ["no scalar", "all_reduce", "detached"])
def test_what_was_not_looked_over_is_refused_by_the_first_worker(kind: str, tmp_path: Path) -> None:
    loss, said = LOSSES[kind]
    job = job_of(small_task(loss=loss), tmp_path, slots(2), check=False)

    with pytest.raises(vfnb.TrainingError, match=said):
        finished(job)
    assert (job.state, job.workers) == ("failed", ())


PARTS: dict[str, tuple[dict[str, Any], str]] = {
    "sparse": ({"model": Sparse()}, r"words\.weight gets sparse gradients.*sparse=False"),
    "vector": (
        {"metrics": {"each": MulticlassAccuracy(2, average=None)}},
        r"metric 'each' gives a tensor of shape \(2,\), and a curve needs one number a step; .*average='macro'",
    ),
    "matrix": ({"metrics": {"all": MulticlassConfusionMatrix(2)}}, r"metric 'all' gives a tensor of shape \(2, 2\)"),
    "no pair": (
        {"metrics": {"a": MulticlassAccuracy(2)}, "predict": lambda model, batch: model(batch[0])},
        r"predict returned a Tensor; return the pair \(predictions, targets\)",
    ),
    "three": (
        {"metrics": {"a": MulticlassAccuracy(2)}, "predict": lambda model, batch: (1, 2, 3)},
        "predict returned 3 values; return the pair",
    ),
}


@pytest.mark.parametrize(("parts", "said"), PARTS.values(), ids=PARTS)
def test_a_part_that_cannot_be_is_refused_before_the_start(parts: dict[str, Any], said: str) -> None:
    job = _job(evaluate=pairs(10), **parts)

    with pytest.raises(vfnb.SpecError, match=said):
        job.start()
    assert job.state == "new"


def test_what_fails_in_evaluation_comes_before_the_start_with_the_users_own_error() -> None:
    job = _job(evaluate=pairs(10), metrics={"a": MulticlassAccuracy(5)})

    with pytest.raises(ValueError, match="should be equal to number of classes"):
        job.start()


def test_a_metric_may_need_more_samples_than_a_batch_has() -> None:
    def predict(model: nn.Module, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
        return model(batch[0])[:, 0], batch[1].float()

    model = nn.Linear(3, 2)
    job = _job(model=model, evaluate=pairs(9), metrics={"r2": R2Score()}, predict=predict, cluster=_nodes(8))
    job.start()

    assert job.state == "done"
    assert job.history["r2"].notna().any()


def test_a_metric_that_fails_later_is_named_with_its_step() -> None:
    class Late(Metric):
        full_state_update = False

        def __init__(self) -> None:
            super().__init__()
            self.add_state("seen", torch.tensor(0), dist_reduce_fx="sum")

        def update(self, predictions: torch.Tensor, targets: torch.Tensor) -> None:
            self.seen += len(targets)

        def compute(self) -> torch.Tensor:
            return self.seen if self.seen < 10 else torch.ones(2)

    job = _job(evaluate=pairs(10), metrics={"late": Late()})

    job.start()
    with pytest.raises(vfnb.TrainingError, match=r"metric 'late' gives a tensor.*in the evaluation after step 3"):
        job.wait()
    assert job.state == "failed"


def test_synchronised_batch_norm_is_refused_by_name() -> None:
    model = Net()
    model.body[1] = nn.SyncBatchNorm(4)

    with pytest.raises(vfnb.SpecError, match=r"SyncBatchNorm \(body\.1\).*use BatchNorm"):
        small_task(model=model)


def test_data_that_can_only_be_iterated_are_refused_with_what_to_do() -> None:
    class Stream(IterableDataset):  # type: ignore[type-arg]  # of anything
        def __iter__(self) -> Any:
            yield torch.ones(3), 1

    with pytest.raises(vfnb.SpecError, match=r"Stream, which can only be iterated.*list\(data\) makes one"):
        small_task(train=Stream())


def test_data_that_answer_differently_are_named_and_end_the_promise() -> None:
    class Jittered:
        def __init__(self) -> None:
            self.transform, self.generator = _jitter, torch.Generator().manual_seed(1)

        def __len__(self) -> int:
            return 24

        def __getitem__(self, index: int) -> Any:
            return {"x": self.transform(torch.ones(3), self.generator), "y": index % 2}

    job = _job(train=Jittered(), loss=lambda model, batch: nn.functional.cross_entropy(model(batch["x"]), batch["y"]))
    job.start()

    found, *_ = [event for event in job.events if isinstance(event, NotGuaranteed) and event.what.startswith("sample")]
    assert found.what == "sample 0 of the training data, field 'x' (_jitter)"
    assert "let it draw from those and not from a generator or counter of its own" in found.reason
    assert any("field 'x'" in note for note in job.fingerprint_notes)


def test_a_model_that_cannot_be_shipped_is_refused_with_its_attribute() -> None:
    model = seeded_net()
    model.body[0].handle = Rooted()
    job = Job(small_task(model=model), CLUSTER, devices=1, steps=3)

    with pytest.raises(vfnb.SpecError, match=r"model\.body\.0\.handle \(a Rooted\) cannot be sent to a worker.*rooted"):
        job.start()
    assert job.state == "new"


def test_a_batch_smaller_than_the_cluster_warns_and_trains_with_the_same_bits(tmp_path: Path) -> None:
    task = small_task(model=nn.Linear(3, 2))
    jobs = [
        vfnb.Job(task, _nodes(64, batch=6), steps=5, run_dir=tmp_path / name, engine=name, devices=devices)  # type: ignore[arg-type]  # one of the two
        for name, devices in (("inline", 1), ("local", slots(3)))
    ]
    for job in jobs:
        finished(job)

    [warned, *_] = [event for event in jobs[0].events if isinstance(event, Warned)]
    assert "the global batch of 6 is smaller than the cluster's 64 devices: 58 virtual nodes get no" in warned.message
    assert jobs[0].history.samples.tolist() == [6] * 5
    assert not jobs[0].history.skipped.any()
    assert jobs[0].fingerprint == jobs[1].fingerprint


def test_the_best_metric_is_never_a_nan(tmp_path: Path) -> None:
    class Climbing(Metric):
        full_state_update = False

        def __init__(self) -> None:
            super().__init__()
            self.add_state("height", torch.tensor(0.0), dist_reduce_fx="sum")

        def update(self, predictions: torch.Tensor, targets: torch.Tensor) -> None:
            self.height += predictions.detach().abs().max()

        def compute(self) -> torch.Tensor:
            return self.height if self.height > 0 else self.height * torch.nan

    def predict(model: nn.Module, batch: Any) -> Any:
        return model.weight, batch[1]

    flat = nn.Linear(3, 2)
    nn.init.zeros_(flat.weight)
    task = small_task(
        model=flat, evaluate=pairs(4), metrics={"height": Climbing()}, predict=predict, schedule=_late, loss=mean
    )
    job = finished(job_of(task, tmp_path, engine="inline", steps=3, evaluate_every=1, keep_best="height"))

    assert job.history["height"].isna().tolist() == [True, False, False]
    best = Job.load(job.run_dir / "checkpoints" / "best", task, engine="inline")
    assert f"step {job.history['step'][job.history['height'].idxmax()]} of 3" in repr(best)


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "cuda0": (lambda: _job(devices="cuda0"), "'cuda0' is no device; write it like 'cpu:0'.*'cuda:1'"),
    "gpu": (lambda: _job(devices="gpu"), "'gpu' is no device; write it like"),
    "-1": (lambda: _job(devices=-1), "devices=-1 leaves no worker; give a number of at least 1"),
    "1.5": (lambda: _job(devices=1.5), "devices=1.5 names no device; give a number"),
    "no epochs": (lambda: _job(steps=None, epochs=0), "epochs=0 is not possible; give a whole number of at least 1"),
    "both": (lambda: _job(epochs=1), "epochs=1 and steps=3: give exactly one of them"),
    "no data to measure": (lambda: small_task(metrics={"a": MulticlassAccuracy(2)}), "give evaluate=, a data set"),
    "empty": (lambda: small_task(evaluate=[]), r"evaluate has no samples \(len is 0\); give at least one"),
    "a loss by name": (lambda: small_task(loss="mse"), "loss='mse' cannot be called; give loss"),
    "an optimizer by name": (lambda: small_task(optimizer="adam"), "optimizer='adam' makes no optimizer; give partial"),
    "batch 0": (lambda: _nodes(8, batch=0), "global_batch=0 is not possible; give a whole number of at least 1"),
    "batch -1": (lambda: _nodes(8, batch=-1), "global_batch=-1 is not possible"),
    "a number": (lambda: VirtualCluster.parse(8, global_batch=8), "8 is no cluster; write it like.*or '64' alone"),  # type: ignore[arg-type]  # the mistake
    "V1000": (
        lambda: VirtualCluster.parse("8xV1000", global_batch=8),
        "'V1000' is unknown; the nearest names are",
    ),
    "workers": (lambda: _job(engine="local", devices=5), "5 workers cannot share 4 virtual nodes.*at most 4 workers"),
}


@pytest.mark.parametrize(("mistake", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_in_one_sentence(mistake: Callable[[], Any], said: str) -> None:
    with pytest.raises(vfnb.VfnbError, match=said) as caught:
        mistake()
    assert "\n" not in str(caught.value)


class Rooted:
    """Can be copied and not pickled, as a handle to something outside."""

    def __deepcopy__(self, memo: Any) -> "Rooted":
        return self

    def __reduce__(self) -> Any:
        raise TypeError("rooted to the spot")


def _job(**given: Any) -> Job:
    own = {"cluster": CLUSTER, "steps": 3, "engine": "inline", "epochs": None, "devices": None, "options": Options()}
    of_job = {name: given.pop(name, value) for name, value in own.items()}
    return Job(small_task(**given), **of_job)  # type: ignore[arg-type]  # by name


def _nodes(count: int, batch: int = 8) -> VirtualCluster:
    return VirtualCluster(accelerator="", count=count, global_batch=batch)


def _jitter(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return x + torch.randn(3, generator=generator)


def _late(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: float(done > 0))
