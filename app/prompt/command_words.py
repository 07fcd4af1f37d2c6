"""What the editor knows of slash commands: their names, what may follow, which values there are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, get_args

from ...agent.approval import ApprovalMode
from ...providers.thinking import levels_of
from ...widgets.editor.completion import Completion
from ..commands import BY_NAME, Command
from ..conversation.conversation import Conversation
from ..conversation.shell_run import MARK, split_command
from ..spelling import holds_words
from .completions import complete_command

if TYPE_CHECKING:
    from ...providers.registry import Registry

FRESH = 10.0
"""Seconds for which a list of models is good enough."""

MODES: dict[ApprovalMode, str] = {
    "review": "changes and commands wait for you",
    "edits": "changes go, commands wait for you",
    "auto": "nothing waits",
    "read-only": "changes and commands are refused",
}

SHELL_HINTS = {MARK: "runs it; the model is told", MARK * 2: "runs it; the model is not told"}


class CommandWords:
    """Completes commands as they stand now: with the project's own, and the values of the model that answers."""

    def __init__(self, conversation: Conversation, themes: Callable[[], Iterable[str]]) -> None:
        """`themes` names those that there are."""
        self._conversation = conversation
        self._themes = themes
        self._models: list[tuple[str, str]] = []
        self._listed = float("-inf")

    def complete(self, typed: str) -> Sequence[Completion]:
        """Candidates for a command's name, or for its argument as soon as there is a letter of it."""
        name, blank, argument = typed[1:].partition(" ")
        if not blank:
            return complete_command(typed, self._more)
        if not argument.strip():
            return ()
        found = [each for each in self._values(name) if holds_words(each[0], argument)]
        return [Completion(f"/{name} {value}", value, about, sends=True) for value, about in found]

    def hint(self, line: str) -> str:
        """What may follow the command in the line, nothing once something does; who is told of a shell command."""
        if line.startswith(MARK):
            return f" {SHELL_HINTS[split_command(line)[0]]}"
        name, blank, argument = line[1:].partition(" ")
        command = BY_NAME.get(name) or next((each for each in self._more if each.name == name), None)
        if command is None or not blank or argument:
            return ""
        values = [value for value, _ in self._values(name)] if name in ("approval", "thinking") else []
        return " | ".join(values) or command.argument

    def takes_path(self, line: str) -> bool:
        """Whether a path may stand behind the command in the line: it asks for one, or takes any words."""
        command = BY_NAME.get(line[1:].partition(" ")[0])
        return command is None or "path" in command.argument

    @property
    def _more(self) -> Sequence[Command]:
        composition = self._conversation.composition
        return () if composition is None else composition.project.commands

    def _values(self, name: str) -> Sequence[tuple[str, str]]:
        """The values of a command's argument, each with a few words."""
        match name:
            case "approval":
                return [(mode, MODES[mode]) for mode in get_args(ApprovalMode)]
            case "thinking":
                model = self._conversation.model
                return [(level, "") for level in levels_of(model)] if model else []
            case "model":
                return self._ready_models()
            case "theme":
                return [(theme, "") for theme in self._themes()]
            case "login" | "logout":
                registry = self._registry
                return [(config.name, config.title) for config in registry.configs.values()] if registry else []
            case _:
                return ()

    @property
    def _registry(self) -> Registry | None:
        composition = self._conversation.composition
        return None if composition is None else composition.choice.registry

    def _ready_models(self) -> list[tuple[str, str]]:
        """Those that can be asked now, listed anew every few seconds."""
        registry = self._registry
        if registry is None:
            return []
        if time.monotonic() - self._listed > FRESH:
            ready = registry.ready()
            models = [model for model in registry.models() if model.provider in ready]
            self._models = [(f"{model.provider}/{model.id}", model.name) for model in models]
            self._listed = time.monotonic()
        return self._models
