"""Carrying a program to worker processes by value: notebook cells live in `__main__`, which no worker can import.

Large CPU tensors and arrays do not travel in the pickle: they are written once to files that every worker maps
copy-on-write (shared memory is 64 MB in containers), so that ten workers hold one copy.
"""

import io
import os
import pickle
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import cloudpickle
import numpy as np
import torch
from torch.storage import TypedStorage, UntypedStorage

from vfnb.ground import SpecError

_MAPPED = 1 << 16  # bytes from which a file of its own pays


def ship(value: Any, folder: Path) -> Path:
    """Write a value so that other processes of this machine can read it.

    Args:
        value: Anything cloudpickle takes; classes of the user's own modules go by value.
        folder: Where its files go; private and empty of other payloads.

    Returns:
        The file to give to `unship`.
    """
    path = folder / "payload.pkl"
    with path.open("wb") as file, _own_modules_by_value():
        _Shipper(file, folder).dump(value)
    return path


def unship(path: Path) -> Any:
    """Read what `ship` wrote; tensors are mapped copy-on-write.

    Args:
        path: What `ship` returned.

    Returns:
        The value.
    """
    with path.open("rb") as file:
        return _Receiver(file).load()


def shippable(value: Any, name: str) -> None:
    """Check that a value can travel to worker processes.

    Args:
        value: The value.
        name: What it is to the user: "model", "loss".

    Raises:
        SpecError: If it cannot; names the attribute that stands in the way.
    """
    with _own_modules_by_value():
        reason = _obstacle(value)
        if reason is None:
            return
        path, culprit = _culprit(value, name)
    raise SpecError(
        f"{path} (a {type(culprit).__name__}) cannot be sent to a worker process: {reason}; "
        "make it where it is used, or leave it out with __getstate__"
    )


class _Shipper(cloudpickle.Pickler):  # type: ignore[misc]  # cloudpickle has no types
    """Pickles by value, large storages to files of their own."""

    def __init__(self, file: Any, folder: Path | None) -> None:
        super().__init__(file, protocol=5)
        self._folder = folder
        self._written: dict[int, tuple[Any, ...]] = {}
        self._alive: list[Any] = []  # a freed storage's address could come back as another's key

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        if isinstance(obj, TypedStorage):
            return ("typed", obj.dtype, self._storage(obj._untyped_storage))  # noqa: SLF001  # torch.save's way
        if isinstance(obj, UntypedStorage):
            return self._storage(obj)
        if type(obj) is np.ndarray and obj.nbytes >= _MAPPED and not obj.dtype.hasobject:
            return self._array(obj)
        return None

    def _storage(self, storage: UntypedStorage) -> tuple[Any, ...]:
        key = storage.data_ptr() or id(storage)
        if key not in self._written:
            self._alive.append(storage)
            data = torch.empty(0, dtype=torch.uint8).set_(storage.cpu()).numpy()
            self._written[key] = ("storage", key, *self._stored(data))
        return self._written[key]

    def _array(self, array: np.ndarray) -> tuple[Any, ...]:
        if id(array) not in self._written:
            self._alive.append(array)
            data = np.ascontiguousarray(array)
            flat = data.reshape(-1).view(np.uint8)
            self._written[id(array)] = ("array", data.dtype, data.shape, *self._stored(flat))
        return self._written[id(array)]

    def _stored(self, data: np.ndarray) -> tuple[Any, ...]:
        if self._folder is None:
            return ("bytes", b"")
        if data.nbytes < _MAPPED:
            return ("bytes", data.tobytes())
        path = self._folder / f"tensor-{len(self._written)}.bin"
        with path.open("wb") as file:
            file.write(data.data)
        return ("file", str(path))


class _Receiver(pickle.Unpickler):
    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self._storages: dict[int, UntypedStorage] = {}

    def persistent_load(self, pid: Any) -> Any:
        match pid:
            case ("typed", dtype, inner):
                storage = self.persistent_load(inner)
                return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)
            case ("storage", key, kind, content):
                if key not in self._storages:
                    self._storages[key] = _read_storage(kind, content)
                return self._storages[key]
            case ("array", dtype, shape, "file", path):
                return np.asarray(np.memmap(path, dtype=dtype, mode="c", shape=shape))
            case ("array", dtype, shape, _, data):
                return np.frombuffer(bytearray(data), dtype=dtype).reshape(shape)
            case _:
                pass
        raise pickle.UnpicklingError(f"unknown part {pid!r}")


def _read_storage(kind: str, content: Any) -> UntypedStorage:
    if kind == "file":
        mapped: Any = UntypedStorage.from_file(content, False, Path(content).stat().st_size)
        return cast("UntypedStorage", mapped)
    if not content:
        return UntypedStorage(0)
    return torch.frombuffer(bytearray(content), dtype=torch.uint8).untyped_storage()


def _own_modules() -> list[ModuleType]:
    """List the loaded modules that are the user's: files outside the interpreter's and site-packages' folders."""
    places = [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    installed = frozenset(os.path.realpath(place) for place in (*sysconfig.get_paths().values(), *places))
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None or name == "__main__" or name.partition(".")[0] == "vfnb":
            continue
        if not _lies_in(os.path.dirname(file), installed):  # noqa: PTH120  # thousands of modules: a Path takes longer
            found.append(module)
    return found


@cache  # folders are few and stay where they are; following their links is what takes long
def _lies_in(folder: str, places: frozenset[str]) -> bool:
    here = os.path.realpath(folder)
    return any(here == place or here.startswith(place + os.sep) for place in places)


@contextmanager
def _own_modules_by_value() -> Iterator[None]:
    """Have the user's own modules pickled by value; looking for them takes a while, so once a search."""
    registered = [module for module in _own_modules() if _register(module)]
    try:
        yield
    finally:
        for module in registered:
            cloudpickle.unregister_pickle_by_value(module)


def _register(module: ModuleType) -> bool:
    if module.__name__ in cloudpickle.list_registry_pickle_by_value() or module.__name__ not in sys.modules:
        return False
    cloudpickle.register_pickle_by_value(module)
    return True


def _obstacle(value: Any) -> str | None:
    try:
        _Shipper(io.BytesIO(), None).dump(value)
    except Exception as error:  # noqa: BLE001  # pickling runs the user's own __reduce__, which may raise anything
        return str(error) or type(error).__name__
    return None


def _culprit(value: Any, path: str) -> tuple[str, Any]:
    for name, part in _parts(value):
        if _obstacle(part) is not None:
            return _culprit(part, f"{path}{name}")
    return path, value


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"[{key!r}]", part) for key, part in value.items()]
    if isinstance(value, list | tuple):
        return [(f"[{index}]", part) for index, part in enumerate(value)]
    parts: list[tuple[str, Any]] = []
    for name, part in getattr(value, "__dict__", {}).items():
        if name in {"_modules", "_parameters", "_buffers"} and isinstance(part, dict):
            parts += [(f".{key}", one) for key, one in part.items()]
        else:
            parts.append((f".{name}", part))
    cells = getattr(value, "__closure__", None) or ()
    names = getattr(getattr(value, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, cells, strict=True):
        parts.append((f" -> {name}", cell.cell_contents))
    return parts
