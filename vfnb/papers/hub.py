"""Language models and their data, for those who have transformers and datasets."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import nn
from torch.utils.data import DataLoader

from vfnb.ground import SpecError
from vfnb.papers.optional import needed

BERT_BASE = "google-bert/bert-base-uncased"
BERT_LARGE = "google-bert/bert-large-uncased"

_GLUE = "nyu-mll/glue"
_WIKIPEDIA = ("wikimedia/wikipedia", "20231101.en")
_TOKENS = 128
_MASKED = 0.15
# What GLUE's tasks call their sentences.
_SENTENCES = {
    "cola": ("sentence",),
    "mrpc": ("sentence1", "sentence2"),
    "qnli": ("question", "sentence"),
    "qqp": ("question1", "question2"),
    "rte": ("sentence1", "sentence2"),
    "sst2": ("sentence",),
}


class Sentences:
    """Rows of text, tokenized when they are asked for.

    Args:
        rows: Dictionaries by index.
        columns: Which of their texts a model gets.
        tokenizer: Of transformers.
        labelled: Whether the rows have a `label`.
        tokens: The most that a sample has.
    """

    def __init__(
        self, rows: Any, columns: tuple[str, ...], tokenizer: Any, *, labelled: bool, tokens: int = _TOKENS
    ) -> None:
        self.rows, self.columns, self.tokenizer, self.labelled, self.tokens = rows, columns, tokenizer, labelled, tokens

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        row: Mapping[str, Any] = self.rows[index]
        texts = [row[column] for column in self.columns]
        encoded = dict(self.tokenizer(*texts, truncation=True, max_length=self.tokens))
        return encoded | {"labels": row["label"]} if self.labelled else encoded


def glue(task: str, model: str, data: str | Path | None = None) -> tuple[Any, Any]:
    """Read a task of GLUE, tokenized for a model.

    Args:
        task: Such as "sst2" or "rte".
        model: The model's name or folder, for its tokenizer.
        data: A folder or data set with the splits train and validation in GLUE's form; None takes GLUE.

    Returns:
        (train, validation), as loaders that pad what a virtual node has to its longest.

    Raises:
        SpecError: If the task is unknown.
    """
    if task not in _SENTENCES:
        raise SpecError(f"task={task!r} is none of GLUE's that are known: {', '.join(_SENTENCES)}")
    splits = _datasets().load_dataset(*((_GLUE, task) if data is None else (str(data),)))
    transformers = _transformers()
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    train, test = (
        Sentences(splits[part], _SENTENCES[task], tokenizer, labelled=True) for part in ("train", "validation")
    )
    collate = transformers.DataCollatorWithPadding(tokenizer)
    return _loader(train, collate), _loader(test, collate)


def pages(model: str, data: str | Path | None = None) -> Any:
    """Read English Wikipedia, the first tokens of each page, words masked as for BERT.

    Args:
        model: The model's name or folder, for its tokenizer.
        data: A folder or data set with the split train and a column text; None takes Wikipedia.

    Returns:
        A loader; what is masked is drawn in a virtual node's own stream.
    """
    rows = _datasets().load_dataset(*(_WIKIPEDIA if data is None else (str(data),)), split="train")
    transformers = _transformers()
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    collate = transformers.DataCollatorForLanguageModeling(tokenizer, mlm_probability=_MASKED)
    return _loader(Sentences(rows, ("text",), tokenizer, labelled=False), collate)


def classifier(model: str, *, classes: int) -> nn.Module:
    """Load a model with a fresh head for classes.

    Args:
        model: Its name or folder.
        classes: Of the head.

    Returns:
        The model.
    """
    made: nn.Module = _transformers().AutoModelForSequenceClassification.from_pretrained(model, num_labels=classes)
    return made


def masked(model: str) -> nn.Module:
    """Make a model that fills masks, from its configuration alone: to be pre-trained.

    Args:
        model: Its name or folder.

    Returns:
        The model, with weights drawn from torch's generator.
    """
    transformers = _transformers()
    made: nn.Module = transformers.AutoModelForMaskedLM.from_config(transformers.AutoConfig.from_pretrained(model))
    return made


def _loader(data: Sentences, collate: Callable[[list[Any]], Any]) -> "DataLoader[Any]":
    return DataLoader(data, batch_size=1, shuffle=True, collate_fn=collate)  # type: ignore[arg-type]  # map-style


def _transformers() -> Any:
    return needed("transformers", "language models are taken", "transformers")


def _datasets() -> Any:
    return needed("datasets", "GLUE and Wikipedia are read", "datasets")
