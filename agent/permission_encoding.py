"""JSON of who decided about a call."""

from __future__ import annotations

from typing import cast, get_args

from .json_values import Json, text_of
from .messages import JsonObject
from .permission import Decider, Permission, Verdict

_VERDICTS = frozenset(get_args(Verdict))
_DECIDERS = frozenset(get_args(Decider))


def permission_to_json(permission: Permission | None) -> JsonObject | None:
    """Who decided about a call, as results and their events carry it."""
    if permission is None:
        return None
    more = {"words": permission.words, "command": permission.command, "parts": permission.parts}
    said = {name: text for name, text in more.items() if text}
    return {"verdict": permission.verdict, "by": permission.by, **said}


def permission_from_json(data: Json) -> Permission | None:
    """None for anything that is none of ours."""
    verdict, by = data.get("verdict"), data.get("by")
    if verdict not in _VERDICTS or by not in _DECIDERS:
        return None
    said = (text_of(data.get(name)) for name in ("words", "command", "parts"))
    return Permission(cast("Verdict", verdict), cast("Decider", by), *said)
