"""The diff view: numbers, signs, words, tabs, wide characters, hunks."""

from __future__ import annotations

import difflib

import pytest

from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.widgets.diff.patch import changed_words, parse_patch
from pyagent_tui.widgets.diff.view import DiffStyle, diff_rows, digits_of
from pyagent_tui.widgets.text.lines import line_cells, plain
from pyagent_tui.widgets.text.look import plain_look
from pyagent_tui.widgets.transcript.diff_body import DiffBody

LOOK = plain_look()
NO_COLOUR = plain_look(has_colour=False)


def patch_of(old: str, new: str, context: int = 4) -> str:
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/x.py", "b/x.py", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def rows(old: str, new: str, *, width: int = 60, side_by_side: bool = False, has_colour: bool = True) -> list[str]:
    hunks = parse_patch(patch_of(old, new))
    style = DiffStyle("x.py", digits_of(hunks))
    look = LOOK if has_colour else NO_COLOUR
    laid = [row for hunk in hunks for row in diff_rows(hunk, style, width, look, side_by_side=side_by_side)]
    assert all(line_cells(row) == width for row in laid)
    return [plain(row).rstrip() for row in laid]


def test_added_lines_have_the_new_number_and_removed_lines_the_old_one() -> None:
    assert rows("a\nb\nc\nd\n", "a\nX\nY\nc\nd\n") == [
        "  1   a",
        "  2 − b",
        "  2 + X",
        "  3 + Y",
        "  4   c",
        "  5   d",
    ]


def test_changed_words_stand_in_brackets_without_colour() -> None:
    assert rows("    return x * 0.2\n", "    return y * 0.2\n", has_colour=False) == [
        "  1 −     return ⟦x⟧ * 0.2",
        "  1 +     return ⟦y⟧ * 0.2",
    ]


def test_lines_with_nothing_in_common_get_no_word_marks() -> None:
    assert changed_words("    import os", "    return 42") is None
    assert changed_words("same words here", "same words there") == ([(11, 15)], [(11, 16)])


def test_a_removed_line_is_compared_with_the_added_line_that_is_like_it() -> None:
    assert rows("    return x * 0.2\n", "    # as Decimal\n    return x * 0.3\n", has_colour=False)[1:] == [
        "  1 +     # as Decimal",
        "  2 +     return x * 0.⟦3⟧",
    ]


def test_tabs_have_the_width_of_the_file_and_wide_characters_two_cells() -> None:
    assert rows("\tx = '漢字'\n", "\tx = '漢'\n", has_colour=False) == [
        "  1 −     x = '⟦漢字⟧'",
        "  1 +     x = '⟦漢⟧'",
    ]
    assert rows("name\tb\n", "name\tc\n", has_colour=False) == ["  1 − name    ⟦b⟧", "  1 + name    ⟦c⟧"]


def test_long_lines_fold_below_their_text_and_lose_nothing() -> None:
    laid = rows("", "x" * 50 + "漢" * 20 + "\n", width=40)
    assert laid[0].startswith("  1 + xxx")
    assert all(row.startswith("      ") for row in laid[1:])
    assert "".join(row[6:] for row in laid) == "x" * 50 + "漢" * 20


def test_side_by_side_puts_changed_lines_beside_each_other() -> None:
    laid = rows("a\nold one\nold two\nb\n", "a\nnew one\nb\nc\n", width=63, side_by_side=True)
    assert [row.split(" │ ") for row in laid] == [
        ["  1   a" + " " * 23, "  1   a"],
        ["  2 − old one" + " " * 17, "  2 + new one"],
        ["  3 − old two" + " " * 17 + " │"],
        ["  4   b" + " " * 23, "  3   b"],
        [" " * 30, "  4 + c"],
    ]


def test_two_far_edits_are_two_hunks_with_what_lies_between_counted() -> None:
    old = [f"line {number}\n" for number in range(1, 5001)]
    new = list(old)
    new[1], new[4998] = "LINE 2\n", "LINE 4999\n"
    details = DiffDetails("x.txt", patch_of("".join(old), "".join(new)), 2, 2)
    strips = [strip.text.rstrip() for part in DiffBody(details).parts(True) for strip in part.strips(80, LOOK)]
    assert len(strips) < 40
    assert strips[1:3] == ["   │    2 − line 2", "   │    2 + LINE 2"]
    assert "   │ … 4,988 unchanged lines" in strips
    assert "   │ 4999 + LINE 4999" in strips


def test_a_large_new_file_is_rendered_in_stretches() -> None:
    details = DiffDetails("x.py", patch_of("", "x = 1\n" * 3000), 3000, 0, created=True)
    parts = DiffBody(details).parts(True)
    assert len(parts) == 50
    assert sum(len(part.strips(80, LOOK)) for part in parts) == 3000
    (collapsed,) = DiffBody(details).parts(False)
    assert collapsed.strips(80, LOOK)[-1].text.strip() == "│ … 2,982 more lines"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\r\nb\r\n", "a\r\nc\r\n", ["  1   a", "  2 − b", "  2 + c"]),
        ("a\r\nb\r\n", "a\nb\r\n", ["  1 − a␍", "  1 + a", "  2   b␍"]),
        ("a", "b", ["  1 − a", "  1 + b"]),
    ],
)
def test_carriage_returns_show_only_where_they_differ(old: str, new: str, expected: list[str]) -> None:
    assert rows(old, new) == expected


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "a\ud83db", "[bold]x", "\x0c", "a\rb"])
def test_control_codes_in_a_patch_are_shown_as_signs(text: str) -> None:
    shown = "\n".join(rows("x\n", f"{text}\n") if "\r" not in text else rows(text + "\n", "y\n"))
    assert not any(ord(character) < 32 and character != "\n" for character in shown)
    assert "\u202e" not in shown
    assert "\ud83d" not in shown


def test_without_colour_nothing_is_reversed() -> None:
    hunks = parse_patch(patch_of("    return x * 0.2\n", "    return y * 0.2\n"))
    laid = diff_rows(hunks[0], DiffStyle("x.py", 3), 60, NO_COLOUR, side_by_side=False)
    assert not any(style.reverse for row in laid for _, style in row)


def test_a_new_file_stands_in_one_column_however_wide_the_screen() -> None:
    created = DiffBody(DiffDetails("x.py", patch_of("", "a\nb\n"), 2, 0, created=True))
    wide = plain_look(diff_view="side-by-side")
    assert [row.text.rstrip() for part in created.parts(True) for row in part.strips(160, wide)] == [
        "   │   1 + a",
        "   │   2 + b",
    ]
    changed = DiffBody(DiffDetails("x.py", patch_of("a\n", "b\n"), 1, 1))
    assert sum(len(part.strips(160, wide)) for part in changed.parts(True)) == 1
    narrow = [row.text.rstrip() for part in changed.parts(True) for row in part.strips(50, wide)]
    assert narrow == ["   │   1 − a", "   │   1 + b"]
