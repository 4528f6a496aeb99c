"""A table and its drawing, which a notebook shows."""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from vfnb.figures import image

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Numbers, and how they look.

    Attributes:
        table: The numbers.
        svg: The drawing, legible on light and on dark pages.
        notes: What the drawing leaves out, a sentence each.
    """

    table: "pd.DataFrame"
    svg: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join([self.table.to_string(), *self.notes])

    def _repr_html_(self) -> str:
        return f"<div>{image(self.svg)}{''.join(f'<div>{escape(note)}</div>' for note in self.notes)}</div>"
