"""The project's files travel with the tree: their state is kept around every call that may change them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias

import anyio

from ...agent.events import AgentNotice, Emit
from ...agent.frozen import frozen
from ...agent.hooks import CallRequest
from ...agent.pipeline import Admitted, Pipeline, Settled
from ...agent.tool import ToolContext
from ...sessions.changes import FileChange, changes_of
from ...sessions.progress import Tell, go_on
from ...sessions.restore import RestorePlan, apply_restore, plan_restore
from ...sessions.session import Session
from ...sessions.shadow_git import ShadowGit, SnapshotError
from ...sessions.snapshots import SNAPSHOT_TYPE, SnapshotRecord, Snapshots, records_between

BEGIN_SECONDS = 10.0
"""How long a call waits for the state before it; then it runs without."""

SHORT_SECONDS = 0.1
"""The same for a call after one that waited in vain, while the project is still being read."""

END_SECONDS = 60.0
"""How long the state after a call may take, which nobody waits for but the next call that may change files."""

Beside: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]
"""Lets something go on beside the run; it may be given up when the program ends."""


class Rewinder:
    """Keeps and restores the states of one project for one session. What cannot be kept is said once.

    The state after a call is kept `beside` the next request to the model (None: before it). A record in the session opens when a call
    begins and is closed by a later entry, so that a killed program leaves one that says what is not known.
    """

    def __init__(self, git: ShadowGit, session: Session, emit: Emit, beside: Beside | None = None) -> None:
        self._git = git
        self._session = session
        self._emit = emit
        self._beside = beside
        self._snapshots = Snapshots(git)
        self._preparing = anyio.Lock()
        self._closing = anyio.Lock()
        self._opened: list[str] = []
        self._is_ready = False
        self._fault = ""
        self._is_warm = False
        self._is_reading = False
        self._patience = BEGIN_SECONDS
        self._has_told = False
        self._last: FileMove | None = None

    # Keeping

    async def warm(self, tell: Tell = go_on) -> None:
        """Make the store and read the project once, so that no call has to wait for that; `tell` hears how far it is."""
        if self._is_warm:
            return
        self._is_warm = self._is_reading = True
        try:
            if await self._prepared():
                await self._git.write_tree(tell=tell)
        except SnapshotError as error:
            self._fault, self._is_ready = str(error), False
        finally:
            self._is_reading, self._patience = False, BEGIN_SECONDS

    async def begin(self, request: CallRequest) -> None:
        """Before a call that may change files runs."""
        try:
            with anyio.fail_after(self._patience):
                if await self._prepared():
                    await self.settled()
                    await self._open(request)
                else:
                    self._give_up(self._fault)
        except SnapshotError as error:
            self._give_up(str(error))
        except TimeoutError:
            self._wait_no_more()

    def _wait_no_more(self) -> None:
        """A call runs without; the next ones too, while the project is still being read."""
        if not self._is_reading:
            self._give_up("reading the project takes too long")
        elif self._patience == BEGIN_SECONDS:
            self._patience = SHORT_SECONDS
            words = "The project is still being read, so /rewind cannot bring back what changes until then."
            self._emit(AgentNotice("info", words))

    async def _open(self, request: CallRequest) -> None:
        call_id, changes_only_paths = request.call.id, request.tool.effect == "change"
        paths = _paths_of(request.arguments)
        before = await self._snapshots.begin(call_id, paths, changes_only_paths=changes_only_paths)
        if not self._session.is_read_only:
            record = SnapshotRecord(before, "", (call_id,))
            self._opened.append(self._session.append_custom(SNAPSHOT_TYPE, record.to_json()))

    async def end(self, call_id: str) -> None:
        """When it is over, however it ended."""
        if not self._snapshots.end(call_id):
            return
        if self._beside is not None:
            self._beside(self.settled())
            return
        with anyio.CancelScope(shield=True):
            await self.settled()

    async def settled(self) -> None:
        """Wait until the state after the last calls is kept, if they are over. Nothing else may come into the session's tree between."""
        async with self._closing:
            if not (self._is_ready and self._snapshots.is_over):
                return
            try:
                with anyio.fail_after(END_SECONDS):
                    self._close(await self._snapshots.close())
            except SnapshotError as error:
                self._give_up(str(error))
            except TimeoutError:
                self._give_up("reading the project takes too long")

    def _close(self, record: SnapshotRecord | None) -> None:
        opened, self._opened = self._opened, []
        if record is not None and not self._session.is_read_only:
            self._session.append_custom(SNAPSHOT_TYPE, record.to_json_closing(opened))

    async def _prepared(self) -> bool:
        async with self._preparing:
            if not self._is_ready and not self._fault:
                await self._git.prepare()
                self._is_ready = True
        return self._is_ready

    def _give_up(self, reason: str) -> None:
        """Keep no states any more, and say so once."""
        if not self._has_told:
            self._emit(AgentNotice("info", f"Files cannot be brought back with /rewind: {reason}"))
        self._fault, self._is_ready, self._has_told = reason, False, True

    def _keep(self, record: SnapshotRecord | None) -> None:
        if record is not None and not self._session.is_read_only:
            self._session.append_custom(SNAPSHOT_TYPE, record.to_json())

    # Restoring

    def move(self, to_id: str | None) -> FileMove:
        """What the files would have to undo and redo to be as they were at an entry."""
        return FileMove(*records_between(self._session.tree, self._session.leaf_id, to_id))

    async def plan(self, move: FileMove) -> RestorePlan:
        """What that takes, and what stands in the way. Raises `SnapshotError`."""
        if move.is_empty:
            return RestorePlan((), ())
        if not await self._prepared():
            raise SnapshotError(self._fault)
        return await plan_restore(self._git, _known(move.undo), _known(move.redo))

    async def changes(self) -> list[FileChange]:
        """What the branch has changed in the project's files, as they are now. Raises `SnapshotError`."""
        records = self.move(None).undo
        if not await self._prepared():
            raise SnapshotError(self._fault)
        return await changes_of(self._git, records) if records else []

    async def restore(self, plan: RestorePlan) -> None:
        """Carry a plan out, but for its conflicts, and keep what takes it back. Raises `SnapshotError`."""
        record = await apply_restore(self._git, plan, skip_conflicts=True)
        if record.before != record.after:
            self._last = FileMove((record,), ())
            if not self._session.is_read_only:
                self._session.append_custom(SNAPSHOT_TYPE, record.to_json())

    @property
    def last_restore(self) -> FileMove | None:
        """What takes the last restore of this program back."""
        return self._last


@frozen
class FileMove:
    """The records (oldest first) that are undone and those that are done anew when one goes somewhere in the tree."""

    undo: Sequence[SnapshotRecord]
    redo: Sequence[SnapshotRecord]

    @property
    def is_empty(self) -> bool:
        return not self.undo and not self.redo

    @property
    def unknown_calls(self) -> tuple[str, ...]:
        """The ids of calls during which the program was killed: what they changed stays as it is."""
        return tuple(id_ for each in (*self.undo, *self.redo) if each.is_unknown for id_ in each.call_ids)

    def keep_files(self, session: Session) -> None:
        """The conversation has moved and the files have not: let the branch say how they came to be as they are."""
        backwards = [each.reverse for each in reversed(self.redo)]
        for record in (*backwards, *self.undo):
            if not session.is_read_only:
                session.append_custom(SNAPSHOT_TYPE, record.to_json())


def _known(records: Sequence[SnapshotRecord]) -> list[SnapshotRecord]:
    return [record for record in records if not record.is_unknown]


def _paths_of(arguments: Any) -> list[str]:
    """The file that a call names, so that its state is kept even if git ignores it."""
    path: object = getattr(arguments, "path", None)
    return [path] if isinstance(path, str) else []


@frozen
class RecordingPipeline(Pipeline):
    """A pipeline that has the project's state kept around every call that may change it."""

    rewinder: Rewinder | None = None

    async def execute(self, admitted: Admitted, context: ToolContext) -> Settled:
        """As every pipeline does, between two states."""
        request, rewinder = admitted.request, self.rewinder
        if rewinder is None or request.tool.effect == "read":
            return await Pipeline.execute(self, admitted, context)
        await rewinder.begin(request)
        try:
            return await Pipeline.execute(self, admitted, context)
        finally:
            await rewinder.end(request.call.id)
