"""The start without a model: what to set, what was found, and the way to the demo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ...widgets.outside_text import outside_text

StartChoice: TypeAlias = Literal["demo", "editor", "quit"]


class StartScreen(ModalScreen[StartChoice]):
    """Says in a few lines how to get a model; `d` plays the demo, escape goes to the editor."""

    DEFAULT_CSS = """
    StartScreen {
        background: $background;
        align: center middle;
        & > Vertical { width: auto; max-width: 100%; height: auto; padding: 1 2; }
        & Static { width: auto; max-width: 100%; height: auto; margin-bottom: 1; }
        & #start-keys { color: $foreground 70%; margin-bottom: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "dismiss('demo')", "play the demo", id="start.demo", show=False),
        Binding("escape,enter", "dismiss('editor')", "go to the editor", id="start.editor", show=False),
        Binding("q,ctrl+c,ctrl+d", "dismiss('quit')", "quit", id="start.quit", show=False),
    ]

    def __init__(self, found: Sequence[str] = ()) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content.styled("There is no model to talk to yet.", "bold"), markup=False)
            yield Static(Content("\n".join(self._ways())), markup=False)
            yield Static(
                Content("d  play the demo      esc  go to the editor      q  quit"), id="start-keys", markup=False
            )

    def _ways(self) -> list[str]:
        return [
            "Set a key       export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY, …)",
            "or start one    a local server: Ollama, llama.cpp, LM Studio or vLLM",
            *(f"found           {outside_text(server)}" for server in self._found),
        ]
