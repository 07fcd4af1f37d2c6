"""The last stage of a call: a result that is bounded, redacted and valid text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from .hooks import Redactor
from .messages import ImageContent, TextContent, ToolResultContent
from .tool import ToolResult

MAX_TEXT = 256 * 1024
"""Characters of text in one result. The built-in tools stay far below; this bounds tools that others bring."""

MAX_IMAGE = 8 * 1024 * 1024
"""Characters of base64 in one picture."""

WITHHELD = "[withheld: the redactor failed, so this text was not let through]"


def normalise(result: ToolResult, redactors: Sequence[Redactor] = ()) -> ToolResult:
    """The result as model, screen and session may have it. Never raises: a failing redactor withholds the text."""
    content = _bounded(tuple(_clean_block(block, redactors) for block in result.content))
    details = result.details
    if details is not None:
        details = _clean(details, redactors)
    return replace(result, content=content, details=details)


def _clean_block(block: ToolResultContent, redactors: Sequence[Redactor]) -> ToolResultContent:
    if isinstance(block, TextContent):
        return replace(block, text=clean_text(block.text, redactors))
    if len(block.data) > MAX_IMAGE:
        return TextContent(f"[a picture of {len(block.data) * 3 // 4:,} bytes was left out: too large]")
    return block


def clean_text(text: str, redactors: Sequence[Redactor] = ()) -> str:
    """Without secrets and without lone surrogates (each becomes U+FFFD); withheld if a redactor raises."""
    for redact in redactors:
        try:
            text = redact(text)
        except Exception:
            # Whatever broke, the text may hold a secret: nothing of it goes on.
            return WITHHELD
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _clean(value: Any, redactors: Sequence[Redactor]) -> Any:
    """The same value with every string in it cleaned; dataclasses, mappings and lists are followed."""
    if isinstance(value, str):
        return clean_text(value, redactors)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {field.name: _clean(getattr(value, field.name), redactors) for field in fields(value)}
        return replace(value, **changes)
    if isinstance(value, Mapping):
        return {key: _clean(item, redactors) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [_clean(item, redactors) for item in cast("list[Any]", value)]
    if isinstance(value, tuple):
        return tuple(_clean(item, redactors) for item in cast("tuple[Any, ...]", value))
    return value


def _bounded(content: tuple[ToolResultContent, ...]) -> tuple[ToolResultContent, ...]:
    left = MAX_TEXT
    out: list[ToolResultContent] = []
    for block in content:
        if isinstance(block, ImageContent):
            out.append(block)
            continue
        if len(block.text) > left:
            hidden = len(block.text) - left
            block = replace(block, text=f"{block.text[:left]}\n[… {hidden:,} more characters left out]")
        left = max(0, left - len(block.text))
        out.append(block)
    return tuple(out)
