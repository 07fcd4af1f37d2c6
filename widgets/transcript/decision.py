"""What a tool cell says of who decided about its call, and of what the person changed or left out."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from ...agent.permission import Permission
from ..text.lines import Line, wrap
from ..text.look import Look
from ..text.outside_text import outside_copy, outside_line, outside_text
from .body import INDENT, Notes, body_width, on_rule
from .part import Part


def decision_text(permission: Permission, proposed: str = "") -> str:
    """Who decided, to the person themselves; `proposed` is the command that did not run."""
    if permission.command:
        return f"{permission.told('you')}; proposed was: {outside_line(proposed)}"
    return outside_line(permission.told("you"))


def decision_parts(permission: Permission | None, proposed: str, *, is_expanded: bool) -> list[Part]:
    """A rule, which nobody looked at, and the sentence of a refusal are always said; a person's yes where the cell is open."""
    if permission is None:
        return []
    is_said = permission.by == "rule" or (refused_by_person(permission) and permission.words)
    if not (is_expanded or is_said):
        return []
    parts: list[Part] = [Notes([decision_text(permission, proposed)])]
    if is_expanded and permission.parts:
        parts.append(ChangedParts(permission.parts))
    return parts


def refused_by_person(permission: Permission | None) -> bool:
    """Whether the person said no."""
    return permission is not None and (permission.verdict, permission.by) == ("refused", "person")


def decision_copy(permission: Permission | None) -> str:
    """What is copied of a refusal."""
    if permission is None or not refused_by_person(permission):
        return ""
    return outside_copy(permission.told("the person"))


class ChangedParts(Part):
    """What was declined or edited of a change: lines with their signs, and where they stand."""

    __slots__ = ("_lines",)

    indent = INDENT

    def __init__(self, parts: str) -> None:
        super().__init__()
        self._lines = outside_text(parts).split("\n")

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        styles = {"+": look.style("added"), "-": look.style("removed")}
        rows: list[Line] = []
        for line in self._lines:
            style = styles.get(line[:1], look.style("dim"))
            rows += [[("  ", look.base), *row] for row in wrap([(line, style)], body_width(width) - 2, words=False)]
        return on_rule(rows, width, look)

    def estimate(self, width: int) -> int:
        return len(self._lines)
