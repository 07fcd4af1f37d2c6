"""The parts of a file that is written anew: the hunks of its patch."""

from __future__ import annotations

from collections.abc import Sequence

from ...agent.messages import JsonObject
from ..diff.hunk_patch import patch_hunks
from .hunk import Hunk, Hunks, split_lines
from .hunk_place import HunkPlace


class ContentHunks(Hunks):
    """The parts of a rewritten file: the hunks of its patch."""

    def __init__(
        self, arguments: JsonObject, parts: list[str | int], hunks: tuple[Hunk, ...], line_end: str = "\n"
    ) -> None:
        self._arguments = arguments
        self._parts = parts
        self._line_end = line_end
        self.hunks = hunks

    @classmethod
    def of(cls, arguments: JsonObject, content: str, patch: str) -> ContentHunks | None:
        """None if the patch does not fit the content to the letter, such as with mixed line ends.

        Patches have LF; where every line of the content ends in CRLF, what is chosen gets it back.
        """
        line_end = "\r\n" if content.count("\r\n") == content.count("\n") > 0 else "\n"
        lines = split_lines(content.replace("\r\n", "\n") if line_end == "\r\n" else content)
        parts: list[str | int] = []
        hunks: list[Hunk] = []
        done = 0
        for index, found in enumerate(patch_hunks(patch)):
            end = found.begin + len(found.new)
            if found.begin < done or lines[found.begin : end] != found.new:
                return None
            parts += ["".join(lines[done : found.begin]), index]
            place = HunkPlace(old=found.old_begin + 1, new=found.begin + 1)
            hunks.append(Hunk("".join(found.old), "".join(found.new), tuple(found.lines), found.line, place))
            done = end
        parts.append("".join(lines[done:]))
        return cls(arguments, parts, tuple(hunks), line_end) if hunks else None

    def arguments(self, texts: Sequence[str]) -> JsonObject:
        content = "".join(part if isinstance(part, str) else texts[part] for part in self._parts)
        content = content.replace("\n", self._line_end) if self._line_end != "\n" else content
        return {**self._arguments, "content": content}
