"""What can be answered, as a row or a few of keys and words that can be clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ...agent.frozen import frozen

GAP = 3
NARROW_GAP = 1
"""Cells between two choices, besides the one in which a choice ends."""

MAX_ROWS = 3
"""Rows over which the short words are shown."""

PICK = "choice"
"""The key of a segment's meta data that names the action of the choice below the mouse."""


@frozen
class Choice:
    """A binding of the panel by its id, its words, what it does, and the word that stands for it where it is narrow."""

    binding_id: str
    label: str
    action: str
    short: str


@frozen
class ChoiceRows:
    """Lays out choices. `key_of` tells the key of a binding, as it is now; `stop_key`, which is the app's, stands last."""

    choices: Sequence[Choice]
    chosen: int
    key_of: Callable[[str], str]
    stop_key: str
    style: Callable[[str], Style]

    def rows(self, width: int, room: int) -> list[list[Segment]]:
        """At most `room` rows: in whole words, else in short ones, else the keys alone."""
        rows = self._laid_out(width, [choice.label for choice in self.choices], GAP)
        if len(rows) > min(MAX_ROWS, max(1, room - 1)):
            rows = self._laid_out(width, [choice.short for choice in self.choices], NARROW_GAP)
        if len(rows) > room:
            rows = self._laid_out(width, [], NARROW_GAP)[:room]
        return rows

    def _laid_out(self, width: int, labels: Sequence[str], gap: int) -> list[list[Segment]]:
        keys = [self.key_of(choice.binding_id) for choice in self.choices]
        words = [*labels, "stop"] if labels else [""] * (len(keys) + 1)
        rows: list[list[Segment]] = [[]]
        used = 0
        for index, (key, label) in enumerate(zip([*keys, self.stop_key], words, strict=True)):
            size = cell_len(f" {key} {label} ")
            if used and used + size > width:
                rows.append([])
                used = 0
            rows[-1] += self._choice(index, key, label)
            rows[-1].append(Segment(" " * (gap - 1)))
            used += size + gap - 1
        return rows

    def _choice(self, index: int, key: str, label: str) -> list[Segment]:
        meta = Style(meta={PICK: self.choices[index].action}) if index < len(self.choices) else Style()
        if index == self.chosen:
            return [Segment(f" {key} {label} ", self.style("chosen") + meta)]
        return [Segment(f" {key}", self.style("key") + meta), Segment(f" {label} ", meta)]
