import os
import tracemalloc
import unicodedata

import pytest

from pyagent_tui.agent.details import FileDetails
from pyagent_tui.tests.tools.workbench import Workbench

pytestmark = pytest.mark.anyio


def numbered(count: int) -> str:
    return "".join(f"Line {n}\n" for n in range(1, count + 1))


@pytest.mark.parametrize("content", ["a\n\tb\n", "no line break", "\n", "é漢😀\n"])
async def test_a_small_file_comes_exactly(bench: Workbench, content: str) -> None:
    bench.file("f", content)
    result = await bench.call("read", path="f")
    assert result.text == content
    assert isinstance(result.details, FileDetails)
    assert result.details.truncation is None


async def test_an_empty_file_is_said_to_be_empty(bench: Workbench) -> None:
    bench.file("f", "")
    assert (await bench.call("read", path="f")).text == "[The file is empty.]"


async def test_two_thousand_lines_come_and_the_next_offset_is_told(bench: Workbench) -> None:
    bench.file("f", numbered(2500))
    result = await bench.call("read", path="f")
    assert result.text == numbered(2000) + "\n[Lines 1-2000 of 2500 shown. Use offset=2001 to go on.]"
    assert isinstance(result.details, FileDetails)
    assert result.details.truncation is not None
    assert (result.details.truncation.total_lines, result.details.truncation.output_lines) == (2500, 2000)
    rest = await bench.call("read", path="f", offset=2001)
    assert rest.text == numbered(2500)[len(numbered(2000)) :]


async def test_fifty_kilobytes_come_and_the_reason_is_told(bench: Workbench) -> None:
    bench.file("f", ("x" * 199 + "\n") * 500)
    text = (await bench.call("read", path="f")).text
    assert "[Lines 1-256 of 500 shown (50.0KB limit). Use offset=257 to go on.]" in text
    assert len(text.split("\n\n[")[0]) <= 50 * 1024


async def test_a_limit_stops_earlier(bench: Workbench) -> None:
    bench.file("f", numbered(100))
    assert (await bench.call("read", path="f", limit=10)).text == (
        numbered(10) + "\n[90 more lines in the file. Use offset=11 to go on.]"
    )
    text = (await bench.call("read", path="f", offset=41, limit=20)).text
    assert text.startswith("Line 41\n")
    assert text.endswith("Line 60\n\n[40 more lines in the file. Use offset=61 to go on.]")
    assert (await bench.call("read", path="f", offset=100, limit=1)).text == "Line 100\n"
    assert "[1 more line in" in (await bench.call("read", path="f", offset=99, limit=1)).text


async def test_a_final_line_break_makes_no_line(bench: Workbench) -> None:
    bench.file("f", "a\nb\nc\n")
    assert (await bench.call("read", path="f", offset=3)).text == "c\n"
    assert "beyond the end of f, which has 3 lines" in await bench.refused("read", path="f", offset=4)
    assert "has 3 lines" in await bench.refused("read", path="f", offset=100)


@pytest.mark.parametrize("field", ["offset", "limit"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "x", []])
def test_offset_and_limit_are_positive_whole_numbers(bench: Workbench, field: str, value: object) -> None:
    with pytest.raises(ValueError, match="validation error"):
        bench.validated("read", {"path": "f", field: value})


def test_a_numeric_string_is_a_number(bench: Workbench) -> None:
    assert bench.validated("read", {"path": "f", "offset": "10"}).offset == 10


async def test_crlf_is_shown_as_a_line_break(bench: Workbench) -> None:
    bench.file("f", b"a\r\nb\r\n")
    assert (await bench.call("read", path="f")).text == "a\nb\n"


async def test_utf_16_is_read_and_said(bench: Workbench) -> None:
    bench.file("f", "é1\r\n".encode("utf-16"))
    text = (await bench.call("read", path="f")).text
    assert text.startswith("é1\n")
    assert "UTF-16" in text


async def test_other_encodings_are_marked_and_said(bench: Workbench) -> None:
    bench.file("f", b"caf\xe9\n")
    text = (await bench.call("read", path="f")).text
    assert text.startswith("caf\ufffd\n")
    assert "not UTF-8" in text


async def test_a_character_between_two_pieces_of_the_file_is_whole(bench: Workbench) -> None:
    bench.file("f", "x" * 65535 + "é" + "\n" + "last\n")
    assert (await bench.call("read", path="f", offset=2)).text == "last\n"


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"\x7fELF\x02\0\0\0", "ELF"), (b"PK\x03\x04\0\0", "ZIP"), (b"a\0b", "unknown type"), (b"\0" * 9000, "8.8KB")],
)
async def test_a_binary_file_is_named_and_not_shown(bench: Workbench, content: bytes, kind: str) -> None:
    bench.file("f", content)
    text = await bench.refused("read", path="f")
    assert "binary" in text
    assert kind in text


async def test_what_is_no_file_is_refused_at_once(bench: Workbench) -> None:
    os.mkfifo(bench.root / "fifo")
    (bench.root / "dead").symlink_to("nowhere")
    assert "is a fifo" in (await bench.refused("read", path="fifo")).lower()
    assert "is a directory" in await bench.refused("read", path=".")
    assert "device" in await bench.refused("read", path="/dev/zero")
    assert "does not exist" in await bench.refused("read", path="dead")
    assert "NUL" in await bench.refused("read", path="a\0b")


async def test_a_missing_file_names_the_nearest_one(bench: Workbench) -> None:
    bench.file("src/main.py", "")
    assert "Did you mean main.py?" in await bench.refused("read", path="src/mian.py")
    assert "folder nowhere does not exist" in await bench.refused("read", path="nowhere/x")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Shot 3.04\u202fPM.txt", "Shot 3.04 PM.txt"),
        ("it’s.txt", "it's.txt"),
        (unicodedata.normalize("NFD", "café.txt"), "café.txt"),
        ("café.txt", unicodedata.normalize("NFD", "café.txt")),
        ("src/a.py", "@src/a.py"),
        ("@types/x", "@types/x"),
        ("a\u00a0b", "a b"),
        ("plain", "./sub/../plain"),
    ],
)
async def test_names_that_keyboards_cannot_type_are_found(bench: Workbench, name: str, asked: str) -> None:
    bench.file(name, "found\n")
    assert (await bench.call("read", path=asked)).text == "found\n"


async def test_two_candidates_are_none(bench: Workbench) -> None:
    bench.file("it’s", "")
    bench.file("it‘s", "")
    assert "does not exist" in await bench.refused("read", path="it's")


async def test_home_and_file_urls_are_understood(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.file("in home", "x\n")
    monkeypatch.setenv("HOME", str(bench.root))
    assert (await bench.call("read", path="~/in home")).text == "x\n"
    assert (await bench.call("read", path=path.as_uri())).text == "x\n"


async def test_a_huge_file_passes_in_bounded_memory(bench: Workbench) -> None:
    path = bench.root / "huge"
    with path.open("wb") as file:
        file.write(b"first\n")
        file.truncate(256 << 20)
        file.seek(0, os.SEEK_END)
    # Sparse: its zeros lie behind the first 8,000 bytes, so that it passes for text.
    with path.open("r+b") as file:
        file.write(b"first\n" + b"x" * 9000)
    tracemalloc.start()
    text = (await bench.call("read", path="huge", limit=1)).text
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert text == "first\n\n[1 more line in the file. Use offset=2 to go on.]"
    assert peak < 16_000_000


async def test_a_line_of_a_hundred_megabytes_is_described(bench: Workbench) -> None:
    with (bench.root / "line").open("wb") as file:
        file.write(b"short\n")
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    tracemalloc.start()
    text = (await bench.call("read", path="line", offset=2)).text
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "Line 2 is 95.4MB long" in text
    assert "sed -n '2p' line | head -c 51200" in text
    assert peak < 16_000_000
    assert "[Lines 1-1 of 2 shown (50.0KB limit). Use offset=2" in (await bench.call("read", path="line")).text
