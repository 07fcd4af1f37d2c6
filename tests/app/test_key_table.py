"""Every binding of every screen and widget stands in the one table, has a name of its own, and is shown."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen

from pyagent_tui import app as app_room
from pyagent_tui import widgets as widgets_room
from pyagent_tui.app import screens as screens_room
from pyagent_tui.app.keys.help import GROUPS, group_of, help_groups, ids_of
from pyagent_tui.app.keys.spelling import parse_key
from pyagent_tui.app.keys.table import KEY_TABLE, PLACES
from pyagent_tui.app.tui import PyAgentApp
from pyagent_tui.widgets.editor.vim.keys import VIM_BINDINGS
from pyagent_tui.widgets.terminal.key_labels import key_label, key_labels

DOCS = Path(__file__).parents[2] / "docs" / "keys.md"

ADVICE = """
A binding needs an id, such as "tree.fold", and a place in the one table: an app or screen binding in app/keys/bindings.py or
app/keys/screens.py, a widget's own in a table that app/keys/table.py names.
"""


def classes() -> Iterator[type[DOMNode]]:
    """Every screen and widget of ours, and the app."""
    for room in (widgets_room, screens_room, app_room):
        for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            if not info.ispkg and not info.name.endswith((".windows_driver",)):
                importlib.import_module(info.name)
    waiting: list[type[DOMNode]] = [DOMNode]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if kind.__module__.startswith("pyagent_tui.") and ".tests." not in kind.__module__:
            yield kind


def bindings_of(kind: type[DOMNode]) -> Iterator[tuple[str, str | None]]:
    """Key and id of all that a class binds, what it inherits included."""
    merged = kind._merge_bindings()  # pyright: ignore[reportPrivateUsage]
    is_asked = getattr(kind, "can_focus", False) or "on_key" in vars(kind)
    can_have_keys = issubclass(kind, App) or issubclass(kind, Screen) or is_asked
    if can_have_keys:
        yield from ((key, binding.id) for key, binding in merged)


def test_every_binding_of_every_class_has_an_id_that_is_in_the_table() -> None:
    found = [(kind.__name__, key, name) for kind in classes() for key, name in bindings_of(kind)]
    assert len({name for _, _, name in found}) > 100
    assert [each for each in found if not each[2] or each[2] not in KEY_TABLE] == [], ADVICE


def test_every_binding_of_the_table_is_that_of_a_class() -> None:
    held = {name for kind in classes() for _, name in bindings_of(kind)}
    assert set(KEY_TABLE) - held == {binding.id for binding in VIM_BINDINGS}


def test_every_binding_of_a_class_counts_in_some_place() -> None:
    placed = {binding.id for place in PLACES for binding in place.bindings}
    assert set(KEY_TABLE) - placed == set()


def test_every_binding_says_what_it_does() -> None:
    assert [name for name, binding in KEY_TABLE.items() if not binding.description] == []


def test_default_keys_are_names_under_which_keys_arrive() -> None:
    wrong = {
        (name, key): parse_key(key)
        for name, binding in KEY_TABLE.items()
        for key in binding.key.split(",")
        if key not in (*parse_key(key), "alt+P")
    }
    assert wrong == {}


def test_what_is_shown_for_a_key_can_be_written_in_keys_toml() -> None:
    for name, binding in KEY_TABLE.items():
        for key in binding.key.split(","):
            label = key_label(key)
            assert not label or key in parse_key(label), (name, key, label)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Ctrl+X", ("ctrl+x",)),
        ("esc", ("escape",)),
        ("PgDn", ("pagedown",)),
        ("?", ("question_mark",)),
        ("ctrl++", ("ctrl+plus",)),
        ("shift+n", ("N",)),
        ("N", ("N",)),
        ("alt+shift+p", ("alt+P", "alt+shift+p")),
        ("shift+ctrl+up", ("ctrl+shift+up",)),
        ("ctrl+i", ("tab",)),
        ("ctrl+[", ("escape",)),
        ("ctrl+@", ("ctrl+space",)),
        ("option+↑", ("alt+up",)),
        ("f12", ("f12",)),
        ("space", ("space",)),
        ("f99", ()),
        ("ctrl+", ()),
        ("x+y", ()),
        ("xy", ()),
        ("", ()),
        ("shift+1", ()),
        ("ctrl+x,ctrl+y", ()),
    ],
)
def test_keys_are_understood_as_people_write_them(written: str, names: tuple[str, ...]) -> None:
    expected = names if written != "ctrl+" else ("ctrl+plus",)
    assert parse_key(written) == expected


def test_help_shows_every_binding_once_and_under_a_title_that_fits() -> None:
    titles = [title for title, _ in GROUPS]
    assert "Elsewhere" not in {group_of(name) for name in KEY_TABLE}
    assert {group_of(name) for name in KEY_TABLE} | {"Commands", "Elsewhere"} == set(titles)
    shown = {(group.title, row.keys, row.about) for group in help_groups() for row in group.rows}
    for name, binding in KEY_TABLE.items():
        assert (group_of(name), key_label(binding.key), binding.description) in shown


def test_the_guide_lists_every_key_as_it_is() -> None:
    lines = DOCS.read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith(("| `", "| –", "### "))]
    assert rows == guide_rows()


def guide_rows() -> list[str]:
    """Titles and rows of the guide's tables."""
    rows: list[str] = []
    for title, _ in GROUPS:
        names = ids_of(title)
        rows += [f"### {title}", *map(guide_row, names)] if names else []
    return rows


def guide_row(name: str) -> str:
    keys = ", ".join(f"`{label}`" if label != "`" else "`` ` ``" for label in key_labels(KEY_TABLE[name].key))
    return f"| {keys or '–'} | {KEY_TABLE[name].description} | `{name}` |"


def test_the_app_has_no_palette_but_its_own() -> None:
    assert not PyAgentApp.ENABLE_COMMAND_PALETTE
