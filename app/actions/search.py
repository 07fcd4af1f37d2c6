"""Finding what was said, in all sessions, and going there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...sessions.search import SearchHit, SearchIndex
from ...sessions.tree import SessionTree
from ..screens.ask import ask
from ..screens.search import SearchActions, SearchScreen
from ..sessions.opening import open_session
from ..sessions.store import SessionStore
from ..start_error import StartError
from .sessions import switch

if TYPE_CHECKING:
    from ..tui import PyAgentApp


async def act(app: PyAgentApp, _name: str, query: str) -> None:
    """`/search`: find it, open its session, show the place."""
    await app.conversation.started()
    try:
        hit = await ask(app, SearchScreen(_actions(app), query))
        if hit is not None:
            await go_to(app, hit)
    except StartError as error:
        app.view.transcript.add_note("error", str(error))


async def go_to(app: PyAgentApp, hit: SearchHit) -> None:
    """Open the session of a hit, unless it is open, and show its entry; an entry of another branch by going there."""
    composition = app.conversation.composition
    if composition is None or composition.session.path != hit.path:
        opened = await open_session(app, hit.path)
        if opened is None:
            return
        await switch(app, opened)
        composition = app.conversation.composition
    if composition is None or hit.entry_id not in composition.session.tree:
        return
    session = composition.session
    if all(entry.id != hit.entry_id for entry in session.tree.path()):
        if app.conversation.is_running:
            raise StartError("It was said on another branch; /tree leads there when the run is over.")
        session.branch(tip_of(session.tree, hit.entry_id))
        await app.conversation.session_view.show_branch(hit.entry_id)
        app.view.transcript.add_note("info", "This is another branch than before; /tree leads back.")
    await app.conversation.session_view.show_entry(hit.entry_id)


def tip_of(tree: SessionTree, entry_id: str) -> str:
    """The end of the newest branch that goes through an entry."""
    while children := tree.children(entry_id):
        entry_id = children[-1].id
    return entry_id


def _actions(app: PyAgentApp) -> SearchActions:
    store: SessionStore = app.conversation.store_for(app.arguments)
    index = SearchIndex(store.data)
    opening = asyncio.Lock()

    async def opened() -> None:
        """Have the index made, if it must be, by one at a time."""
        async with opening:
            await asyncio.to_thread(index.search, "anything", 1)

    async def search(query: str, everywhere: bool) -> list[SearchHit]:
        await opened()
        return await asyncio.to_thread(index.search, query, 200, None if everywhere else str(app.place))

    async def update(tell: Callable[[int, int], None], is_cancelled: Callable[[], bool]) -> None:
        await opened()
        await asyncio.to_thread(lambda: index.update(store.folders, tell, is_cancelled))

    return SearchActions(search, update)
