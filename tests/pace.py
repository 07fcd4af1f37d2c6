"""How fast this machine is at the moment, for tests that bound a cost."""

import gc
import time
from collections.abc import Callable

_WORK = 200_000
_USUAL = 0.014  # seconds that the known piece of work takes on an idle machine of the usual kind


def budget(seconds: float) -> float:
    """`seconds` of an idle machine of the usual kind, as many as they are here and now (never fewer)."""
    began = time.perf_counter()
    total = 0
    for number in range(_WORK):
        total += number
    return seconds * max(1.0, (time.perf_counter() - began) / _USUAL)


def least_cost(work: Callable[[], object], *, tries: int = 5) -> float:
    """CPU seconds of one `work()`: the least of some tries, so that a collection of garbage in one is not counted."""
    gc.collect()
    return min(_cost(work) for _ in range(tries))


def _cost(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
