"""The stale guard in a session that goes on: what counts is what the stored results say."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import pytest

from pyagent_tui.agent.encoding import message_from_json, message_to_json
from pyagent_tui.agent.messages import AssistantMessage, Message, ToolCall, ToolResultMessage
from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools.filestate import FileState
from pyagent_tui.tools.recall import Recall
from pyagent_tui.tools.registry import create_tools

pytestmark = pytest.mark.anyio


_ROLES: dict[type, str] = {AssistantMessage: "assistant", ToolResultMessage: "toolResult"}


class Conversation:
    """Calls whose messages are kept as a session keeps them, and tools that begin with nothing else."""

    def __init__(self, bench: Workbench) -> None:
        self.messages: list[Message] = []
        self._bench = bench

    async def call(self, name: str, **arguments: Any) -> None:
        result = await self._bench.call(name, **arguments)
        call = ToolCall(f"c{len(self.messages)}", name, arguments)
        answer = ToolResultMessage(call.id, name, result.content, result.details, result.is_error)
        stored = message_to_json(AssistantMessage((call,))), message_to_json(answer)
        self.messages += [message_from_json(each) for each in stored]

    def resumed(self) -> Workbench:
        """The tools as another program has them that goes on with this session."""

        def history(roles: Collection[str]) -> Iterator[Message]:
            return iter([each for each in self.messages if _ROLES.get(type(each)) in roles])

        state = FileState(Recall(history))
        tools = create_tools(str(self._bench.root), self._bench.operations, state=state)
        return replace(self._bench, tools=tools, state=state)


@pytest.fixture
def before(bench: Workbench) -> Conversation:
    return Conversation(bench)


async def change(bench: Workbench, old: str = "one", new: str = "1") -> None:
    await bench.call("edit", path="f", edits=[{"oldText": old, "newText": new}])


async def test_a_file_that_was_read_can_be_edited_in_a_resumed_session(before: Conversation, bench: Workbench) -> None:
    path = bench.file("f", "one\ntwo\n")
    await before.call("read", path="f")
    await change(before.resumed())
    assert path.read_text() == "1\ntwo\n"


async def test_a_part_that_was_read_counts_as_before(before: Conversation, bench: Workbench) -> None:
    bench.file("f", "one\ntwo\n")
    await before.call("read", path="f", limit=1)
    await change(before.resumed())


async def test_what_was_written_or_edited_counts_too(before: Conversation, bench: Workbench) -> None:
    await before.call("write", path="f", content="zero\n")
    await before.call("edit", path="f", edits=[{"oldText": "zero", "newText": "one"}])
    await change(before.resumed())
    await before.resumed().refused("write", path="f", content="")


async def test_a_file_that_nobody_read_is_refused(before: Conversation, bench: Workbench) -> None:
    bench.file("f", "one\n")
    bench.file("g", "one\n")
    await before.call("read", path="g")
    assert "has not been read in this session" in await before.resumed().refused("write", path="f", content="")


async def test_a_call_that_failed_shows_nothing(before: Conversation, bench: Workbench) -> None:
    bench.file("f", "one\n")
    before.messages.append(ToolResultMessage("c", "read", (), None, True))
    assert "has not been read" in await before.resumed().refused("write", path="f", content="")


@pytest.mark.parametrize("content", [b"one\ntwo\n", b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo", b"one\n\ntwo"])
async def test_a_change_since_is_named(before: Conversation, bench: Workbench, content: bytes) -> None:
    path = bench.file("f", content)
    await before.call("read", path="f")
    path.write_bytes(content.replace(b"two", b"three"))
    text = await before.resumed().refused("write", path="f", content="")
    assert "has changed since" in text
    assert "-two" in text
    assert "+three" in text


async def test_a_change_since_an_edit_is_named(before: Conversation, bench: Workbench) -> None:
    await before.call("write", path="f", content="zero\nnext\n")
    await before.call("edit", path="f", oldText="zero", newText="one")
    (bench.root / "f").write_text("other\nnext\n")
    text = await before.resumed().refused("write", path="f", content="")
    assert "-one\n+other" in text


async def test_a_change_since_an_emptiness_is_named(before: Conversation, bench: Workbench) -> None:
    path = bench.file("f", "")
    await before.call("read", path="f")
    path.write_text("new\n")
    assert "+new" in await before.resumed().refused("write", path="f", content="")


async def test_what_cannot_be_proved_is_not_shown(before: Conversation, bench: Workbench) -> None:
    path = bench.file("f", "one\ntwo\n")
    await before.call("read", path="f", limit=1)
    path.write_text("other\n")
    text = await before.resumed().refused("write", path="f", content="")
    assert "read it again" in text
    assert "What changed" not in text


async def test_another_name_of_the_file_is_the_same_file(before: Conversation, bench: Workbench) -> None:
    path = bench.file("f", "one\n")
    (bench.root / "link").symlink_to(path)
    await before.call("read", path="link")
    await change(before.resumed())
    assert path.read_text() == "1\n"


async def test_the_branch_that_one_goes_to_decides(before: Conversation, bench: Workbench) -> None:
    bench.file("f", "one\n")
    await before.call("read", path="f")
    resumed = before.resumed()
    del before.messages[:]
    resumed.state.start_over()
    assert "has not been read" in await resumed.refused("write", path="f", content="")


async def test_what_this_program_saw_is_newer_than_what_is_stored(before: Conversation, bench: Workbench) -> None:
    path = bench.file("f", "zero\n")
    await before.call("read", path="f")
    path.write_text("one\n")
    resumed = before.resumed()
    await resumed.call("read", path="f")
    await change(resumed)
    assert path.read_text() == "1\n"


async def test_a_new_file_needs_no_history(before: Conversation, bench: Workbench) -> None:
    await before.call("write", path="f", content="one\n")
    (bench.root / "f").unlink()
    await before.resumed().call("write", path="f", content="two\n")


def test_recall_reads_nothing_before_it_is_asked() -> None:
    def history(_: Collection[str]) -> Iterator[Message]:
        raise AssertionError("read")

    FileState(Recall(history)).start_over()
