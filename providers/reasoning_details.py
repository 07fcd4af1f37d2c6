"""OpenRouter's `reasoning_details`: pieces to merge while they stream, and to give back verbatim."""

from __future__ import annotations

import json
from typing import Any

from ..agent.json_values import dump_json, list_of, object_of, text_of
from ..agent.messages import JsonObject

_GROWING = ("text", "summary")


class ReasoningDetails:
    """Merges the pieces of one stretch of reasoning by index and type."""

    def __init__(self) -> None:
        self._merged: dict[str, JsonObject] = {}

    def add(self, pieces: Any) -> None:
        for piece in map(object_of, list_of(pieces)):
            key = f"{piece.get('index')} {piece.get('type')}"
            whole = self._merged.setdefault(key, {})
            for name, value in piece.items():
                if name in _GROWING and isinstance(value, str):
                    whole[name] = text_of(whole.get(name)) + value
                elif value not in (None, "") or name not in whole:
                    whole[name] = value

    def take(self) -> str | None:
        """The merged details as a JSON text, once; None if there are none."""
        details = list(self._merged.values())
        self._merged = {}
        return dump_json(details).decode() if details else None


def details_text(pieces: Any) -> str:
    """What of `pieces` can be shown."""
    texts = (object_of(piece) for piece in list_of(pieces))
    return "".join(text_of(piece.get("text")) or text_of(piece.get("summary")) for piece in texts)


def parse_details(signature: str | None) -> list[JsonObject]:
    """The details that a thinking block's signature carries."""
    try:
        return list_of(json.loads(signature or "[]"))
    except (ValueError, RecursionError):
        return []
