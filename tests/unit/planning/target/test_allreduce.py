"""Summing gradients: the topology of each kind of cluster, and laws of its time."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.planning.target.allreduce import hosts_of, near_cube, network_of
from vfnb.spec import Accelerator, accelerators, find_accelerator

GRADIENTS = 1.3e9


@pytest.mark.parametrize(
    ("kind", "devices", "name"),
    [
        ("V100", 1, "no network"),
        ("V100", 4, "ring of 4"),
        ("V100", 32, "4 hosts of 8"),
        ("V100 SXM3", 512, "32 hosts of 16"),
        ("GB200", 144, "2 hosts of 72"),
        ("TPUv3", 16, "mesh 4 x 4"),
        ("TPUv3", 1024, "torus 32 x 32"),
        ("TPU v4", 4096, "torus 16 x 16 x 16"),
        ("TPU v5e", 256, "torus 16 x 16"),
    ],
)
def test_devices_are_joined_as_their_kind_is(kind: str, devices: int, name: str) -> None:
    assert network_of(find_accelerator(kind), devices).name == name


@given(devices=st.integers(1, 5000), axes=st.integers(1, 3))
def test_axes_multiply_to_the_devices(devices: int, axes: int) -> None:
    sizes = near_cube(devices, axes)

    assert prod(sizes) == devices
    assert len(sizes) == axes


@given(row=st.sampled_from(accelerators()), devices=st.integers(1, 4096), size=st.floats(1, 1e10))
def test_a_sum_takes_longer_for_more_bytes_and_no_time_alone(row: Accelerator, devices: int, size: float) -> None:
    network = network_of(row, devices)

    assert network.seconds(0) == 0
    assert network_of(row, 1).seconds(size) == 0
    assert 0 <= network.seconds(size) <= network.seconds(2 * size)


def test_a_torus_sums_as_fast_at_any_size_but_for_its_hops() -> None:
    small, large = (network_of(find_accelerator("TPU v4"), devices).seconds(GRADIENTS) for devices in (64, 4096))

    assert small < large < 1.5 * small


def test_an_open_mesh_takes_twice_a_torus_time() -> None:
    mesh, torus = (network_of(find_accelerator("TPUv3"), devices).seconds(GRADIENTS) for devices in (256, 1024))

    assert mesh > 1.4 * torus


def test_between_hosts_the_network_counts_and_not_the_link() -> None:
    inside, between = (network_of(find_accelerator("V100"), devices).seconds(GRADIENTS) for devices in (8, 16))

    assert between > 2 * inside


def test_an_unknown_network_is_said_where_it_is_used() -> None:
    row = find_accelerator("T4")

    assert "not in the catalogue" in network_of(row, 8).remark
    assert network_of(row, 4).remark == ""


@pytest.mark.parametrize(("kind", "devices", "hosts"), [("V100", 8, 1), ("V100", 9, 2), ("TPUv3", 16, 4), ("M1", 1, 1)])
def test_hosts_are_counted(kind: str, devices: int, hosts: int) -> None:
    assert hosts_of(find_accelerator(kind), devices) == hosts
