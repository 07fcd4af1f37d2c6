"""What the approval panel says of a call: the question, its measure, the text to read before deciding."""

from __future__ import annotations

import json
from typing import cast

from ...agent.approval import ApprovalRequest
from ...agent.details import DiffDetails, OutputDetails
from ...agent.frozen import frozen
from ...agent.json_values import is_object
from ...agent.messages import JsonObject
from ..text.hidden_characters import show_hidden, show_name, warnings_about
from ..text.marks import marks
from ..text.numbers import format_plural

FIRST_LINES = 6
LAST_LINES = 4
LINE_CHARACTERS = 400
"""What is shown of a text that is too large to be shown as a change: lines, and characters of each."""

_COMMAND_KEYS = ("command", "script", "cmd")


@frozen
class ApprovalQuestion:
    """`body` is shown whole (it scrolls); `warnings` are sentences about hidden characters; `verb` is what ``y`` does.

    `amount` says how much of it, if not all as it was proposed; `subject` is what would be changed, to be named where the
    whole question has no room. The parts of `measure` go from the first on where it
    gets narrow.
    """

    question: str
    measure: tuple[str, ...]
    body: tuple[str, ...]
    warnings: tuple[str, ...]
    verb: str
    amount: str = ""
    subject: str = ""


def question_of(
    request: ApprovalRequest, *, folder: str = "", confinement: str = "", hunks: int | None = None
) -> ApprovalQuestion:
    """The question for a call. `folder` is where a command runs, `confinement` says how far it is shut in.

    `hunks` is in how many parts the change can be taken; None counts the patch's own.
    """
    if isinstance(request.preview, DiffDetails):
        return _change(request, request.preview, hunks)
    command = command_of(request)
    if command is not None:
        return _run(request, command, folder, confinement)
    return _other(request)


def command_of(request: ApprovalRequest) -> str | None:
    """The command line of a call that is one."""
    if isinstance(request.preview, OutputDetails):
        return request.preview.command
    key = _command_key(request)
    return None if key is None else str(request.arguments[key])


def with_command(request: ApprovalRequest, command: str) -> JsonObject:
    """The call's arguments with another command."""
    key = _command_key(request) or _COMMAND_KEYS[0]
    return {**request.arguments, key: command}


def _command_key(request: ApprovalRequest) -> str | None:
    """The argument that holds the command of a call that may run anything."""
    if request.effect != "command":
        return None
    return next((key for key in _COMMAND_KEYS if isinstance(request.arguments.get(key), str)), None)


def _change(request: ApprovalRequest, diff: DiffDetails, hunks: int | None) -> ApprovalQuestion:
    if hunks is None:
        hunks = diff.patch.count("\n@@ ") + diff.patch.startswith("@@ ")
    counts = (
        "new file" if diff.created else "1 file",
        format_plural(hunks, "hunk") if hunks else "",
        f"+{diff.added} {marks().minus}{diff.removed}",
    )
    return ApprovalQuestion(
        question=f"apply this change to {show_name(diff.path)}?",
        measure=tuple(filter(None, counts)),
        body=(*(show_hidden(diff.note).split("\n") if diff.note else ()), *_excerpt(request, diff)),
        warnings=tuple(f"{text} (in the path)" for text in warnings_about(diff.path, is_name=True))
        + (_about_patch(diff.patch) if diff.patch else _about_text(new_text(request))),
        verb="apply",
        subject=show_name(diff.path),
    )


def new_text(request: ApprovalRequest) -> str:
    """The text that a change brings, of all of its replacements together."""
    content, edits = request.arguments.get("content"), request.arguments.get("edits")
    if isinstance(content, str):
        return content
    found = [edit for edit in cast("list[object]", edits) if is_object(edit)] if isinstance(edits, list) else []
    return "\n".join(text for edit in found if isinstance(text := edit.get("newText"), str))


def _excerpt(request: ApprovalRequest, diff: DiffDetails) -> tuple[str, ...]:
    """First and last lines of a new text that is too large for a patch, and how much is between them."""
    if diff.patch or not (diff.added or diff.removed):
        return ()
    lines = new_text(request).removesuffix("\n").split("\n")
    hidden = len(lines) - FIRST_LINES - LAST_LINES
    between = (f"{marks().ellipsis} {format_plural(hidden, 'line')} between {marks().ellipsis}",)
    shown = lines if hidden <= 0 else [*lines[:FIRST_LINES], *lines[-LAST_LINES:]]
    rows = [
        show_hidden(line[:LINE_CHARACTERS], is_prose=True) + marks().ellipsis * (len(line) > LINE_CHARACTERS)
        for line in shown
    ]
    return tuple(rows) if hidden <= 0 else (*rows[:FIRST_LINES], *between, *rows[FIRST_LINES:])


def _about_text(text: str) -> tuple[str, ...]:
    return tuple(f"{warning} (in the new text)" for warning in warnings_about(text, is_prose=True))


def _about_patch(patch: str) -> tuple[str, ...]:
    """Warnings about what the change would add."""
    _, _, hunks = patch.partition("@@ ")  # a line of the file may begin with "++" like the patch's head
    added = "\n".join(line[1:] for line in hunks.split("\n") if line.startswith("+"))
    return _about_text(added)


def _run(request: ApprovalRequest, command: str, folder: str, confinement: str) -> ApprovalQuestion:
    others = _arguments({name: value for name, value in request.arguments.items() if value != command})
    where = f"in {show_name(folder)}" if folder else ""
    return ApprovalQuestion(
        question="run this command?",
        measure=tuple(filter(None, (confinement, where))),
        body=tuple(line for text in (command, *others) for line in show_hidden(text).split("\n")),
        warnings=tuple(warnings_about("\n".join((command, *others, folder)))),
        verb="run",
    )


def _other(request: ApprovalRequest) -> ApprovalQuestion:
    """A call of a kind that is not known: its arguments, each whole."""
    texts = _arguments(request.arguments)
    return ApprovalQuestion(
        question=f"let {show_name(request.tool_name)} run?",
        measure=(format_plural(len(texts), "argument"),),
        body=tuple(line for text in texts for line in show_hidden(text).split("\n")),
        warnings=tuple(warnings_about("\n".join((request.tool_name, *texts)))),
        verb="run",
    )


def _arguments(arguments: JsonObject) -> list[str]:
    """Name and value of each argument that was given, whole."""
    return [
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
        if value is not None
    ]
