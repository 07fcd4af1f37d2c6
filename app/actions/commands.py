"""What the slash commands do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast, get_args

from ...agent.approval import ApprovalMode
from ...agent.messages import ThinkingLevel
from ...providers.thinking import LEVELS, clamp_level, levels_of
from ..commands import Command
from ..keys.hints import read_keys
from ..prompt.command_words import MODES
from ..settings.shown import tell
from ..spelling import choice_of, did_you_mean

if TYPE_CHECKING:
    from ..tui import PyAgentApp

NEXT = "next"
"""As an argument: the one after the present one."""

SESSION_COMMANDS: Mapping[str, str] = {
    **dict.fromkeys(
        ("new", "resume", "fork", "clone", "name", "session", "usage", "compact", "copy", "export", "import"),
        "sessions",
    ),
    "tree": "tree",
    "rewind": "rewind",
    "diff": "diff",
    "search": "search",
}
"""Commands about sessions, and the module that carries each out."""


def run_command(app: PyAgentApp, command: Command, argument: str = "") -> None:
    """Do what the command says; what cannot be done is said in the transcript, and nothing that was typed is lost."""
    if argument and not command.argument:
        _say(app, f"/{command.name} takes nothing behind it; nothing was done.")
        if app.view.editor.is_empty:
            app.view.editor.set_text(f"/{command.name} {argument}")
        return
    ACTIONS[command.name](app, argument)


def _help(app: PyAgentApp, _: str) -> None:
    app.action_help()


def _on_models(name: str, app: PyAgentApp, argument: str) -> None:
    app.act("models", name, argument)


def _thinking(app: PyAgentApp, wanted: str) -> None:
    composition = app.conversation.composition
    if composition is None:
        _say(app, "There is no model yet.")
        return
    if not wanted:
        _on_models("thinking", app, "")
        return
    setup = composition.agent.setup
    levels = levels_of(setup.model)
    if wanted in LEVELS and wanted not in levels:
        nearest = clamp_level(setup.model, wanted)
        _say(app, f"{setup.model.label} has no thinking level {wanted}; {nearest} is the nearest.")
        wanted = nearest
    chosen = _choose(app, "thinking level", wanted, levels, setup.thinking_level)
    if chosen is not None:
        composition.set_thinking(cast("ThinkingLevel", chosen))
        app.conversation.show_standing()
        _say_now(app, f"Thinking: {chosen}.", by_key=wanted == NEXT)


def _approval(app: PyAgentApp, mode: str) -> None:
    composition = app.conversation.composition
    if composition is None:
        _say(app, "There is no model yet.")
        return
    modes: tuple[ApprovalMode, ...] = get_args(ApprovalMode)
    chosen = _choose(app, "approval mode", mode, modes, composition.approval.mode)
    if chosen is not None:
        composition.approval.mode = cast("ApprovalMode", chosen)
        app.conversation.show_standing()
        _say_now(app, f"Approval: {chosen} ({MODES[composition.approval.mode]}).", by_key=mode == NEXT)


def _rules(app: PyAgentApp, argument: str) -> None:
    app.act("rules", "rules", argument)


def _on_session(name: str, app: PyAgentApp, argument: str) -> None:
    app.act(SESSION_COMMANDS[name], name, argument)


def _find(app: PyAgentApp, query: str) -> None:
    app.act("finding", "find", query)


def _settings(app: PyAgentApp) -> None:
    app.act("settings", "settings")


def _reload(app: PyAgentApp, _: str) -> None:
    notes = read_keys(app)
    for note in notes:
        app.view.transcript.add_note("warning", note)
    if not notes:
        _say(
            app,
            "keys.toml is read again." if app.has_own_keys else "There are no keys of your own: the default ones hold.",
        )


def _demo(app: PyAgentApp, _: str) -> None:
    app.start_demo()


def _quit(app: PyAgentApp, _: str) -> None:
    app.leave()


def _choose(app: PyAgentApp, what: str, wanted: str, choices: Sequence[str], now: str) -> str | None:
    """The choice that is wanted; None, and a line that says why, if none is."""
    if wanted == NEXT:
        return choices[(choices.index(now) + 1) % len(choices)] if now in choices else choices[0]
    if wanted:
        chosen = choice_of(wanted, choices)
        if chosen is not None:
            return chosen
        _say(app, f"{wanted!r} is no {what}{did_you_mean(wanted, choices)}")
    _say(app, f"{what}: {now} (of {', '.join(choices)})")
    return None


def _say(app: PyAgentApp, text: str) -> None:
    app.view.transcript.add_note("info", text)


def _say_now(app: PyAgentApp, text: str, *, by_key: bool) -> None:
    """What holds from now on: in the transcript, or for a while above the editor after a key that may be pressed often."""
    if by_key:
        tell(app, text)
    else:
        _say(app, text)


def _theme(app: PyAgentApp, wanted: str) -> None:
    app.act("themes", "theme", wanted)


ACTIONS: dict[str, Callable[[PyAgentApp, str], None]] = {
    "help": _help,
    **{name: partial(_on_models, name) for name in ("model", "retry", "trust", "login", "logout")},
    "thinking": _thinking,
    "theme": _theme,
    "approval": _approval,
    "rules": _rules,
    **{name: partial(_on_session, name) for name in SESSION_COMMANDS},
    "find": _find,
    "settings": lambda app, _: _settings(app),
    "reload": _reload,
    "demo": _demo,
    "quit": _quit,
}
