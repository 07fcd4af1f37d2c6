"""The line on which the question stands, with its measure at the right."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ...agent.frozen import frozen
from ..editor.rows import clip, clip_start
from ..text.marks import marks
from .question import ApprovalQuestion

HEAD = 2
TAIL = 6
"""Cells of the rule left and right of what stands on it."""

LEAST = 8
"""Cells of a question, however narrow the screen."""


def is_cut(question: ApprovalQuestion, width: int) -> bool:
    """Whether not even the short form of a question fits its line."""
    short = f"{question.verb} {question.subject}?" if question.subject else question.question
    return cell_len(short) > max(LEAST, width - HEAD - 2)


@frozen
class QuestionRule:
    """`more` questions wait behind this one; `notice` stands for a moment in place of the measure."""

    question: ApprovalQuestion
    more: int
    notice: str
    style: Callable[[str], Style]

    def row(self, width: int, flag: str = "") -> list[Segment]:
        """The question on its line; `flag` before it says that there are warnings for which there is no room."""
        line = marks().line
        tail = TAIL if width >= 80 else HEAD
        question = self._title(width, flag)
        left = HEAD + cell_len(question) + 2
        room = width - left - tail - 4
        measure = clip(self.notice, max(0, room)) if self.notice else self._measure(room)
        right = cell_len(measure) + 2 + tail if measure else 0
        segments = [
            Segment(line * HEAD, self.style("rule")),
            Segment(f" {question} ", self.style("question")),
            Segment(line * max(0, width - left - right), self.style("rule")),
        ]
        if measure:
            style = self.style("warning" if self.notice else "muted")
            segments += [Segment(f" {measure} ", style), Segment(line * tail, self.style("rule"))]
        return segments

    def _title(self, width: int, flag: str) -> str:
        """The question, shortened where it is narrow; the end of a path tells more than its start."""
        room = max(LEAST, width - HEAD - 2 - cell_len(flag))
        question = self.question
        if cell_len(question.question) <= room or not question.subject:
            return flag + clip(question.question, room)
        return f"{flag}{question.verb} {clip_start(question.subject, max(1, room - cell_len(question.verb) - 2))}?"

    def _measure(self, room: int) -> str:
        """As many parts of the measure as fit, the last ones longest; a path is cut at its start."""
        waiting = f"{self.more} more {'wait' if self.more > 1 else 'waits'}" if self.more else ""
        parts = [*self.question.measure, *filter(None, (waiting,))]
        for first in range(len(parts)):
            text = f" {marks().dot} ".join(parts[first:])
            if cell_len(text) <= room:
                return text
        return clip_start(parts[-1], room) if parts and room > 8 else ""
