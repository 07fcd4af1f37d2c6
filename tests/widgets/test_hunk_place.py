"""Parts of edits as whole lines of the file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyagent_tui.agent.approval import ApprovalRequest
from pyagent_tui.tools.diff import diff_details
from pyagent_tui.widgets.review.hunk import Hunk
from pyagent_tui.widgets.review.hunks import hunks_of


def hunks(file: str, *edits: tuple[str, str]) -> tuple[Hunk, ...]:
    """The parts of replacements in a file."""
    new = file
    for old, text in edits:
        new = new.replace(old, text, 1)
    arguments = {"edits": [{"oldText": old, "newText": text} for old, text in edits]}
    found = hunks_of(ApprovalRequest("c", "edit", "change", arguments, diff_details("t.py", file, new)))
    return () if found is None else found.hunks


def drawn(hunk: Hunk, new: str | None = None) -> list[str]:
    """The lines of a hunk: old and new number, sign, text."""
    return [f"{line.old or '-'} {line.new or '-'} {line.sign}{line.text}" for line in hunk.whole_lines(new)]


FILE = "import a\n\ndef f(x) -> float:\n    return x\n\nf(1)\n"


def test_an_edit_that_begins_in_the_middle_of_a_line_shows_the_whole_line() -> None:
    (hunk,) = hunks(FILE, ("-> float:\n    return", "-> int:\n    yield"))
    assert drawn(hunk) == [
        "2 2  ",
        "3 - -def f(x) -> float:",
        "4 - -    return x",
        "- 3 +def f(x) -> int:",
        "- 4 +    yield x",
        "5 5  ",
    ]


def test_the_text_of_the_person_stands_in_the_whole_line_too() -> None:
    (hunk,) = hunks(FILE, ("float", "int"))
    assert hunk.new == "def f(x) -> int:"
    assert drawn(hunk, "def f(x):")[1:3] == ["3 - -def f(x) -> float:", "- 3 +def f(x):"]


def test_a_line_that_is_added_stands_between_its_neighbours() -> None:
    (hunk,) = hunks(FILE, ("import a\n", "import a\nimport b\n"))
    assert drawn(hunk) == ["1 1  import a", "- 2 +import b", "2 3  "]
    assert hunk.line == 2


def test_a_line_that_is_removed_at_the_end_of_the_file() -> None:
    (hunk,) = hunks(FILE, ("\nf(1)\n", "\n"))
    assert drawn(hunk) == ["5 5  ", "6 - -f(1)"]


def test_like_changes_each_have_a_place_of_their_own() -> None:
    first, second = hunks("a = 1\nb\nc\na = 1\n", ("a = 1\nb", "a = 2\nb"), ("c\na = 1", "c\na = 2"))
    assert (first.line, second.line) == (1, 4)


def test_text_that_is_not_in_the_patch_is_shown_as_it_is() -> None:
    patch = diff_details("t.py", "x = 'a'\n", "x = 'b'\n")
    arguments = {"edits": [{"oldText": "x = ‘a’", "newText": "x = 'b'"}]}
    found = hunks_of(ApprovalRequest("c", "edit", "change", arguments, patch))
    assert found is not None
    assert drawn(found.hunks[0]) == ["- - -x = ‘a’", "- - +x = 'b'"]


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("def f(x) -> str:", {"oldText": "float", "newText": "str"}),
        ("def f(y) -> float:", {"oldText": "def f(x) -> float:", "newText": "def f(y) -> float:"}),
        ("", {"oldText": "def f(x) -> float:", "newText": ""}),
    ],
)
def test_what_is_around_an_edit_is_part_of_it_only_where_the_person_changes_that(text: str, edit: object) -> None:
    arguments = {"edits": [{"oldText": "float", "newText": "int"}]}
    patch = diff_details("t.py", FILE, FILE.replace("float", "int"))
    found = hunks_of(ApprovalRequest("c", "edit", "change", arguments, patch))
    assert found is not None
    assert found.answer({0}, {0: text}).arguments == {"edits": [edit]}


TEXTS = st.lists(st.sampled_from(["a", "b", "}", "", "  x = 1", "f(x)"]), min_size=1, max_size=20).map("\n".join)


@given(TEXTS, TEXTS, st.sampled_from(["", "\n"]), st.data())
@settings(max_examples=150, deadline=None)
def test_a_line_with_a_number_is_that_line_of_the_file(text: str, new: str, end: str, data: st.DataObject) -> None:
    file = text + end
    start = data.draw(st.integers(0, len(file)))
    old = file[start : data.draw(st.integers(start, len(file)))]
    if not old or old == new or file.count(old) != 1:
        return
    sides = file.split("\n"), file.replace(old, new).split("\n")
    arguments = {"edits": [{"oldText": old, "newText": new}]}
    found = hunks_of(
        ApprovalRequest("c", "edit", "change", arguments, diff_details("t.py", file, file.replace(old, new)))
    )
    assert found is not None
    assert found.arguments([hunk.new for hunk in found.hunks]) == arguments
    assert found.arguments([hunk.old for hunk in found.hunks]) == {"edits": []}
    for hunk in found.hunks:
        for line in hunk.whole_lines():
            assert line.old is None or sides[0][line.old - 1] == line.text
            assert line.new is None or sides[1][line.new - 1] == line.text
