"""Moves within a session's tree, as a person means them: choosing what was asked means asking it again."""

from __future__ import annotations

from ..agent.frozen import frozen
from ..agent.messages import CustomMessage, ImageContent, TextContent, UserMessage
from .context import entry_message
from .entries import MessageEntry, SessionEntry
from .session import Session
from .tree import SessionTree


@frozen
class Destination:
    """Where choosing an entry leads: the new leaf (None: before the first), and what belongs into an empty editor."""

    leaf_id: str | None
    text: str | None = None
    images: tuple[ImageContent, ...] = ()


def destination_of(tree: SessionTree, entry_id: str) -> Destination | None:
    """Where an entry leads; None if it is the leaf already. Raises `UnknownEntryError`.

    A message of the person (or of an extension) leads before itself, with its text to be said anew; anything else
    leads to itself.
    """
    entry = tree[entry_id]
    if entry_id == tree.leaf_id:
        return None
    message = entry_message(entry)
    if not isinstance(message, (UserMessage, CustomMessage)):
        return Destination(entry_id)
    texts = [block.text for block in message.content if isinstance(block, TextContent)]
    images = tuple(block for block in message.content if isinstance(block, ImageContent))
    parent = tree.path(entry_id)[-2:-1]
    return Destination(parent[0].id if parent else None, "\n".join(texts), images)


def move_to(session: Session, entry_id: str) -> Destination | None:
    """Move the leaf to where an entry leads; None if that is where it is. Raises `UnknownEntryError`."""
    destination = destination_of(session.tree, entry_id)
    if destination is not None:
        session.branch(destination.leaf_id)
    return destination


def user_entries(tree: SessionTree) -> list[SessionEntry]:
    """The person's messages on the current branch, oldest first: where one may fork."""
    return [entry for entry in tree.path() if isinstance(entry, MessageEntry) and entry.role == "user"]
