"""The tree of a session as rows for a list: filtered, searched, folded. Pure; reading the texts takes as long as parsing."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from typing import Literal, TypeAlias, assert_never

from ..agent.frozen import frozen
from ..agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)
from ..agent.mutable import mutable
from .context import entry_message
from .entries import (
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
)
from .tree import SessionTree

OutlineFilter: TypeAlias = Literal["default", "no-tools", "user-only", "labeled-only", "all"]
SEARCHED_CHARACTERS = 4_000
SHOWN_CHARACTERS = 300


@frozen
class OutlineRow:
    """One visible entry. `depth` grows where branches part; `text` is one line of outside text.

    `starts_branch`: one of several that go on from the same place. `is_active`: on the path to the leaf. `is_leaf`: the
    leaf itself, or what stands for it where it is hidden.
    `hidden_below` counts the rows that a fold hides.
    """

    entry_id: str
    depth: int
    text: str
    label: str | None
    label_time: str | None
    is_active: bool
    is_leaf: bool
    can_fold: bool
    hidden_below: int = 0
    starts_branch: bool = False


@mutable
class _Node:
    entry: SessionEntry
    kind: str
    text: str
    searched: str


class TreeOutline:
    """The texts of a tree, read once. Make a new one when the tree grew."""

    def __init__(self, tree: SessionTree) -> None:
        self._tree = tree
        self._nodes = {entry.id: _node(entry) for entry in tree}

    def rows(
        self, show: OutlineFilter = "default", query: str = "", folded: Set[str] = frozenset()
    ) -> list[OutlineRow]:
        """The visible rows, top down. All words of `query` must be in an entry's text or label."""
        words = query.lower().split()
        visible = {
            id_ for id_, node in self._nodes.items() if self._is_shown(node, show) and self._matches(node, words)
        }
        children = self._children(visible)
        active = {entry.id for entry in self._tree.path()}
        leaf = self.nearest(self._tree.leaf_id, visible)
        rows: list[OutlineRow] = []
        waiting = [(id_, 0, False) for id_ in reversed(children.get(None, []))]
        while waiting:
            id_, depth, starts = waiting.pop()
            below = children.get(id_, [])
            is_folded = id_ in folded and bool(below)
            hidden = _count(children, id_) if is_folded else 0
            row = self._row(id_, depth, id_ in active, id_ == leaf, bool(below), hidden)
            rows.append(replace(row, starts_branch=True) if starts else row)
            if not is_folded:
                parts = len(below) > 1
                waiting.extend((child, depth + parts, parts) for child in reversed(below))
        return rows

    def nearest(self, entry_id: str | None, visible: Iterable[str]) -> str | None:
        """The entry itself or its nearest visible ancestor: where the selection goes when rows vanish."""
        wanted = set(visible)
        path = [] if entry_id is None else self._tree.path(entry_id)
        return next((entry.id for entry in reversed(path) if entry.id in wanted), None)

    def text(self, entry_id: str) -> str:
        """An entry's row text."""
        return self._nodes[entry_id].text

    def _row(self, id_: str, depth: int, is_active: bool, is_leaf: bool, can_fold: bool, hidden: int) -> OutlineRow:
        label, time = self._tree.labels.get(id_), self._tree.label_time(id_)
        return OutlineRow(id_, depth, self._nodes[id_].text, label, time, is_active, is_leaf, can_fold, hidden)

    def _children(self, visible: set[str]) -> dict[str | None, list[str]]:
        """Visible entries by their nearest visible ancestor, oldest first."""
        children: dict[str | None, list[str]] = {}
        waiting: list[tuple[str, str | None]] = [(entry.id, None) for entry in reversed(self._tree.children(None))]
        while waiting:
            id_, above = waiting.pop()
            if id_ in visible:
                children.setdefault(above, []).append(id_)
                above = id_
            waiting.extend((child.id, above) for child in reversed(self._tree.children(id_)))
        return children

    def _is_shown(self, node: _Node, show: OutlineFilter) -> bool:
        match show:
            case "all":
                return True
            case "default":
                return node.kind != "bookkeeping"
            case "no-tools":
                return node.kind not in ("bookkeeping", "tool", "calls")
            case "user-only":
                return node.kind == "user"
            case "labeled-only":
                return node.entry.id in self._tree.labels
            case _:
                assert_never(show)

    def _matches(self, node: _Node, words: list[str]) -> bool:
        label = self._tree.labels.get(node.entry.id, "").lower()
        return all(word in node.searched or word in label for word in words)


def _count(children: dict[str | None, list[str]], id_: str) -> int:
    total, waiting = 0, list(children.get(id_, []))
    while waiting:
        total += 1
        waiting.extend(children.get(waiting.pop(), []))
    return total


def _node(entry: SessionEntry) -> _Node:
    message = entry_message(entry)
    if message is None:
        text = note_of(entry) or (f"({entry.role})" if isinstance(entry, MessageEntry) else entry.type)
        return _Node(entry, "bookkeeping", text, text.lower())
    text = outline_of(message)
    return _Node(
        entry,
        _kind(message),
        " ".join(text[: SHOWN_CHARACTERS * 2].split())[:SHOWN_CHARACTERS],
        text[:SEARCHED_CHARACTERS].lower(),
    )


def _kind(message: Message) -> str:
    if isinstance(message, UserMessage):
        return "user"
    if isinstance(message, ToolResultMessage):
        return "tool"
    return (
        "calls"
        if isinstance(message, AssistantMessage) and message.tool_calls and not message.text.strip()
        else "other"
    )


def outline_of(message: Message) -> str:
    """What a list says of a message, who first."""
    match message:
        case UserMessage():
            return f"user: {message.text}"
        case AssistantMessage():
            calls = ", ".join(call.name for call in message.tool_calls)
            return f"assistant: {message.text.strip() or calls or message.error_message or message.stop_reason}"
        case ToolResultMessage():
            return f"{message.tool_name}: {message.text}"
        case BashExecutionMessage():
            return f"$ {message.command}"
        case CustomMessage():
            return f"[{message.custom_type}]"
        case BranchSummaryMessage():
            return f"branch summary: {message.summary}"
        case CompactionSummaryMessage():
            return f"compaction: {message.summary}"
        case _:
            assert_never(message)


def failure_word(message: ToolResultMessage) -> str:
    """What a result that is an error is called."""
    permission = message.permission
    return "refused" if permission is not None and permission.verdict == "refused" else "failed"


def note_of(entry: SessionEntry) -> str:
    """What a list says of a bookkeeping entry; empty for one that says nothing to a person."""
    match entry:
        case ModelChangeEntry():
            return f"Model: {entry.provider}/{entry.model_id}"
        case ThinkingLevelChangeEntry():
            return f"Thinking: {entry.thinking_level}"
        case SessionInfoEntry():
            return f"Name: {entry.name}"
        case LabelEntry():
            return f"Label: {entry.label or '(removed)'}"
        case _:
            return ""
