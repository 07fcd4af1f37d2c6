"""Calls that wait for a decision, and a person who decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyagent_tui.agent.approval import ApprovalAnswer, ApprovalRequest
from pyagent_tui.agent.hooks import CallRequest
from pyagent_tui.agent.messages import ToolCall
from pyagent_tui.agent.validation import validate
from pyagent_tui.tools.registry import create_tools


class Person:
    """Gives these answers, one after the other."""

    def __init__(self, *answers: ApprovalAnswer) -> None:
        self.asked: list[ApprovalRequest] = []
        self._left = list(answers)

    async def ask(self, question: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(question)
        return self._left.pop(0)


def command(text: str) -> CallRequest:
    """A call of the real tool `bash`."""
    return _request("/", "bash", command=text)


def change(folder: Path, path: str) -> CallRequest:
    """A call of the real tool `write` in a folder."""
    return _request(str(folder), "write", path=path, content="x")


def _request(folder: str, name: str, **arguments: Any) -> CallRequest:
    tool = create_tools(folder)[name]
    call = ToolCall("c1", name, arguments)
    return CallRequest(call, tool, validate(tool, call))
