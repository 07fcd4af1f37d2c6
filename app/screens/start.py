"""The start without a model: what to set, what was found on this machine, and the way to the demo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, TypeAlias
from urllib.parse import urlsplit

from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ...agent.model import Model
from ...providers.local import LocalServer
from ...widgets.terminal.key_dispatch import first_key, own_bindings
from ...widgets.terminal.key_names import typed_text
from ...widgets.text.marks import marks
from ...widgets.text.outside_text import outside_line
from ..keys.screens import START_KEYS
from .key_guard import KeyGuard

StartChoice: TypeAlias = Literal["demo", "login", "editor", "quit"] | Model

ORDINALS = ("start.first", "start.second", "start.third", "start.fourth")
"""The keys that take a server."""


class StartScreen(ModalScreen[StartChoice], inherit_bindings=False):
    """Says in a few lines how to get a model; a digit takes a server that was found, `d` plays the demo.

    `problems` are faults in the files that say which models there are. What is written here all the same, because the
    screen opened in the middle of it or the letter is none of its keys, goes to `typed`: it is the draft's.
    """

    DEFAULT_CSS = """
    StartScreen {
        background: $background;
        align: center middle;
        & > Vertical { width: 88; max-width: 100%; height: auto; max-height: 100%; padding: 0 2; }
        & Static { width: 100%; height: auto; margin-bottom: 1; }
        & #start-problems { color: $text-warning; }
        & #start-keys { color: $foreground 70%; margin-bottom: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(START_KEYS)

    def __init__(self, problems: Sequence[str], typed: Callable[[str], object]) -> None:
        super().__init__()
        self._problems = problems
        self._typed = typed
        self._servers: list[LocalServer] | None = None
        self._guard: KeyGuard | None = None

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content.styled("There is no model to talk to yet.", "bold"), markup=False)
            if self._problems:
                lines = "\n".join(outside_line(problem) for problem in self._problems)
                yield Static(Content(lines), id="start-problems", markup=False)
            yield Static(self._ways(), id="start-ways", markup=False)
            keys = (f"{first_key(self, binding_id)} {words}" for binding_id, words in KEYS)
            yield Static(Content(f" {marks().dot} ".join(keys)), id="start-keys", markup=False)

    def on_mount(self) -> None:
        self._guard = KeyGuard(self)

    def on_key(self, event: events.Key) -> None:
        is_early = self._guard is not None and self._guard.refuses()
        text = typed_text(event)
        if not text or not (is_early or not own_bindings(self, event.key)):
            return
        event.stop()
        event.prevent_default()
        self._typed(text)
        if not is_early:
            self.dismiss("editor")

    def show(self, servers: Sequence[LocalServer]) -> None:
        """What was found on this machine, nothing included."""
        self._servers = list(servers[: len(ORDINALS)])
        self.query_one("#start-ways", Static).update(self._ways())

    def action_take(self, index: int) -> None:
        """The first model of a server."""
        if self._servers and index < len(self._servers):
            self.action_choose(self._servers[index].models[0])

    def action_choose(self, choice: StartChoice) -> None:
        """A key that is an answer, unless it comes so early that it was meant for the editor."""
        if self._guard is not None and not self._guard.refuses():
            self.dismiss(choice)

    def _ways(self) -> Table:
        table, more = Table.grid(padding=(0, 2, 0, 0)), marks().ellipsis
        table.add_row(
            Text("Give a key"),
            Text(
                f"{first_key(self, 'start.login')}  stores one, or export ANTHROPIC_API_KEY={more} (OPENAI_API_KEY, {more})"
            ),
        )
        if self._servers is None:
            table.add_row(Text("Local server"), Text(f"looking for one {more}", style="dim"))
        elif not self._servers:
            table.add_row(Text("Local server"), Text("none found; start Ollama, llama.cpp, LM Studio or vLLM"))
        else:
            for number, server in enumerate(self._servers):
                table.add_row(
                    Text("Local server"), Text(f"{first_key(self, ORDINALS[number])}  {_offer(server)}", style="bold")
                )
        return table


KEYS = (("start.demo", "play the demo"), ("start.editor", "go to the editor"), ("start.quit", "quit"))


def _offer(server: LocalServer) -> str:
    """What the server is, where it listens, and its first model."""
    first, *others = server.models
    more = f" and {len(others)} more" if others else ""
    place = urlsplit(server.config.base_url).netloc
    return f"{server.config.title} at {outside_line(place)}: {outside_line(first.label)}{more}"
