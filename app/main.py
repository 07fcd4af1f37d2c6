"""The console script: read the command line, then import only what the chosen way of working needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from . import garbage
from .arguments import Arguments, parse_arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status. ``--help``, ``--version`` and usage errors leave by SystemExit."""
    garbage.put_off()
    try:
        run = _chosen(parse_arguments(sys.argv[1:] if argv is None else argv))
        garbage.collect()
        return run()
    finally:
        garbage.leave()


def _chosen(arguments: Arguments) -> Callable[[], int]:
    """Import the way of working that is asked for; what runs it."""
    if arguments.command == "doctor":
        from .doctor import run_doctor

        return run_doctor
    if arguments.list_models is not None:
        from .models.listing import list_models

        return partial(list_models, arguments)
    if arguments.export is not None:
        from .sessions.export import run_export

        return partial(run_export, arguments)
    if arguments.linear:
        return _linear(arguments)
    if arguments.is_headless or not (sys.stdin.isatty() and sys.stdout.isatty()):
        from .headless import run_headless

        return partial(run_headless, arguments)
    if os.environ.get("TERM") == "dumb":
        return _linear(arguments, "This terminal (TERM=dumb) cannot show the full screen, so this is the linear mode.")
    from .paths import find_paths
    from .settings.reading import load_settings

    settings, _ = load_settings(find_paths().config)
    if settings.linear:
        return _linear(arguments)
    from .tui import run_tui

    return partial(run_tui, arguments)


def _linear(arguments: Arguments, reason: str = "") -> Callable[[], int]:
    from .linear.mode import run_linear

    return partial(run_linear, arguments, reason)
