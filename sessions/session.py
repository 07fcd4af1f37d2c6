"""A session: its tree in memory, its file behind it. The one thing that the app talks to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..agent.encoding import message_to_json
from ..agent.messages import CustomMessage, JsonObject, Message, ThinkingLevel, Usage, UserContent
from .bounds import bounded
from .codec import entry_to_json, header_to_json
from .context import SessionContext, build_context
from .entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionEntry,
    SessionHeader,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
)
from .file import SessionFile, read_session_file
from .folders import place_of, project_folder, session_file_name
from .identifiers import is_session_id, iso_now, iso_time, new_session_id
from .line import Line, LineReader, dump_line
from .locate import latest_file
from .tree import SessionTree, clean_name
from .writer import Durable, SessionWriter, Warn


class ReadOnlySessionError(Exception):
    """The session was opened for reading only."""


def ignore(_: object) -> None:
    """Takes a report that nobody waits for."""


class Session:
    """Append, branch, read. Nothing is on disk until the first user or assistant message; then every line is.

    `append_…` return the new entry's id; `await flushed(id)` tells when it is safe on disk.
    """

    def __init__(
        self,
        header: SessionHeader,
        tree: SessionTree,
        writer: SessionWriter | None,
        *,
        reader: LineReader | None = None,
    ) -> None:
        self.header = header
        self.tree = tree
        self.warning: str | None = None
        self.is_read_only = False
        self._writer = writer
        self._reader = reader or (writer.reader if writer else None)
        self._unwritten: list[tuple[str, Line]] | None = [("", Line(dump_line(header_to_json(header))))]

    # Ways to get one

    @classmethod
    def start(
        cls,
        cwd: str | Path,
        data_dir: Path,
        name: str | None = None,
        *,
        session_id: str | None = None,
        folder: Path | None = None,
        parent: Path | None = None,
        on_warning: Warn = ignore,
        on_durable: Durable = ignore,
    ) -> Session:
        """A new session of the project at `cwd`, its file in `folder` or the project's own.

        Raises `ValueError` for an id that is not allowed or already there. The callbacks may come from any thread.
        """
        header = _new_header(cwd, session_id, parent)
        path = (folder or project_folder(data_dir, cwd)) / session_file_name(header.timestamp, header.id)
        if path.exists():
            raise ValueError(f"a session with the id {header.id} exists already")
        session = cls(header, SessionTree(), SessionWriter(LineReader(path), on_warning, on_durable))
        session._begin(name)
        return session

    @classmethod
    def in_memory(cls, cwd: str | Path, name: str | None = None) -> Session:
        """A session without a file."""
        session = cls(_new_header(cwd, None, None), SessionTree(), None)
        session._unwritten = None
        session._begin(name)
        return session

    @classmethod
    def open(
        cls, path: Path, *, read_only: bool = False, on_warning: Warn = ignore, on_durable: Durable = ignore
    ) -> Session:
        """An existing file. `session.warning` tells of damage that was found.

        Raises `SessionFileError` if it is no session, `SessionLockedError` if another process writes it.
        """
        writer = None if read_only else SessionWriter.resume(path, on_warning, on_durable)
        try:
            file = read_session_file(path)
        except BaseException:
            if writer:
                writer.close()
            raise
        session = cls(
            file.header or _new_header(os.getcwd(), None, None), SessionTree(file.entries), writer, reader=file.reader
        )
        session._take_over(file)
        session.is_read_only = read_only
        return session

    @classmethod
    def latest(
        cls,
        cwd: str | Path,
        data_dir: Path,
        *,
        folder: Path | None = None,
        on_warning: Warn = ignore,
        on_durable: Durable = ignore,
    ) -> Session | None:
        """The session of `cwd` that was written last, or None. Raises as `open`."""
        path = latest_file(folder, cwd) if folder else latest_file(project_folder(data_dir, cwd))
        return cls.open(path, on_warning=on_warning, on_durable=on_durable) if path else None

    # What it is

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def path(self) -> Path | None:
        """Its file (which may not be there yet); None in memory."""
        return self._reader.path if self._reader else None

    @property
    def is_saved(self) -> bool:
        """Whether it has a file with all that was said."""
        return self._writer is not None and self._unwritten is None and not self._writer.is_failing

    @property
    def cwd(self) -> str:
        return self.header.cwd

    @property
    def name(self) -> str | None:
        return self.tree.name

    @property
    def leaf_id(self) -> str | None:
        return self.tree.leaf_id

    def context(self) -> SessionContext:
        """What the model is given at the leaf."""
        return build_context(self.tree)

    def messages(self) -> tuple[Message, ...]:
        """The messages of the current branch as the model is given them, before `conversation.for_model`."""
        return self.context().messages

    # Appending

    def append_message(self, message: Message) -> str:
        """Keep a message that is final. A message of an extension becomes a `custom_message` entry, as the format wants."""
        if isinstance(message, CustomMessage):
            return self.append_custom_message(
                message.custom_type,
                message.content,
                display=message.display,
                details=None if message.details is None else dict(message.details),
                timestamp=iso_time(message.timestamp),
            )
        stored = message_to_json(bounded(message))
        entry = MessageEntry(**self._base(), role=stored["role"])
        entry.line = Line(dump_line({**entry_to_json(entry), "message": stored}))
        entry.remember(message)
        return self._append(entry)

    def append_model_change(self, provider: str, model_id: str) -> str:
        return self._append(ModelChangeEntry(**self._base(), provider=provider, model_id=model_id))

    def append_thinking_level(self, level: ThinkingLevel) -> str:
        return self._append(ThinkingLevelChangeEntry(**self._base(), thinking_level=level))

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str | None,
        tokens_before: int,
        details: JsonObject | None = None,
        usage: Usage | None = None,
        *,
        from_hook: bool = False,
    ) -> str:
        """A summary for everything before `first_kept_entry_id`; None keeps nothing."""
        base = self._base()
        return self._append(
            CompactionEntry(
                **base,
                summary=summary,
                first_kept_entry_id=first_kept_entry_id or base["id"],
                tokens_before=tokens_before,
                details=details,
                usage=usage,
                from_hook=from_hook,
            )
        )

    def append_branch_summary(
        self, summary: str, from_id: str, details: JsonObject | None = None, usage: Usage | None = None
    ) -> str:
        return self._append(
            BranchSummaryEntry(**self._base(), summary=summary, from_id=from_id, details=details, usage=usage)
        )

    def append_context_edit(self, target_id: str, replacement: JsonObject | None) -> str:
        """Hide an entry from the model from here on, or give it another ``{"content": …}``. Raises `UnknownEntryError`."""
        target = self.tree[target_id].id
        return self._append(ContextEditEntry(**self._base(), target_id=target, replacement=replacement))

    def append_custom(self, custom_type: str, data: object) -> str:
        """Keep state that the model never sees; `data` is anything that JSON can say."""
        return self._append(CustomEntry(**self._base(), custom_type=custom_type, data=data))

    def append_custom_message(
        self,
        custom_type: str,
        content: Sequence[UserContent],
        *,
        display: bool = True,
        details: JsonObject | None = None,
        timestamp: str | None = None,
    ) -> str:
        base = self._base()
        base["timestamp"] = timestamp or base["timestamp"]
        kept = tuple(content)
        return self._append(
            CustomMessageEntry(**base, custom_type=custom_type, content=kept, display=display, details=details)
        )

    def append_usage(self, kind: str, provider: str, model: str, usage: Usage, note: str | None = None) -> str:
        return self._append(
            UsageEntry(**self._base(), kind=kind, provider=provider, model=model, usage=usage, note=note)
        )

    def set_label(self, target_id: str, label: str | None) -> str:
        """Name an entry; an empty label clears it. Raises `UnknownEntryError`."""
        target = self.tree[target_id].id
        return self._append(LabelEntry(**self._base(), target_id=target, label=(label or "").strip() or None))

    def set_name(self, name: str) -> str:
        """Name the session (on one line); empty clears it."""
        return self._append(SessionInfoEntry(**self._base(), name=clean_name(name)))

    # Moving

    def branch(self, entry_id: str | None) -> None:
        """Go on from an earlier entry; None: before the first. Nothing is lost. Raises `UnknownEntryError`."""
        self.tree.branch(entry_id)

    # Durability

    async def flushed(self, entry_id: str) -> bool:
        """Wait until the entry is on disk. False at once where it cannot be: in memory, not begun, disk refuses."""
        if self._writer is None or self._is_unwritten(entry_id):
            return False
        return await self._writer.flushed(entry_id)

    def tell_durable(self, tell: Durable) -> bool:
        """Have `tell` called, from any thread, with the ids of entries that are safe on disk; False if none ever will be."""
        if self._writer is None:
            return False
        self._writer.on_durable = tell
        return True

    def close(self) -> int:
        """Write and sync the rest, release the file; the number of lines that could not be saved."""
        lost = self._writer.close() if self._writer else 0
        if self._reader:
            self._reader.close()
        return lost

    def _is_unwritten(self, entry_id: str) -> bool:
        return self._unwritten is not None and any(id_ == entry_id for id_, _ in self._unwritten)

    def _base(self) -> dict[str, Any]:
        return {"id": self.tree.new_id(), "parent_id": self.tree.leaf_id, "timestamp": iso_now()}

    def _append(self, entry: SessionEntry) -> str:
        if self.is_read_only:
            raise ReadOnlySessionError("this session was opened for reading only")
        if not entry.line.size:
            entry.line = Line(dump_line(entry_to_json(entry)))
        self.tree.add(entry)
        if self._writer is not None:
            self._write(self._writer, entry)
        return entry.id

    def _write(self, writer: SessionWriter, entry: SessionEntry) -> None:
        if self._unwritten is None:
            writer.append((entry.id, entry.line))
            return
        self._unwritten.append((entry.id, entry.line))
        if isinstance(entry, MessageEntry) and entry.role in ("user", "assistant"):
            self.write_now()

    def adopt_entries(self, entries: Iterable[SessionEntry]) -> None:
        """Append entries as they are (their lines too); they are written as soon as a user or assistant message is there."""
        for entry in entries:
            self._append(entry)

    def write_now(self) -> None:
        """Write what waits for a first message."""
        if self._writer is not None and self._unwritten is not None:
            writing, self._unwritten = self._unwritten, None
            self._writer.append(*writing)

    def _begin(self, name: str | None) -> None:
        if name and clean_name(name):
            self.set_name(name)

    def _take_over(self, file: SessionFile) -> None:
        self.warning = file.warning
        if self._writer:
            self._writer.adopt(file)
        if file.header is not None:
            self._unwritten = None
        else:
            self.write_now()


def _new_header(cwd: str | Path, session_id: str | None, parent: Path | None) -> SessionHeader:
    if session_id is not None and not is_session_id(session_id):
        raise ValueError(f"not a session id: {session_id!r} (letters, digits and ._- only, alphanumeric at both ends)")
    return SessionHeader(session_id or new_session_id(), iso_now(), place_of(cwd), str(parent) if parent else None)
