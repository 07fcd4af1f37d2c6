"""Vim's modes: what a key does in each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from ....agent.frozen import frozen
from ..document import EditorDocument
from .changes import CHANGES, ON_SELECTION, lines
from .grammar import Command, Grammar, Meanings
from .insertion import Insertion
from .mover import Mover
from .offset_text import OffsetText
from .operators import CASES, operate
from .places import first_printable
from .selection import Shape, between, change_selection, shape_of
from .span import Span

Mode: TypeAlias = Literal["insert", "normal", "visual", "visual line"]

Wish: TypeAlias = Literal["", "before", "after", "line"]
"""What a key wants of the editor: the prompt before or after this one, a line to type a command in, or nothing."""

_ON_SELECTION = {*ON_SELECTION, "put", "put_before", "replace", "join", "selection"}


@frozen
class Done:
    """A change that can be done again: the command, how much was selected, what was typed then."""

    command: Command
    shape: Shape | None = None
    typed: str = ""


class Vim:
    """Which mode the editor is in, and what keys do outside insert mode, in which it begins."""

    def __init__(self, document: EditorDocument) -> None:
        self.mode: Mode = "insert"
        self._text = OffsetText(document)
        self._wish: Wish = ""
        self._grammar = Grammar()
        self._mover = Mover()
        self._anchor = 0
        self._unit = 0
        self._insertion: Insertion | None = None
        self._done: Done | None = None

    # What it shows

    @property
    def pending(self) -> str:
        """What was typed of a command that is not whole yet."""
        return self._grammar.shown

    @property
    def takes_character(self) -> bool:
        """Whether the next key is meant as a character."""
        return self._grammar.takes_character

    @property
    def is_visual(self) -> bool:
        return self.mode in ("visual", "visual line")

    @property
    def selection(self) -> Span | None:
        """What visual mode has selected."""
        if not self.is_visual:
            return None
        return between(self._text.text, self._anchor, self._text.offset, is_linewise=self.mode == "visual line")

    # Modes

    def enter_insert(self) -> None:
        """Type from here on, whatever was begun."""
        self.mode = "insert"
        self._insertion = None
        self._grammar.forget()

    def escape(self) -> bool:
        """Leave insert or visual mode, or forget what was typed of a command. False if there is nothing to leave."""
        if self.mode == "insert":
            self._end_insertion()
            self._text.step_back()
        elif self.mode == "normal":
            was_pending = bool(self._grammar.shown)
            self._grammar.forget()
            return was_pending
        self.mode = "normal"
        self._grammar.forget()
        self._mover.forget_goal()
        self._text.stay_inside()
        return True

    def press(self, meanings: Meanings, character: str) -> Wish:
        """A key outside insert mode; one that means nothing is forgotten with what came before it."""
        self._wish = ""
        command = self._grammar.press(meanings, character, is_visual=self.is_visual)
        if command is not None:
            self._run(command)
        if self.mode != "insert":
            self._text.stay_inside()
        return self._wish

    def go_to_line(self, number: int) -> None:
        """The line of this number, counted from 1."""
        self._move(Command("last_line", max(number, 1)))

    # Commands

    def _run(self, command: Command) -> None:
        match command.name:
            case "skip":
                return
            case "command_line":
                self.mode, self._wish = "normal", "line"
            case "undo" | "redo":
                self._undo(command)
            case "repeat":
                self._repeat(command.count)
            case "select" | "select_lines":
                self._select("visual" if command.name == "select" else "visual line")
            case "other_end":
                self._anchor, here = self._text.offset, self._anchor
                self._text.go(here)
            case name if self.is_visual and name in _ON_SELECTION:
                self._change_selection(command)
            case name if self.is_visual and name.startswith("object "):
                self._select_object(command)
            case name if not command.operator and self._mover.knows(command):
                self._move(command)
            case name if command.operator or name in CHANGES:
                self._change(command)
            case _:
                return

    def _move(self, command: Command) -> None:
        target = self._mover.target(self._text.text, self._text.offset, command)
        if target is not None:
            self._text.go(target)
        elif command.name in ("up", "down") and not self.is_visual:
            self._wish = "after" if command.name == "down" else "before"

    def _undo(self, command: Command) -> None:
        step = self._text.undo if command.name == "undo" else self._text.redo
        for _ in range(command.times):
            if not step():
                return

    def _change(self, command: Command) -> None:
        """A change at the caret, as one step of undo together with what is inserted."""
        if command.operator:
            span = self._span(command)
            if span is not None:
                self._do(Done(command), lambda: operate(self._text, command.operator, span))
        else:
            change = CHANGES[command.name]
            self._do(Done(command), lambda: change(self._text, command.times, command.argument))

    def _span(self, command: Command) -> Span | None:
        if command.name == "lines":
            span = lines(self._text, command.times)
            is_case = command.operator in CASES
            return Span(first_printable(self._text.text, span.start), span.end, is_linewise=True) if is_case else span
        return self._mover.span(self._text.text, self._text.offset, command)

    def _do(self, done: Done, change: Callable[[], bool]) -> None:
        unit = self._text.begin_unit()
        inserts = change()
        self._mover.forget_goal()
        if done.command.operator != "yank" and done.command.name != "yank_line":
            self._done = done
        if inserts:
            self._unit = unit
            self.mode = "insert"
            self._insertion = Insertion(self._text)
        else:
            self._text.end_unit(unit)
            self.mode = "normal"

    def _end_insertion(self) -> None:
        """Remember what was typed, and make it one step of undo with the command that led to it."""
        if self._insertion is not None and self._done is not None:
            self._done = Done(self._done.command, self._done.shape, self._insertion.typed())
            self._text.end_unit(self._unit)
        self._insertion = None

    # Selections

    def _select(self, mode: Mode) -> None:
        """Begin to select; the same key again ends it, the other one goes on in another way."""
        if self.mode == mode:
            self.mode = "normal"
            return
        if not self.is_visual:
            self._anchor = self._text.offset
        self.mode = mode

    def _select_object(self, command: Command) -> None:
        span = self._mover.span(self._text.text, self._text.offset, command)
        if span is not None and span.end > span.start:
            self._anchor = span.start
            self._text.go(span.end - 1)
            self.mode = "visual line" if span.is_linewise else "visual"

    def _change_selection(self, command: Command, span: Span | None = None) -> None:
        span = span or self.selection
        if span is not None:
            done = Done(command, shape_of(self._text.text, span))
            self._do(done, lambda: change_selection(self._text, command, span))

    # Again

    def _repeat(self, count: int) -> None:
        """The last change from where the caret is now, with another count if one was typed."""
        done = self._done
        if done is None:
            return
        unit, command = self._text.begin_unit(), done.command
        if count:
            command = Command(command.name, count, command.operator, command.argument)
        if done.shape is not None:
            self._change_selection(command, done.shape.span(self._text.text, self._text.offset))
        else:
            self._change(command)
        if self.mode == "insert":
            here = self._text.offset
            self._text.replace(Span(here, here), done.typed)
            self.escape()
        self._done = Done(command, done.shape, done.typed)
        self._text.end_unit(unit)
