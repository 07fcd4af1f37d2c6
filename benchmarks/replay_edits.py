"""Replays the text changes of git histories as calls of the tool `edit` and compares with git's own result.

    python benchmarks/replay_edits.py REPOSITORY... [--changes 10000] [--seed 1]

Each modified text file of each commit (no merges, no renames) is written to a folder, read with `read`, and changed
with one `edit` call whose edits are the hunks of git's diff with 0 to 3 lines of context (chosen by the seed; a pure
insertion has at least one). Then the bytes are compared with the blob that git has.

- applied: the bytes are git's.
- refused: the tool said no, with the reason (a short text that occurs twice, an encoding that is not known).
- left out: what no edit can say, found by looking at the two blobs alone: an `edit` keeps the line endings that the
  file has, so a change of line endings, new lines with others than the file has, or a byte-order mark that comes or goes
  cannot be asked for; files with two kinds of line endings are left out where lines are added.
- wrong: the tool said yes, and the bytes are others. Must be 0; the exit code is 1 otherwise.
"""

from __future__ import annotations

import argparse
import asyncio
import codecs
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyagent_tui.agent.tool import AnyTool, ToolContext, ToolError
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.registry import create_tools

MAX_BLOB = 2_000_000
BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Change:
    """One file of one commit: the blobs before and after."""

    commit: str
    path: str
    old: str
    new: str


class Repository:
    """A git repository, read with git itself."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "/".join(Path(path).resolve().parts[-2:])
        self._blobs = subprocess.Popen(
            ["git", "-C", path, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def changes(self) -> Iterator[Change]:
        """Every modification of a file, newest commit first."""
        log = ["log", "--no-merges", "--no-renames", "--diff-filter=M", "--raw", "--no-abbrev", "-z", "--format=%x01%H"]
        output = subprocess.run(["git", "-C", self.path, *log], check=True, capture_output=True).stdout
        for block in output.split(b"\x01")[1:]:
            commit, _, rest = block.partition(b"\0")
            fields = rest.strip(b"\n").split(b"\0")
            for facts, path in zip(fields[::2], fields[1::2], strict=False):
                words = facts.decode().lstrip("\n:").split()
                if len(words) == 5 and words[0] == words[1] and words[0].startswith("100"):
                    yield Change(commit.decode(), path.decode("utf-8", "replace"), words[2], words[3])

    def blob(self, name: str) -> bytes | None:
        """The bytes of a blob, None if the copy of the repository lacks it."""
        assert self._blobs.stdin is not None
        assert self._blobs.stdout is not None
        self._blobs.stdin.write(name.encode() + b"\n")
        self._blobs.stdin.flush()
        head = self._blobs.stdout.readline().split()
        return self._blobs.stdout.read(int(head[2]) + 1)[:-1] if len(head) == 3 else None

    def hunks(self, change: Change, context: int) -> list[tuple[bytes, bytes]]:
        """The old and the new text of each hunk of git's diff."""
        command = ["git", "-C", self.path, "diff", "--no-color", "--no-ext-diff", "--text", f"-U{context}"]
        patch = subprocess.run([*command, change.old, change.new], check=True, capture_output=True).stdout
        return [_sides(body) for body in re.split(rb"(?m)^@@ .*\n", patch)[1:]]

    def close(self) -> None:
        assert self._blobs.stdin is not None
        self._blobs.stdin.close()
        self._blobs.wait()


def _sides(body: bytes) -> tuple[bytes, bytes]:
    old: list[bytes] = []
    new: list[bytes] = []
    last: tuple[list[bytes], ...] = ()
    for line in body.split(b"\n")[:-1]:
        sign, text = line[:1], line[1:] + b"\n"
        if sign == b"\\":
            for side in last:
                side[-1] = side[-1][:-1]
            continue
        last = {b"-": (old,), b"+": (new,)}.get(sign, (old, new))
        for side in last:
            side.append(text)
    return b"".join(old), b"".join(new)


def why_not_text(old: bytes, new: bytes) -> str | None:
    """Why the change is no text change, by git's own rule."""
    if max(len(old), len(new)) > MAX_BLOB:
        return "larger than 2 MB"
    if b"\0" in old[:8000] or b"\0" in new[:8000]:
        return "binary"
    return None


def why_not_expressible(old: bytes, new: bytes) -> str | None:
    """Why no edit can ask for the change."""
    if [old.startswith(bom) for bom in BOMS] != [new.startswith(bom) for bom in BOMS]:
        return "a byte-order mark comes or goes"
    before, after = endings(old), endings(new)
    if folded(old) == folded(new):
        return "line endings change"
    if len(before) > 1:
        return "the file has two kinds of line endings"
    if before and not after <= before:
        return "lines with other endings are added"
    if not before and b"\r\n" in new:
        return "lines with other endings are added"
    return None


def endings(data: bytes) -> set[bytes]:
    found = {match.group() for match in re.finditer(rb"\r\n|\n", data)}
    return found or ({b"\r"} if b"\r" in data else set())


def folded(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def as_text(data: bytes) -> str:
    """What a model would know of the bytes."""
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


class Replay:
    """Applies changes with the real tools and counts what happens."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.operations = LocalOperations()
        self.tools = create_tools(str(folder), self.operations)
        self.folder = folder
        self.random = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.wrong: list[str] = []

    async def take(self, repository: Repository, change: Change) -> bool:
        """Replay one change; False if it is no text change."""
        old, new = repository.blob(change.old), repository.blob(change.new)
        if old is None or new is None or why_not_text(old, new) is not None:
            return False
        self.counts["changes"] += 1
        reason = why_not_expressible(old, new)
        if reason is not None:
            self.left_out[reason] += 1
            return True
        edits = self._edits(repository, change)
        self.counts["edits"] += len(edits)
        await self._apply(repository, change, old, new, edits)
        return True

    def _edits(self, repository: Repository, change: Change) -> list[dict[str, str]]:
        context = self.random.randrange(4)
        hunks = repository.hunks(change, context)
        if any(not old for old, _ in hunks):
            hunks = repository.hunks(change, max(1, context))
        return [{"oldText": as_text(old), "newText": as_text(new)} for old, new in hunks]

    async def _apply(
        self, repository: Repository, change: Change, old: bytes, new: bytes, edits: list[dict[str, str]]
    ) -> None:
        path = self.folder / "file"
        path.write_bytes(old)
        try:
            await call(self.tools["read"], path="file")
            await call(self.tools["edit"], path="file", edits=edits)
        except (ToolError, ValueError) as error:
            self.refused[_kind(str(error))] += 1
            if path.read_bytes() != old:
                self._note_wrong(repository, change, "refused, but the file changed")
            return
        if path.read_bytes() == new:
            self.counts["applied"] += 1
        else:
            self._note_wrong(repository, change, "other bytes than git's")

    def _note_wrong(self, repository: Repository, change: Change, what: str) -> None:
        self.wrong.append(f"{repository.name} {change.commit[:12]} {change.path}: {what}")


async def call(tool: AnyTool, **arguments: Any) -> None:
    await tool.execute("1", tool.Arguments.model_validate(tool.prepare_arguments(arguments)), ToolContext())


REASONS = {
    "times (at lines": "the text occurs more than once",
    "overlap": "edits overlap",
    "was not found": "the text was not found",
    "only ASCII": "unknown encoding, text not ASCII",
    "half of a character": "unknown encoding, place not sure",
    "is empty": "the old text is empty",
    "Nothing would change": "nothing would change",
    "binary": "binary for read",
    "cannot be shown as a picture": "binary for read",
}


def _kind(message: str) -> str:
    return next((reason for part, reason in REASONS.items() if part in message), message[:100])


async def run(paths: list[str], wanted: int, seed: int) -> int:
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, path in enumerate(paths):
            repository = Repository(path)
            replay = Replay(Path(folder), seed + index)
            began = time.monotonic()
            # Every history gives its share, and what one lacks the next ones give.
            share = (wanted - total) // (len(paths) - index)
            total += await replay_repository(repository, replay, share)
            repository.close()
            report(repository, replay, time.monotonic() - began)
            await replay.operations.aclose()
            if replay.wrong:
                return 1
    print(f"\n{total:,} changes in all, wrong bytes: 0")
    return 0


async def replay_repository(repository: Repository, replay: Replay, share: int) -> int:
    changes = list(repository.changes())
    replay.random.shuffle(changes)
    for change in changes:
        if replay.counts["changes"] >= share:
            break
        await replay.take(repository, change)
    return replay.counts["changes"]


def report(repository: Repository, replay: Replay, seconds: float) -> None:
    counts = replay.counts
    print(f"\n{repository.name}: {counts['changes']:,} changes, {counts['edits']:,} edits, {seconds:.0f} s")
    print(f"  applied   {counts['applied']:6,}")
    for title, reasons in (("refused", replay.refused), ("left out", replay.left_out)):
        print(f"  {title:9} {reasons.total():6,}")
        for reason, count in reasons.most_common():
            print(f"            {count:6,}  {reason}")
    print(f"  wrong     {len(replay.wrong):6,}")
    for line in replay.wrong[:50]:
        print(f"    {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    return asyncio.run(run(arguments.repositories, arguments.changes, arguments.seed))


if __name__ == "__main__":
    sys.exit(main())
