"""What a saved notebook keeps of a figure."""

from base64 import b64decode
from dataclasses import dataclass

from vfnb.notebook.still import picture


@dataclass
class Figure:
    """Stands in for plotly's."""

    drawn: bytes | Exception

    def to_image(self, **_: object) -> bytes:
        if isinstance(self.drawn, Exception):
            raise self.drawn
        return self.drawn


def test_a_figure_is_kept_as_png_where_it_can_be_drawn() -> None:
    assert b64decode(picture(Figure(b"png"), kaleido=True)["image/png"]) == b"png"


def test_a_figure_that_cannot_be_drawn_is_left_out() -> None:
    assert picture(Figure(RuntimeError("no browser")), kaleido=True) == {}
    assert picture(Figure(b"png"), kaleido=False) == {}
