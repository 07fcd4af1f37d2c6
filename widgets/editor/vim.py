"""Vim's normal mode for the editor: counts, motions, operators, the changes that people use in a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from ...agent.frozen import frozen
from ..text.grapheme import cluster_after, cluster_before, clusters
from .document import EditorDocument

_WORD = re.compile(r"\w+|[^\w\s]+")
_OPERATORS = "dcy"
_SEARCHES = "fFtT"


@frozen
class Target:
    """Where a motion leads, as an offset into the text; `is_linewise` takes whole lines, `is_inclusive` its end too."""

    offset: int
    is_linewise: bool = False
    is_inclusive: bool = False


Motion: TypeAlias = Callable[[str, int, int], Target]
"""Takes the text, the caret's offset and a count."""


class Vim:
    """Which mode the editor is in, and what a key does in normal mode. It begins in insert mode."""

    def __init__(self, document: EditorDocument) -> None:
        self._document = document
        self.is_normal = False
        self._count = ""
        self._operator = ""
        self._operator_count = ""
        self._waits_for = ""

    @property
    def pending(self) -> str:
        """What was typed of a command that is not whole yet."""
        return self._operator_count + self._operator + self._count + self._waits_for

    def enter_normal(self) -> None:
        """Leave insert mode; the caret goes a character back, as in Vim."""
        self.is_normal = True
        self._forget()
        if self._document.column:
            self._document.move_left()
        self._stay_inside()

    def enter_insert(self) -> None:
        """Type from here on."""
        self.is_normal = False
        self._forget()

    def cancel(self) -> bool:
        """Forget what was typed of a command. False if nothing was."""
        had = bool(self.pending)
        self._forget()
        return had

    def press(self, key: str) -> None:
        """A printable key in normal mode; one that means nothing is forgotten with what came before it."""
        if self._waits_for:
            self._finish(self._waits_for + key)
        elif key.isdecimal() and (key != "0" or self._count):
            self._count += key
        elif key == "g" or key in _SEARCHES or (key == "r" and not self._operator):
            self._waits_for = key
        elif key in _OPERATORS and not self._operator:
            self._operator = key
            self._operator_count, self._count = self._count, ""
        else:
            self._finish(key)
        self._stay_inside()

    # Commands

    def _finish(self, command: str) -> None:
        """Do a command that is whole."""
        operator, self._waits_for = self._operator, ""
        count = int(self._count or 1) * (int(self._operator_count or 1) if operator else 1)
        has_count = bool(self._count)
        self._forget()
        if operator and command == operator:
            self._operate(operator, Target(self._line_below(count - 1), is_linewise=True))
        elif (motion := _motion(command)) is not None:
            self._move(operator, command, motion, count if has_count or command not in ("G", "gg") else 0)
        elif not operator:
            self._change(command, count)

    def _move(self, operator: str, command: str, motion: Motion, count: int) -> None:
        text, here = self._document.text, self._offset
        if operator == "c" and command == "w" and here < len(text) and not text[here].isspace():
            motion = _end_of_word
        target = motion(text, here, count)
        if not operator:
            self._go(target.offset)
            return
        line_end = _line_end(text, here)
        if command == "w" and target.offset > line_end and "\n" in text[here : target.offset]:
            target = Target(max(line_end, here))
        self._operate(operator, target)

    def _operate(self, operator: str, target: Target) -> None:
        """Delete, change or copy from the caret to a target; all of it goes to the kill ring."""
        text = self._document.text
        start, end = sorted((self._offset, target.offset))
        if target.is_linewise:
            start, end = _line_start(text, start), _line_end(text, end)
            self._operate_on_lines(operator, text, start, end)
            return
        if target.is_inclusive:
            end = cluster_after(text, end)
        self._apply(operator, start, end)

    def _operate_on_lines(self, operator: str, text: str, start: int, end: int) -> None:
        if operator == "y":
            self._document.kill_ring.add(text[start:end] + "\n")
        elif operator == "c":
            self._apply(operator, start, end)
        else:
            self._document.kill_ring.add(text[start:end] + "\n")
            if end < len(text):
                end += 1
            elif start:
                start -= 1
            self._replace_span(start, end)
            self._go(_first_printable(self._document.text, min(start, len(self._document.text))))

    def _apply(self, operator: str, start: int, end: int) -> None:
        text = self._document.text[start:end]
        if text:
            self._document.kill_ring.add(text)
        if operator != "y":
            self._replace_span(start, end)
        self._go(start)
        if operator == "c":
            self.enter_insert()

    def _change(self, command: str, count: int) -> None:
        """A command that is no motion and takes none."""
        text, here = self._document.text, self._offset
        match command[0]:
            case "x" | "s":
                self._apply("d" if command == "x" else "c", here, _repeat(cluster_after, text, here, count))
            case "X":
                self._apply("d", max(_line_start(text, here), _repeat(cluster_before, text, here, count)), here)
            case "D" | "C":
                self._apply(command.lower(), here, _line_end(text, here))
            case "S" | "Y":
                operator = "c" if command == "S" else "y"
                self._operate(operator, Target(self._line_below(count - 1), is_linewise=True))
            case "p" | "P":
                self._put(after=command == "p", count=count)
            case "u":
                for _ in range(count):
                    self._document.undo()
            case "J":
                self._join()
            case "r":
                self._replace(command[1], count)
            case _:
                self._insert_at(command)

    def _insert_at(self, command: str) -> None:
        """The commands that lead to insert mode."""
        text, here = self._document.text, self._offset
        places = {
            "i": here,
            "a": min(cluster_after(text, here), _line_end(text, here)),
            "I": _first_printable(text, here),
            "A": _line_end(text, here),
            "o": _line_end(text, here),
            "O": _line_start(text, here),
        }
        if command not in places:
            return
        self._go(places[command])
        if command in "oO":
            self._document.insert("\n")
        if command == "O":
            self._document.move_left()
        self.enter_insert()

    def _put(self, *, after: bool, count: int) -> None:
        cut = self._document.kill_ring.newest * count
        text, here = self._document.text, self._offset
        if cut.endswith("\n"):
            start = _line_end(text, here) if after else _line_start(text, here)
            self._go(start)
            self._document.insert(f"\n{cut[:-1]}" if after else cut)
            self._go(start + 1 if after else start)
        elif cut:
            self._go(min(cluster_after(text, here), _line_end(text, here)) if after else here)
            self._document.insert(cut)
            self._document.move_left()

    def _join(self) -> None:
        """The next line behind this one, with one blank between."""
        text = self._document.text
        end = _line_end(text, self._offset)
        if end < len(text):
            rest = _first_printable(text, end + 1)
            self._replace_span(end, rest, " ")
            self._go(end)

    def _replace(self, character: str, count: int) -> None:
        text, here = self._document.text, self._offset
        end = _repeat(cluster_after, text, here, count)
        if end <= _line_end(text, here) and len(clusters(text[here:end])) == count:
            self._replace_span(here, end, character * count)
            self._go(here + count - 1)

    # Places

    @property
    def _offset(self) -> int:
        document = self._document
        return sum(len(line) + 1 for line in document.lines[: document.row]) + document.column

    def _place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        before = self._document.text[:offset]
        return before.count("\n"), len(before.rpartition("\n")[2])

    def _replace_span(self, start: int, end: int, text: str = "") -> None:
        self._document.replace_between(*self._place(start), *self._place(end), text)

    def _go(self, offset: int) -> None:
        self._document.move_to(*self._place(offset))

    def _line_below(self, count: int) -> int:
        """The offset of the line `count` lines below, at most of the last."""
        row = min(self._document.row + count, len(self._document.lines) - 1)
        return sum(len(line) + 1 for line in self._document.lines[:row])

    def _stay_inside(self) -> None:
        """In normal mode the caret stands on a character, never behind the last one."""
        document = self._document
        if self.is_normal and document.column and document.column == len(document.line):
            document.move_to(document.row, cluster_before(document.line, document.column), document.goal)

    def _forget(self) -> None:
        self._count = self._operator = self._waits_for = self._operator_count = ""


# Motions


def _motion(command: str) -> Motion | None:
    if command[0] in _SEARCHES:
        return None if len(command) < 2 else lambda text, here, count: _search(command, text, here, count)
    return _MOTIONS.get(command)


def _left(text: str, here: int, count: int) -> Target:
    return Target(max(_line_start(text, here), _repeat(cluster_before, text, here, count)))


def _right(text: str, here: int, count: int) -> Target:
    return Target(min(_line_end(text, here), _repeat(cluster_after, text, here, count)))


def _down(text: str, here: int, count: int) -> Target:
    return _vertical(text, here, count)


def _up(text: str, here: int, count: int) -> Target:
    return _vertical(text, here, -count)


def _vertical(text: str, here: int, rows: int) -> Target:
    lines = text.split("\n")
    row = text.count("\n", 0, here)
    column = here - _line_start(text, here)
    target = max(0, min(row + rows, len(lines) - 1))
    start = sum(len(line) + 1 for line in lines[:target])
    return Target(start + min(column, len(lines[target])), is_linewise=True)


def _word(text: str, here: int, count: int) -> Target:
    starts = [match.start() for match in _WORD.finditer(text) if match.start() > here]
    return Target(starts[count - 1] if len(starts) >= count else len(text))


def _word_back(text: str, here: int, count: int) -> Target:
    starts = [match.start() for match in _WORD.finditer(text) if match.start() < here]
    return Target(starts[-count] if len(starts) >= count else 0)


def _end_of_word(text: str, here: int, count: int) -> Target:
    ends = [match.end() - 1 for match in _WORD.finditer(text) if match.end() - 1 > here]
    return Target(ends[count - 1] if len(ends) >= count else max(0, len(text) - 1), is_inclusive=True)


def _to_line(text: str, _: int, count: int) -> Target:
    """The start of line `count`; of the last for 0."""
    lines = text.split("\n")
    row = min(count, len(lines)) - 1 if count else len(lines) - 1
    return Target(sum(len(line) + 1 for line in lines[:row]), is_linewise=True)


def _to_first_line(text: str, here: int, count: int) -> Target:
    return _to_line(text, here, count or 1)


def _end_of_line(text: str, here: int, _: int) -> Target:
    return Target(_line_end(text, here))


def _start_of_line(text: str, here: int, _: int) -> Target:
    return Target(_line_start(text, here))


def _printable_of_line(text: str, here: int, _: int) -> Target:
    return Target(_first_printable(text, here))


def _search(command: str, text: str, here: int, count: int) -> Target:
    """To a character in the line (f, F), or beside it (t, T); nowhere if it is not there."""
    kind, character = command[0], command[1]
    found = here
    for _ in range(count):
        if kind in "ft":
            found = text.find(character, found + 1, _line_end(text, here))
        else:
            found = text.rfind(character, _line_start(text, here), found)
        if found < 0:
            return Target(here)
    return Target({"t": found - 1, "T": found + 1}.get(kind, found), is_inclusive=kind in "ft")


_MOTIONS: dict[str, Motion] = {
    "h": _left,
    "l": _right,
    " ": _right,
    "j": _down,
    "k": _up,
    "w": _word,
    "b": _word_back,
    "e": _end_of_word,
    "0": _start_of_line,
    "^": _printable_of_line,
    "$": _end_of_line,
    "G": _to_line,
    "gg": _to_first_line,
}


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _first_printable(text: str, offset: int) -> int:
    start, end = _line_start(text, offset), _line_end(text, offset)
    line = text[start:end]
    return start + len(line) - len(line.lstrip())


def _repeat(step: Callable[[str, int], int], text: str, offset: int, count: int) -> int:
    for _ in range(min(count, len(text) + 1)):
        offset = step(text, offset)
    return offset
