import pytest
import torch
from session_doubles import Net, seeded_net
from torch import nn

from vfnb.ground import SpecError
from vfnb.numerics import fingerprint
from vfnb.session.model import copied, origin_of, trainable


def weights(model: nn.Module) -> str:
    return fingerprint(dict(model.named_parameters()))


def test_a_snapshot_keeps_the_weights_that_the_model_had() -> None:
    model = seeded_net()
    before = weights(model)

    origin = origin_of(model)
    with torch.no_grad():
        model.head.weight.zero_()

    assert weights(origin.build(0)) == before
    assert weights(origin.build(1)) == before


def test_each_job_gets_a_model_of_its_own() -> None:
    origin = origin_of(seeded_net())

    first, second = origin.build(0), origin.build(0)
    with torch.no_grad():
        next(first.parameters()).zero_()

    assert weights(first) != weights(second)


def test_tied_weights_stay_tied() -> None:
    model = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)})
    model["b"].weight = model["a"].weight

    copy = copied(model)

    assert copy["b"].weight is copy["a"].weight  # type: ignore[index]  # a ModuleDict comes back as one
    assert copy["a"].weight is not model["a"].weight  # type: ignore[index]


def test_gradients_are_left_behind() -> None:
    model = nn.Linear(2, 1)
    model(torch.ones(2)).backward()

    assert all(parameter.grad is None for parameter in copied(model).parameters())


def test_a_factory_draws_under_the_jobs_seed_and_leaves_the_global_generators_alone() -> None:
    origin = origin_of(Net)
    before = torch.get_rng_state()

    again, other = [weights(origin.build(3)) for _ in range(2)], weights(origin.build(4))

    assert again[0] == again[1] != other
    assert torch.equal(torch.get_rng_state(), before)


def test_a_factory_that_gives_the_same_model_twice_still_gives_each_job_its_own() -> None:
    model = seeded_net()
    origin = origin_of(lambda: model)

    assert origin.build(0) is not model


def test_refuses_a_factory_that_makes_no_model() -> None:
    with pytest.raises(SpecError, match=r"returned a int; return a torch\.nn\.Module"):
        origin_of(int).build(0)


def test_refuses_a_factory_that_needs_arguments() -> None:
    with pytest.raises(SpecError, match=r"model=Linear needs arguments; .*lambda: Linear\(\.\.\.\)"):
        origin_of(nn.Linear)


def test_refuses_what_is_no_model() -> None:
    with pytest.raises(SpecError, match=r"model=3 is no model; give a torch\.nn\.Module"):
        origin_of(3)


def test_refuses_synchronised_batch_norm_by_name() -> None:
    with pytest.raises(SpecError, match=r"SyncBatchNorm \(1\) sums over processes.*use BatchNorm"):
        origin_of(nn.Sequential(nn.Linear(2, 2), nn.SyncBatchNorm(2)))


def test_refuses_a_wrapped_model_and_names_the_one_inside() -> None:
    with pytest.raises(SpecError, match=r"DataParallel.*model\.module"):
        origin_of(nn.DataParallel(nn.Linear(2, 2)))


def test_refuses_a_model_without_shapes() -> None:
    with pytest.raises(SpecError, match="weight has no shape yet; run the model once"):
        origin_of(nn.LazyLinear(2))


def test_refuses_a_model_without_values() -> None:
    with pytest.raises(SpecError, match="weight is on the meta device"):
        origin_of(nn.Linear(2, 2, device="meta"))


def test_refuses_a_model_with_nothing_to_train() -> None:
    with pytest.raises(SpecError, match="Linear has no parameter that requires a gradient"):
        origin_of(nn.Linear(2, 2).requires_grad_(requires_grad=False))


def test_names_the_attribute_that_cannot_be_copied() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    model[0].stream = (number for number in range(3))  # type: ignore[assignment]  # what users do

    with pytest.raises(SpecError, match=r"attribute 0\.stream, a generator, cannot be copied .*a function of no"):
        origin_of(model)


def test_a_model_left_in_evaluation_mode_is_put_into_training_mode() -> None:
    model = trainable(seeded_net().eval())

    assert all(module.training for module in model.modules())


def test_a_model_in_training_mode_keeps_each_modules_own_flag() -> None:
    model = seeded_net()
    model.body[1].eval()

    assert not trainable(model).body[1].training  # type: ignore[union-attr, index]
