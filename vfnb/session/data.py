"""A task's data: which data sets and loaders can be trained from, and what is taken from a loader."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    default_collate,
)

from vfnb.ground import SpecError
from vfnb.runtime import MapStyle, Source

_HOW = "Every virtual node must be able to ask for its own samples, so give a data set with __len__ and __getitem__"


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Data as a task took them.

    Attributes:
        source: The data set, its collate and whether it is shuffled.
        loader_workers: The loader's processes; 0 where there was no loader.
        remarks: What was not taken over from a loader, a sentence each.
    """

    source: Source
    loader_workers: int = 0
    remarks: tuple[str, ...] = ()


def data_of(data: object, what: str) -> Data:
    """Take training or evaluation data in any of their forms.

    Args:
        data: A map-style data set, or a DataLoader over one.
        what: What they are to the user, for messages: "train" or "evaluate".

    Returns:
        The data; a data set alone is shuffled.

    Raises:
        SpecError: If samples cannot be asked for by their index, there are none, or a loader draws in an
            order of its own.
    """
    if isinstance(data, DataLoader):
        return _from_loader(data, what)
    return Data(source=Source(dataset=_map_style(data, what)))


def _from_loader(loader: "DataLoader[Any]", what: str) -> Data:
    dataset = _map_style(loader.dataset, what)
    shuffle = _shuffles(loader, what, len(dataset))
    collate = None if loader.collate_fn is default_collate else loader.collate_fn
    return Data(
        source=Source(dataset=dataset, collate=collate, shuffle=shuffle),
        loader_workers=loader.num_workers,
        remarks=tuple(_not_taken(loader, what)),
    )


def _shuffles(loader: "DataLoader[Any]", what: str, samples: int) -> bool:
    if type(loader.batch_sampler) is not BatchSampler or loader.batch_size is None:
        name = "batch_size=None" if loader.batch_sampler is None else type(loader.batch_sampler).__name__
        raise SpecError(
            f"{what}'s loader makes its batches by {name}, which a virtual cluster replaces; give a loader "
            f"with a batch_size, or the data set itself"
        )
    sampler = loader.sampler
    if type(sampler) is SequentialSampler:
        return False
    if type(sampler) is RandomSampler and not sampler.replacement and sampler.num_samples == samples:
        return True
    name = type(sampler).__name__
    if type(sampler) is RandomSampler:
        name += f"(replacement={sampler.replacement}, num_samples={sampler.num_samples})"
    raise SpecError(
        f"{what}'s loader draws by {name}, which is not possible here: each epoch visits every sample once, "
        f"in an order made from the job's seed; use shuffle=True or shuffle=False, and put what {name} does "
        f"into the data set (a Subset, or samples that stand there more than once)"
    )


def _not_taken(loader: "DataLoader[Any]", what: str) -> Iterator[str]:
    if loader.drop_last:
        yield f"{what}'s loader has drop_last=True, which is not taken over; use Options(drop_last=True)"
    if loader.worker_init_fn is not None:
        yield (
            f"{what}'s loader has a worker_init_fn, which is not called; samples are seeded one by one, "
            f"whichever process reads them"
        )


def _map_style(data: Any, what: str) -> MapStyle:
    problem = _problem(data)
    if problem is not None:
        raise SpecError(f"{what} is {problem}")
    try:
        samples = len(data)
    except (TypeError, NotImplementedError) as error:
        raise SpecError(f"{what}'s {type(data).__name__} cannot tell its length ({error}). {_HOW}") from error
    if samples < 1:
        raise SpecError(f"{what} has no samples (len is {samples}); give at least one")
    return data  # type: ignore[no-any-return]  # it has been looked at


def _problem(data: Any) -> str | None:
    """Say what is wrong with the form of the data, and the remedy; None where nothing is."""
    kind = type(data).__name__
    if isinstance(data, IterableDataset) or (isinstance(data, Iterator) and not _indexable(data)):
        return (
            f"a {kind}, which can only be iterated. {_HOW}: list(data) makes one where the samples fit into "
            f"memory; otherwise write them to files or an array and read sample i in __getitem__(i)"
        )
    if isinstance(data, Mapping):
        keys = sorted(map(str, data))[:4]
        return f"a {kind} with the keys {keys}, not a data set; give one entry of it, such as data['train']"
    if isinstance(data, tuple) and data and all(isinstance(one, Tensor) for one in data):
        return "a tuple of tensors; give torch.utils.data.TensorDataset(*tensors)"
    if isinstance(data, str | bytes) or hasattr(data, "iloc"):
        return f"a {kind}, whose items are no samples. {_HOW}"
    if not _indexable(data):
        return f"a {kind}, which has no {'__len__' if hasattr(data, '__getitem__') else '__getitem__'}. {_HOW}"
    return None


def _indexable(data: object) -> bool:
    return hasattr(data, "__getitem__") and hasattr(data, "__len__")


Collate = Callable[[list[Any]], Any]


def collated(data: Data, collate: Collate | None, *, shuffle: bool | None = None) -> Source:
    """Give the source of some data under a job's options.

    Args:
        data: As a task took them.
        collate: The job's own collate, which goes before the loader's; None where it has none.
        shuffle: Another choice than the data's own; None keeps it.

    Returns:
        The source.
    """
    own = data.source
    return Source(
        dataset=own.dataset,
        collate=own.collate if collate is None else collate,
        shuffle=own.shuffle if shuffle is None else shuffle,
    )
