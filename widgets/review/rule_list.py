"""What "always allow" could mean, as a list of which one is highlighted; what is out of sight can't be taken."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ..editor.rows import clip
from ..editor.soft_wrap import SoftWrap
from ..text.hidden_characters import show_hidden
from ..text.marks import marks
from .rule_keys import rule_key

MARGIN = 2
"""Cells before and behind the key of a rule."""

PICK = "rule"
"""The key of a segment's meta data that holds the index of the rule below the mouse."""


class RuleList:
    """`rules` in words, the narrowest first. Empty while it is not shown."""

    def __init__(self, key_of: Callable[[str], str]) -> None:
        """`key_of` tells the key of a binding, as it is now."""
        self._key_of = key_of
        self.rules: tuple[str, ...] = ()
        self._index = 0
        self._first = 0
        self._spans: list[tuple[int, int]] = []
        self._window = (0, 0)
        self._fold = SoftWrap(lambda _: marks().bad)

    @property
    def state(self) -> tuple[object, ...]:
        """What its rows depend on."""
        return self.rules, self._index, self._first

    def show(self, rules: tuple[str, ...]) -> None:
        """Show these, the narrowest highlighted."""
        self.rules = rules
        self._index = self._first = 0
        self._spans, self._window = [], (0, 0)

    @property
    def chosen(self) -> int | None:
        """The highlighted rule, if it can be read to its end."""
        return self._index if self.is_in_sight(self._index) else None

    def is_in_sight(self, index: int) -> bool:
        """Whether a rule's last row is on the screen, and its first row was before."""
        first, end = self._window
        if not 0 <= index < len(self._spans):
            return False
        begin, stop = self._spans[index]
        return first < stop <= end and (begin >= first or index == self._index)

    def move(self, step: int) -> None:
        """Highlight the next (1) or the last (-1) rule; one that is higher than the room is scrolled first."""
        first, end = self._window
        begin, stop = self._spans[self._index] if self._spans else (0, 0)
        if step > 0 and stop > end and begin <= first:
            self._first += 1
        elif step < 0 and begin < first:
            self._first -= 1
        else:
            self._index = max(0, min(self._index + step, len(self.rules) - 1))
            self._first = self._fitting(self._index)

    def height(self, width: int) -> int:
        """Rows that all rules take."""
        self._fold.width = max(8, width - self._indent)
        return sum(len(self._fold.rows(show_hidden(rule))) for rule in self.rules)

    @property
    def _keys(self) -> list[str]:
        return [self._key_of(rule_key(number)) for number in range(1, len(self.rules) + 1)]

    @property
    def _indent(self) -> int:
        return max(map(cell_len, self._keys), default=1) + 2 * MARGIN

    def rows(self, width: int, room: int, style: Callable[[str], Style]) -> list[list[Segment]]:
        """At most `room` rows: as many of the rules as fit, and below them the keys and how many more there are."""
        every = self._drawn(width, style)
        height = max(1, room - 1)
        size = min(height, len(every))
        self._window = (0, size)
        first = max(0, min(self._fitting(self._index, self._first), len(every) - size))
        self._first, self._window = first, (first, first + size)
        return [*every[first : first + size], self._ways(width, style)]

    def _fitting(self, index: int, first: int | None = None) -> int:
        """The first row to show so that a rule is seen, whole if it fits; `first` is kept where that does."""
        begin, stop = self._spans[index] if index < len(self._spans) else (0, 0)
        size = self._window[1] - self._window[0]
        first = self._first if first is None else first
        if stop - begin > size:
            return max(begin, min(first, stop - size))
        return min(begin, max(first, stop - size))

    def _drawn(self, width: int, style: Callable[[str], Style]) -> list[list[Segment]]:
        rows: list[list[Segment]] = []
        spans: list[tuple[int, int]] = []
        keys, indent = self._keys, self._indent
        self._fold.width = max(8, width - indent)
        for index, rule in enumerate(self.rules):
            meta = Style(meta={PICK: index})
            words = (style("chosen") if index == self._index else Style()) + meta
            texts = [row.text for row in self._fold.rows(show_hidden(rule))]
            begin = len(rows)
            for text in texts:
                key = " " * MARGIN + keys[index] if len(rows) == begin else ""
                rows.append([Segment(key.ljust(indent), style("key") + meta), Segment(text, words)])
            spans.append((begin, len(rows)))
        self._spans = spans
        return rows

    def _ways(self, width: int, style: Callable[[str], Style]) -> list[Segment]:
        above = sum(begin < self._window[0] for begin, _ in self._spans)
        below = sum(stop > self._window[1] for _, stop in self._spans)
        more = [f"{marks().up} {above}" if above else "", f"{marks().down} {below} more" if below else ""]
        begin = [Segment(f"  {' '.join(filter(None, more))} ", style("warning"))] if above or below else [Segment("  ")]
        begin += [Segment(self._key_of("approval.rules_back"), style("key")), Segment("  none of these")]
        if sum(len(segment.text) for segment in begin) > width:
            return [Segment(clip("".join(segment.text for segment in begin), width), style("muted"))]
        return begin
