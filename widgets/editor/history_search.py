"""The search among earlier prompts: a query of its own, so that the draft is never touched by it."""

from __future__ import annotations

from collections.abc import Iterable

from ..text.grapheme import cluster_before, word_before
from .paste import clean


class HistorySearch:
    """What is searched for. A prompt is found if it holds every word of the query, case aside; newest first."""

    def __init__(self) -> None:
        self.query = ""

    def type(self, text: str) -> None:
        """Append what was typed or pasted, in one line."""
        self.query += " ".join(clean(text).split("\n"))

    def delete_left(self) -> None:
        """Take back the last character."""
        self.query = self.query[: cluster_before(self.query, len(self.query))]

    def kill_word_left(self) -> None:
        """Take back the last word."""
        self.query = self.query[: word_before(self.query, len(self.query))]

    def kill_to_start(self) -> None:
        """Take back all of it."""
        self.query = ""

    def find(self, prompts: Iterable[tuple[str, str]]) -> list[str]:
        """Of `prompts`, each an entry with its text, oldest first: the entries that are found, each once."""
        words = self.query.casefold().split()
        found = (entry for entry, text in prompts if all(word in text.casefold() for word in words))
        return list(dict.fromkeys(reversed([*found])))


QUERY_VERBS = frozenset({"delete_left", "kill_word_left", "kill_to_start"})
"""Verbs of the editor's keys that change the query."""
