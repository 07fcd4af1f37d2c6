import os
import random
from pathlib import Path

import anyio
import pytest

from pyagent_tui.agent.tool import ToolContext
from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.memory import MemoryOperations
from pyagent_tui.tools.mutation import MutationQueue
from pyagent_tui.tools.registry import create_tools

pytestmark = pytest.mark.anyio

SCHEDULES = 500


async def test_edits_of_one_file_in_one_batch_all_land(bench: Workbench) -> None:
    path = await bench.seen("f", "a\nb\nc\nd\n")
    (bench.root / "link").symlink_to("f")
    (bench.root / "hard").hardlink_to(path)
    async with anyio.create_task_group() as group:
        for name, letter in (("f", "a"), ("./f", "b"), ("link", "c")):
            group.start_soon(_edit, bench, name, letter)
    assert path.read_text() == "A\nB\nC\nd\n"
    await bench.call("read", path="hard")
    async with anyio.create_task_group() as group:
        for name, letter in (("hard", "d"), ("f", "A")):
            group.start_soon(_edit, bench, name, letter)
    assert path.read_text() == "a\nB\nC\nD\n"


async def _edit(bench: Workbench, name: str, letter: str) -> None:
    await bench.call("edit", path=name, edits=[{"oldText": f"{letter}\n", "newText": f"{letter.swapcase()}\n"}])


async def test_turns_come_in_the_order_of_the_calls_and_other_files_do_not_wait(tmp_path: Path) -> None:
    queue = MutationQueue(LocalOperations())
    order: list[str] = []
    gate = anyio.Event()

    async def work(path: str, name: str, wait: bool) -> None:
        async with queue.turn(str(tmp_path / path)):
            if wait:
                await gate.wait()
            order.append(name)

    async with anyio.create_task_group() as group:
        group.start_soon(work, "f", "first", True)
        group.start_soon(work, "f", "second", False)
        group.start_soon(work, "f", "third", False)
        group.start_soon(work, "g", "other", False)
        with anyio.fail_after(30):
            while order != ["other"]:
                await anyio.sleep(0.001)
        gate.set()
    assert order == ["other", "first", "second", "third"]
    assert not queue._last


@pytest.mark.parametrize("comes", ["before", "behind"])
async def test_a_turn_that_is_cancelled_while_it_waits_does_not_let_the_next_overtake(
    tmp_path: Path, comes: str
) -> None:
    """The third call comes before or behind the cancellation of the second."""
    queue = MutationQueue(LocalOperations())
    gate, order = anyio.Event(), list[str]()
    second = anyio.CancelScope()

    async def enter(name: str, scope: anyio.CancelScope, wait: bool) -> None:
        with scope:
            async with queue.turn(str(tmp_path / "f")):
                if wait:
                    await gate.wait()
                order.append(name)

    async with anyio.create_task_group() as group:
        group.start_soon(enter, "first", anyio.CancelScope(), True)
        await _settled(queue)
        group.start_soon(enter, "second", second, False)
        await _settled(queue)
        if comes == "before":
            group.start_soon(enter, "third", anyio.CancelScope(), False)
            await _settled(queue)
        second.cancel()
        await _settled(queue)
        if comes == "behind":
            group.start_soon(enter, "third", anyio.CancelScope(), False)
            await _settled(queue)
        assert order == []
        gate.set()
    assert order == ["first", "third"]
    assert not queue._last


async def _settled(queue: MutationQueue) -> None:
    """Wait until whoever was started has its place."""
    for _ in range(20):
        async with queue.turn("/nowhere/else"):
            await anyio.sleep(0)


async def test_no_schedule_of_concurrent_edits_loses_one() -> None:
    """Random batches of edits of one file under five names, some cancelled at a random moment."""
    seed = int(os.environ.get("SCHEDULE_SEED", "20301"))
    for number in range(SCHEDULES):
        await _schedule(random.Random(seed + number))


async def _schedule(rng: random.Random) -> None:
    count = rng.randrange(2, 8)
    operations = MemoryOperations({"/work/f": "".join(f"line {n}\n" for n in range(count)).encode()})
    operations.add_folder("/work/sub")
    operations.add_link("/work/link", "f")
    operations.add_hard_link("/work/hard", "/work/f")
    tools = create_tools("/work", operations)
    context = ToolContext()
    await tools["read"].execute("r", tools["read"].Arguments(path="f"), context)
    done: set[int] = set()

    async def edit(number: int, name: str, patience: int | None) -> None:
        arguments = {"path": name, "oldText": f"line {number}\n", "newText": f"LINE {number}\n"}
        tool = tools["edit"]
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as watch:
                if patience is not None:
                    watch.start_soon(_cancel_after, scope, patience)
                await tool.execute("e", tool.Arguments.model_validate(tool.prepare_arguments(arguments)), context)
                done.add(number)
                watch.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for number in rng.sample(range(count), count):
            name = rng.choice(["f", "./f", "link", "hard", "sub/../f"])
            group.start_soon(edit, number, name, rng.choice([None, None, None, *range(12)]))
            for _ in range(rng.choice([0, 0, 1, 3])):
                await anyio.sleep(0)
    lines = operations.content("/work/f").decode().splitlines()
    changed = {number for number, line in enumerate(lines) if line == f"LINE {number}"}
    # A call that was cancelled at its very end may have written; none that returned is missing, no other line is hurt.
    assert changed >= done
    assert [line.lower() for line in lines] == [f"line {number}" for number in range(count)]


async def _cancel_after(scope: anyio.CancelScope, rounds: int) -> None:
    for _ in range(rounds):
        await anyio.sleep(0)
    scope.cancel()


async def test_concurrent_changes_on_disk_lose_none(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("")
    (tmp_path / "link").symlink_to("f")
    (tmp_path / "hard").hardlink_to(path)
    queue = MutationQueue(LocalOperations())

    async def append(name: str, word: str) -> None:
        async with queue.turn(str(tmp_path / name)) as real:
            before = Path(real).read_text()
            await anyio.sleep(0)
            Path(real).write_text(before + word)

    async with anyio.create_task_group() as group:
        for number in range(60):
            group.start_soon(append, ("f", "link", "hard")[number % 3], f"{number} ")
    assert path.read_text() == "".join(f"{number} " for number in range(60))
