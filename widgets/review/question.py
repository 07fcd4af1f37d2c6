"""What the approval panel says of a call: the question, its measure, the text to read before deciding."""

from __future__ import annotations

import json

from ...agent.approval import ApprovalRequest
from ...agent.details import DiffDetails, OutputDetails
from ...agent.frozen import frozen
from ...agent.messages import JsonObject
from ..text.hidden_characters import show_hidden, show_name, warnings_about
from ..text.marks import marks
from ..text.numbers import format_plural

_COMMAND_KEYS = ("command", "script", "cmd")


@frozen
class ApprovalQuestion:
    """`body` is shown whole (it scrolls); `warnings` are sentences about hidden characters; `verb` is what ``y`` does.

    `amount` says how much of it, if not all as it was proposed. The parts of `measure` go from the first on where it
    gets narrow.
    """

    question: str
    measure: tuple[str, ...]
    body: tuple[str, ...]
    warnings: tuple[str, ...]
    verb: str
    amount: str = ""


def question_of(
    request: ApprovalRequest, *, folder: str = "", confinement: str = "", hunks: int | None = None
) -> ApprovalQuestion:
    """The question for a call. `folder` is where a command runs, `confinement` says how far it is shut in.

    `hunks` is in how many parts the change can be taken; None counts the patch's own.
    """
    if isinstance(request.preview, DiffDetails):
        return _change(request.preview, hunks)
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


def _change(diff: DiffDetails, hunks: int | None) -> ApprovalQuestion:
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
        body=tuple(show_hidden(diff.note).split("\n")) if diff.note else (),
        warnings=tuple(f"{text} (in the path)" for text in warnings_about(diff.path, is_name=True))
        + _about_patch(diff.patch),
        verb="apply",
    )


def _about_patch(patch: str) -> tuple[str, ...]:
    """Warnings about what the change would add."""
    _, _, hunks = patch.partition("@@ ")  # a line of the file may begin with "++" like the patch's head
    added = "\n".join(line[1:] for line in hunks.split("\n") if line.startswith("+"))
    return tuple(f"{text} (in the new text)" for text in warnings_about(added, is_prose=True))


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
