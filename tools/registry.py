"""All built-in tools, and which of them are active."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from ..agent.frozen import frozen
from ..agent.tool import AnyTool
from .bash import BashTool
from .edit import EditTool
from .files import Files
from .filestate import FileState
from .find import FindTool
from .grep import GrepTool
from .local import LocalOperations
from .ls import LsTool
from .operations import Operations
from .paths import nearest_names
from .powershell import PowerShellTool
from .read import ReadTool
from .settings import ToolSettings
from .write import WriteTool

DEFAULT_ACTIVE = ("read", "bash", "edit", "write")


def create_tools(
    cwd: str,
    operations: Operations | None = None,
    settings: ToolSettings | None = None,
    *,
    state: FileState | None = None,
    windows: bool = sys.platform == "win32",
) -> dict[str, AnyTool]:
    """Every built-in tool by name, acting in `cwd`. They share the order of changes and what was seen of files.

    `powershell` is one of them only on Windows.

    Whoever gives `operations` closes them; without, the local machine is used and nothing closes it, so programs
    pass their own.
    """
    settings = settings or ToolSettings()
    operations = operations or LocalOperations()
    files = Files(operations, cwd, state)
    tools: list[AnyTool] = [
        ReadTool(files, settings),
        BashTool(operations, cwd, settings),
        EditTool(files),
        WriteTool(files),
        GrepTool(files),
        FindTool(files),
        LsTool(files),
    ]
    if windows:
        tools.append(PowerShellTool(operations, cwd, settings))
    return {tool.name: tool for tool in tools}


class UnknownTool(ValueError):
    """A tool was named that is not there; the message names the nearest ones."""


@frozen
class ToolChoice:
    """What options and settings say. Names with ``+`` or ``-`` change the default set; plain names replace it.

    `only` (``--tools``) is an allowlist; `excluded` (``--exclude-tools``) is taken away at the end; `no_tools` empties
    the default set, `no_builtin` takes every built-in tool out of it.
    """

    default: Sequence[str] = DEFAULT_ACTIVE
    only: Sequence[str] | None = None
    excluded: Sequence[str] = ()
    no_tools: bool = False
    no_builtin: bool = False


def select_tools(
    tools: Mapping[str, AnyTool], choice: ToolChoice, *, builtin: Iterable[str] = (), extra: Iterable[str] = ()
) -> dict[str, AnyTool]:
    """The active tools in the order of `tools`. `extra` are active by default besides (tools of extensions).

    Raises `UnknownTool` for a name that is not there, `ValueError` if plain and signed names are mixed.
    """
    active: set[str] = {*_changed(DEFAULT_ACTIVE, choice.default), *extra}
    if choice.no_builtin:
        active -= set(builtin)
    if choice.no_tools:
        active = set()
    if choice.only is not None:
        active = set(_changed(sorted(active), choice.only))
    active -= set(choice.excluded)
    _require_known([*choice.default, *(choice.only or ()), *choice.excluded], tools)
    return {name: tool for name, tool in tools.items() if name in active}


def _changed(base: Sequence[str], names: Sequence[str]) -> list[str]:
    signed = [name for name in names if name[:1] in ("+", "-")]
    if not signed:
        return list(names)
    if len(signed) != len(names):
        raise ValueError("Tool names with + or - cannot be mixed with plain ones.")
    added = [name[1:] for name in names if name[0] == "+"]
    removed = {name[1:] for name in names if name[0] == "-"}
    return [name for name in [*base, *added] if name not in removed]


def _require_known(names: Sequence[str], tools: Mapping[str, AnyTool]) -> None:
    for name in names:
        plain = name.lstrip("+-")
        if plain not in tools:
            near = nearest_names(plain, list(tools))
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise UnknownTool(f"There is no tool {plain!r}.{hint} Known: {', '.join(tools)}.")
