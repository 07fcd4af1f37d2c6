"""Reasoning that a raw model writes into its text: ``<think>…</think>`` at the very beginning."""

from __future__ import annotations

from typing import Literal

_OPEN = "<think>"
_CLOSE = "</think>"


class ThinkTags:
    """Divides streamed text into reasoning and answer. Text that may be part of a tag is held back until it is clear."""

    def __init__(self) -> None:
        self._state: Literal["start", "thinking", "gap", "text"] = "start"
        self._held = ""

    def feed(self, delta: str) -> tuple[str, str]:
        """`delta` as (reasoning, text)."""
        if self._state == "text":
            return "", delta
        if self._state == "gap":
            return "", self._after_gap(delta)
        self._held += delta
        if self._state == "start":
            start = self._held.lstrip()
            if start.startswith(_OPEN):
                self._state, self._held = "thinking", start[len(_OPEN) :]
            elif _OPEN.startswith(start):
                return "", ""
            else:
                return "", self._release()
        return self._divide()

    def flush(self) -> tuple[str, str]:
        """What was held back, as (reasoning, text)."""
        thinking = self._state == "thinking"
        held = self._release()
        return (held, "") if thinking else ("", held)

    def _divide(self) -> tuple[str, str]:
        thinking, tag, text = self._held.partition(_CLOSE)
        if tag:
            self._held, self._state = "", "gap"
            return thinking, self._after_gap(text)
        keep = next((size for size in range(len(_CLOSE) - 1, 0, -1) if self._held.endswith(_CLOSE[:size])), 0)
        cut = len(self._held) - keep
        thinking, self._held = self._held[:cut], self._held[cut:]
        return thinking, ""

    def _after_gap(self, text: str) -> str:
        """The answer without the blank lines between it and the reasoning."""
        rest = text.lstrip("\n")
        if rest:
            self._state = "text"
        return rest

    def _release(self) -> str:
        held, self._held, self._state = self._held, "", "text"
        return held
