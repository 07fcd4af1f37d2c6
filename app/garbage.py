"""When Python looks for garbage: not while the program starts or ends.

Both make or drop a great many objects that are no garbage, and looking at them all is a fifth of a short run.
"""

from __future__ import annotations

import gc

COLLECT_AFTER = 20_000
"""New objects after which garbage is looked for. Python's own 700 make much work of it where little is found."""


def put_off() -> None:
    """Look for none: the program starts."""
    gc.disable()


def collect() -> None:
    """Look for it from now on, not among what the start has made: that stays."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    gc.enable()


def leave() -> None:
    """Look for none any more: the process ends, and Python would look through everything several times."""
    gc.disable()
    gc.freeze()
