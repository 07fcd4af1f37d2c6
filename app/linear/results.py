"""What a settled call is in the linear mode: one line that says how it went, and some rows of what it brought."""

from __future__ import annotations

from collections.abc import Sequence

from ...agent.details import Details, DiffDetails, NoteDetails, OutputDetails
from ...agent.events import ToolExecutionEnd
from ...widgets.text.hidden_characters import show_hidden
from ...widgets.text.numbers import format_milliseconds, format_plural
from ...widgets.text.plain_output import output_lines, plain_output
from ...widgets.transcript.outcome_words import failure_words, success_words

ROWS = 20
DIFF_ROWS = 200
"""How many rows of a result are written at most; the rest is counted."""


def headline(event: ToolExecutionEnd) -> str:
    """How it went: a word, the size of a change, the time."""
    details = event.result.details
    counts = f"+{details.added} -{details.removed}" if isinstance(details, DiffDetails) and not event.is_error else ""
    time = "" if event.duration_ms is None else format_milliseconds(event.duration_ms)
    return ", ".join(filter(None, (_outcome(event), counts, time)))


def _outcome(event: ToolExecutionEnd) -> str:
    match event.outcome:
        case "ok":
            return success_words(event.result.details)
        case "failed":
            return f"failed{failure_words(event.result.details)}"
        case "blocked":
            return "refused, not run"
        case "invalid":
            return "not run, the call is not valid"
        case "aborted":
            return "stopped"


def result_rows(event: ToolExecutionEnd, *, was_shown: bool) -> list[str]:
    """The rows below; nothing for a change that the person has seen already (`was_shown`)."""
    details = event.result.details
    if isinstance(details, OutputDetails):
        return _output_rows(details)
    if event.is_error or not isinstance(details, DiffDetails):
        text = details.text if isinstance(details, NoteDetails) else event.result.text
        return first_rows(text.rstrip("\n").split("\n") if text.strip() else [], ROWS)
    return [] if was_shown else patch_rows(details)


def preview_rows(details: Details | None) -> list[str]:
    """What a call would do, whole: the person decides by it."""
    return patch_rows(details, most=None) if isinstance(details, DiffDetails) else []


def patch_rows(details: DiffDetails, most: int | None = DIFF_ROWS) -> list[str]:
    """A change as the lines of its patch, hidden characters made visible."""
    lines = [line for line in details.patch.split("\n") if not line.startswith(("--- ", "+++ ", "\\ No newline"))]
    while lines and not lines[-1]:
        lines.pop()
    rows = [show_hidden(line, is_prose=True) for line in lines]
    return rows if most is None else first_rows(rows, most)


def _output_rows(details: OutputDetails) -> list[str]:
    """The end of an output, and what is not in it."""
    lines = [plain_output(line) for line in output_lines(details.output)]
    shown = lines[-ROWS:]
    total = max(details.total_lines, len(lines))
    earlier = total - len(shown)
    rows = [f"({format_plural(earlier, 'earlier line')} not shown)"] if earlier > 0 and shown else []
    rows += shown
    if details.full_output_path:
        rows.append(f"(full output: {details.full_output_path})")
    if details.left_running:
        rows.append(f"({format_plural(details.left_running, 'process')} left running)")
    return rows


def first_rows(rows: Sequence[str], most: int) -> list[str]:
    """The first rows, and how many more there are."""
    more = len(rows) - most
    return list(rows) if more <= 0 else [*rows[:most], f"({format_plural(more, 'more line')} not shown)"]
