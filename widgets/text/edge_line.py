"""One line of parts, of which the less important ones go when it gets narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from ...agent.frozen import frozen
from ..editor.rows import clip
from .marks import marks


@frozen
class Part:
    """A few words on the line. The part with the highest `rank` goes first; rank 0 never goes, but is clipped.

    `short` takes the place of the text at `short_rank`, or else when its turn to go has come. `style` names a component class. `separator`, a dot unless given, stands before the
    part unless it is the first of its side. `opens_group`: where there is room, the part stands apart from what is left of it.
    """

    text: str
    rank: int
    style: str = ""
    short: str = ""
    separator: str = ""
    opens_group: bool = False
    short_rank: int = 0

    @property
    def joint(self) -> str:
        """What stands between it and the part before."""
        return self.separator or f" {marks().dot} "

    @property
    def turn(self) -> int:
        """The rank at which something is taken from it next."""
        return max(self.rank, self.short_rank) if self.short else self.rank


def line_width(parts: Sequence[Part]) -> int:
    """Cells of parts side by side, separators included."""
    return sum(cell_len(part.text) + (cell_len(part.joint) if index else 0) for index, part in enumerate(parts))


def fit(left: Sequence[Part], right: Sequence[Part], width: int, gap: int = 2) -> tuple[list[Part], list[Part]]:
    """What of both sides stands in `width` cells, with `gap` cells between them at least."""
    sides = [[part for part in left if part.text], [part for part in right if part.text]]
    while (excess := _total(sides, gap) - width) > 0:
        side, index = _worst(sides)
        part = side[index]
        if part.short:
            side[index] = replace(part, text=part.short, short="", short_rank=0)
        elif part.rank:
            del side[index]
        else:
            _clip_widest(sides, excess)
            break
    return sides[0], sides[1]


def _total(sides: list[list[Part]], gap: int) -> int:
    return sum(map(line_width, sides)) + (gap if all(sides) else 0)


def _places(sides: list[list[Part]]) -> list[tuple[list[Part], int]]:
    return [(side, index) for side in sides for index in range(len(side))]


def _worst(sides: list[list[Part]]) -> tuple[list[Part], int]:
    """The place of the part that is shortened or goes next."""
    return max(_places(sides), key=lambda place: (place[0][place[1]].turn, bool(place[0][place[1]].short)))


def _clip_widest(sides: list[list[Part]], excess: int) -> None:
    side, index = max(_places(sides), key=lambda place: cell_len(place[0][place[1]].text))
    part = side[index]
    side[index] = replace(part, text=clip(part.text, max(0, cell_len(part.text) - excess)))


class EdgeLine(Widget):
    """A widget of one line with parts on the left and on the right; empty until a subclass says what they are."""

    DEFAULT_CSS = """
    EdgeLine { height: 1; padding: 0 1; }
    """

    PREFIX = ""
    """What the component classes of a subclass begin with."""

    def parts(self) -> tuple[list[Part], list[Part]]:
        """The parts of the left and the right side, most important first or not: ranks decide."""
        return [], []

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        left, right = fit(*self.parts(), width)
        spare = width - line_width(left) - line_width(right)
        spread = spare // 2 if spare >= 16 else 0
        segments = self._segments(left, spread)
        segments.append(Segment(" " * (width - sum(s.cell_length for s in segments) - line_width(right))))
        segments += self._segments(right, 0)
        return Strip(segments).apply_style(self.rich_style).adjust_cell_length(width, self.rich_style)

    def _segments(self, parts: Sequence[Part], spread: int) -> list[Segment]:
        segments: list[Segment] = []
        for index, part in enumerate(parts):
            if index and part.opens_group and spread:
                segments.append(Segment(" " * spread))
            elif index:
                segments.append(Segment(part.joint, self._style("separator")))
            segments.append(Segment(part.text, self._style(part.style)))
        return segments

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"{self.PREFIX}--{name}") if name else Style.null()
