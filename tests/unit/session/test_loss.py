from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from vfnb.ground import SpecError
from vfnb.session.loss import ClassCriterion, OutputLoss, loss_of, own_loss, shifts_labels
from vfnb.spec import Weighted

IGNORED = -100


def mean(weighted: Weighted) -> Tensor:
    answer: Tensor = weighted.sum / weighted.weight
    return answer


def batch_of(samples: int = 6, classes: int = 4, shape: tuple[int, ...] = ()) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(samples)
    outputs = torch.randn(samples, classes, *shape, generator=generator)
    return outputs, torch.randint(0, classes, (samples, *shape), generator=generator)


CRITERIA = {
    "plain": nn.CrossEntropyLoss(),
    "weighted classes": nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 3.0])),
    "smoothed": nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 3.0]), label_smoothing=0.1),
    "another ignored index": nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 3.0]), ignore_index=2),
    "likelihood": nn.NLLLoss(weight=torch.tensor([1.0, 2.0, 0.5, 3.0])),
}


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=CRITERIA)
@pytest.mark.parametrize("shape", [(), (5,)])
def test_a_class_criterion_has_torchs_own_mean(criterion: nn.Module, shape: tuple[int, ...]) -> None:
    outputs, targets = batch_of(shape=shape)
    targets.view(-1)[0] = getattr(criterion, "ignore_index")  # noqa: B009  # nn.Module has no such attribute
    loss = loss_of(criterion)
    assert loss is not None

    weighted = loss(nn.Identity(), (outputs, targets))

    torch.testing.assert_close(mean(weighted), criterion(outputs, targets))


def test_class_probabilities_are_weighted_by_their_number() -> None:
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 3.0]))
    outputs, _ = batch_of(shape=(5,))
    targets = batch_of(7, shape=(5,))[0][:6].softmax(1)

    weighted = ClassCriterion(criterion)(nn.Identity(), (outputs, targets))

    torch.testing.assert_close(mean(weighted), criterion(outputs, targets))


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=CRITERIA)
def test_parts_of_a_batch_make_the_mean_of_the_whole(criterion: nn.Module) -> None:
    outputs, targets = batch_of(9)
    targets[:4] = getattr(criterion, "ignore_index")  # noqa: B009  # nn.Module has no such attribute
    loss = loss_of(criterion)
    assert loss is not None

    parts = [loss(nn.Identity(), (outputs[part], targets[part])) for part in (slice(0, 5), slice(5, 9))]

    whole = sum(part.sum for part in parts) / sum(part.weight for part in parts)
    torch.testing.assert_close(whole, criterion(outputs, targets))


def test_a_batch_of_ignored_targets_has_no_weight() -> None:
    outputs, targets = batch_of()

    weighted = ClassCriterion(nn.CrossEntropyLoss())(nn.Identity(), (outputs, targets.fill_(IGNORED)))

    assert float(weighted.weight) == 0
    assert float(weighted.sum) == 0


def test_another_criterion_gives_its_own_mean() -> None:
    inputs, targets = torch.ones(4, 2), torch.zeros(4, 2)
    loss = loss_of(nn.MSELoss())
    assert loss is not None

    assert float(loss(nn.Identity(), [inputs, targets])) == 1.0


def test_a_subclass_with_a_forward_of_its_own_is_left_to_itself() -> None:
    class Doubled(nn.CrossEntropyLoss):
        def forward(self, input: Tensor, target: Tensor) -> Tensor:  # noqa: A002  # torch's name
            return 2 * super().forward(input, target)

    outputs, targets = batch_of()
    loss = loss_of(Doubled())
    assert loss is not None

    torch.testing.assert_close(loss(nn.Identity(), (outputs, targets)), 2 * F.cross_entropy(outputs, targets))


def test_a_criterions_tensors_move_with_the_loss() -> None:
    loss = loss_of(nn.CrossEntropyLoss(weight=torch.ones(3)))

    assert isinstance(loss, nn.Module)
    assert [tuple(buffer.shape) for buffer in loss.buffers()] == [(3,), (3,)]


def test_a_criterion_is_copied_when_the_task_is_made() -> None:
    criterion = nn.CrossEntropyLoss(ignore_index=1)
    loss = loss_of(criterion)
    criterion.ignore_index = 0

    assert isinstance(loss, ClassCriterion)
    assert loss.criterion.ignore_index == 1


def test_a_function_of_model_and_batch_is_taken_as_it_is() -> None:
    def loss(model: nn.Module, batch: Any) -> Tensor:
        return torch.zeros(())

    assert loss_of(loss) is loss


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (
            nn.MSELoss(reduction="sum"),
            r"MSELoss\(reduction='sum'\) is not a mean.*vfnb\.Weighted\(sum, weight\)",
        ),
        (nn.CrossEntropyLoss(reduction="none"), r"reduction='none'"),
        (nn.CrossEntropyLoss, r"is a class; give an instance: CrossEntropyLoss\(\)"),
        (F.cross_entropy, "cross_entropy takes outputs and targets; give the criterion"),
        (lambda batch: batch, r"cannot be called with \(model, batch\)"),
        (3, "loss=3 cannot be called"),
        (nn.Linear(2, 2), "has parameters of its own"),
    ],
)
def test_refuses_a_loss_and_says_what_to_give(loss: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        loss_of(loss)


@pytest.mark.parametrize("batch", [{"x": 1, "y": 2}, (1, 2, 3), torch.ones(2)])
def test_a_criterion_refuses_a_batch_that_is_no_pair(batch: Any) -> None:
    loss = loss_of(nn.MSELoss())
    assert loss is not None

    with pytest.raises(SpecError, match=r"batches of \(inputs, targets\); this batch is a .*loss\(model, batch\)"):
        loss(nn.Identity(), batch)


class ToyForCausalLM(nn.Module):
    """Predicts each next token, as Hugging Face's causal models do."""

    def __init__(self, form: str = "attribute") -> None:
        super().__init__()
        self.embed, self.form = nn.Embedding(11, 11), form

    def forward(self, input_ids: Tensor, labels: Tensor | None = None) -> Any:
        logits = self.embed(input_ids)
        if labels is None:
            return SimpleNamespace(logits=logits)
        loss = F.cross_entropy(logits[:, :-1].reshape(-1, 11), labels[:, 1:].reshape(-1))
        return {"loss": loss} if self.form == "key" else SimpleNamespace(loss=loss, logits=logits)


class Classifier(ToyForCausalLM):
    """No language model."""


def ragged(*lengths: int) -> dict[str, Tensor]:
    ids = torch.arange(len(lengths) * 8).reshape(len(lengths), 8) % 11
    labels = ids.clone()
    for row, length in enumerate(lengths):
        labels[row, length:] = IGNORED
    return {"input_ids": ids, "labels": labels}


@pytest.mark.parametrize("form", ["attribute", "key"])
def test_a_causal_models_own_loss_is_weighted_by_the_labels_that_count(form: str) -> None:
    model = ToyForCausalLM(form)
    loss = own_loss(model)
    whole = ragged(3, 8, 5)

    parts = [loss(model, {name: rows[part] for name, rows in whole.items()}) for part in (slice(0, 1), slice(1, 3))]

    weights = [int(part.weight) for part in parts if isinstance(part, Weighted)]
    assert weights == [2, 7 + 4]
    total = sum(part.sum for part in parts if isinstance(part, Weighted)) / sum(weights)
    labels = whole["labels"]
    logits = model.embed(whole["input_ids"])[:, :-1].reshape(-1, 11)
    torch.testing.assert_close(total, F.cross_entropy(logits, labels[:, 1:].reshape(-1)))


def test_a_model_that_does_not_shift_counts_every_label() -> None:
    weight = OutputLoss(causal=False).weight(ragged(3, 8))

    assert weight is not None
    assert int(weight) == 11


def test_labels_of_whole_sequences_count_as_samples() -> None:
    weight = OutputLoss(causal=True).weight({"labels": torch.tensor([1, IGNORED, 2])})

    assert weight is not None
    assert int(weight) == 2


def test_labels_that_are_no_classes_leave_a_mean_over_samples() -> None:
    assert OutputLoss(causal=False).weight({"labels": torch.ones(3, 2)}) is None


@pytest.mark.parametrize(
    ("model", "shifts"),
    [
        (ToyForCausalLM(), True),
        (nn.Sequential(ToyForCausalLM()), True),
        (Classifier(), False),
        (type("GPT2LMHeadModel", (nn.Module,), {})(), True),
        (type("XLNetLMHeadModel", (nn.Module,), {})(), False),
        (type("M", (nn.Module,), {"config": SimpleNamespace(architectures=["LlamaForCausalLM"])})(), True),
        (type("M", (nn.Module,), {"config": SimpleNamespace(architectures=None)})(), False),
    ],
)
def test_knows_models_that_shift_their_labels(model: nn.Module, shifts: bool) -> None:
    assert shifts_labels(model) is shifts


def test_an_output_without_a_loss_is_refused_by_name() -> None:
    model = ToyForCausalLM()

    with pytest.raises(SpecError, match=r"ToyForCausalLM returned a SimpleNamespace without one; put labels"):
        own_loss(model)(model, {"input_ids": torch.ones(1, 3, dtype=torch.int64)})


def test_a_batch_by_position_is_weighted_by_samples_with_a_remark() -> None:
    model = ToyForCausalLM()
    labelled = ragged(8)
    batch = (labelled["input_ids"], labelled["labels"])
    loss = own_loss(model)

    assert isinstance(loss(model, batch), Tensor)
    assert "vfnb.Weighted" in (loss.remark(batch) or "")
    assert loss.remark(labelled) is None
