"""The console script: read the command line, then import only what the chosen way of working needs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from .arguments import Arguments, parse_arguments

COLLECT_AFTER = 20_000
"""New objects after which garbage is looked for. Python's own 700 make that a tenth of the start, which makes many
objects and no garbage."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status. ``--help``, ``--version`` and usage errors leave by SystemExit."""
    gc.set_threshold(COLLECT_AFTER)
    arguments = parse_arguments(sys.argv[1:] if argv is None else argv)
    if arguments.command == "doctor":
        from .doctor import run_doctor

        return run_doctor()
    if arguments.list_models is not None:
        from .models.listing import list_models

        return list_models(arguments)
    if arguments.export is not None:
        from .sessions.export import run_export

        return run_export(arguments)
    if arguments.linear:
        return _run_linear(arguments)
    if arguments.is_headless or not (sys.stdin.isatty() and sys.stdout.isatty()):
        from .headless import run_headless

        return run_headless(arguments)
    if os.environ.get("TERM") == "dumb":
        return _run_linear(
            arguments, "This terminal (TERM=dumb) cannot show the full screen, so this is the linear mode."
        )
    from .paths import find_paths
    from .settings.model import load_settings

    settings, _ = load_settings(find_paths().config)
    if settings.linear:
        return _run_linear(arguments)
    from .tui import run_tui

    return run_tui(arguments)


def _run_linear(arguments: Arguments, reason: str = "") -> int:
    from .linear.mode import run_linear

    return run_linear(arguments, reason)
