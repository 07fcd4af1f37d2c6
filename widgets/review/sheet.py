"""What the approval panel shows: the rule with the question, what there is to read, the choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ...agent.details import DiffDetails
from ..editor.rows import clip
from ..editor.soft_wrap import SoftWrap
from ..text.look import Look
from ..text.marks import marks
from ..text.numbers import format_plural
from .choices import PICK as CHOICE
from .choices import Choice, ChoiceRows
from .ground import field_rows, look_of, panel_rows
from .question import ApprovalQuestion
from .question_body import QuestionBody
from .question_rule import QuestionRule, is_cut
from .rule_list import PICK as RULE
from .rule_list import RuleList

INDENT = 2
"""Cells before a warning."""

TIGHT = 8
"""Rows of the panel under which the question is shortened rather than repeated below its line."""


class ApprovalSheet(Widget):
    """A question, its warnings, its body in a window that scrolls, its choices. Drawn row by row."""

    DEFAULT_CSS = """
    ApprovalSheet {
        height: auto;
        padding: 0 1;
        color: $foreground;
        & > .approval--rule { color: $foreground 30%; }
        & > .approval--question { color: $text-accent; text-style: bold; }
        & > .approval--muted { color: $foreground 75%; }
        & > .approval--warning { color: $text-warning; text-style: bold; }
        & > .approval--key { color: $text-accent; text-style: bold; }
        & > .approval--chosen { text-style: reverse; }
        &.-guarded > .approval--key { color: $foreground 50%; text-style: none; }
        &.-guarded > .approval--chosen { text-style: none; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "approval--rule",
        "approval--question",
        "approval--muted",
        "approval--warning",
        "approval--key",
        "approval--chosen",
    }

    @dataclass
    class Picked(Message):
        """The mouse was pressed on a choice, or on a rule by its index."""

        action: str
        rule: int | None
        pressed_at: float

    def __init__(self, key_of: Callable[[str], str]) -> None:
        """`key_of` tells the key of a binding, as it is now; `stop_key` is the app's, which stops the run."""
        super().__init__()
        self.stop_key = "esc"
        self.rules = RuleList(key_of)
        self._key_of = key_of
        self._question = ApprovalQuestion("", (), (), (), "apply")
        self._offers: tuple[Choice, ...] = ()
        self._more = 0
        self._hint = self._notice = ""
        self._index = 0
        self._first = 0
        self._body = QuestionBody()
        self._kept_look: Look | None = None
        self._drawn: tuple[tuple[object, ...], list[list[Segment]]] | None = None
        self._fold = SoftWrap(lambda _: marks().bad)

    # What it shows

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices in order."""
        verb, amount = self._question.verb, self._question.amount
        apply = f"{verb} {amount}" if amount else verb
        every = f"{verb} these, then all in this run" if amount else f"{verb} all in this run"
        return (
            Choice("approval.apply", apply, "apply", apply),
            Choice("approval.refuse", "refuse", "refuse", "refuse"),
            Choice("approval.explain", "refuse, and say why", "explain", "why"),
            *self._offers,
            Choice("approval.apply_all", every, "apply_all", "all"),
        )

    @property
    def chosen(self) -> Choice:
        """The highlighted choice."""
        return self.choices[self._index]

    def show(self, question: ApprovalQuestion, more: int, offers: tuple[Choice, ...] = ()) -> None:
        """Show a question from its start, the safe answer highlighted; `more` questions wait behind it.

        `offers` are the choices that this call has besides the usual ones.
        """
        self._question, self._more, self._offers = question, more, offers
        self._index = next(index for index, choice in enumerate(self.choices) if choice.action == "refuse")
        self._first = 0
        self._hint = self._notice = ""
        self.rules.show(())
        self._body.show(question.body)
        self._drawn = None
        self.refresh(layout=True)

    def show_change(self, change: DiffDetails) -> None:
        """Show the change itself below the question."""
        if self._body.change is change:
            return
        self._body.show(self._question.body, change)
        self._drawn = None
        self.refresh(layout=True)

    def show_again(self, question: ApprovalQuestion) -> None:
        """The same question, of which something else would be done now."""
        self._question = question
        self.refresh(layout=True)

    def show_rules(self, rules: tuple[str, ...]) -> None:
        """Show what "always" could mean in place of the choices; the choices again if empty."""
        self.rules.show(rules)
        self.refresh(layout=True)

    def choose_rule(self, step: int) -> None:
        """Highlight another rule."""
        self.rules.move(step)
        self.refresh()

    def show_hint(self, hint: str) -> None:
        """Show these words in place of the choices; the choices again if empty."""
        self._hint = hint
        self.refresh(layout=True)

    def show_notice(self, notice: str) -> None:
        """Say this for a moment in place of the measure; the measure again if empty."""
        if notice != self._notice:
            self._notice = notice
            self.refresh()

    def show_waiting(self, more: int) -> None:
        """Say how many questions wait behind this one."""
        self._more = more
        self.refresh()

    def choose(self, step: int) -> None:
        """Highlight the next (1) or the last (-1) choice."""
        self._index = (self._index + step) % len(self.choices)
        self.refresh()

    @property
    def can_scroll(self) -> bool:
        """Whether some of what is to be read is out of sight."""
        width = self.content_size.width
        return len(self._body_rows(width)) > self._window(width)

    def scroll_body(self, rows: int) -> None:
        """Scroll what is to be read, if it does not fit."""
        width = self.content_size.width
        self._first = max(0, min(self._first + rows, len(self._body_rows(width)) - self._window(width)))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        action, rule = meta.get(CHOICE), meta.get(RULE)
        if action is not None or rule is not None:
            event.stop()
            self.post_message(self.Picked(action or "rule", rule, event.time))

    # Rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows(width))

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        rows = self._rows(width)
        segments = rows[y] if y < len(rows) else []
        return Strip(segments).apply_style(self.rich_style).adjust_cell_length(width, self.rich_style)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn = self._kept_look = None
        self._body.forget_styles()

    def _rows(self, width: int) -> list[list[Segment]]:
        """All rows; drawn anew only when something about them has changed."""
        state = (
            width,
            self._budget,
            self._question,
            self._more,
            self._hint,
            self._notice,
            self.rules.state,
            self._index,
            self._first,
            self.classes,
        )
        if self._drawn is None or self._drawn[0] != state:
            self._drawn = (state, self._rule_rows(width) if self.rules.rules else self._draw_rows(width))
        return self._drawn[1]

    def _draw_rows(self, width: int) -> list[list[Segment]]:
        body = self._body_rows(width)
        window = self._window(width)
        first = min(self._first, len(body) - window)
        warnings = self._warnings(width)
        rows = [self._rule(width, flag=f"{marks().warning} " if self._question.warnings and not warnings else "")]
        rows += [[Segment(text, self._style("warning"))] for text in warnings]
        rows += [[*row] for row in body[first : first + window]]
        choice_rows = self._choice_rows(width)
        if len(body) > window and len(rows) + len(choice_rows) < self._budget:
            bar = Segment(f"{' ' * INDENT}{marks().rule} ", self._style("rule"))
            hidden = _hidden(first, len(body) - first - window)
            rows.append([bar, Segment(clip(hidden, width - INDENT - 2), self._style("muted"))])
        elif window and len(body) > first + window:
            rows[-1][0] = Segment(f"{' ' * INDENT}{marks().down} ", self._style("warning"))
        return [*rows, *choice_rows]

    def _rule_rows(self, width: int) -> list[list[Segment]]:
        """The list of rules under the question, and under what it asks about where there is room for both."""
        head: list[list[Segment]] = [self._rule(width)]
        body = self._body_rows(width)
        if len(body) + self.rules.height(width) + 3 <= self._budget:
            head += body
        if self._budget >= TIGHT:
            head.append([Segment(" from now on, without a question", self._style("question"))])
        return [*head, *self.rules.rows(width, self._budget - len(head), self._style)]

    def _rule(self, width: int, flag: str = "") -> list[Segment]:
        return QuestionRule(self._question, self._more, self._notice, self._style).row(width, flag)

    @property
    def _budget(self) -> int:
        """Rows that the sheet may take."""
        return panel_rows(self) - (field_rows(self) if self._hint else 0)

    def _warnings(self, width: int) -> list[str]:
        """The warnings, in no more than half of the room that there is; the body shows what they are about."""
        room = max(0, (self._budget - 1 - len(self._choice_rows(width))) // 2)
        texts = [f"{marks().warning} {text}" for text in self._question.warnings]
        rows = self._folded(texts, width)
        if len(rows) <= room:
            return rows
        return [clip(f"{' ' * INDENT}{text}", width) for text in texts][:room]

    def _body_rows(self, width: int) -> list[list[Segment]]:
        """The rows of what is to be read; a question that does not fit its rule too, first where there is room."""
        title = self._question.question if is_cut(self._question, width) else ""
        return self._body.rows(width, self._look, title, -1 if panel_rows(self) < TIGHT else 0)

    def _look(self) -> Look:
        if self._kept_look is None:
            self._kept_look = look_of(self)
        return self._kept_look

    def _folded(self, lines: Sequence[str], width: int) -> list[str]:
        self._fold.width = max(8, width - INDENT)
        return [" " * INDENT + row.text for line in lines for row in self._fold.rows(line)]

    def _window(self, width: int) -> int:
        """Body rows on show: all, or as many as the panel has room for, less one that says how many are not."""
        rows = len(self._body_rows(width))
        room = max(0, self._budget - 1 - len(self._warnings(width)) - len(self._choice_rows(width)))
        return rows if rows <= room else max(min(1, room), room - 1)

    def _choice_rows(self, width: int) -> list[list[Segment]]:
        """The choices, or the hint in their place."""
        if self._hint:
            return [[Segment(clip(f" {self._hint}".replace("·", marks().dot), width), self._style("muted"))]]
        layout = ChoiceRows(self.choices, self._index, self._key_of, self.stop_key, self._style)
        return layout.rows(width, max(1, self._budget - 2))

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"approval--{name}", partial=name == "chosen")


def _hidden(above: int, below: int) -> str:
    """How much of the body is out of sight, and which keys show it."""
    parts = [f"{marks().up} {format_plural(above, 'line')}" if above else ""]
    parts.append(f"{marks().down} {format_plural(below, 'line')}" if below else "")
    return f" {marks().dot} ".join(filter(None, parts)) + f" {marks().dot} up and down scroll"
