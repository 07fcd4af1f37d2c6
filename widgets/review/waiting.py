"""A call that waits for the person's answer, and what they have done with it so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ...agent.approval import ApprovalAnswer, ApprovalRequest
from ...agent.details import DiffDetails
from .choices import Choice
from .hunk_choice import HunkChoice
from .hunks import hunks_of
from .question import ApprovalQuestion, command_of, question_of, with_command
from .rule_keys import ORDINALS
from .whole_text import WholeText

EDIT = Choice("approval.edit", "edit it", "edit", "edit")
READ = Choice("approval.edit", "read all of it, or edit it", "edit", "read")


class WaitingCall:
    """`choice` are the parts of a change that can be taken apart, `whole` is the text of one that can't; `command` is the
    line of a call that runs one.

    `folder` and `confinement` are said with a command; `rules` are what "always" could mean, the narrowest first.
    """

    def __init__(
        self, request: ApprovalRequest, *, folder: str = "", confinement: str = "", rules: Sequence[str] = ()
    ) -> None:
        hunks = hunks_of(request)
        self.request = request
        self.choice = None if hunks is None else HunkChoice(hunks)
        self.command = command_of(request)
        self.whole = WholeText.of(request) if hunks is None else None
        self.rules = tuple(rules[: len(ORDINALS)])
        count = None if hunks is None else len(hunks.hunks)
        self._question = question_of(request, folder=folder, confinement=confinement, hunks=count)

    @property
    def path(self) -> str:
        """The file that would be changed; empty for a call of another kind."""
        preview = self.request.preview
        return preview.path if isinstance(preview, DiffDetails) else ""

    @property
    def question(self) -> ApprovalQuestion:
        """What is asked, with what has been chosen of it."""
        return self._question if self.choice is None else replace(self._question, amount=self.choice.amount)

    @property
    def is_unseen(self) -> bool:
        """Whether a change has no patch that could be read."""
        return isinstance(self.request.preview, DiffDetails) and not self.request.preview.patch

    @property
    def offers(self) -> tuple[Choice, ...]:
        """The choices that only this call has."""
        found: list[Choice] = []
        if self.choice is not None:
            found.append(Choice("approval.hunks", "choose hunks", "hunks", "hunks"))
        if self.whole is not None and self.is_unseen:
            found.append(READ)
        elif self.choice is not None or self.command is not None or self.whole is not None:
            found.append(EDIT)
        if self.rules:
            found.append(Choice("approval.always", "always allow", "always", "always"))
        return tuple(found)

    def answer(self, verdict: Literal["apply", "apply_all"] = "apply") -> ApprovalAnswer:
        """Let it run, as far as it has been chosen."""
        return ApprovalAnswer(verdict) if self.choice is None else self.choice.answer(verdict)

    def answer_with(self, command: str) -> ApprovalAnswer:
        """Let this command run in place of the proposed one."""
        if command == self.command:
            return self.answer()
        arguments = with_command(self.request, command)
        note = f"The person changed the command to: {command}"
        return ApprovalAnswer("apply", arguments=arguments, note=note, command=command)
