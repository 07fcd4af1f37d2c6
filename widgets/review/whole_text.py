"""A file's proposed text that is taken or changed as a whole, because there are no parts to choose among."""

from __future__ import annotations

from difflib import unified_diff

from ...agent.approval import ApprovalAnswer, ApprovalRequest
from ...agent.details import DiffDetails
from ..editor.paste import clean
from .hunk import MAX_NOTE

MAX_COMPARED = 2_000
"""Lines over which the model is not told in lines what was changed: comparing them would hold up the keys."""


class WholeText:
    """`text` is what is edited: without the last line end, and with LF where every line ends in CRLF."""

    def __init__(self, request: ApprovalRequest, content: str) -> None:
        self._request = request
        self._line_end = "\r\n" if content.count("\r\n") == content.count("\n") > 0 else "\n"
        self._proposed = content.replace("\r\n", "\n") if self._line_end == "\r\n" else content
        self._end = "\n" if self._proposed.endswith("\n") else ""
        self.text = self._proposed.removesuffix("\n")

    @classmethod
    def of(cls, request: ApprovalRequest) -> WholeText | None:
        """None for a call that writes no whole file, and for a text of which a field would lose something."""
        content = request.arguments.get("content")
        if not isinstance(request.preview, DiffDetails) or not isinstance(content, str):
            return None
        whole = cls(request, content)
        return whole if clean(whole.text) == whole.text else None

    def answer(self, text: str) -> ApprovalAnswer:
        """Let this text be written."""
        chosen = text + (self._end if text and not text.endswith("\n") else "")
        if text == self.text:
            return ApprovalAnswer("apply")
        content = chosen.replace("\n", self._line_end) if self._line_end != "\n" else chosen
        arguments = {**self._request.arguments, "content": content}
        return ApprovalAnswer("apply", arguments=arguments, note=self._note(chosen), words="edited")

    def _note(self, chosen: str) -> str:
        """What was changed, for the model."""
        first = "The person changed the text before it was written; read the file for all of it."
        before, after = self._proposed.split("\n"), chosen.split("\n")
        if len(before) + len(after) > MAX_COMPARED:
            return first
        changes = [
            line for line in unified_diff(before, after, n=0, lineterm="") if not line.startswith(("---", "+++"))
        ]
        note = "\n".join((first, *changes))
        return note if len(note) <= MAX_NOTE else f"{note[:MAX_NOTE]}\n… (cut)"
