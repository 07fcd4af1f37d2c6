"""Without the screen: print the final text, or one JSON event per line."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agent.encoding import event_to_json
from ..agent.events import AgentEnd, AgentEvent, AgentNotice, AutoRetryStart
from ..agent.messages import AssistantMessage, Message, UserMessage
from ..sessions.codec import header_to_json
from .arguments import Arguments
from .conversation.composer import compose
from .conversation.composition import Composition
from .conversation.project import open_project
from .paths import find_paths
from .prompt.pictures import blindness
from .prompts import first_messages, read_piped
from .sessions.choice import existing_session, remote_of
from .sessions.store import SessionStore
from .settings.reading import load_settings
from .start_error import StartError
from .terminal.log_file import LogFile

if TYPE_CHECKING:
    from ..tools.remote import Remote
    from .conversation.machine import RemoteMachine

OK, FAILED, INTERRUPTED, BROKEN_PIPE = 0, 1, 130, 141
"""Exit statuses; those of a signal are 128 plus its number."""


def run_headless(arguments: Arguments) -> int:
    """Run every prompt and print as `arguments.mode` says; the exit status. Reasons go to stderr."""
    try:
        messages = first_messages(arguments.messages, arguments.files, Path.cwd(), read_piped())
        if not messages:
            raise StartError("there is nothing to do: give a message, a file or something on stdin")
        return asyncio.run(_run(arguments, messages))
    except StartError as error:
        return _complain(str(error))
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED


async def _run(arguments: Arguments, messages: list[UserMessage]) -> int:
    async with AsyncExitStack() as stack:
        return await _work(arguments, messages, stack)


async def _work(arguments: Arguments, messages: list[UserMessage], stack: AsyncExitStack) -> int:
    paths = find_paths()
    LogFile(paths.log_file).take_logging()
    store = SessionStore.of(arguments, load_settings(paths.config)[0], paths, warn=_warn)
    machine = await _reach(arguments.remote, arguments, stack)
    opened = existing_session(arguments, store, Path.cwd(), machine.address if machine else None)
    if machine is None and opened is not None:
        machine = await _reach(remote_of(opened.session), arguments, stack)
    project = await open_project(arguments, paths, opened.cwd if opened else Path.cwd(), is_remote=machine is not None)
    for problem in project.problems:
        _complain(str(problem))
    printer = JsonPrinter() if arguments.mode == "json" else TextPrinter()
    beside = Beside()
    composition = compose(
        arguments, project, paths, printer.show, opened=opened, warn=_warn, beside=beside.start, machine=machine
    )
    try:
        for notice in composition.notices:
            _complain(notice)
        printer.begin(composition)
        status = await _talk(composition, messages, printer)
        await composition.tidy()
        return status
    finally:
        if lost := await composition.aclose():
            _complain(f"{lost} lines of the session could not be saved")


async def _reach(remote: Remote | None, arguments: Arguments, stack: AsyncExitStack) -> RemoteMachine | None:
    """The other machine, closed with the stack. Raises `StartError`."""
    if remote is None:
        return None
    from .conversation.machine import reach  # for those who work on another machine

    machine = await reach(remote, with_files=not arguments.no_context_files)
    stack.push_async_callback(machine.operations.aclose)
    return machine


async def _talk(composition: Composition, messages: list[UserMessage], printer: JsonPrinter | TextPrinter) -> int:
    compacting = composition.compacting
    interrupts = Interrupts(lambda: (compacting.cancel(), composition.agent.abort()))
    with interrupts:
        for message in messages:
            composition.approval.new_run()
            compacting.begin_turn()
            if compacting.is_due:
                await compacting.start("threshold")
            if interrupts.status is not None:
                return interrupts.status
            if words := blindness(composition.agent.setup.model, message):
                _complain(words)
            end = await composition.agent.prompt(composition.project.expanded(message))
            compacting.end_run(end.reason)
            if interrupts.status is not None:
                return interrupts.status
            if isinstance(printer, JsonPrinter) and printer.is_broken:
                return BROKEN_PIPE
            if (reason := _failure(end)) is not None:
                return _complain(reason)
    printer.finish(composition.agent.messages)
    return OK


def _failure(end: AgentEnd) -> str | None:
    """Why the run did not end well, None if it did."""
    reply = next((message for message in reversed(end.messages) if isinstance(message, AssistantMessage)), None)
    if end.reason == "limit":
        return "stopped by a limit"
    if end.reason != "done" or reply is None:
        return (reply.error_message if reply else None) or "the model gave no answer"
    if reply.stop_reason == "length":
        return "the answer was cut off by the model's output limit"
    return None


class TextPrinter:
    """Prints the last answer when all is done."""

    def begin(self, composition: Composition) -> None:
        """Nothing is printed before the end."""

    def show(self, event: AgentEvent) -> None:
        """Tell on stderr what needs patience."""
        match event:
            case AutoRetryStart():
                _complain(f"{event.error_message} (trying again in {event.delay_ms / 1000:g} s)")
            case AgentNotice():
                _complain(event.text)
            case _:
                pass

    def finish(self, messages: list[Message]) -> None:
        """Print the last answer."""
        reply = next((message for message in reversed(messages) if isinstance(message, AssistantMessage)), None)
        text = reply.text.rstrip("\n") if reply else ""
        write_line(_literal(text) if sys.stdout.isatty() else text)


class JsonPrinter:
    """Prints a session header, then every event as it happens. A reader that goes away ends the run."""

    def __init__(self) -> None:
        self.is_broken = False
        self._stop: Callable[[], None] = lambda: None

    def begin(self, composition: Composition) -> None:
        """Print the header."""
        self._stop = composition.agent.abort
        self._print(header_to_json(composition.session.header))

    def show(self, event: AgentEvent) -> None:
        """Print one event."""
        self._print(event_to_json(event))

    def finish(self, messages: list[Message]) -> None:
        """Everything is printed already."""

    def _print(self, value: dict[str, Any]) -> None:
        if self.is_broken:
            return
        try:
            write_line(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        except BrokenPipeError:
            # An event's receiver must not raise: end the run instead.
            self.is_broken = True
            _silence_stdout()
            self._stop()


class Beside:
    """Work that goes on while the model is asked; `Composition.aclose` waits for what it may not lose."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Future[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start it. The loop itself keeps no hold of a task."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Interrupts:
    """While entered: the first SIGINT, SIGTERM or SIGHUP aborts the run, the second leaves at once."""

    SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

    def __init__(self, abort: Callable[[], object]) -> None:
        self.status: int | None = None
        self._abort = abort

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in self._numbers():
            loop.add_signal_handler(number, self._caught, number)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in self._numbers():
            loop.remove_signal_handler(number)

    def _caught(self, number: int) -> None:
        if self.status is not None:
            os._exit(self.status)
        self.status = 128 + number
        self._abort()

    def _numbers(self) -> list[int]:
        return [getattr(signal, name) for name in self.SIGNALS if hasattr(signal, name) and os.name != "nt"]


def write_line(text: str) -> None:
    """One line on stdout: UTF-8 and LF, whatever the locale says."""
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def _warn(text: str) -> None:
    _complain(text)


def _complain(text: str) -> int:
    sys.stderr.buffer.write(f"pyagent-tui: {_literal(text)}\n".encode("utf-8", "replace"))
    sys.stderr.buffer.flush()
    return FAILED


def _literal(text: str) -> str:
    """Outside text for a terminal: no control codes. A pipe gets the answer as it is."""
    from ..widgets.text.outside_text import outside_text  # a tenth of a start that mostly says nothing here

    return outside_text(text, tab_size=8)


def _silence_stdout() -> None:
    """Keep the interpreter from failing once more when it flushes stdout at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
