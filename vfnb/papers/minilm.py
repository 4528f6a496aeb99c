"""A small BERT-like sentence encoder with a head for classes, from packaged weights and without transformers.

Letters: N sentences, T tokens, D width, C classes.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from vfnb.papers.optional import needed
from vfnb.papers.places import find
from vfnb.papers.snippets import FETCH

_FOLDER = "minilm"


@dataclass(frozen=True, slots=True)
class Output:
    """What the encoder says of a batch, as models of transformers do.

    Args:
        loss: The mean cross entropy; None without labels.
        logits: Of shape (N, C).
    """

    loss: Tensor | None
    logits: Tensor


class MiniLM(nn.Module):
    """An encoder whose embeddings stay as they are, the mean over its tokens, and a linear head.

    Args:
        sizes: A BERT's `config.json`: hidden_size, num_attention_heads and the like.
        classes: Of the head.
        dropout: In every layer and before the head.
    """

    def __init__(self, sizes: dict[str, Any], *, classes: int = 2, dropout: float = 0.1) -> None:
        super().__init__()
        width, eps = sizes["hidden_size"], sizes["layer_norm_eps"]
        self.words = nn.Embedding(sizes["vocab_size"], width)
        self.positions = nn.Embedding(sizes["max_position_embeddings"], width)
        self.segments = nn.Embedding(sizes["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, eps=eps)
        layer = nn.TransformerEncoderLayer(
            width,
            sizes["num_attention_heads"],
            sizes["intermediate_size"],
            dropout=dropout,
            activation="gelu",
            layer_norm_eps=eps,
            batch_first=True,
        )
        self.encoder = nn.TransformerEncoder(layer, sizes["num_hidden_layers"], enable_nested_tensor=False)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, classes)
        for frozen in (self.words, self.positions, self.segments, self.norm):
            frozen.requires_grad_(requires_grad=False)

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Encode sentences.

        Args:
            input_ids: Token numbers, (N, T).
            attention_mask: 1 where there is a token, (N, T).

        Returns:
            The last layer, (N, T, D); where there is no token it means nothing.
        """
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        embedded = self.words(input_ids) + self.positions(places) + self.segments.weight[0]
        encoded: Tensor = self.encoder(self.dropout(self.norm(embedded)), src_key_padding_mask=attention_mask == 0)
        return encoded

    def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None = None) -> Output:
        """Classify sentences.

        Args:
            input_ids: Token numbers, (N, T).
            attention_mask: 1 where there is a token, (N, T).
            labels: Classes, (N,), or None.

        Returns:
            Logits, and the loss where there are labels.
        """
        weights = attention_mask.unsqueeze(-1).to(self.head.weight.dtype)
        mean = (self.encode(input_ids, attention_mask) * weights).sum(1) / weights.sum(1)
        logits = self.head(self.dropout(mean))
        return Output(None if labels is None else F.cross_entropy(logits, labels), logits)


def minilm_folder(folder: str | Path | None = None) -> Path:
    """Find the packaged weights of all-MiniLM-L6-v2 (Apache-2.0).

    Args:
        folder: Where the folder `minilm` lies; None looks beside the notebooks.

    Returns:
        The folder, which transformers can load too.
    """
    return find(_FOLDER, folder, FETCH)


def minilm(folder: str | Path | None = None, *, classes: int = 2, dropout: float = 0.1) -> MiniLM:
    """Load all-MiniLM-L6-v2 with a fresh head.

    Args:
        folder: Where the folder `minilm` lies; None looks beside the notebooks.
        classes: Of the head.
        dropout: In every layer and before the head.

    Returns:
        The model; its head is drawn from torch's generator.
    """
    place = minilm_folder(folder)
    held = needed("safetensors.torch", "weights are read", "safetensors").load_file(place / "model.safetensors")
    model = MiniLM(json.loads((place / "config.json").read_text("utf-8")), classes=classes, dropout=dropout)
    fresh = {name: one for name, one in model.state_dict().items() if name.startswith("head.")}
    model.load_state_dict(_theirs(held, len(model.encoder.layers)) | fresh)
    return model


_EMBEDDINGS = {
    "words.weight": "word_embeddings.weight",
    "positions.weight": "position_embeddings.weight",
    "segments.weight": "token_type_embeddings.weight",
    "norm.weight": "LayerNorm.weight",
    "norm.bias": "LayerNorm.bias",
}
_PARTS = {
    "self_attn.out_proj": "attention.output.dense",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm1": "attention.output.LayerNorm",
    "norm2": "output.LayerNorm",
}


def _theirs(held: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Give the tensors of a BERT by the names they have here; query, key and value are one matrix in torch."""
    ours = {name: held[f"embeddings.{theirs}"] for name, theirs in _EMBEDDINGS.items()}
    for layer in range(layers):
        here, there = f"encoder.layers.{layer}", f"encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            three = [held[f"{there}.attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
            ours[f"{here}.self_attn.in_proj_{kind}"] = torch.cat(three)
            ours |= {f"{here}.{name}.{kind}": held[f"{there}.{theirs}.{kind}"] for name, theirs in _PARTS.items()}
    return ours
