"""Where a motion leads, and which part of the text it covers behind an operator."""

from __future__ import annotations

from functools import partial

from ...text.grapheme import cluster_after
from .grammar import Command
from .motions import BIG_WORD, MOTIONS, WORD, Motion, find, rest_of_word
from .places import at_cell, cell_of, line_below, line_end, line_start
from .span import Span
from .text_objects import TEXT_OBJECTS

END = 1_000_000
"""The cell that vertical motions aim at after one to the end of a line."""

_WORDS = {"word": WORD, "big_word": BIG_WORD}
_OPPOSITE = {"find": "find_back", "find_back": "find", "till": "till_back", "till_back": "till"}


class Mover:
    """Remembers what motions leave behind: the character that was sought last, the cell that `j` and `k` aim at."""

    def __init__(self) -> None:
        self._sought: tuple[str, str] | None = None
        self._goal: int | None = None

    def forget_goal(self) -> None:
        """The next motion up or down aims at the cell in which it begins."""
        self._goal = None

    def knows(self, command: Command) -> bool:
        """Whether the command is a motion."""
        return self._motion(command) is not None

    def target(self, text: str, here: int, command: Command) -> int | None:
        """The offset to which a motion leads; None if there is none."""
        motion = self._motion(command)
        target = None if motion is None else motion.way(text, here, command.count)
        if command.name not in ("up", "down"):
            self._goal = END if command.name == "line_end" else None
        return target

    def span(self, text: str, here: int, command: Command) -> Span | None:
        """What an operator takes: up to a motion's end, or a text object; None if there is none."""
        kind, _, name = command.name.rpartition(" ")
        if kind:
            return TEXT_OBJECTS[name](text, here, command.argument == "around")
        motion = self._motion(command)
        if command.operator == "change" and name in _WORDS and not text[here : here + 1].isspace():
            motion = Motion(rest_of_word(_WORDS[name]), is_inclusive=True)
        target = None if motion is None else motion.way(text, here, command.count)
        if motion is None or target is None:
            return None
        start, end = sorted((here, target))
        if motion.is_linewise:
            return Span(start, end, is_linewise=True)
        if motion.is_inclusive:
            span = Span(start, end if text[end : end + 1] == "\n" else cluster_after(text, end))
        else:
            span = Span(start, _end_in_line(text, start, end)) if name in _WORDS else _exclusive(text, start, end)
        return _whole_lines(text, span) if command.operator == "delete" else span

    def _motion(self, command: Command) -> Motion | None:
        match command.name:
            case "up" | "down":
                rows = command.times if command.name == "down" else -command.times
                return Motion(partial(self._vertical, rows), is_linewise=True)
            case "find" | "find_back" | "till" | "till_back":
                self._sought = command.name, command.argument
                return find(command.name, command.argument)
            case "find_again" | "find_opposite":
                return self._again(command.name)
            case name:
                return MOTIONS.get(name)

    def _again(self, name: str) -> Motion:
        """The last search again; one that ends beside its character does not stop at the same one."""
        if self._sought is None:
            return Motion(lambda text, here, count: None)
        kind, character = self._sought
        if name == "find_opposite":
            kind = _OPPOSITE[kind]
        motion = find(kind, character)

        def way(text: str, here: int, count: int) -> int | None:
            target = motion.way(text, here, count)
            return motion.way(text, here, max(count, 1) + 1) if target == here else target

        return Motion(way, is_inclusive=motion.is_inclusive)

    def _vertical(self, rows: int, text: str, here: int, _: int) -> int | None:
        start = line_below(text, here, rows)
        if start == line_start(text, here):
            return None
        if self._goal is None:
            self._goal = cell_of(text, here)
        return at_cell(text, start, self._goal)


def _end_in_line(text: str, start: int, end: int) -> int:
    """Behind `dw`: where the last word ends a line, the line break stays."""
    words = text[start:end].rstrip()
    return max(start, line_end(text, start + len(words))) if "\n" in text[start + len(words) : end] else end


def _exclusive(text: str, start: int, end: int) -> Span:
    """A part that ends where a line begins ends with the line before; whole lines if it begins so too (`:help o_v`)."""
    if end == start or text[end - 1] != "\n":
        return Span(start, end)
    return Span(start, end - 1, is_linewise=not text[line_start(text, start) : start].strip())


def _whole_lines(text: str, span: Span) -> Span:
    """What `d` takes of several lines, with nothing before and behind it, are whole lines (`:help d-special`)."""
    before = text[line_start(text, span.start) : span.start]
    behind = text[span.end : line_end(text, span.end)]
    is_part = span.is_linewise or "\n" not in text[span.start : span.end] or before.strip() or behind.strip()
    return span if is_part else Span(span.start, span.end, is_linewise=True)
