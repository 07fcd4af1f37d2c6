"""The diff view: numbers, signs, words, tabs, wide characters, hunks."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import pytest

from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.widgets.diff.patch import parse_patch
from pyagent_tui.widgets.diff.view import DiffStyle, diff_rows, digits_of
from pyagent_tui.widgets.diff.words import changed_words
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
    assert collapsed.strips(80, LOOK)[-1].text.strip() == "│ … 2,981 more lines"


def folded(old: str, new: str, *, width: int = 80, rows: int | None = None, wide: bool = False) -> list[str]:
    """The rows of a diff that is not opened."""
    body = DiffBody(DiffDetails("x.txt", patch_of(old, new), 0, 0))
    if rows is not None:
        body.allow(rows)
    look = plain_look(has_colour=False, diff_view="side-by-side" if wide else "unified")
    return [strip.text.rstrip()[5:] for part in body.parts(False) for strip in part.strips(width, look)]


def numbered(count: int, changed: Sequence[int] = (), sign: str = "new") -> str:
    return "".join(f"{sign if at in changed else 'line'} {at}\n" for at in range(1, count + 1))


def test_a_folded_diff_shows_the_changes_of_all_hunks_with_as_much_around_them_as_there_is_room_for() -> None:
    changed = (10, 40, 70, 100)
    shown = folded(numbered(120), numbered(120, changed))
    assert [row for row in shown if row[4:5] in "−+"] == [
        f"{at:>3} {sign}" for at in changed for sign in (f"− line {at}", f"+ new {at}")
    ]
    assert len(shown) == 20
    assert shown[:4] == ["  9   line 9", " 10 − line 10", " 10 + new 10", " 11   line 11"]
    assert shown[4] == "… 27 unchanged lines"
    assert shown[-1] == "… 24 more unchanged lines"


def test_changes_that_do_not_fit_are_counted() -> None:
    changed = range(5, 200, 20)
    shown = folded(numbered(210), numbered(210, changed))
    assert len(shown) == 18
    seen = sum(row[4:5] in "−+" for row in shown)
    assert shown[-1] == f"… {2 * len(changed) - seen} more changed lines · 4 more hunks"
    assert seen == 12
    more = folded(numbered(210), numbered(210, changed), rows=30)
    assert sum(row[4:5] in "−+" for row in more) == 20
    assert len(more) == 30
    assert folded(numbered(210), numbered(210, changed), rows=6)[2:] == [
        "… 19 unchanged lines",
        " 25 − line 25",
        " 25 + new 25",
        "… 16 more changed lines · 8 more hunks",
    ]


@pytest.mark.parametrize(("old", "new"), [(200, 200), (30, 1), (1, 30), (200, 3), (21, 21)])
@pytest.mark.parametrize("wide", [False, True])
def test_the_count_of_hidden_lines_is_exact(old: int, new: int, wide: bool) -> None:
    before = "".join(f"old {at}\n" for at in range(old))
    after = "".join(f"new {at}\n" for at in range(new))
    *shown, last = folded(before, after, wide=wide, width=120)
    assert len(shown) in (18, 19)
    seen = sum(row.count("− old") + row.count("+ new") for row in shown)
    assert last == f"… {old + new - seen} more changed lines"
    assert seen >= 18


def test_a_long_line_is_folded_around_what_changed_in_it() -> None:
    line = "var a=1;" * 300 + "target=1;" + "b();" * 300
    shown = folded(line + "\n", line.replace("target=1", "target=42") + "\n")
    assert len(shown) <= 8
    hunks = parse_patch(patch_of(line + "\n", line.replace("target=1", "target=42") + "\n"))
    laid = diff_rows(hunks[0], DiffStyle("x.txt", 3, folds=True), 74, NO_COLOUR, side_by_side=False)
    words = "".join(plain(row)[6:] for row in laid)
    assert "target=⟦1⟧;" in words
    assert "target=⟦42⟧;" in words
    left_out = sum(int(count.replace(",", "")) for count in re.findall(r"… ([\d,]+) characters …", words))
    second = next(index for index, row in enumerate(laid) if "+" in plain(row)[:6])
    sides = ["".join(plain(row)[6:] for row in side).rstrip() for side in (laid[:second], laid[second:])]
    kept = sum(len(re.sub(r" … [\d,]+ characters … ?|[⟦⟧]", "", side)) for side in sides)
    assert left_out + kept == 2 * len(line) + 1
    body = DiffBody(DiffDetails("x.txt", patch_of(line + "\n", line + ";\n"), 1, 1))
    assert body.can_expand
    whole = "".join(strip.text[11:] for part in body.parts(True) for strip in part.strips(80, LOOK))
    assert "".join(whole.split()) == "".join((line + line + ";").split())


def test_a_long_line_that_is_new_keeps_its_beginning_and_its_end() -> None:
    shown = folded("", "begin" + "x" * 3000 + "end\n", width=60)
    assert shown[0].startswith("  1 + beginxxx")
    assert shown[-1].endswith("xxxend")
    assert len(shown) <= 4


def test_many_changed_words_of_a_long_line_are_shown_as_far_as_there_is_room() -> None:
    line = " ".join(f"word{at}" for at in range(400))
    other = " ".join(f"word{at}" if at % 5 else f"other{at}" for at in range(400))
    shown = folded(line + "\n", other + "\n", width=60)
    assert len(shown) <= 10
    assert "other0" in shown[3]


@pytest.mark.parametrize("width", [20, 24, 40, 79, 160])
@pytest.mark.parametrize("text", ["x" * 130, "漢" * 300, "ab " * 400, "漢 a" * 200])
def test_a_folded_line_is_never_too_wide_and_loses_no_count(width: int, text: str) -> None:
    for old, new in (("", text), (text, text + "!"), (text, "?" + text), (text, text.replace("a", "b", 1))):
        body = DiffBody(DiffDetails("x.txt", patch_of(old and old + "\n", new + "\n"), 1, 1))
        for part in body.parts(False):
            assert all(strip.cell_length == width for strip in part.strips(width, LOOK))


def test_a_line_break_at_the_end_is_named_where_it_changes() -> None:
    assert rows("one\ntwo", "one\ntwo\n") == ["  1   one", "  2 − two  no newline at end of file", "  2 + two"]
    assert rows("one\ntwo\n", "one\ntwo")[1:] == ["  2 − two", "  2 + two  no newline at end of file"]
    assert rows("two", "two\nthree") == [
        "  1 − two  no newline at end of file",
        "  1 + two",
        "  2 + three  no newline at end of file",
    ]
    assert rows("a\nb", "A\nb") == ["  1 − a", "  1 + A", "  2   b"]


def test_blanks_that_one_would_not_see_are_shown() -> None:
    assert rows("a\nb\n", "a  \nb\n") == ["  1 − a", "  1 + a··", "  2   b"]
    assert rows("a\t \n", "a\n") == ["  1 − a→  ·", "  1 + a"]
    assert rows("\tif x:\n", "    if x:\n") == ["  1 − →   if x:", "  1 + ····if x:"]
    assert rows("x = 1;  y\n", "x = 1; y\n") == ["  1 − x = 1;··y", "  1 + x = 1;·y"]
    assert rows("", "a  \n   \n") == ["  1 + a··", "  2 + ···"]
    assert rows("a  \nb\n", "a  \nc\n")[0] == "  1   a"


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
