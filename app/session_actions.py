"""What the commands about sessions do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from .arguments import Arguments
from .session_opening import choose_file, open_session, rename_open
from .session_store import Opened
from .start_error import StartError

if TYPE_CHECKING:
    from .composition import Composition
    from .tui import PyAgentApp


async def act(app: PyAgentApp, name: str, argument: str) -> None:
    """Do what the command `name` says; what cannot be done is said in the transcript."""
    try:
        await ACTIONS[name](app, argument)
    except StartError as error:
        app.view.transcript.add_note("error", str(error))


def composition_of(app: PyAgentApp) -> Composition:
    """The conversation that goes on. Raises `StartError` if there is none yet."""
    composition = app.conversation.composition
    if composition is None:
        raise StartError("There is no session yet.")
    return composition


async def switch(app: PyAgentApp, opened: Opened) -> None:
    """Go on in another session; what runs is stopped first."""
    arguments = going_on(app)
    await app.conversation.settle()
    app.view.transcript.clear()
    await app.prepare(arguments, opened).wait()


def going_on(app: PyAgentApp) -> Arguments:
    """The command line for another session of this program: the approval mode stays, and the model if it was chosen."""
    arguments = replace(
        app.arguments,
        messages=(),
        files=(),
        continue_last=False,
        resume=False,
        session=None,
        fork=None,
        name=None,
        demo=False,
        demo_without_model=False,
    )
    composition = app.conversation.composition
    if composition is None:
        return arguments
    return replace(arguments, approval=composition.approval.mode)


async def _resume(app: PyAgentApp, _: str) -> None:
    path = await choose_file(app)
    if path is None:
        return
    composition = app.conversation.composition
    if composition is not None and composition.session.path == path:
        app.view.transcript.add_note("info", "This session is open already.")
        return
    opened = await open_session(app, path)
    if opened is not None:
        await switch(app, opened)


async def _name(app: PyAgentApp, name: str) -> None:
    session = composition_of(app).session
    if name:
        rename_open(app, session, name)
    else:
        named = f"The session is named {session.name}." if session.name else "The session has no name yet."
        app.view.transcript.add_note("info", named)


ACTIONS: dict[str, Callable[[PyAgentApp, str], Awaitable[None]]] = {
    "resume": _resume,
    "name": _name,
}
"""By the command's name."""
