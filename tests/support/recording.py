"""A data set that writes down what is read from it."""

from pathlib import Path

import torch


class Recording:
    """Samples that know their index.

    Args:
        length: How many.
        file: Where each read index goes, a line each.
    """

    def __init__(self, length: int, file: Path) -> None:
        self._length, self._file = length, file

    def __len__(self) -> int:
        """Return how many samples there are."""
        return self._length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        """Return a sample and write its index down."""
        with self._file.open("a") as file:
            file.write(f"{index}\n")
        return torch.tensor([index / self._length, 1.0]), index % 2

    def indices_read(self) -> set[int]:
        """Read back which samples were read."""
        return {int(line) for line in self._file.read_text().split()}
