"""`/diff`: the changes of the session on a screen of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..screens.ask import ask
from ..screens.diff import DiffScreen
from ..screens.frame import FrameHints
from ..sessions.changes import SessionChanges, changes_of_session
from ..start_error import StartError
from .copying import copy_and_tell
from .sessions import composition_of

if TYPE_CHECKING:
    from ..tui import PyAgentApp


async def act(app: PyAgentApp, _name: str, _argument: str) -> None:
    """Open the screen; the files are read while it stands there."""
    await app.conversation.started()
    try:
        composition = composition_of(app)
    except StartError as error:
        app.view.transcript.add_note("error", str(error))
        return

    async def load() -> SessionChanges:
        return await changes_of_session(composition)

    def copy(what: str, text: str, hints: FrameHints) -> None:
        app.run_worker(copy_and_tell(app, what, text, hints), group="copy", exit_on_error=False)

    view = app.view.transcript.diff_view
    await ask(app, DiffScreen(load, copy, folder=composition.folder, diff_view=view))
