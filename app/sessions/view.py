"""What the screen shows of the session as a whole: its messages, its tokens and its cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ...agent.events import AgentEvent, CompactionEnd
from ...agent.messages import Usage
from ...widgets.transcript.transcript import Transcript
from ..conversation.standing import Standing

if TYPE_CHECKING:
    from ..conversation.composition import Composition
    from .showing import Showing
    from .store import Opened


class SessionView:
    """Shows one session at a time. `changed` is called when `standing` is another one."""

    def __init__(self, transcript: Transcript, changed: Callable[[], None]) -> None:
        self.standing = Standing()
        self._transcript = transcript
        self._changed = changed
        self._composition: Composition | None = None
        self._showing: Showing | None = None
        self._earlier: Callable[[], Standing] = Standing

    async def begin(self, opened: Opened | None) -> None:
        """Another session: the end of what is stored of it is shown before all that takes time."""
        self._composition = None
        self.standing = Standing()
        module = await asyncio.to_thread(import_module, f"{__package__}.showing")
        self._showing = showing = module.Showing(self._transcript)
        if opened is not None:
            showing.show_end(opened.session)

    def take(self, composition: Composition) -> None:
        """The composition that goes on in this session, before anything is said in it."""
        self._composition = composition
        self._earlier = composition.standing()

    async def show_rest(self) -> None:
        """All of a stored session above its end, and what it used."""
        showing, earlier, standing = self._showing, self._earlier, self.standing
        if showing is None or self._composition is None:
            return
        await showing.show_rest()
        standing.add_earlier(await asyncio.to_thread(earlier))
        self._changed()

    async def show_branch(self, entry_id: str | None = None) -> None:
        """The session's branch as it is now, for the model and on the screen; from an entry on at least."""
        composition, showing = self._composition, self._showing
        if composition is None or showing is None:
            return
        composition.moved()
        await showing.show(composition.session, entry_id)
        self.standing = await asyncio.to_thread(composition.standing())
        self._changed()

    async def show_entry(self, entry_id: str) -> None:
        """Bring an entry of the branch to the top of the window."""
        composition, showing = self._composition, self._showing
        if composition is None or showing is None or showing.jump(entry_id):
            return
        await showing.show(composition.session, entry_id)
        showing.jump(entry_id)

    def see(self, event: AgentEvent) -> None:
        """Count what an event tells of tokens and cost."""
        if isinstance(event, CompactionEnd) and event.summary is not None:
            self._count_compaction()
        elif not self.standing.see(event):
            return
        self._changed()

    def _count_compaction(self) -> None:
        """What the summary cost; the size of the context is unknown until the next reply."""
        session = None if self._composition is None else self._composition.session
        if session is not None and session.leaf_id is not None:
            usage: Usage | None = getattr(session.tree[session.leaf_id], "usage", None)
            self.standing.add(usage or Usage())
        self.standing.context_tokens = None
