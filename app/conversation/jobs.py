"""Long work in a thread: the rule above the editor says how far it is and which key stops it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ...widgets.hint_rule import HintRule
from ...widgets.text.marks import marks
from .job import Job

ResultT = TypeVar("ResultT")

TICK = 0.2
"""Seconds between two looks at the progress; shorter work shows nothing."""


class Jobs:
    """At most a few at once; the newest one is shown and stopped first."""

    def __init__(self, rule: HintRule) -> None:
        self._rule = rule
        self._jobs: list[Job] = []

    async def run(self, words: str, work: Callable[[Job], ResultT]) -> ResultT:
        """Do the work in a thread. What it raises passes through; cancelled from outside, it is asked to stop."""
        return await self.follow(words, lambda job: asyncio.to_thread(work, job))

    async def follow(self, words: str, work: Callable[[Job], Coroutine[Any, Any, ResultT]]) -> ResultT:
        """The same for work that is not in a thread."""
        job = Job(words)
        self._jobs.append(job)
        said = ""
        task = asyncio.ensure_future(work(job))
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=TICK)
                if not task.done() and self._jobs[-1] is job:
                    said = f" {marks().dot} ".join(filter(None, (str(job), self._rule.stop_hint)))
                    self._rule.notice = said
            return task.result()
        finally:
            job.is_cancelled = True
            task.cancel()
            self._jobs.remove(job)
            self._rule.retract(said)

    def stop(self) -> bool:
        """Ask the newest job to stop; False if there is none."""
        waiting = next((job for job in reversed(self._jobs) if not job.is_cancelled), None)
        if waiting is None:
            return False
        waiting.is_cancelled = True
        return True
