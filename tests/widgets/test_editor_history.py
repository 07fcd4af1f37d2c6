"""Earlier prompts and the draft."""

from __future__ import annotations

from pyagent_tui.widgets.editor.history import SIZE, EditorHistory


def test_walking_back_and_forth_returns_the_draft() -> None:
    history = EditorHistory(["one", "two"])
    assert history.previous("draft") == "two"
    assert history.previous("two") == "one"
    assert history.previous("one") is None
    assert history.next() == "two"
    assert history.next() == "draft"
    assert history.next() is None
    assert not history.is_browsing


def test_no_empty_entries_no_doubles_in_a_row_and_a_hundred_at_most() -> None:
    history = EditorHistory()
    for text in ("a", "a", " \n", "b", "a"):
        history.add(text)
    assert history.entries == ("a", "b", "a")
    for number in range(SIZE + 20):
        history.add(str(number))
    assert len(history.entries) == SIZE
    assert history.entries[-1] == str(SIZE + 19)


def test_what_is_kept_is_told_with_its_markers_expanded() -> None:
    told: list[str] = []
    history = EditorHistory(["old"], told.append)
    history.add("a \ud800", "a whole paste")
    history.add("a \ud800", "a whole paste")
    history.add("plain")
    assert told == ["a whole paste", "plain"]


def test_a_draft_that_is_left_for_good_is_the_newest_entry() -> None:
    history = EditorHistory(["one"])
    history.previous("my draft")
    history.leave()
    assert history.entries == ("one", "my draft")
    assert history.previous("") == "my draft"
