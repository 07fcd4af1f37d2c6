"""Other names under which models are known to send an argument."""

from __future__ import annotations

from ..agent.messages import JsonObject

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
