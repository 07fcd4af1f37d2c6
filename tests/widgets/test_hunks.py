"""Changes taken apart and put together again."""

from __future__ import annotations

import difflib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pyagent_tui.agent.approval import ApprovalRequest
from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.tools.diff import diff_details
from pyagent_tui.widgets.review.hunk import MAX_NOTE, Hunks
from pyagent_tui.widgets.review.hunks import hunks_of


def rewrite(old: str, new: str) -> Hunks | None:
    """The parts of a file that is written anew."""
    details = diff_details("t", old, new)
    return hunks_of(ApprovalRequest("c", "write", "change", {"path": "t", "content": new}, details))


def edit(*edits: tuple[str, str]) -> Hunks:
    """The parts of replacements."""
    arguments: dict[str, Any] = {"edits": [{"oldText": old, "newText": new} for old, new in edits]}
    patch = "".join(f"@@ -{n},1 +{n},1 @@\n-{old}\n+{new}\n" for n, (old, new) in enumerate(edits, 1))
    found = hunks_of(ApprovalRequest("c", "edit", "change", arguments, DiffDetails("t", patch, 1, 1)))
    assert found is not None
    return found


LINES = st.lists(st.sampled_from(["a", "b", "}", "", "  x = 1", "-- ", "++", "\\ No newline"]), max_size=30)
TEXTS = st.tuples(LINES, st.sampled_from(["", "\n"])).map(lambda parts: "\n".join(parts[0]) + parts[1])


@given(TEXTS, TEXTS)
@settings(max_examples=100, deadline=None)
def test_a_rewrite_with_all_parts_is_the_new_file_and_with_none_the_old(old: str, new: str) -> None:
    parts = rewrite(old, new)
    if old == new:
        assert parts is None
        return
    assert parts is not None
    assert parts.arguments([hunk.new for hunk in parts.hunks])["content"] == new
    assert parts.arguments([hunk.old for hunk in parts.hunks])["content"] == old


@given(TEXTS, TEXTS)
@settings(max_examples=100, deadline=None)
def test_an_edit_with_all_parts_is_the_same_edit_and_with_none_it_is_dropped(old: str, new: str) -> None:
    if old == new or not old:
        return
    parts = edit((old, new))
    assert parts.arguments([hunk.new for hunk in parts.hunks])["edits"] == [{"oldText": old, "newText": new}]
    assert parts.arguments([hunk.old for hunk in parts.hunks])["edits"] == []


def test_one_part_of_a_rewrite_can_be_declined() -> None:
    old = "".join(f"line {number}\n" for number in range(40))
    new = old.replace("line 3\n", "LINE 3\n").replace("line 30\n", "").replace("line 39\n", "line 39")
    parts = rewrite(old, new)
    assert parts is not None
    assert [hunk.line for hunk in parts.hunks] == [4, 31]
    answer = parts.answer({0}, {})
    assert answer.arguments is not None
    assert answer.arguments["content"] == old.replace("line 3\n", "LINE 3\n")


def test_a_new_file_and_a_file_with_mixed_line_ends_are_taken_or_left_whole() -> None:
    created = ApprovalRequest(
        "c", "write", "change", {"content": "a\n"}, DiffDetails("t", "@@ -0,0 +1 @@\n+a\n", 1, 0, created=True)
    )
    assert hunks_of(created) is None
    mixed = ApprovalRequest(
        "c", "write", "change", {"content": "a\r\nb\n"}, DiffDetails("t", "@@ -1 +1 @@\n-x\n+a\n", 1, 1)
    )
    assert hunks_of(mixed) is None


def test_a_file_whose_lines_end_in_crlf_is_taken_in_parts_and_keeps_them() -> None:
    lines = [f"line {number}" for number in range(1, 21)]
    changed = [*lines]
    changed[1], changed[18] = "LINE 2", "LINE 19"
    patch = "".join(f"{line}\n" for line in difflib.unified_diff(lines, changed, lineterm="", n=4))
    content = "".join(f"{line}\r\n" for line in changed)
    parts = hunks_of(ApprovalRequest("c", "write", "change", {"content": content}, DiffDetails("t", patch, 2, 2)))
    assert parts is not None
    answer = parts.answer({0, 1}, {1: parts.hunks[1].new.replace("LINE 19", "mine")})
    assert answer.arguments == {"content": content.replace("LINE 19", "mine")}
    declined = parts.answer({1}, {})
    assert declined.arguments == {"content": content.replace("LINE 2\r", "line 2\r")}


def test_arguments_of_another_shape_have_no_parts() -> None:
    details = DiffDetails("t", "@@ -1 +1 @@\n-a\n+b\n", 1, 1)
    shapes: list[dict[str, Any]] = [{}, {"edits": "x"}, {"edits": [{"old": "a"}]}, {"edits": []}, {"content": 3}]
    for arguments in shapes:
        assert hunks_of(ApprovalRequest("c", "t", "change", arguments, details)) is None
    assert hunks_of(ApprovalRequest("c", "t", "change", {"content": "b\n"}, None)) is None


def test_changes_far_apart_in_one_edit_are_parts_and_neighbours_are_one() -> None:
    old = ["a", "1", "b", "2", "3", "4", "c"]
    new = ["A", "1", "B", "2", "3", "4", "C"]
    parts = edit(("\n".join(old), "\n".join(new)))
    assert [(hunk.old, hunk.new) for hunk in parts.hunks] == [("a\n1\nb\n", "A\n1\nB\n"), ("c", "C")]


def test_a_note_is_bounded() -> None:
    parts = edit(("x" * 9000, "y" * 9000), ("a", "b"))
    note = parts.answer({1}, {}).note
    assert note is not None
    assert len(note) < MAX_NOTE + 100
    assert "cut" in note


def test_difflib_agrees_about_the_lines_shown() -> None:
    old, new = "a\nb\nc\nd\n", "a\nB\nc\nD\n"
    (hunk,) = edit((old, new)).hunks
    shown = [f"{sign} {text}" for sign, text in hunk.lines]
    expected = [line.rstrip("\n") for line in difflib.ndiff(old.splitlines(), new.splitlines()) if line[0] != "?"]
    assert shown == expected[1:]
