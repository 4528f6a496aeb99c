import pytest
import torch

from vfnb.ground import SpecError
from vfnb.numerics import Course, node_slices, permutation, steps_per_epoch


def test_a_short_last_batch_is_a_step_unless_it_is_dropped() -> None:
    assert steps_per_epoch(10, 4) == 3
    assert steps_per_epoch(10, 4, drop_last=True) == 2
    assert steps_per_epoch(8, 4, drop_last=True) == 2


def test_a_batch_larger_than_the_data_set_is_one_step() -> None:
    assert steps_per_epoch(3, 8) == 1
    assert Course(3, 8).at(2) == (1, range(3))


def test_dropping_the_only_batch_is_refused_with_the_remedy() -> None:
    with pytest.raises(SpecError, match=r"3 samples.*global_batch=8.*drop_last=False"):
        steps_per_epoch(3, 8, drop_last=True)


@pytest.mark.parametrize(("samples", "batch"), [(0, 4), (10, 0), (10, -2)])
def test_no_samples_or_no_batch_is_refused(samples: int, batch: int) -> None:
    with pytest.raises(SpecError):
        steps_per_epoch(samples, batch)


def test_steps_count_from_one_and_epochs_from_zero() -> None:
    short, whole = range(8, 10), [range(4), range(4, 8)]
    assert [Course(10, 4).at(step) for step in range(1, 5)] == [(0, whole[0]), (0, whole[1]), (0, short), (1, whole[0])]
    assert [Course(10, 4, (), True).at(step) for step in range(1, 4)] == [(0, whole[0]), (0, whole[1]), (1, whole[0])]


def test_the_lowest_nodes_get_the_extras() -> None:
    assert node_slices(5, 3) == (range(2), range(2, 4), range(4, 5))


def test_a_batch_shorter_than_the_nodes_leaves_the_highest_idle() -> None:
    assert [len(part) for part in node_slices(2, 4)] == [1, 1, 0, 0]


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    order = permutation(1000, seed=1, epoch=0)
    torch.rand(3)

    assert torch.equal(permutation(1000, seed=1, epoch=0), order)
    assert not torch.equal(permutation(1000, seed=1, epoch=1), order)
    assert not torch.equal(permutation(1000, seed=2, epoch=0), order)


def test_drawing_an_order_leaves_the_global_generator_alone() -> None:
    before = torch.default_generator.get_state()

    permutation(100, seed=1, epoch=0)

    assert torch.equal(torch.default_generator.get_state(), before)


def test_without_shuffling_the_data_set_keeps_its_order() -> None:
    assert permutation(5, seed=1, epoch=3, shuffle=False).tolist() == [0, 1, 2, 3, 4]
