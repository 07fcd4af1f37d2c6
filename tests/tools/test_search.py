import os
import random
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import anyio
import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyagent_tui.agent.details import ListingDetails
from pyagent_tui.agent.tool import AnyTool, ToolContext
from pyagent_tui.tests.pace import budget
from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.registry import create_tools

pytestmark = pytest.mark.anyio

RIPGREP = shutil.which("rg") or shutil.which("rg", path=os.path.dirname(sys.executable))


class WithoutRipgrep(LocalOperations):
    """This machine as it is without ripgrep."""

    async def which(self, name: str) -> str | None:
        return None if name == "rg" else await super().which(name)


@pytest.fixture(params=["ripgrep", "walk"])
def either(request: pytest.FixtureRequest, bench: Workbench) -> Workbench:
    """The tools with and without ripgrep."""
    if request.param == "ripgrep" and RIPGREP is None:
        pytest.skip("ripgrep is not installed")
    if request.param == "walk":
        bench.operations = WithoutRipgrep(bench.local.keeper)
        bench.tools = create_tools(str(bench.root), bench.operations)
    return bench


async def found(bench: Workbench, pattern: str, **arguments: object) -> list[str]:
    return (await bench.call("find", pattern=pattern, **arguments)).text.split("\n")


async def test_grep_shows_path_line_and_text(either: Workbench) -> None:
    either.file("src/a.py", "one\ntwo needle\nthree\n")
    either.file("b.txt", "needle\n")
    result = await either.call("grep", pattern="needle")
    assert result.text == "b.txt:1: needle\nsrc/a.py:2: two needle"
    assert result.details == ListingDetails(".", 2, "matches")


async def test_grep_in_one_file_shows_its_name(either: Workbench) -> None:
    either.file("src/a.py", "one\nneedle\n")
    assert (await either.call("grep", pattern="need", path="src/a.py")).text == "a.py:2: needle"


async def test_context_lines_are_marked_and_come_once(either: Workbench) -> None:
    either.file("f", "1\n2\nx3\n4\nx5\n6\n7\n8\nx9\n")
    text = (await either.call("grep", pattern="x", context=1)).text
    assert text == "f-2- 2\nf:3: x3\nf-4- 4\nf:5: x5\nf-6- 6\nf-8- 8\nf:9: x9"


async def test_the_limit_is_said_only_if_there_are_more(either: Workbench) -> None:
    either.file("f", "x\n" * 3)
    assert "more" not in (await either.call("grep", pattern="x", limit=3)).text
    result = await either.call("grep", pattern="x", limit=2)
    assert result.text == "f:1: x\nf:2: x\n\n[2 matches shown, there are more: use limit=4 or a narrower pattern]"
    assert isinstance(result.details, ListingDetails)
    assert result.details.limit_reached == 2


async def test_the_context_of_the_last_match_comes_with_it(either: Workbench) -> None:
    either.file("f", "x1\n2\nx3\n4\n")
    text = (await either.call("grep", pattern="x", limit=1, context=2)).text
    assert text.startswith("f:1: x1\nf-2- 2\nf-3- x3\n\n[1 matches shown")
    either.file("f", "x1\n2\n3\n")
    assert (await either.call("grep", pattern="x", limit=1, context=1)).text == "f:1: x1\nf-2- 2"


async def test_literal_and_case(either: Workbench) -> None:
    either.file("f", "a.b\naxb\nA.B\nfunc() {\n")
    assert (await either.call("grep", pattern="a.b", literal=True)).text == "f:1: a.b"
    assert (await either.call("grep", pattern="A\\.b", ignoreCase=True)).text == "f:1: a.b\nf:3: A.B"
    assert (await either.call("grep", pattern="func\\(\\) {")).text == "f:4: func() {"
    assert (await either.call("grep", pattern="a.{2}b")).text == "No matches found."


@pytest.mark.parametrize("pattern", ["-v", "--files", "-e", "--"])
async def test_a_pattern_that_looks_like_an_option_is_a_pattern(either: Workbench, pattern: str) -> None:
    either.file("f", f"use {pattern} here\nother\n")
    assert (await either.call("grep", pattern=pattern)).text == f"f:1: use {pattern} here"


@pytest.mark.parametrize("pattern", ["(", "[a", "a**b(", "(?=x)", "(?<!x)y", r"(a)\1", r"a\nb", "a\nb", "a\0b"])
async def test_a_pattern_that_is_none_is_an_error(either: Workbench, pattern: str) -> None:
    either.file("f", "x\n")
    assert "pattern" in await either.refused("grep", pattern=pattern)


async def test_a_glob_narrows_and_does_not_overrule_ignore_files(either: Workbench) -> None:
    either.file(".gitignore", "*.log\n!keep.log\n")
    for name in ("a.py", "src/b.py", "src/c.ts", "d.log", "keep.log"):
        either.file(name, "x\n")
    assert (await either.call("grep", pattern="x", glob="*.py")).text == "a.py:1: x\nsrc/b.py:1: x"
    assert (await either.call("grep", pattern="x", glob="src/**")).text == "src/b.py:1: x\nsrc/c.ts:1: x"
    assert (await either.call("grep", pattern="x", glob="*.{ts,log}")).text == "keep.log:1: x\nsrc/c.ts:1: x"
    assert (await either.call("grep", pattern="^x", glob="!*.py")).text == "keep.log:1: x\nsrc/c.ts:1: x"
    assert "glob is not valid" in await either.refused("grep", pattern="x", glob="[a")


async def test_a_long_line_is_cut_around_its_match(either: Workbench) -> None:
    either.file("f", "é" * 5000 + "needle" + "z" * 3_000_000 + "\nneedle" + "y" * 800 + "\n")
    text = (await either.call("grep", pattern="needle")).text
    first, second = text.split("\n")[:2]
    assert first.startswith("f:1: … é")
    assert "needle" in first
    assert first.endswith(" … [cut]")
    assert len(first) < 530
    assert second == "f:2: needle" + "y" * 494 + " … [cut]"
    assert "some lines were cut at 500 characters" in text


async def test_binary_files_are_left_out_and_refused_by_name(either: Workbench) -> None:
    either.file("bin", b"needle\n\0needle\n")
    either.file("text", b"needle\n")
    assert (await either.call("grep", pattern="needle")).text == "text:1: needle"
    assert "binary" in await either.refused("grep", pattern="needle", path="bin")


async def test_encodings_are_read_as_they_are(either: Workbench) -> None:
    either.file("bom", b"\xef\xbb\xbfneedle\n")
    either.file("latin", b"\xe9 needle\n")
    either.file("utf16", "é needle\r\n".encode("utf-16"))
    either.file("win", b"needle\r\n")
    text = (await either.call("grep", pattern="^(. )?needle$")).text
    assert text == "bom:1: needle\nutf16:1: é needle\nwin:1: needle"
    assert "latin:1: \ufffd needle" in (await either.call("grep", pattern="needle")).text


async def test_odd_names_and_odd_files_are_no_problem(either: Workbench) -> None:
    either.file("a\nb", "needle\n")
    either.file("-e", "needle\n")
    either.file("é 漢", "needle\n")
    (either.root / "loop").symlink_to(".")
    (either.root / "dead").symlink_to("/nowhere")
    os.mkfifo(either.root / "fifo")
    assert (await either.call("grep", pattern="needle")).text == "-e:1: needle\na\nb:1: needle\né 漢:1: needle"
    assert await found(either, "*") == ["-e", "a", "b", "é 漢"]
    assert (await either.call("grep", pattern="needle", path="-e")).text == "-e:1: needle"


async def test_find_lists_hidden_files_and_folders_and_leaves_ignored_ones(either: Workbench) -> None:
    either.file(".gitignore", "build/\n*.log\n")
    for name in (".hidden/x", "build/y", "a.log", "src/deep/z.py", ".git/config", "src/.git"):
        either.file(name, "")
    assert await found(either, "*") == [".gitignore", ".hidden/", ".hidden/x", "src/", "src/deep/", "src/deep/z.py"]


async def test_the_ignore_rules_of_one_folder_leave_its_siblings_alone(either: Workbench) -> None:
    either.file("a/.gitignore", "*.log\n")
    for name in ("a/x.log", "b/x.log"):
        either.file(name, "")
    assert await found(either, "*.log") == ["b/x.log"]


async def test_the_ignore_rules_of_folders_above_hold(either: Workbench) -> None:
    either.file(".gitignore", "src/gen\n/top\n*.tmp\n")
    for name in ("src/gen/a", "src/top", "src/b.tmp", "src/c"):
        either.file(name, "")
    assert await found(either, "*", path="src") == ["c", "top"]


async def test_patterns_with_a_slash_are_anchored(either: Workbench) -> None:
    for name in ("src/a.spec.ts", "src/x/y/b.spec.ts", "lib/src/c.spec.ts", "Makefile"):
        either.file(name, "")
    assert await found(either, "src/**/*.spec.ts") == ["src/a.spec.ts", "src/x/y/b.spec.ts"]
    assert await found(either, "**/src/*.ts") == ["lib/src/c.spec.ts", "src/a.spec.ts"]
    assert await found(either, f"{either.root}/src/*.ts") == ["src/a.spec.ts"]
    assert await found(either, "makefile") == ["Makefile"]
    assert await found(either, "Makefilé") == ["No files found."]
    assert await found(either, "x/") == ["src/x/"]
    assert await found(either, "**/x/") == ["src/x/"]
    assert "valid glob" in await either.refused("find", pattern="[a")


async def test_find_says_that_there_are_more(either: Workbench) -> None:
    for number in range(5):
        either.file(f"f{number}", "")
    assert "more" not in (await either.call("find", pattern="f*", limit=5)).text
    text = (await either.call("find", pattern="f*", limit=3)).text
    assert text == "f0\nf1\nf2\n\n[3 results shown, there are more: use limit=6 or a narrower pattern]"


async def test_what_cannot_be_searched_is_an_error(either: Workbench) -> None:
    os.mkfifo(either.root / "fifo")
    either.file("f", "")
    assert "does not exist" in await either.refused("grep", pattern="x", path="nowhere")
    assert "does not exist" in await either.refused("find", pattern="x", path="nowhere")
    assert "is a fifo" in await either.refused("grep", pattern="x", path="fifo")
    assert "not a directory" in await either.refused("find", pattern="x", path="f")


async def test_ls_lists_everything_in_order(bench: Workbench) -> None:
    for name in ("b", "A", ".hidden", "c/x"):
        bench.file(name, "")
    (bench.root / "loop").symlink_to(".")
    (bench.root / "dead").symlink_to("/nowhere")
    os.mkfifo(bench.root / "pipe")
    assert (await bench.call("ls")).text == ".hidden\nA\nb\nc/\ndead (dead link)\nloop/\npipe"
    assert (await bench.call("ls", limit=2)).text == ".hidden\nA\n\n[2 of 7 entries shown: use limit=4 for more]"


async def test_ls_says_what_it_cannot_list(bench: Workbench) -> None:
    (bench.root / "empty").mkdir()
    bench.file("f", "")
    assert (await bench.call("ls", path="empty")).text == "(empty directory)"
    assert "not a directory" in await bench.refused("ls", path="f")
    assert "does not exist" in await bench.refused("ls", path="nowhere")


async def test_a_long_listing_is_bounded_and_says_the_total(bench: Workbench) -> None:
    for number in range(700):
        (bench.root / f"{number:05}").touch()
    text = (await bench.call("ls")).text
    assert "[500 of 700 entries shown" in text
    assert "cut at 50.0KB" in (await bench.call("ls", limit=9999, path=str(_wide(bench)))).text


def _wide(bench: Workbench) -> Path:
    folder = bench.root / "wide"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number:05}{'x' * 200}").touch()
    return folder


async def test_a_matcher_that_never_ends_is_ended(bench: Workbench) -> None:
    bench.operations = WithoutRipgrep(bench.local.keeper)
    bench.tools = create_tools(str(bench.root), bench.operations)
    bench.file("f", "a" * 40 + "!\n")
    limit, began = budget(1.5), time.monotonic()
    with anyio.move_on_after(0.5) as scope:
        await bench.call("grep", pattern="(a+)+$")
    assert scope.cancelled_caught
    assert time.monotonic() - began < limit
    assert not _searchers()


async def test_cancelling_a_search_leaves_no_process(either: Workbench) -> None:
    for number in range(300):
        either.file(f"d{number % 7}/{number}", "some text\n" * 3000)
    with anyio.move_on_after(0.05):
        await either.call("grep", pattern="nothing like this")
    assert not _searchers()


def _searchers() -> list[str]:
    names: list[str] = []
    for process in psutil.Process().children(recursive=True):
        try:
            line = " ".join(process.cmdline())
            if process.status() != psutil.STATUS_ZOMBIE and ("/rg " in line or "matcher.py" in line):
                names.append(line)
        except psutil.Error:
            continue
    return names


NAMES = ["a", "b.py", "B.PY", "c.log", "build", "é", "-x", "[z]", ".env", "x y", "keep.log", "a.b.c"]
RULES = [
    "*.log",
    "!keep.log",
    "build/",
    "/a",
    "a/",
    "**/b.py",
    "x*",
    "*/é",
    "build/**",
    "!build/a",
    "[a-c].*",
    "\\!odd",
    "# note",
    "a.b.{c,d}",
    ".env",
    "b.p?",
    "[!a]",
    "  ",
    "x y ",
    "[",
    "a/**/c.log",
]
LINES = [
    "needle",
    "a needle here",
    "NEEDLE",
    "x" * 700 + "needle",
    "é漢 needle",
    "",
    "other",
    "needle\r",
    "\tneedle\t",
    "nee dle",
]
PATTERNS = [
    "needle",
    "^needle",
    "needle$",
    "[n]e+dle",
    "(?i)NEEDLE",
    r"\bneedle\b",
    "a|é",
    r"\w+\s",
    ".",
    "x{5}",
    "é.",
    "^$",
    r"e\s?d",
]


def make_tree(root: Path, rng: random.Random) -> None:
    folders = [root]
    for _ in range(rng.randrange(6)):
        folder = rng.choice(folders) / rng.choice(NAMES)
        if not folder.exists():
            folder.mkdir()
            folders.append(folder)
    for folder in folders:
        for name in rng.sample(NAMES, rng.randrange(5)):
            if not (folder / name).exists():
                lines = rng.choices(LINES, k=rng.randrange(8))
                # ripgrep takes a carriage return that ends a file for a line of its own, so none does.
                is_open = rng.random() < 0.5 and not (lines and lines[-1].endswith("\r"))
                content = "\n".join(lines).encode() + (b"" if is_open else b"\n")
                odd = rng.choice([b"", b"", b"", b"\xef\xbb\xbf", b"\xff ", b"\0"])
                (folder / name).write_bytes(odd + content)
        if rng.random() < 0.5:
            rules = rng.sample(RULES, rng.randrange(1, 6))
            (folder / rng.choice([".gitignore", ".ignore", ".rgignore"])).write_text("\n".join(rules) + "\n")
    if rng.random() < 0.3:
        (rng.choice(folders) / "link").symlink_to(rng.choice(folders))


@pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")
@settings(
    max_examples=int(os.environ.get("SEARCH_TREES", "15")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**32), context=st.integers(0, 2), limit=st.integers(1, 12))
async def test_both_ways_give_the_same_bytes(tmp_path: Path, seed: int, context: int, limit: int) -> None:
    rng = random.Random(seed)
    root = tmp_path / str(seed)
    if root.exists():
        shutil.rmtree(root)
    root.mkdir()
    make_tree(root, rng)
    operations = LocalOperations()
    with_rg, without = (create_tools(str(root), machine) for machine in (operations, WithoutRipgrep(operations.keeper)))
    start = rng.choice([".", *[str(path) for path in root.iterdir() if path.is_dir()]])
    grep = {
        "pattern": rng.choice(PATTERNS),
        "context": context,
        "limit": limit,
        "path": start,
        "ignore_case": rng.random() < 0.3,
        "literal": rng.random() < 0.2,
        "glob": rng.choice([None, None, "*.py", "*.{log,PY}", "**/a", "!*.log", "build/*"]),
    }
    find = {"pattern": rng.choice(["*", "*.py", "a/**", "build/", "[!a]*", "*.LOG"]), "limit": limit, "path": start}
    try:
        for name, arguments in (("grep", grep), ("find", find)):
            here, there = [await _text(tools[name], arguments) for tools in (with_rg, without)]
            assert here == there, (name, arguments)
    finally:
        operations.keeper.close()
        shutil.rmtree(root)


async def _text(tool: AnyTool, arguments: Mapping[str, object]) -> str:
    wanted = {name: value for name, value in arguments.items() if value is not None}
    return (await tool.execute("1", tool.Arguments.model_validate(wanted), ToolContext())).text
