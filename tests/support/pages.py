"""A notebook page in a test's hands: what is displayed where, and what a shell calls."""

from collections.abc import Callable
from typing import Any


class Place:
    """A cell's output."""

    def __init__(self, bundle: dict[str, Any]) -> None:
        self.bundles = [bundle]

    def update(self, bundle: dict[str, Any], *, raw: bool) -> None:
        assert raw
        self.bundles.append(bundle)


class Events:
    """What a shell calls at the end of a cell."""

    def __init__(self) -> None:
        self.calls: list[Callable[[object], None]] = []

    def register(self, name: str, call: Callable[[object], None]) -> None:
        assert name == "post_run_cell"
        self.calls.append(call)

    def unregister(self, _name: str, call: Callable[[object], None]) -> None:
        self.calls.remove(call)

    def cell_ends(self) -> None:
        for call in tuple(self.calls):
            call(None)


class Page:
    """A kernel's shell and what it displays."""

    kernel = True

    def __init__(self) -> None:
        self.cell = "first"
        self.places: list[Place] = []
        self.events = Events()

    def get_parent(self) -> dict[str, Any]:
        return {"header": {"msg_id": self.cell}}

    def display(self, bundle: dict[str, Any], *, raw: bool, display_id: bool = False) -> Place:
        self.places.append(Place(bundle))
        return self.places[-1]
