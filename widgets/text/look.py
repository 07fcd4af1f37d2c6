"""The styles of the transcript by name, resolved from CSS component classes when first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from rich.style import Style
from textual.strip import Strip

from .contrast import readable
from .lines import Line, to_strip
from .marks import UNICODE_MARKS, Marks

if TYPE_CHECKING:
    from ..pictures.graphics import Graphics

StyleName = str

DiffView: TypeAlias = Literal["auto", "unified", "side-by-side"]
"""How diffs are laid out; `auto`: side by side where the screen is wide enough."""


def _as_it_is(style: Style) -> Style:
    return style


Pictures: TypeAlias = Literal["auto", "blocks", "off"]
"""How pictures are shown; `auto`: as sharp as the terminal can, `off`: in words only."""


Load: TypeAlias = Callable[[Callable[[], None], Callable[[], None]], None]
"""Do the first off the event loop, then the second on it, and draw again."""


class Look:
    """How things look now: styles, marks, whether colour and motion are wanted. A new one is made when that changes.

    `resolve` gives the style of a component class and raises KeyError for an unknown one. `terminal_style` turns a style
    with the terminal's own 16 colours into one that can be drawn.
    """

    def __init__(
        self,
        resolve: Callable[[StyleName], Style],
        *,
        marks: Marks = UNICODE_MARKS,
        has_colour: bool = True,
        has_motion: bool = True,
        folder: str = "",
        diff_view: DiffView = "auto",
        pictures: Pictures = "auto",
        graphics: Graphics | None = None,
        terminal_style: Callable[[Style], Style] = _as_it_is,
        load: Load | None = None,
    ) -> None:
        self._resolve = resolve
        self._styles: dict[StyleName, Style] = {}
        self._mixed: dict[tuple[StyleName, Style], Style] = {}
        self.terminal_style = terminal_style
        self.load = load
        self.marks = marks
        self.has_colour = has_colour
        self.has_motion = has_motion
        self.folder = folder
        self.diff_view: DiffView = diff_view
        self.pictures: Pictures = pictures
        self.graphics = graphics if pictures == "auto" and has_colour else None
        self.base = self.style("text")

    def style(self, name: StyleName) -> Style:
        """The style of that name, on the transcript's own background."""
        if (style := self._styles.get(name)) is None:
            style = self._styles[name] = readable(self._resolve(name))
        return style

    def attributes(self, name: StyleName, under: Style) -> Style:
        """The style of that name laid over another one: its text attributes and its colours where they differ."""
        if (mixed := self._mixed.get((name, under))) is None:
            mixed = self._mixed[name, under] = readable(self._mix(name, under))
        return mixed

    def _mix(self, name: StyleName, under: Style) -> Style:
        style = self.style(name)
        return under + Style(
            color=style.color if style.color != self.base.color else None,
            bgcolor=style.bgcolor if style.bgcolor != self.base.bgcolor else None,
            bold=style.bold or None,
            italic=style.italic or None,
            underline=style.underline or None,
            strike=style.strike or None,
            dim=style.dim or None,
        )

    def on_ground(self, style: Style, ground: Style) -> Style:
        """A style on another ground, still readable."""
        return readable(style + self.ground_of(ground))

    def ground_of(self, style: Style) -> Style:
        """What of a style marks text that has a colour of its own: its background, and bold.

        A background of the terminal's own palette, whose looks nobody knows, takes the colour that goes with it along.
        """
        ground = style.bgcolor
        is_own = ground is not None and ground.is_system_defined and not ground.is_default
        return Style(
            color=style.color if is_own else None,
            bgcolor=ground,
            bold=style.bold or None,
            reverse=None if self.has_colour else True,
        )

    def is_like(self, other: Look) -> bool:
        """Whether everything that was drawn with this look would look the same with the other one."""
        return self._facts == other._facts and all(style == other.style(name) for name, style in self._styles.items())

    @property
    def _facts(self) -> tuple[object, ...]:
        return (
            self.marks,
            self.has_colour,
            self.has_motion,
            self.folder,
            self.diff_view,
            self.pictures,
            self.graphics,
        )

    def strip(self, line: Line, width: int) -> Strip:
        """One row of `width` cells on the transcript's background."""
        return to_strip(line, width, self.base)

    def blank(self, width: int) -> Strip:
        return Strip.blank(width, self.base)


def plain_look(
    *, marks: Marks = UNICODE_MARKS, has_colour: bool = True, folder: str = "", diff_view: DiffView = "auto"
) -> Look:
    """A look without any style, for text output and tests."""
    return Look(
        lambda _: Style(),
        marks=marks,
        has_colour=has_colour,
        has_motion=False,
        folder=folder,
        diff_view=diff_view,
    )
