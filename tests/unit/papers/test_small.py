"""The small data sets and networks: shapes, classes, and where they are looked for."""

from pathlib import Path

import pytest
import torch
from source import ROOT
from torch.utils.data import TensorDataset

from vfnb import papers
from vfnb.ground import SpecError

SETS = {"mnist1d": papers.mnist1d, "digits": papers.digits, "fashion_mnist": papers.fashion_mnist}
SIZES = {
    "mnist1d": (4000, 1000, (1, 40)),
    "digits": (1500, 297, (1, 8, 8)),
    "fashion_mnist": (8192, 5000, (1, 28, 28)),
}


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_its_published_size_and_ten_classes(name: str) -> None:
    train, test = SETS[name]()

    assert (len(train), len(test), train[0][0].shape) == SIZES[name]
    for part in (train, test):
        inputs, labels = part.tensors
        assert inputs.dtype == torch.float32
        assert labels.unique().tolist() == [*range(10)]


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (papers.digits_convnet, "digits"),
        (papers.fashion_convnet, "fashion_mnist"),
        (papers.mnist1d_cnn, "mnist1d"),
        (papers.mnist1d_cnn_norm, "mnist1d"),
        (papers.mnist1d_mlp, "mnist1d"),
    ],
)
def test_a_network_fits_its_set(make: "type[torch.nn.Module]", data: str) -> None:
    train: TensorDataset = SETS[data]()[0]

    assert make()(train.tensors[0][:4]).shape == (4, 10)


def test_data_are_found_in_the_working_directory_and_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = ROOT / "notebooks" / "data" / "fashion_mnist_10k.npz"
    for folder in (tmp_path / "data", tmp_path / "notebooks" / "data"):
        folder.mkdir(parents=True)
        (folder / held.name).symlink_to(held)
        monkeypatch.chdir(tmp_path)

        assert len(papers.fashion_mnist(train=10)[0]) == 10
        (folder / held.name).unlink()


def test_what_is_not_there_is_said_with_the_folder() -> None:
    with pytest.raises(SpecError, match=r"fashion_mnist_10k.npz is not in /nowhere: it comes with a checkout"):
        papers.fashion_mnist("/nowhere")
    with pytest.raises(SpecError, match=r"minilm is not in /nowhere: `python notebooks/fetch.py`"):
        papers.minilm("/nowhere")
