"""The full-screen program: widgets, keys and the agent, joined."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from traceback import format_exception
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.worker import Worker, WorkerState

from ..widgets.editor.editor import Editor
from ..widgets.editor.text_editor import TextEditor
from ..widgets.review.panel import ApprovalPanel
from ..widgets.text.marks import marks
from ..widgets.transcript.transcript import Transcript
from ..widgets.transcript.warm_up import warm_up
from .actions.command_line import run_line
from .actions.commands import run_command
from .actions.main import MainActions
from .arguments import Arguments
from .commands import BY_NAME, find_command
from .conversation.asking import Asking
from .conversation.conversation import Conversation, Draft
from .conversation.jobs import Jobs
from .conversation.shell_commands import ShellCommands
from .conversation.shell_run import MARK
from .git_branch import is_dirty, read_branch
from .keys.bindings import APP_BINDINGS
from .keys.hints import read_keys
from .paths import Paths, find_paths
from .prompt.command_words import CommandWords
from .prompt.keeping import PICTURES_GONE, PromptKeeping
from .prompt.pictures import Pictures
from .prompt.project_paths import ProjectPaths
from .screens.main import MainScreen
from .screens.trust import TrustAsking
from .settings.model import Settings
from .settings.reading import SettingsProblem, load_settings
from .settings.shown import show_settings, toggle_thinking
from .start_error import StartError
from .terminal.goodbye import goodbye, print_goodbye
from .terminal.log_file import LogFile
from .terminal.theming import SYSTEM
from .view import View

if TYPE_CHECKING:
    from .actions.finding import Finding
    from .sessions.store import Opened


class PyAgentApp(MainActions, inherit_bindings=False):
    """The main screen: keys and messages in, verbs of the conversation out."""

    TITLE = "pyagent-tui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = list(APP_BINDINGS)

    def __init__(
        self, arguments: Arguments, settings: Settings, problems: list[SettingsProblem], paths: Paths, cwd: Path
    ) -> None:
        self.goodbye = ""
        super().__init__(LogFile(paths.log_file), paths.themes)
        self.arguments = self.given = arguments
        self.cwd = cwd
        self.place: str | Path = cwd
        self.view = View()
        self.asking = Asking(self.view, short_path(cwd))
        self.trusting = TrustAsking(self)
        self.conversation = Conversation(
            self.view, self.host_run, self.asking.ask, self.trusting.ask, settings, problems, paths
        )
        self.jobs = Jobs(self.view.rule)
        self.keeping = PromptKeeping(self.view.editor, paths, cwd, self.conversation.warn)
        self.paths = ProjectPaths(
            self.view.editor, partial(self.run_worker, name="files", group="files", exit_on_error=False)
        )
        self.commands = ShellCommands(
            self.conversation, self.view, partial(self.run_worker, group="shell", exit_on_error=False)
        )
        self.conversation.watch, self.asking.waits = self.attention.see, self.attention.asks
        self.conversation.end_command = self.commands.end
        self.finding: Finding | None = None
        self.conversation.assembly.beside = partial(self.run_worker, group="snapshots", exit_on_error=False)
        self.has_own_keys = False
        self._mode_hints = ""
        self._problems = [str(problem) for problem in problems]

    def get_default_screen(self) -> MainScreen:
        return MainScreen(id="_default")

    def compose(self) -> ComposeResult:
        yield from self.view

    def on_mount(self) -> None:
        """The first frame waits for nothing but the terminal; everything heavy comes after it."""
        self.begin_capture_print(self)
        self.view.title.folder = short_path(self.cwd)
        words = CommandWords(self.conversation, lambda: [SYSTEM, *sorted(self.available_themes)])
        editor = self.view.editor
        editor.complete_command, editor.argument_hint, editor.takes_path = words.complete, words.hint, words.takes_path
        self.view.editor.load_image = Pictures(lambda: self.cwd, self.conversation.warn).load
        self._problems += read_keys(self)
        editor.is_vim = self.conversation.settings.editor_mode == "vim"
        self.screen.set_focus(self.view.editor)  # at once: keys that were typed already are next in the queue
        self.choose_theme(self.conversation.settings)
        self.theming.await_answer()
        self.call_after_refresh(self.prepare, self.arguments)

    @work(group="start", exclusive=True, exit_on_error=False)
    async def prepare(self, arguments: Arguments, opened: Opened | None = None) -> None:
        """Compose the agent, then send what waits; without a model say what to do. `opened` is the session to go on with."""
        problems, self._problems = self._problems, []
        for problem in problems:
            self.view.transcript.add_note("warning", problem)
        brought_back = await self.keeping.load()
        machine = None
        try:
            if arguments.remote is not None and opened is None:
                machine = await self.conversation.assembly.reach(arguments.remote, arguments)
                self.place = machine.address
        except StartError as error:
            self.conversation.cannot_start(arguments, error, "/new tries again.")
            return
        if arguments.names_session and opened is None:
            opening = await asyncio.to_thread(import_module, f"{__package__}.sessions.opening")
            arguments, opened = await opening.open_wanted(self, arguments)
        has_model = await self.conversation.start(arguments, opened, machine)
        self._show_place()
        if brought_back:
            self.view.transcript.add_note("info", brought_back)
        self.run_worker(self.conversation.session_view.show_rest(), group="rest", exclusive=True, exit_on_error=False)
        self.run_worker(self._warm(), group="warm", exclusive=True, exit_on_error=False)
        if has_model:
            self.run_worker(self.conversation.find_servers(), group="servers", exclusive=True, exit_on_error=False)
        else:
            self.act("models", "start")

    async def _warm(self) -> None:
        """What the first request and the first answer need is imported in threads, while the person types."""
        self.graphics.ask()
        await self.conversation.warm()
        await asyncio.to_thread(warm_up)

    def show_pictures(self) -> None:
        self.view.transcript.show_pictures(self.conversation.settings.pictures, self.graphics.graphics)

    def warn(self, text: str) -> None:
        self.view.transcript.add_note("warning", text)

    def _show_place(self) -> None:
        """Where the agent works: the demo has a folder of its own."""
        self.choose_theme(self.conversation.settings)
        composition = self.conversation.composition
        folder, host = short_path(self.cwd), ""
        machine = None
        if composition is not None:
            self.cwd, self.place, machine = composition.cwd, composition.place, composition.machine
            folder = short_path(self.cwd) if machine is None else machine.folder
            host = "" if machine is None else machine.remote.host
            self.view.transcript.folder = composition.folder
            self.asking.confinement = composition.sandbox.words
        self.view.title.host, self.view.title.folder = host, folder
        self.asking.folder = f"{host}:{folder}" if host else folder
        self.paths.work_at(self.cwd, machine)
        self.attention.settings = self.conversation.settings
        self.attention.place = f"{host}:{Path(folder).name}" if host else self.cwd.name
        self.attention.show()
        show_settings(self)
        self.show_pictures()
        self.show_branch()

    @work(group="agent", exclusive=True, exit_on_error=False)
    async def host_run(self, run: Coroutine[Any, Any, None]) -> None:
        """Host a run, or a compaction, to its end."""
        reading = self.jobs.follow("reading the project for /rewind", self.conversation.warm_snapshots)
        self.run_worker(reading, group="snapshots", exit_on_error=False)
        await run
        self.paths.files_changed()
        self.show_branch()

    @work(group="branch", exclusive=True, exit_on_error=False)
    async def show_branch(self) -> None:
        """The git branch, at once; whether it is dirty, when git has said so."""
        branch = "" if self.view.title.host else read_branch(self.cwd)
        if not branch:
            self.view.title.branch = ""
            return
        was_dirty = self.view.title.branch.endswith("*")
        self.view.title.branch = f"{branch}*" if was_dirty else branch
        self.view.title.branch = f"{branch}*" if await asyncio.to_thread(is_dirty, self.cwd) else branch

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A defect of ours is said, and does not end the program."""
        if event.state is WorkerState.ERROR:
            worker = cast("Worker[object]", event.worker)  # pyright: ignore[reportUnknownMemberType]
            self.stray.write("".join(format_exception(worker.error)))
            self.view.transcript.add_note("error", f"Internal error in {worker.name}: {worker.error!r}")

    @work(group="command", exit_on_error=False)
    async def act(self, module: str, name: str, argument: str = "") -> None:
        """A command of a module that is heavy and imported now."""
        actions = await asyncio.to_thread(import_module, f"{__package__}.actions.{module}")
        await actions.act(self, name, argument)

    # What widgets say

    def on_editor_submitted(self, message: Editor.Submitted) -> None:
        found = find_command(message.text)
        if found is not None:
            run_command(self, *found)
        elif message.text.startswith(MARK):
            self.commands.send(message.text)
        else:
            if not self.conversation.is_running:
                self.view.transcript.action_follow()
            self.conversation.send(Draft(message.text, message.images, message.intent))

    def on_vim_editor_line_entered(self, message: Editor.LineEntered) -> None:
        run_line(self, message.line)

    @on(Editor.Changed)
    def keep_draft(self, message: Editor.Changed) -> None:
        """Whatever is written is on disk a moment later."""
        if message.editor is self.view.editor:
            self.keeping.changed()
            self._tell_of_pictures()

    def _tell_of_pictures(self) -> None:
        """Say of an earlier prompt for as long as it stands there that its pictures are gone."""
        if self.view.editor.lacks_pictures:
            self.view.rule.notice = PICTURES_GONE
        else:
            self.view.rule.retract(PICTURES_GONE)

    def on_text_editor_paste_wanted(self, message: TextEditor.PasteWanted) -> None:
        self.paste_clipboard(message.editor)

    @work(group="paste", exit_on_error=False)
    async def paste_clipboard(self, field: TextEditor) -> None:
        """What the clipboard holds, into this field."""
        pasting = await asyncio.to_thread(import_module, f"{__package__}.actions.pasting")
        await pasting.paste_into(self, field)

    def on_approval_panel_answered(self, message: ApprovalPanel.Answered) -> None:
        self.asking.answered(message.tool_call_id, replace(message.answer, rule=message.rule))

    def on_approval_panel_outside_wanted(self) -> None:
        self.action_edit_outside()

    def on_approval_panel_typed_ahead(self, message: ApprovalPanel.TypedAhead) -> None:
        self.view.editor.insert(message.text)

    def on_transcript_call_abort_requested(self, message: Transcript.CallAbortRequested) -> None:
        if not self.commands.stop(message.call_id):
            self.conversation.stop_call(message.call_id)

    def on_read_view_copy_requested(self, message: Transcript.CopyRequested) -> None:
        self.act("copying", message.what, message.text)

    def on_read_view_find_requested(self) -> None:
        self.action_find()

    def on_transcript_typed(self, message: Transcript.Typed) -> None:
        self.leave_transcript()
        if not self.view.panel.is_open:
            self.view.editor.insert(message.text)

    def on_read_view_reading(self, message: Transcript.Reading) -> None:
        """The hints are those of the keys that work."""
        self.view.rule.is_reading = message.is_reading
        self.asking.show_hints(is_reading=message.is_reading)

    def on_read_view_mode_changed(self, message: Transcript.ModeChanged) -> None:
        if self.finding is None or not self.finding.is_open:
            self.view.rule.retract(self._mode_hints)
            if message.hints:
                self.view.rule.notice = self._mode_hints = f" {marks().dot} ".join(message.hints)

    def on_transcript_left(self) -> None:
        self.leave_transcript()

    # Keys that lead elsewhere; the others: `actions/main`

    def action_toggle_thinking(self) -> None:
        """The model's thinking: always, or only while it goes on."""
        toggle_thinking(self)

    def action_palette(self) -> None:
        """Find any command or action."""
        self.act("palette", "open")

    def action_command(self, name: str, argument: str = "") -> None:
        """A key that stands for a slash command."""
        run_command(self, BY_NAME[name], argument)

    def action_edit_outside(self) -> None:
        """The draft, or what is written for an answer, in the person's own editor."""
        if not self.view.panel.is_open or self.view.panel.field is not None:
            self.act("external_editor", "")

    def action_find(self) -> None:
        """Find a text in the transcript."""
        run_command(self, BY_NAME["find"])

    def _say_goodbye(self) -> None:
        composition = self.conversation.composition
        if composition is not None:
            wanted = self.conversation.settings.exit_output
            self.goodbye = goodbye(composition.agent.messages, composition.session, self.arguments, wanted)

    @work(group="start", exclusive=True, exit_on_error=False)
    async def start_demo(self) -> None:
        """The demo, in place of what is on the screen."""
        await self.conversation.leave()
        await self.conversation.start(replace(self.arguments, demo=True, demo_without_model=False, script=None))
        self._show_place()

    async def on_unmount(self) -> None:
        self.attention.close()
        self._say_goodbye()
        await self.conversation.close()
        await self.keeping.aclose()


def run_tui(arguments: Arguments) -> int:
    """Open the screen; the exit status."""
    paths = find_paths()
    settings, problems = load_settings(paths.config)
    app = PyAgentApp(arguments, settings, problems, paths, Path.cwd())
    app.stray.take_logging()
    status = app.run(mouse=settings.mouse and not arguments.no_mouse)
    print_goodbye(app.goodbye)
    if app.conversation.unsaved:
        sys.stderr.write(f"pyagent-tui: {app.conversation.unsaved}\n")
    return app.return_code or 0 if status is None else status


def short_path(path: Path) -> str:
    """The path with the home folder as ``~``."""
    text, home = str(path), os.path.expanduser("~")
    return f"~{text[len(home) :]}" if home not in ("", "/") and (text + "/").startswith(home + "/") else text
