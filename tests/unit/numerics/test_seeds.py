import random

import numpy as np
import pytest
import torch

from vfnb.numerics import (
    epoch_seed,
    evaluation_seed,
    node_seed,
    restored_generators,
    sample_seed,
    seed_generators,
    seed_of,
    update_seed,
)


def drawn() -> tuple[float, float, float]:
    return torch.rand(()).item(), random.random(), float(np.random.random())  # noqa: NPY002 - the legacy generator is what is seeded


def seed_and_fail() -> None:
    seed_generators(3)
    drawn()
    raise RuntimeError("user")


def test_a_seed_has_64_bits_and_is_the_same_in_every_process() -> None:
    assert seed_of(0, "node", 1, 2) == 12792937828041428676


def test_numpy_integers_are_integers() -> None:
    assert seed_of(np.int64(3), "node") == seed_of(3, "node")


def test_words_and_numbers_do_not_run_into_each_other() -> None:
    seeds = [
        seed_of("a", 1),
        seed_of("a,1"),
        seed_of("a", "1"),
        seed_of("a1"),
        seed_of(1, "a"),
        seed_of("'a',1"),
    ]

    assert len(set(seeds)) == len(seeds)


def test_each_half_of_the_bits_differs_between_neighbours() -> None:
    seeds = [node_seed(0, step, node) for step in range(50) for node in range(50)]

    assert len({seed & 0xFFFFFFFF for seed in seeds}) == len(seeds)
    assert len({seed >> 32 for seed in seeds}) == len(seeds)


def test_streams_of_one_job_are_apart() -> None:
    seeds = [
        node_seed(1, 2, 3),
        sample_seed(1, 2, 3),
        evaluation_seed(1, 2, 3),
        update_seed(1, 2),
        epoch_seed(1, 2),
    ]

    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**63, 2**64 - 1])
def test_every_global_generator_is_seeded(seed: int) -> None:
    with restored_generators():
        seed_generators(seed)
        first = drawn()
        seed_generators(seed)

        assert drawn() == first


def test_another_seed_moves_every_global_generator() -> None:
    with restored_generators():
        seed_generators(seed_of(1))
        first = drawn()
        seed_generators(seed_of(2))
        second = drawn()

    assert all(one != other for one, other in zip(first, second, strict=True))


def test_given_generators_are_seeded_too() -> None:
    own = torch.Generator()
    with restored_generators():
        seed_generators(7, [own])

    assert own.initial_seed() == 7


def test_generators_come_back_as_they_were_after_an_error_too() -> None:
    with restored_generators():
        expected = drawn()
    with pytest.raises(RuntimeError, match="user"), restored_generators():
        seed_and_fail()

    assert drawn() == expected
