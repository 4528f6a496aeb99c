"""Whether a pass fits: the verdict, its table, and the largest batch."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.planning import Room, known, memory_of
from vfnb.planning.target.memory import GIB, room_of
from vfnb.spec import find_accelerator

BERT = known("bert-large", "bf16", sequence=128)
V100 = room_of(find_accelerator("V100"), 1)


@given(batch=st.integers(1, 4096))
def test_the_table_adds_up_and_the_verdict_follows_its_share(batch: int) -> None:
    memory = memory_of(BERT, V100, batch)

    share = memory.bytes / memory.device_bytes
    expected = "does not fit" if share > 1 else "tight" if share >= 0.85 else "fits"
    assert sum(size for _, size in memory.table) == memory.bytes
    assert memory.verdict == expected


def test_the_largest_batch_fits_and_one_more_does_not() -> None:
    largest = memory_of(BERT, V100, 1).largest_batch

    assert memory_of(BERT, V100, largest).verdict == "tight"
    assert memory_of(BERT, V100, largest + 1).verdict == "does not fit"


def test_no_batch_fits_where_the_states_alone_do_not() -> None:
    memory = memory_of(BERT, Room(device_bytes=4 * GIB), 1)

    assert memory.verdict == "does not fit"
    assert memory.largest_batch == 0


def test_states_are_16_bytes_a_parameter_and_2_for_the_copy_that_autocast_keeps() -> None:
    table = dict(memory_of(BERT, V100, 1).table)

    states = sum(table[name] for name in ("weights", "weights, 16-bit copy", "gradients", "optimizer"))
    assert states == pytest.approx(18 * BERT.parameters)
    assert table["gradient buffer"] == 0


def test_several_gpus_hold_buckets_beside_their_gradients() -> None:
    table = dict(memory_of(BERT, room_of(find_accelerator("V100"), 8), 1).table)

    assert table["gradient buffer"] == 4 * BERT.parameters


def test_a_tpus_verdict_says_its_factor_and_its_cores() -> None:
    memory = memory_of(BERT, room_of(find_accelerator("TPUv3"), 1024), 32)

    table = dict(memory.table)
    assert memory.device_bytes == 32 * GIB
    assert table["weights"] == 2 * 4 * BERT.parameters
    assert table["activations"] == pytest.approx(0.7 * 32 * BERT.kept_bytes)
    assert any("0.7" in one for one in memory.remarks)
    assert any("2 cores have a memory each" in one for one in memory.remarks)


@pytest.mark.parametrize(("tokens", "batch", "verdict"), [(128, 64, "fits"), (512, 32, "tight")])
def test_what_lamb_ran_on_tpu_v3_is_possible(tokens: int, batch: int, verdict: str) -> None:
    room = room_of(find_accelerator("TPUv3"), 1024)

    assert memory_of(known("bert-large", "bf16", sequence=tokens), room, batch).verdict == verdict


def test_what_is_kept_once_counts_once() -> None:
    more = replace(BERT, kept_once_bytes=1e9)

    grown = memory_of(more, V100, 8).bytes - memory_of(BERT, V100, 8).bytes

    assert grown == pytest.approx(1.03e9)
