"""The screen of `/diff`: what the session has changed, file by file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from ...widgets.diff.session_diff import SessionDiff
from ...widgets.terminal.key_dispatch import first_key
from ...widgets.text.look import DiffView
from ...widgets.text.marks import marks
from ..actions.finding import Finding
from ..keys.screens import DIFF_KEYS
from .frame import FrameHints, FrameTitle

if TYPE_CHECKING:
    from ..sessions.changes import SessionChanges

TITLE = "Changes of this session"

HINTS = (
    ("diff.back", "back"),
    ("diff.help", "all keys"),
    ("transcript.next_hunk,transcript.previous_hunk", "hunks"),
    ("diff.next_file,diff.previous_file", "files"),
    ("transcript.toggle", "opens"),
    ("transcript.find", "finds"),
    ("transcript.diff_view", "layout"),
    ("transcript.copy_part", "copies the patch"),
    ("diff.copy_patch", "all of them"),
    ("diff.open_all", "opens all"),
    ("diff.reload", "reads again"),
)
"""Ids of bindings and what they do."""


class DiffScreen(ModalScreen[None], inherit_bindings=False):
    """`load` reads the changes, beside the event loop; `copy` copies a text that a few words name and tells of it here."""

    DEFAULT_CSS = """
    DiffScreen {
        background: $background;
        layout: vertical;
        & > SessionDiff { margin-top: 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(DIFF_KEYS)

    def __init__(
        self,
        load: Callable[[], Awaitable[SessionChanges]],
        copy: Callable[[str, str, FrameHints], None],
        *,
        folder: str,
        diff_view: DiffView = "auto",
    ) -> None:
        super().__init__()
        self._load = load
        self._copy = copy
        self.heading = FrameTitle()
        self.diff = SessionDiff(folder=folder)
        self.diff.diff_view = diff_view
        self.diff.display = False
        self.hints = FrameHints()
        self._finding = Finding(self, self.diff, self.hints, self._tell, self._back)

    def compose(self) -> ComposeResult:
        yield self.heading
        yield self.diff
        yield self.hints

    def on_mount(self) -> None:
        self.heading.title = TITLE
        keys = [(" ".join(filter(None, map(self._key, ids.split(",")))), words) for ids, words in HINTS]
        self.hints.hints = [(key, words) for key, words in keys if key]
        self.action_reload()

    def _key(self, binding_id: str) -> str:
        return first_key(self, binding_id) or first_key(self.diff, binding_id)

    def action_reload(self) -> None:
        """Read the files again."""
        self.heading.facts = (f"reading the files {marks().ellipsis}",)
        self.run_worker(self._show(), group="diff", exclusive=True, exit_on_error=False)

    async def _show(self) -> None:
        changes = await self._load()
        self.diff.show(changes.files, changes.note)
        self.diff.display = True
        self.diff.focus()
        self.heading.facts = ()

    def _back(self) -> None:
        self.diff.focus()

    def _tell(self, words: str) -> None:
        self.hints.notice = words

    def action_help(self) -> None:
        """All keys, those of this screen first."""
        from .help import HelpScreen, groups_of_keys

        own = groups_of_keys((*DIFF_KEYS, *self.diff.BINDINGS))
        self.app.push_screen(HelpScreen(own))  # pyright: ignore[reportUnknownMemberType]

    def on_session_diff_seen(self, message: SessionDiff.Seen) -> None:
        """The title names the file that is read, however long it is."""
        message.stop()
        self.heading.title = message.path or TITLE
        self.heading.facts = (TITLE.lower(), f"{message.number:,} of {message.total:,}") if message.path else ()

    def action_back(self) -> None:
        """Back to the transcript."""
        self.dismiss(None)

    # What the view says is for this screen alone.

    def on_read_view_copy_requested(self, message: SessionDiff.CopyRequested) -> None:
        message.stop()
        self._copy(message.what, message.text, self.hints)

    def on_read_view_find_requested(self, message: SessionDiff.FindRequested) -> None:
        message.stop()
        self.run_worker(self._finding.open(), group="find", exit_on_error=False)

    def on_read_view_mode_changed(self, message: SessionDiff.ModeChanged) -> None:
        message.stop()
        if not self._finding.is_open:
            self._tell(f" {marks().dot} ".join(message.hints))

    def on_read_view_reading(self, message: SessionDiff.Reading) -> None:
        message.stop()
