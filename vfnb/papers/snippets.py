"""Movie snippets with human ratings as a sentiment set, and their tokens as batches that language models take.

The file is that of vaderSentiment 3.3.2 (C.J. Hutto; MIT; Hutto and Gilbert, ICWSM 2014): sentences of film critics.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vfnb.ground import SpecError
from vfnb.papers.optional import needed
from vfnb.papers.places import find

FETCH = "`python notebooks/fetch.py` of a checkout fetches it"
_FILE = "movie_snippets.tsv"
_CLEAR = 1.0  # ratings go from -4 to 4; what is nearly neutral is left out


@dataclass(frozen=True, slots=True)
class Snippet:
    """A sentence and what people felt in it.

    Args:
        text: The sentence.
        positive: Whether its mean rating is above 0.
    """

    text: str
    positive: bool


def movie_snippets(
    folder: str | Path | None = None, *, train: int = 480, test: int = 1_000
) -> tuple[tuple[Snippet, ...], tuple[Snippet, ...]]:
    """Read the movie snippets that are clearly positive or negative, in a fixed shuffled order.

    Args:
        folder: Where the file lies; None looks beside the notebooks.
        train: How many to train on.
        test: How many to test on; always the same ones first.

    Returns:
        The two sets, which share no snippet.

    Raises:
        SpecError: If there are not so many.
    """
    lines = find(_FILE, folder, FETCH).read_text(encoding="utf-8").split("\n")
    read = [line.split("\t", 2) for line in lines if line]
    clear = [Snippet(text.strip(), float(rating) > 0) for _, rating, text in read if abs(float(rating)) >= _CLEAR]
    if train + test > len(clear):
        raise SpecError(f"train={train} and test={test} are more than the {len(clear):,} clear snippets; take fewer")
    order = np.random.RandomState(0).permutation(len(clear))  # the file has positives first
    shuffled = [clear[index] for index in order]
    return tuple(shuffled[test : test + train]), tuple(shuffled[:test])


class Tokens:
    """Tokenized sentences, each a dictionary as models of transformers take it.

    Args:
        ids: Token numbers, a row a sentence.
        mask: 1 where there is a token, 0 where there is padding.
        labels: Classes.
    """

    def __init__(self, ids: Tensor, mask: Tensor, labels: Tensor) -> None:
        self.ids, self.mask, self.labels = ids, mask, labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        return {"input_ids": self.ids[index], "attention_mask": self.mask[index], "labels": self.labels[index]}


def tokenized(snippets: tuple[Snippet, ...], vocabulary: str | Path, *, tokens: int = 24) -> Tokens:
    """Turn snippets into tokens, all of one length.

    Args:
        snippets: The snippets.
        vocabulary: A `tokenizer.json`, as the package tokenizers writes it.
        tokens: How many a snippet has; longer ones are cut, shorter ones padded.

    Returns:
        A data set of dictionaries.
    """
    package = needed("tokenizers", "sentences are split into tokens", "tokenizers")
    tokenizer: Any = package.Tokenizer.from_file(str(vocabulary))
    tokenizer.enable_truncation(tokens)
    tokenizer.enable_padding(length=tokens)
    encoded = tokenizer.encode_batch([one.text for one in snippets])
    return Tokens(
        torch.tensor([one.ids for one in encoded]),
        torch.tensor([one.attention_mask for one in encoded]),
        torch.tensor([int(one.positive) for one in snippets]),
    )
