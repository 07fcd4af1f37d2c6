"""Every key and command, grouped by what one wants to do: for the help screen and the guide."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...agent.frozen import frozen
from ...widgets.terminal.key_labels import key_label
from ..commands import COMMANDS
from .table import KEY_TABLE

KeysOf = Callable[[str], str]
"""The keys of an action now, parted by commas."""


@frozen
class HelpRow:
    """What to press or type and what it does; `binding_id` is empty for a command."""

    keys: str
    about: str
    binding_id: str = ""


@frozen
class HelpGroup:
    """A heading and its rows."""

    title: str
    rows: tuple[HelpRow, ...]


COMMAND_GROUP = "Commands"

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Talk and stop",
        (
            "editor.submit",
            "editor.follow_up",
            "editor.newline",
            "app.take_back",
            "app.stop",
            "app.clear",
            "app.leave",
            "app.suspend",
        ),
    ),
    ("When a change or command waits", ("approval.",)),
    ("Choose among the parts of a change", ("hunks.",)),
    (
        "Choose how it works",
        (
            "app.palette",
            "app.model",
            "app.next_model",
            "app.previous_model",
            "app.cycle_thinking",
            "app.cycle_approval",
        ),
    ),
    (
        "Read",
        (
            "app.expand_all",
            "app.toggle_thinking",
            "app.page_up",
            "app.page_down",
            "app.top",
            "app.end",
            "app.end_if_empty",
            "app.previous_message",
            "app.next_message",
            "app.previous_hunk",
            "app.next_hunk",
            "app.diff_view",
            "app.find",
            "app.read",
            "app.read_if_empty",
        ),
    ),
    ("In the transcript", ("transcript.",)),
    ("In the field that finds", ("find.",)),
    (COMMAND_GROUP, ()),
    ("Write", ("editor.complete", "editor.paste", "editor.history_search", "app.edit_outside", "editor.")),
    ("In Vim's normal mode", ("vim.escape", "vim.")),
    ("Behind g in Vim", ("vim.g.",)),
    ("In Vim's visual mode", ("vim.visual.",)),
    ("Behind an operator or in visual mode: Vim's text objects", ("vim.object.",)),
    ("Look up", ("app.help", "app.help_if_empty", "app.")),
    ("In every list", ("picker.",)),
    ("In the list of sessions", ("resume.",)),
    ("In the list of rules", ("rules.",)),
    ("In the tree of a session", ("tree.",)),
    ("In the settings", ("settings.",)),
    ("In the search in all sessions", ("search.",)),
    ("In the changes of the session", ("diff.",)),
    ("In a question with a few answers, for a text or a key", ("choice.", "ask_text.", "login.", "wait.")),
    ("In the question of trust", ("trust.",)),
    ("At the start without a model", ("start.",)),
    ("In this help", ("help.",)),
    ("Elsewhere", ("",)),
)
"""Titles, and ids of bindings or how they begin. A binding stands where it fits best: by its id, else by the longest beginning."""


def default_keys(binding_id: str) -> str:
    """The keys that hold where nothing else is said."""
    return KEY_TABLE[binding_id].key


def help_groups(keys_of: KeysOf = default_keys) -> tuple[HelpGroup, ...]:
    """All of it, most needed first. Every binding stands in exactly one group; without a key it is not shown."""
    groups = ((title, _commands() if title == COMMAND_GROUP else _rows(ids_of(title), keys_of)) for title, _ in GROUPS)
    return tuple(HelpGroup(title, rows) for title, rows in groups if rows)


def group_of(binding_id: str) -> str:
    """The title of the group in which a binding stands."""
    named = next((title for title, ids in GROUPS if binding_id in ids), "")
    begins = [
        (len(each), title)
        for title, ids in GROUPS
        for each in ids
        if binding_id.startswith(each) and (each.endswith(".") or not each)
    ]
    return named or max(begins, key=lambda found: found[0])[1]


def ids_of(title: str) -> list[str]:
    """The bindings of a group, in order."""
    order = {binding_id: place for place, binding_id in enumerate(dict(GROUPS)[title])}
    ids = [binding_id for binding_id in KEY_TABLE if group_of(binding_id) == title]
    return sorted(ids, key=lambda binding_id: order.get(binding_id, len(order)))


def _rows(ids: Iterable[str], keys_of: KeysOf) -> tuple[HelpRow, ...]:
    rows = (HelpRow(key_label(keys_of(each)), KEY_TABLE[each].description, each) for each in ids)
    return tuple({(row.keys, row.about): row for row in rows if row.keys}.values())


def _commands() -> tuple[HelpRow, ...]:
    return tuple(HelpRow(f"/{command.name} {command.argument}".strip(), command.about) for command in COMMANDS)
