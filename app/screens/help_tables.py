"""How the help is laid out: rows of keys and words in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from ..keys.essentials import Essentials, columns
from ..keys.help import HelpRow, KeysOf

KEY_WIDTH = 26
"""Cells of the column of keys at most; a third of the screen where that is less."""

SHORT_KEY_WIDTH = 17
"""The same on the first page."""

TWO_COLUMNS = 76
"""Cells from which on the first page has two columns."""


def rows_table(rows: Iterable[HelpRow], key_width: int) -> Table:
    """Rows in two columns, each wrapped in its own; the first has so many cells."""
    table = Table.grid(padding=(0, 2, 0, 2), expand=True)
    table.add_column(width=key_width)
    table.add_column(ratio=1)
    for row in rows:
        table.add_row(Text(row.keys), Text(row.about, style="dim"))
    return table


def first_page(now: str, keys_of: KeysOf, width: int) -> Table:
    """The few keys that one needs; the group that matters `now` comes first."""
    left, right = columns(now)
    table = Table.grid(expand=True)
    table.add_column(ratio=1)
    if width < TWO_COLUMNS:
        table.add_row(_column([*left, *right], keys_of))
        return table
    table.add_column(ratio=1)
    table.add_row(_column(left, keys_of), _column(right, keys_of))
    return table


def _column(groups: Sequence[Essentials], keys_of: KeysOf) -> Group:
    parts: list[Text | Table] = []
    for group in groups:
        parts += [Text(group.title, style="bold"), rows_table(group.shown(keys_of), SHORT_KEY_WIDTH), Text("")]
    return Group(*parts[:-1])
