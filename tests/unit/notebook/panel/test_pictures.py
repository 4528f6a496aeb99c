"""The picture of virtual nodes, as data."""

import numpy as np
from telling import mapping

from vfnb.notebook.panel.pictures import NodePicture, busy, label, owners
from vfnb.runtime import Sign
from vfnb.spec import Layout, Mapping


def sign(node: int, phase: str = "compute") -> Sign:
    return Sign(beats=1, phase=phase, step=1, node=node, slowest=0.1)


def test_each_virtual_node_has_its_worker() -> None:
    made = Mapping(Layout(5, 2), ((3, (1,)), (7, (0,))))

    assert np.frombuffer(owners(made), "<u2").tolist() == [1, 1, 1, 0, 0]
    assert label(made) == "5 virtual nodes: worker 3 has 2, worker 7 has 3"


def test_a_worker_computes_a_node_or_none() -> None:
    assert busy(mapping(16, 16), {0: sign(3), 1: sign(40, "collective")}) == [3, -1]
    assert busy(mapping(16, 16), {}) == [-1, -1]


def test_without_a_mapping_there_is_nothing_to_see() -> None:
    picture = NodePicture()

    picture.draw(None, {})

    assert (picture.owners, picture.busy, picture.label) == (b"", [], "no virtual nodes are on workers")


def test_a_large_cluster_is_one_small_message() -> None:
    assert len(owners(mapping(20, 12, layout=Layout.of(32_768)))) == 2 * 32_768
