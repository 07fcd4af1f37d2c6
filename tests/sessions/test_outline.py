"""The tree as a list, moves in it, and the choice among sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.messages import (
    CustomMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pyagent_tui.sessions.choosing import QueryError, choose_sessions
from pyagent_tui.sessions.listing import SessionSummary
from pyagent_tui.sessions.navigation import Destination, move_to, user_entries
from pyagent_tui.sessions.outline import OutlineFilter, TreeOutline
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.sessions.building import reply, user


class Tree:
    """start - calls - result - answer, and a second branch from start."""

    def __init__(self, folder: Path) -> None:
        self.session = Session.in_memory(folder)
        add = self.session.append_message
        self.session.append_model_change("p", "m")
        self.start = add(user("start here"))
        self.calls = add(reply("", ToolCall("c", "bash", {})))
        self.result = add(ToolResultMessage("c", "bash", (TextContent("output of it"),)))
        self.answer = add(reply("the answer"))
        self.session.branch(self.start)
        self.other = add(reply("another way"))
        self.session.set_label(self.answer, "good one")
        self.session.branch(self.other)

    def shown(
        self, show: OutlineFilter = "default", query: str = "", folded: frozenset[str] = frozenset()
    ) -> list[str]:
        rows = TreeOutline(self.session.tree).rows(show, query, folded)
        return [f"{'  ' * row.depth}{row.text}" for row in rows]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_branches_are_set_in_and_bookkeeping_is_hidden(tree: Tree) -> None:
    assert tree.shown() == [
        "user: start here",
        "  assistant: bash",
        "  bash: output of it",
        "  assistant: the answer",
        "  assistant: another way",
    ]


def test_each_filter_shows_its_own(tree: Tree) -> None:
    assert tree.shown("no-tools") == ["user: start here", "  assistant: the answer", "  assistant: another way"]
    assert tree.shown("user-only") == ["user: start here"]
    assert tree.shown("labeled-only") == ["assistant: the answer"]
    assert len(tree.shown("all")) == len(tree.session.tree)


def test_search_looks_at_texts_and_labels(tree: Tree) -> None:
    assert tree.shown(query="OUTPUT it") == ["bash: output of it"]
    assert tree.shown(query="good") == ["assistant: the answer"]
    assert tree.shown(query="nowhere") == []


def test_a_fold_hides_what_is_below_and_counts_it(tree: Tree) -> None:
    outline = TreeOutline(tree.session.tree)
    (row,) = outline.rows(folded={tree.start})
    assert (row.hidden_below, row.can_fold) == (4, True)
    assert tree.shown(folded=frozenset({tree.calls}))[-1] == "  assistant: another way"


def test_the_leaf_is_marked_or_what_stands_for_it(tree: Tree) -> None:
    outline = TreeOutline(tree.session.tree)
    assert [row.entry_id for row in outline.rows() if row.is_leaf] == [tree.other]
    assert [row.entry_id for row in outline.rows() if row.is_active] == [tree.start, tree.other]
    assert [row.entry_id for row in outline.rows("user-only") if row.is_leaf] == [tree.start]
    assert outline.nearest(tree.answer, [tree.start, tree.calls]) == tree.calls
    assert outline.nearest(None, [tree.start]) is None


def test_choosing_what_was_asked_goes_before_it_with_its_text(tree: Tree) -> None:
    session = tree.session
    picture = ImageContent("aGk=", "image/png")
    session.branch(tree.answer)
    asked = session.append_message(UserMessage((TextContent("again"), picture)))
    session.append_message(reply("x"))
    assert move_to(session, asked) == Destination(tree.answer, "again", (picture,))
    assert session.leaf_id == tree.answer
    assert move_to(session, tree.answer) is None
    assert move_to(session, tree.result) == Destination(tree.result)
    custom = session.append_message(CustomMessage("n", (TextContent("said"),)))
    session.append_message(reply("y"))
    assert move_to(session, custom) == Destination(tree.result, "said")


def test_choosing_the_first_question_starts_over(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    first = session.append_message(user("one"))
    session.append_message(reply("x"))
    assert [entry.id for entry in user_entries(session.tree)] == [first]
    assert move_to(session, first) == Destination(None, "one")
    assert session.messages() == ()


def summary(name: str | None, first: str = "", cwd: str = "/src/shop") -> SessionSummary:
    return SessionSummary(Path(f"/{name}{first}"), "id1", cwd, name, first, 0, 0, 0, None)


def test_exact_names_come_before_texts_and_those_before_loose_matches() -> None:
    loose, text, name, none = (
        summary("my parrot seer"),
        summary(None, "the parser fails"),
        summary("Parser"),
        summary("x"),
    )
    found = choose_sessions([loose, text, none, name], "parser")
    assert found == [name, text, loose]
    assert choose_sessions([loose, text], '"parser"') == [text]
    assert choose_sessions([none, loose], "zzz", {none.path}) == [none]
    assert choose_sessions([loose, none], " ") == [loose, none]


def test_a_regular_expression_is_taken_as_one() -> None:
    one, two = summary("Alpha 12"), summary("beta")
    assert choose_sessions([one, two], r"re:alpha \d+") == [one]
    with pytest.raises(QueryError, match="regular expression"):
        choose_sessions([one], "re:(")
