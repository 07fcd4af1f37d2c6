"""What the arguments of all tools have in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..agent.messages import JsonObject


class ToolArguments(BaseModel):
    """Arguments as the model sends them; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a whole number, not true or false")
    return value


PositiveInt = Annotated[int, BeforeValidator(_no_boolean), Field(ge=1)]
NaturalInt = Annotated[int, BeforeValidator(_no_boolean), Field(ge=0)]

_PATH_NAMES = ("file_path", "filePath", "filepath", "filename", "file")


def fold_names(arguments: JsonObject, other_names: dict[str, tuple[str, ...]]) -> JsonObject:
    """A copy in which a field that came under another usual name has its own; nothing that is there is replaced."""
    folded = dict(arguments)
    for name, others in other_names.items():
        for other in others:
            if name not in folded and other in folded:
                folded[name] = folded.pop(other)
    return folded


def fold_path(arguments: JsonObject) -> JsonObject:
    """A copy with the usual other names of ``path`` understood."""
    return fold_names(arguments, {"path": _PATH_NAMES})
