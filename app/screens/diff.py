"""The screen of `/diff`: what the session has changed, file by file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from ...widgets.look import DiffView
from ...widgets.marks import marks
from ...widgets.session_diff import SessionDiff
from ..finding import Finding
from .frame import FrameHints, FrameTitle

if TYPE_CHECKING:
    from ..session_changes import SessionChanges

HINTS = (
    ("esc", "back"),
    ("] [", "hunks"),
    ("} {", "files"),
    ("enter", "opens"),
    ("/", "finds"),
    ("s", "layout"),
    ("Y", "copies the patch"),
    ("P", "all of them"),
    ("o", "opens all"),
    ("r", "reads again"),
)


class DiffScreen(ModalScreen[None]):
    """`load` reads the changes, beside the event loop; `copy` copies a text that a few words name and tells of it here."""

    DEFAULT_CSS = """
    DiffScreen {
        background: $background;
        layout: vertical;
        & > SessionDiff { margin-top: 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "back", "back", id="diff.back", show=False),
        Binding("r", "reload", "read the files again", id="diff.reload", show=False),
    ]

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
        self.heading.title = "Changes of this session"
        self.hints.hints = HINTS
        self.action_reload()

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
