"""What the palette offers, and doing it. Heavy to import: only when it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

from ...agent.approval import ApprovalMode
from ...widgets.terminal.key_labels import key_labels
from ..commands import BY_NAME, COMMANDS, Command
from ..keys.bindings import APP_BINDINGS
from ..prompt.command_words import MODES
from ..prompt.draft import Draft
from ..screens.ask import ask
from ..screens.ask_text import AskTextScreen
from ..screens.palette import Palette, PaletteItem, ValuePicker
from .commands import run_command

if TYPE_CHECKING:
    from ..tui import PyAgentApp

NOT_OFFERED = frozenset(
    {"palette", "clear", "leave", "page", "hunk", "toggle_diff_view", "help_if_empty", "end_if_empty", "read_if_empty"}
)
"""Actions that need the moment in which their key is pressed, and twins of others."""

APPROVAL = "approval"


async def act(app: PyAgentApp, _name: str, _argument: str) -> None:
    """Let the person choose, then do it. The draft stays as it is."""
    item = await ask(app, Palette(list(items(app))))
    if item is not None:
        await do(app, item)


def items(app: PyAgentApp) -> Iterator[PaletteItem]:
    """The commands, those of the project included, then actions that no command stands for."""
    by_action = {binding.action: _keys(app, binding.id or "", binding.key) for binding in APP_BINDINGS}
    for command in COMMANDS:
        keys = by_action.get(f"command('{command.name}')") or by_action.get(command.name, "")
        yield PaletteItem(command.about, f"/{command.name}", keys, "", command.argument)
    for binding in APP_BINDINGS:
        action = binding.action.partition("(")[0]
        if action in NOT_OFFERED or action in BY_NAME or (action == "command" and "," not in binding.action):
            continue
        yield PaletteItem(binding.description, "", _keys(app, binding.id or "", binding.key), binding.action)
    for command in _of_project(app):
        yield PaletteItem(command.about, f"/{command.name}", "", "", command.argument)


async def do(app: PyAgentApp, item: PaletteItem) -> None:
    """What was chosen."""
    if item.action:
        await app.run_action(item.action)
    elif item.name == f"/{APPROVAL}":
        await choose_approval(app)
    else:
        await _command(app, item)


async def _command(app: PyAgentApp, item: PaletteItem) -> None:
    name = item.name.removeprefix("/")
    is_of_project = name not in BY_NAME
    argument = ""
    if item.argument and (is_of_project or not item.argument.startswith("[")):
        asked = await ask(app, AskTextScreen(f"{item.name} {item.argument}"))
        if asked is None:
            return
        argument = asked
    if is_of_project:
        app.conversation.send(Draft(f"{item.name} {argument}".strip(), (), "send"))
    else:
        run_command(app, BY_NAME[name], argument)


async def choose_approval(app: PyAgentApp) -> None:
    """What asks before it happens, from now on."""
    composition = app.conversation.composition
    if composition is None:
        return
    notes = {str(mode): words for mode, words in MODES.items()}
    picker = ValuePicker("What asks before it happens", get_args(ApprovalMode), composition.approval.mode, notes)
    mode = await ask(app, picker)
    if mode is not None:
        run_command(app, BY_NAME[APPROVAL], mode)


def _of_project(app: PyAgentApp) -> list[Command]:
    composition = app.conversation.composition
    commands = () if composition is None else composition.project.commands
    return [command for command in commands if command.name not in BY_NAME]


def _keys(app: PyAgentApp, binding_id: str, default: str) -> str:
    keymap = app._keymap  # pyright: ignore[reportPrivateUsage]
    return next(iter(key_labels(keymap.get(binding_id) or default)), "")
