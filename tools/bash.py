"""The tool `bash`."""

from __future__ import annotations

import os
import signal
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import anyio

from ..agent.details import OutputDetails
from ..agent.messages import JsonObject
from ..agent.tool import Effect, Tool, ToolContext, ToolError, ToolResult
from .deferred import deferred
from .execution import Ending, Execution
from .folding import fold_names
from .operations import Command, Operations, Process
from .output import OutputLog, describe_cut
from .settings import ToolSettings
from .truncation import MAX_BYTES, MAX_LINES, size_in_words

if TYPE_CHECKING:
    from .arguments import CommandArguments

KEEP_SECONDS = 2.0
"""How long the output of a command that was stopped may take to be put where the model finds it."""

READ_ONLY = "Read-only file system"
"""What the system says of a write that a sandbox keeps out (EROFS); a script may well go on after it."""


def _arguments() -> type[CommandArguments]:
    from .arguments import CommandArguments

    return CommandArguments


class ShellTool(Tool["CommandArguments"]):
    """A command in a shell of the machine. Which shell is the subclass's business."""

    parameters: ClassVar[JsonObject] = {
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "minLength": 1,
                "description": "The command, as bash reads it; may span lines",
            },
            "timeout": {
                "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 2147483}, {"type": "null"}],
                "default": None,
                "description": "Seconds after which it is ended; optional",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    }
    Arguments = deferred(_arguments)
    effect: ClassVar[Effect] = "command"
    output_prefix: ClassVar[str] = "pyagent-bash-"

    def __init__(self, operations: Operations, cwd: str, settings: ToolSettings) -> None:
        self._operations = operations
        self._cwd = cwd
        self._settings = settings

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        return fold_names(arguments, {"command": ("cmd", "script"), "timeout": ("timeout_seconds",)})

    async def execute(self, call_id: str, arguments: CommandArguments, context: ToolContext) -> ToolResult:
        log = OutputLog(self.output_prefix, self._settings.output_folder)
        process, note = await self._start(arguments.command, context)
        report = _Report(arguments.command, log, self._operations, note)
        timeout = arguments.timeout or self._settings.default_timeout
        execution = Execution(process, log, lambda: context.update(report.live()))
        context.update(report.live())
        try:
            return await report.finished(await execution.run(timeout), timeout)
        except anyio.get_cancelled_exc_class():
            with anyio.move_on_after(KEEP_SECONDS, shield=True):
                await report.keep()
            context.update(report.aborted())
            raise

    @abstractmethod
    async def argv(self, command: str) -> list[str]:
        """The argument vector that runs the command in the shell; `ToolError` if there is no shell."""

    async def _start(self, command: str, context: ToolContext) -> tuple[Process, str]:
        """The process, and what the model is told of its confinement if it fails (empty: it is not confined)."""
        settings = self._settings
        if settings.command_prefix:
            command = f"{settings.command_prefix}\n{command}"
        argv = await self.argv(command)
        confined = None if settings.confine is None else await settings.confine(argv, self._cwd, context.permission)
        argv, note = (argv, "") if confined is None else (confined.argv, confined.note)
        environment = settings.environment | {"PYAGENT_TUI": "1", "PYAGENT_TUI_SESSION_ID": context.session_id}
        try:
            return await self._operations.spawn(Command(argv, self._cwd, environment, settings.withheld)), note
        except OSError as error:
            raise ToolError(f"The command could not be started: {_reason(error, self._cwd)}") from None


class BashTool(ShellTool):
    """Runs a command in bash."""

    name = "bash"
    label = "bash"
    description = (
        "Run a command in bash, in the working folder, and return its output (stdout and stderr as they came). "
        f"Of a long output the last {MAX_LINES} lines or {size_in_words(MAX_BYTES)} are returned and the whole is kept "
        "in a file named in the result. Standard input is empty and there is no terminal. A process left in the "
        "background goes on, but ends with this program."
    )
    prompt_snippet = "Run commands in bash"

    def __init__(self, operations: Operations, cwd: str, settings: ToolSettings) -> None:
        super().__init__(operations, cwd, settings)
        self._shell: str | None = None

    async def argv(self, command: str) -> list[str]:
        if self._shell is None:
            self._shell = await self._find_shell()
        return [self._shell, "-c", command]

    async def _find_shell(self) -> str:
        wanted = self._settings.shell_path
        for name in [wanted] if wanted else ["/bin/bash", "bash", "sh"]:
            found = await self._operations.which(name)
            if found is not None:
                return found
        raise ToolError(f"There is no shell to run commands: {wanted or 'neither bash nor sh'} was not found.")


class _Report:
    """What is told of one command, while it runs and afterwards."""

    def __init__(self, command: str, log: OutputLog, operations: Operations, confinement: str = "") -> None:
        self._command = command
        self._confinement = confinement
        self._log = log
        self._operations = operations

    def live(self) -> ToolResult:
        """The last lines so far."""
        excerpt = self._log.live()
        details = OutputDetails(self._command, excerpt.coloured, total_lines=excerpt.total_lines)
        return ToolResult.of(excerpt.text, details)

    async def finished(self, ending: Ending, timeout: float | None) -> ToolResult:
        """The result of a command that ended by itself or by its time limit."""
        await self.keep()
        return self._result(ending, _how_it_ended(ending, timeout))

    async def keep(self) -> None:
        """Put the whole output where the model's tools find it, if it is longer than what is shown."""
        if self._log.path is None or self._log.final().truncation is None:
            return
        try:
            self._log.path = await self._operations.keep_output(self._log.path)
        except OSError as error:
            self._log.fail(error)

    def aborted(self) -> ToolResult:
        """The result of a command that was stopped."""
        return self._result(None, "Command aborted")

    def _result(self, ending: Ending | None, how: str | None) -> ToolResult:
        excerpt = self._log.final()
        if excerpt.truncation is None:
            self._discard_file()
        exit = ending.exit if ending else None
        notes = [
            describe_cut(excerpt, self._log, self._log.path),
            _left_note(ending.left_running if ending else 0),
            how,
            self._confinement if exit is not None and (exit.code != 0 or READ_ONLY in excerpt.text) else None,
        ]
        text = "\n\n".join([excerpt.text or "(no output)", *(note for note in notes if note)])
        details = OutputDetails(
            self._command,
            excerpt.coloured,
            exit_code=exit.code if exit else None,
            signal=exit.signal if exit else None,
            timed_out=ending is not None and ending.timed_out,
            aborted=ending is None,
            total_lines=excerpt.total_lines,
            truncation=excerpt.truncation,
            full_output_path=self._log.path,
            left_running=ending.left_running if ending else 0,
            confined=bool(self._confinement),
        )
        return ToolResult.of(text, details, is_error=exit is None or exit.code != 0)

    def _discard_file(self) -> None:
        """The raw output was long (colours, progress bars), what it shows is not: nobody needs the file."""
        if self._log.path is not None:
            os.unlink(self._log.path)
            self._log.path = None


def _how_it_ended(ending: Ending, timeout: float | None) -> str | None:
    if ending.timed_out:
        return f"Command timed out after {timeout:g} s and was ended"
    exit = ending.exit
    if exit is None or exit.code == 0:
        return None
    if exit.code is None:
        return f"Command was ended by {exit.signal}"
    return f"Command exited with code {exit.code}{_signal_hint(exit.code)}"


def _signal_hint(code: int) -> str:
    """A shell reports a signal that ended its last program as 128 plus the number."""
    try:
        return f" ({signal.Signals(code - 128).name})" if code > 128 else ""
    except ValueError:
        return ""


def _left_note(count: int) -> str | None:
    if count == 0:
        return None
    what = "1 process was" if count == 1 else f"{count} processes were"
    return f"[{what} left running in the background; what is left ends with this program]"


def _reason(error: OSError, cwd: str) -> str:
    if error.filename == cwd:
        return f"the working folder {cwd} is not there ({error.strerror})"
    if error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return error.strerror or str(error)
