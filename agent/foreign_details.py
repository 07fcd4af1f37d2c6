"""Details that the reference system wrote: objects without a `kind`, recognised by their shape."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .details import DiffDetails

_DISPLAY_LINE = re.compile(r"([ +-])\s*(\d+) (.*)", re.DOTALL)
_HUNK = re.compile(r"^@@ -(?P<old>\d+)(?:,(\d+))? \+(?P<new>\d+)(?:,(\d+))? @@.*\n", re.MULTILINE)
_PATCH_PATH = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)


def diff_from_foreign(data: Mapping[str, Any]) -> DiffDetails | None:
    """The change that an edit of the reference system recorded (`patch`, or only the display form `diff`); None if neither."""
    patch = data.get("patch")
    if not isinstance(patch, str) or not patch:
        display = data.get("diff")
        if not isinstance(display, str):
            return None
        patch = patch_from_display(display)
    path = _PATCH_PATH.search(patch)
    first = data.get("firstChangedLine")
    added, removed = count_changes(patch)
    return DiffDetails(
        path=path[1] if path else "",
        patch=patch,
        added=added,
        removed=removed,
        first_changed_line=first if isinstance(first, int) else None,
    )


def count_changes(patch: str) -> tuple[int, int]:
    """Added and removed lines of a unified patch (file headers, which come before the first hunk, do not count)."""
    added = removed = 0
    in_hunk = False
    for line in patch.split("\n"):
        if line.startswith("@@"):
            in_hunk = True
        elif in_hunk and line.startswith("+"):
            added += 1
        elif in_hunk and line.startswith("-"):
            removed += 1
    return added, removed


def patch_from_display(display: str) -> str:
    """Hunks of a unified patch, without file headers, from lines of the form ``+12 text``; other lines separate hunks.

    Removed and unchanged lines carry their old number there, added lines their new one.
    """
    hunks: list[str] = []
    block: list[tuple[str, int, str]] = []
    offset = 0
    for line in [*display.split("\n"), ""]:
        match = _DISPLAY_LINE.fullmatch(line)
        if match:
            block.append((match[1], int(match[2]), match[3]))
        elif block:
            hunks.append(_hunk(block, offset))
            offset += sum((sign == "+") - (sign == "-") for sign, _, _ in block)
            block = []
    return "".join(hunks)


def display_from_patch(patch: str) -> str:
    """The inverse: lines of the form ``+12 text``, with a line of three dots between hunks."""
    hunks = list(_HUNK.finditer(patch))
    if not hunks:
        return ""
    width = len(str(max(sum(int(number or 1) for number in hunk.groups()) for hunk in hunks)))
    lines: list[str] = []
    for number, hunk in enumerate(hunks):
        end = hunks[number + 1].start() if number + 1 < len(hunks) else len(patch)
        lines += [f" {' ' * width} ..."] if number else []
        lines += _display(patch[hunk.end() : end], int(hunk["old"]), int(hunk["new"]), width)
    return "\n".join(lines)


def _display(body: str, old: int, new: int, width: int) -> Iterator[str]:
    for line in body.removesuffix("\n").split("\n"):
        sign, text = line[:1], line[1:]
        if sign not in ("+", "-", " "):
            continue
        yield f"{sign}{new if sign == '+' else old:>{width}} {text}"
        old, new = old + (sign != "+"), new + (sign != "-")


def _hunk(block: list[tuple[str, int, str]], offset: int) -> str:
    old = sum(sign != "+" for sign, _, _ in block)
    new = sum(sign != "-" for sign, _, _ in block)
    sign, number, _ = block[0]
    old_start = number - offset if sign == "+" else number
    body = "".join(f"{sign}{text}\n" for sign, _, text in block)
    return f"@@ -{old_start},{old} +{old_start + offset},{new} @@\n{body}"
