"""A waiting change in parts that can be taken or left: from the call's arguments to arguments for what was chosen.

The shape of the arguments says how: ``edits`` of ``oldText`` and ``newText``, or the whole ``content`` of a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ...agent.approval import ApprovalRequest
from ...agent.details import DiffDetails
from .content_hunks import ContentHunks
from .edit_hunks import EditHunks
from .hunk import Hunks


def hunks_of(request: ApprovalRequest) -> Hunks | None:
    """The parts of a waiting change; None if it can't be taken apart."""
    if not isinstance(request.preview, DiffDetails) or not request.preview.patch:
        return None
    edits = _edits(request.arguments.get("edits"))
    content = request.arguments.get("content")
    if edits:
        parts = EditHunks(request.arguments, edits, request.preview.patch)
        return parts if parts.hunks else None
    if isinstance(content, str) and not request.preview.created:
        return ContentHunks.of(request.arguments, content, request.preview.patch)
    return None


def _edits(value: Any) -> list[Mapping[str, str]]:
    """The edits, if every one of them is an old and a new text."""
    if not isinstance(value, list):
        return []
    edits = cast("list[Any]", value)
    return edits if all(_is_edit(edit) for edit in edits) else []


def _is_edit(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    edit = cast("dict[str, Any]", value)
    return isinstance(edit.get("oldText"), str) and isinstance(edit.get("newText"), str)
