"""Vim's changes that take no motion, and the ways into insert mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ...text.grapheme import clusters
from .offset_text import OffsetText
from .operators import operate
from .places import first_printable, left, line_below, line_end, line_start, right
from .span import Span

Change: TypeAlias = Callable[[OffsetText, int, str], bool]
"""Takes the text, a count from 1 on and a character, if one was typed. True if one inserts afterwards."""

MOST_PUT = 1_000_000
"""Characters that one command may put at most."""


def _on_characters(operator: str) -> Change:
    def change(text: OffsetText, count: int, _: str) -> bool:
        here = text.offset
        return operate(text, operator, Span(here, right(text.text, here, count)))

    return change


def _on_lines(operator: str) -> Change:
    def change(text: OffsetText, count: int, _: str) -> bool:
        return operate(text, operator, lines(text, count))

    return change


def _on_rest(operator: str) -> Change:
    def change(text: OffsetText, count: int, _: str) -> bool:
        here = text.offset
        return operate(text, operator, Span(here, line_end(text.text, line_below(text.text, here, count - 1))))

    return change


def lines(text: OffsetText, count: int) -> Span:
    """So many lines from the caret's on."""
    here = text.offset
    return Span(here, line_below(text.text, here, count - 1), is_linewise=True)


def _delete_before(text: OffsetText, count: int, _: str) -> bool:
    here = text.offset
    return operate(text, "delete", Span(left(text.text, here, count), here))


def _insert_at(place: Callable[[str, int], int], before: str = "", behind: str = "") -> Change:
    def change(text: OffsetText, _: int, __: str) -> bool:
        where = place(text.text, text.offset)
        text.go(where)
        if before or behind:
            text.replace(Span(where, where), before + behind)
            text.go(where + len(before))
        return True

    return change


def _put(*, is_behind: bool) -> Change:
    def change(text: OffsetText, count: int, _: str) -> bool:
        cut = text.cut
        cut *= min(count, MOST_PUT // max(len(cut), 1) + 1)
        here = text.offset
        if cut.endswith("\n"):
            _put_lines(text, cut, here, is_behind=is_behind)
        elif cut:
            where = right(text.text, here, 1) if is_behind else here
            text.replace(Span(where, where), cut)
            text.go(where if "\n" in cut else where + len(cut) - len(last_cluster(cut)))
        return False

    return change


def _put_lines(text: OffsetText, cut: str, here: int, *, is_behind: bool) -> None:
    start = line_end(text.text, here) if is_behind else line_start(text.text, here)
    text.replace(Span(start, start), f"\n{cut[:-1]}" if is_behind else cut)
    text.go(first_printable(text.text, start + is_behind))


def last_cluster(text: str) -> str:
    """The last character of a text that has some, as a person sees it."""
    return text[clusters(text)[-1][0] :]


def _join(text: OffsetText, count: int, _character: str) -> bool:
    """The next line behind this one, with one blank between where both have something there."""
    for _ in range(max(count - 1, 1)):
        whole = text.text
        end = line_end(whole, text.offset)
        if end == len(whole):
            break
        following = first_printable(whole, end + 1)
        is_joined = (
            following == line_end(whole, end + 1) or whole[following] == ")" or whole[end - 1 : end] in ("", " ", "\n")
        )
        text.replace(Span(end, following), "" if is_joined else " ")
        text.go(end)
    return False


def _replace(text: OffsetText, count: int, character: str) -> bool:
    """So many characters by another one, if there are so many in the line; a line break stands for all of them."""
    here = text.offset
    end = right(text.text, here, count)
    if len(clusters(text.text[here:end])) == count:
        text.replace(Span(here, end), character if character == "\n" else character * count)
        text.go(here + 1 if character == "\n" else here + (count - 1) * len(character))
    return False


def _swap_case(text: OffsetText, count: int, _: str) -> bool:
    here = text.offset
    end = right(text.text, here, count)
    if end > here:
        text.replace(Span(here, end), text.text[here:end].swapcase())
    return False


CHANGES: Mapping[str, Change] = {
    "insert": _insert_at(lambda _, here: here),
    "append": _insert_at(lambda text, here: right(text, here, 1)),
    "insert_in_line": _insert_at(first_printable),
    "append_to_line": _insert_at(line_end),
    "open_below": _insert_at(line_end, before="\n"),
    "open_above": _insert_at(line_start, behind="\n"),
    "delete_character": _on_characters("delete"),
    "substitute": _on_characters("change"),
    "delete_before": _delete_before,
    "delete_rest": _on_rest("delete"),
    "change_rest": _on_rest("change"),
    "substitute_line": _on_lines("change"),
    "yank_line": _on_lines("yank"),
    "put": _put(is_behind=True),
    "put_before": _put(is_behind=False),
    "join": _join,
    "replace": _replace,
    "swap_case": _swap_case,
}

ON_SELECTION: Mapping[str, str] = {
    "delete_character": "delete",
    "substitute": "change",
    "delete_before": "delete lines",
    "delete_rest": "delete lines",
    "substitute_line": "change lines",
    "change_rest": "change lines",
    "yank_line": "yank lines",
    "swap_case": "swap",
    "lower": "lower",
    "upper": "upper",
}
"""What they do with a selection: an operator, and whether it takes whole lines."""
