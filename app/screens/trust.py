"""The question whether a project may bring settings, skills and prompts of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ...policy.trust import TrustChoice
from ...widgets.terminal.key_dispatch import first_key
from ...widgets.text.outside_text import outside_content, outside_line
from ..keys.screens import TRUST_KEYS
from .ask import ask
from .key_guard import KeyGuard

NAME_WIDTH = 28
"""Cells of the column of names at most."""

NAMES_SHOWN = 6

WHAT: dict[str, str] = {
    "config.toml": "settings, such as the shell and what asks before it happens",
    "skills": "skills",
    "prompts": "commands",
    "SYSTEM.md": "replaces what the model is told of its work",
    "APPEND_SYSTEM.md": "adds to what the model is told",
    "extensions": "programs to run inside this one; not used by this version",
    "mcp.json": "programs to start for their tools; not used by this version",
    "models.toml": "not used by this version",
    "themes": "not used by this version",
}
"""What a thing does once it is trusted, by its name."""


END = "Without trust none of it is opened; you can work here all the same."

KEYS = (
    (("trust.yes", "trust it"), ("trust.once", "only this time"), ("trust.parent", "the folder above too")),
    (("trust.no", "don't"), ("trust.not_now", "don't this time")),
)


class TrustScreen(ModalScreen[TrustChoice], inherit_bindings=False):
    """Lists what the project brings; Enter and Escape are the safe answer."""

    DEFAULT_CSS = """
    TrustScreen {
        background: $background;
        layout: vertical;
        & > VerticalScroll { height: 1fr; padding: 0 2; scrollbar-size-vertical: 1; }
        & Static { height: auto; }
        & .trust--question { text-style: bold; }
        & .trust--folder { color: $text-accent; margin-bottom: 1; }
        & .trust--end { margin-top: 1; color: $foreground 75%; }
        & > #trust-keys { padding: 0 2; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(TRUST_KEYS)

    def __init__(self, folder: Path, brought: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._folder = folder
        self._brought = brought
        self._guard: KeyGuard | None = None

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Static(Content("Do you trust what this project brings?"), classes="trust--question", markup=False)
            yield Static(outside_content(str(self._folder)), classes="trust--folder", markup=False)
            yield Static(self._table(), markup=False)
            yield Static(Content(END), classes="trust--end", markup=False)
        yield Static(self._keys(), id="trust-keys", markup=False)

    def on_mount(self) -> None:
        self._guard = KeyGuard(self)

    def on_key(self) -> None:
        if self._guard is not None:
            self._guard.refuses()

    def _keys(self) -> Content:
        rows = ("    ".join(f"{first_key(self, binding_id)} {words}" for binding_id, words in row) for row in KEYS)
        return Content("\n".join(rows))

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2, 0, 2), expand=True)
        table.add_column(max_width=NAME_WIDTH, min_width=min(NAME_WIDTH, max(len(name) for name, _ in self._brought)))
        table.add_column(ratio=1)
        for name, about in self._brought:
            table.add_row(Text(outside_line(name)), Text(outside_line(about), style="dim"))
        return table

    def action_answer(self, choice: TrustChoice) -> None:
        """A key that is an answer, unless it comes so early that it was meant for something else."""
        if self._guard is not None and not self._guard.refuses():
            self.dismiss(choice)

    def action_scroll(self, rows: int) -> None:
        """Through a long list."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()


class TrustAsking:
    """Asks about each folder once: what was answered for now holds until the program ends, or more things are there."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._answers: dict[tuple[Path, ...], TrustChoice] = {}

    async def ask(self, folder: Path, guarded: Sequence[Path]) -> TrustChoice:
        """The answer of before, or that of the person now. To be awaited in a worker."""
        known = self._answers.get((folder, *guarded))
        return known or await self.ask_again(folder, guarded)

    async def ask_again(self, folder: Path, guarded: Sequence[Path]) -> TrustChoice:
        """Ask, whatever was answered before. An app that ends meanwhile has no answer, which is the safe one."""
        screen = TrustScreen(folder, await asyncio.to_thread(describe_guarded, folder, guarded))
        choice = await ask(self._app, screen) or "refuse-once"
        self._answers[(folder, *guarded)] = choice
        return choice


def describe_guarded(folder: Path, guarded: Sequence[Path]) -> list[tuple[str, str]]:
    """Each thing by its name as seen from the folder, and what it does. Lists folders, opens no file."""
    return [(_name(path, folder), _about(path)) for path in guarded]


def _name(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _about(path: Path) -> str:
    about = WHAT.get(path.name, "")
    names = _names_in(path)
    if not names:
        return about
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"{about}: {', '.join(names[:NAMES_SHOWN])}{more}"


def _names_in(path: Path) -> list[str]:
    try:
        found = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    except OSError:
        return []
    return [each.stem if each.suffix == ".md" else each.name for each in found]
