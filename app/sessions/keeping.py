"""What a run leaves in its session, and what of the session a run begins with."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from ...agent.agent import Agent
from ...agent.conversation import open_calls
from ...agent.events import AgentEvent, Emit, MessageEnd
from ...agent.messages import Message, UserMessage
from ...agent.run import Setup
from ...sessions.context import settings_of
from ...sessions.entries import MessageEntry, ThinkingLevelChangeEntry
from ...sessions.session import Session

if TYPE_CHECKING:
    pass


def keeping(session: Session, setup: Setup, show: Emit) -> Emit:
    """Each message is in the session's file before anything shows it as done; before the person's, who shall answer."""

    def emit(event: AgentEvent) -> None:
        if isinstance(event, MessageEnd):
            if isinstance(event.message, UserMessage):
                note_model(session, setup)
            session.append_message(event.message)
        show(event)

    return emit


def note_model(session: Session, setup: Setup) -> None:
    """Let the session say which model answers and how much it may think, unless it says so already."""
    if session.is_read_only:
        return
    path = session.tree.path()
    model, level = settings_of(path)
    if model != (setup.model.provider, setup.model.id):
        session.append_model_change(setup.model.provider, setup.model.id)
    if level != setup.thinking_level or not any(isinstance(entry, ThinkingLevelChangeEntry) for entry in path):
        session.append_thinking_level(setup.thinking_level)


def messages_of(session: Session, roles: Collection[str]) -> Iterator[Message]:
    """The messages of these roles on the session's branch as it is now; they are read when they are asked for."""
    entries = [entry for entry in session.tree.path() if isinstance(entry, MessageEntry) and entry.role in roles]
    return (message for entry in entries if (message := entry.message) is not None)


def session_notices(session: Session, agent: Agent) -> list[str]:
    """What the person should know of the session that goes on."""
    notices = [session.warning] if session.warning else []
    interrupted = open_calls(agent.messages)
    if interrupted:
        names = ", ".join(call.name for call in interrupted)
        notices.append(f"The session was interrupted while these calls ran, their outcome is unknown: {names}")
    return notices
