import os
import random
from pathlib import Path

import anyio
import pytest

from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.mutation import MutationQueue

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
        with anyio.fail_after(5):
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


async def test_no_schedule_of_concurrent_changes_loses_one(tmp_path: Path) -> None:
    """Random batches over one file under four names, some calls cancelled at a random moment."""
    seed = int(os.environ.get("SCHEDULE_SEED", "20301"))
    for number in range(SCHEDULES):
        await _schedule(tmp_path / str(number), random.Random(seed + number))


async def _schedule(root: Path, rng: random.Random) -> None:
    root.mkdir()
    path = root / "f"
    path.write_text("")
    (root / "link").symlink_to("f")
    if rng.random() < 0.5:
        (root / "hard").hardlink_to(path)
    else:
        (root / "hard").symlink_to(path)
    (root / "sub").mkdir()
    queue = MutationQueue(LocalOperations())
    done: list[str] = []

    async def append(name: str, word: str, patience: float | None) -> None:
        with anyio.move_on_after(patience):
            async with queue.turn(str(root / name)) as real:
                # A lost update shows if anybody else writes between this read and this write.
                before = Path(real).read_text()
                for _ in range(rng.randrange(3)):
                    await anyio.sleep(0)
                Path(real).write_text(before + word)
                done.append(word)

    async with anyio.create_task_group() as group:
        for index in range(rng.randrange(3, 7)):
            name = rng.choice(["f", "./f", "link", "hard", "sub/../f"])
            patience = rng.choice([None, None, None, 0, 0.0005])
            group.start_soon(append, name, f"{index} ", patience)
            if rng.random() < 0.3:
                await anyio.sleep(0)
    assert path.read_text() == "".join(done)
