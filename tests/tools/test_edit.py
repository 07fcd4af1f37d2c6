import os
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.tests.tools.workbench import Workbench

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("old", ["def f():\n\treturn 1", "def f():\r\n\treturn 1"])
async def test_crlf_stays_whatever_the_model_sends(bench: Workbench, old: str) -> None:
    content = b"def f():\r\n\treturn 1\r\n"
    assert await bench.edited(content, old, old.replace("1", "2")) == b"def f():\r\n\treturn 2\r\n"


async def test_lf_stays_though_the_model_sends_crlf(bench: Workbench) -> None:
    assert await bench.edited(b"a\nb\nc\n", "a\r\nb\r\n", "a\r\nx\r\ny\r\n") == b"a\nx\ny\nc\n"


async def test_each_line_of_a_mixed_file_keeps_its_ending(bench: Workbench) -> None:
    content = b"one\r\ntwo\nthree\r\nfour"
    assert await bench.edited(content, "one\ntwo\nthree\nfour", "one\n2\nthree\nfour") == b"one\r\n2\nthree\r\nfour"
    assert await bench.edited(content, "three", "three\n3b") == b"one\r\ntwo\nthree\r\n3b\r\nfour"


async def test_an_old_mac_file_keeps_its_line_endings(bench: Workbench) -> None:
    assert await bench.edited(b"a\rb\rc", "a\nb", "a\nx\ny") == b"a\rx\ry\rc"


async def test_a_byte_order_mark_is_kept_and_not_shown(bench: Workbench) -> None:
    path = bench.file("bom.txt", b"\xef\xbb\xbfhello\n")
    assert (await bench.call("read", path="bom.txt")).text == "hello\n"
    await bench.call("edit", path="bom.txt", edits=[{"oldText": "hello", "newText": "hallo"}])
    assert path.read_bytes() == b"\xef\xbb\xbfhallo\n"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le"])
async def test_utf_16_and_32_with_a_mark_stay_what_they_are(bench: Workbench, codec: str) -> None:
    mark = "\ufeff".encode(codec)
    content = mark + "é=1\r\nb=2\r\n".encode(codec)
    assert await bench.edited(content, "b=2", "b=ß😀\nc") == mark + "é=1\r\nb=ß😀\r\nc\r\n".encode(codec)


async def test_an_unknown_encoding_keeps_every_byte_outside_the_edit(bench: Workbench) -> None:
    assert await bench.edited(b"caf\xe9\nx = 1\n", "x = 1", "x = 2") == b"caf\xe9\nx = 2\n"


async def test_an_unknown_encoding_takes_no_other_than_ascii_text(bench: Workbench) -> None:
    assert "not UTF-8" in await bench.edit_refused(b"caf\xe9\nx = 1\n", ("x = 1", "x = é"))


async def test_the_second_byte_of_a_character_is_not_taken_for_ascii(bench: Workbench) -> None:
    # In GBK 0xD6 0x41 is one character whose second byte looks like "A".
    assert "half of a character" in await bench.edit_refused(b"\xd6A = 1\n", ("A = 1", "A = 2"))


async def test_broken_utf_16_is_refused(bench: Workbench) -> None:
    assert "cannot be edited" in await bench.edit_refused(b"\xff\xfea\x00\x00\xd8b\x00", ("a", "c"))


async def test_an_exact_match_is_unique_though_a_look_alike_exists(bench: Workbench) -> None:
    content = 'g = "hi"\ng = “hi”\n'
    assert await bench.edited(content, 'g = "hi"', 'g = "yo"') == 'g = "yo"\ng = “hi”\n'.encode()


@pytest.mark.parametrize(
    ("content", "old"),
    [
        ("say “hi”\n", 'say "hi"'),
        ("it’s\n", "it's"),
        ("a – b\n", "a - b"),
        ("a\u00a0b\n", "a b"),
        ("ｆｕｌｌ（１）\n", "full(1)"),
        ("ﬁne\n", "fine"),
        ("end   \nnext\n", "end\nnext"),
        (unicodedata.normalize("NFD", "café") + "\n", "café"),
    ],
)
async def test_look_alike_characters_match_when_nothing_exact_does(bench: Workbench, content: str, old: str) -> None:
    assert await bench.edited(f"before ’\n{content}after ’\n", old, "X") == "before ’\nX\nafter ’\n".encode()


async def test_a_lenient_match_changes_only_its_own_span(bench: Workbench) -> None:
    content = "“keep”  \nprint(“x”) # it’s  \n“keep”\n"
    got = await bench.edited(content, '"keep"\nprint("x")', '"keep"\nprint(1)')
    assert got == "“keep”  \nprint(1) # it’s  \n“keep”\n".encode()


async def test_a_lenient_match_keeps_lines_that_the_edit_keeps(bench: Workbench) -> None:
    content = "“a”  \n“b”\t\n“c”\n"
    assert await bench.edited(content, '"a"\n"b"\n"c"', '"a"\nnew\n"b"\n"c"') == "“a”  \nnew\n“b”\t\n“c”\n".encode()
    assert await bench.edited(content, '"a"\n"b"\n"c"', '"a"\n"c"') == "“a”  \n“c”\n".encode()
    assert await bench.edited(content, '"b"\n"c"', '"b"') == "“a”  \n“b”\t\n".encode()
    assert await bench.edited(content, '"b"\n', '"b"\nnew\n') == "“a”  \n“b”\t\nnew\n“c”\n".encode()


async def test_two_look_alikes_are_not_unique(bench: Workbench) -> None:
    assert "found 2 times" in await bench.edit_refused("a’b\na‘b\n", ("a'b", "x"))


async def test_overlapping_occurrences_count(bench: Workbench) -> None:
    assert "found 2 times" in await bench.edit_refused("aaa\n", ("aa", "b"))


async def test_the_places_of_a_match_that_is_not_unique_are_told(bench: Workbench) -> None:
    text = await bench.edit_refused("foo\nbar\nfoo\nfoo\n", ("foo", "x"))
    assert "3 times (at lines 1, 3, 4)" in text


async def test_twins_that_differ_only_in_their_line_ending_are_not_unique(bench: Workbench) -> None:
    assert "found 2 times" in await bench.edit_refused(b"a\r\nb\r\na\nb\n", ("a\nb\n", "x\n"))


async def test_the_nearest_place_is_where_the_rare_line_is(bench: Workbench) -> None:
    steps = [f"def step_{at}():\n    total = sum(x)\n    return total\n\n" for at in range(8)]
    steps[5] = steps[5].replace("sum(x)", "sum(y)")
    await bench.seen("f", "".join(steps))
    edits = [{"oldText": "def step_5():\n    total = sum(x)\n    return total", "newText": "x"}]
    told = await bench.refused("edit", path="f", edits=edits)
    assert "nearest place is line 21; at line 22 it differs" in told


async def test_a_failed_match_names_the_nearest_place_and_the_difference(bench: Workbench) -> None:
    text = await bench.edit_refused("import os\n\ndef main():\n    return  1\n", ("def main():\n    return 1", "x"))
    assert "line 3" in text
    assert "line 4" in text
    assert "␠" in text


async def test_a_look_alike_that_cannot_match_is_spelled_out(bench: Workbench) -> None:
    text = await bench.edit_refused("value = а\n", ("value = a", "x"))
    assert "U+0430 CYRILLIC SMALL LETTER A" in text


async def test_blanks_alone_match_exactly_or_not_at_all(bench: Workbench) -> None:
    assert await bench.edited("a\t\tb\n", "\t\t", " ") == b"a b\n"
    assert "not found" in await bench.edit_refused("a b\n", ("   ", "x"))


async def test_edges_have_their_own_errors(bench: Workbench) -> None:
    assert "empty" in await bench.edit_refused("", ("", "x"))
    assert "empty" in await bench.edit_refused("a\n", ("", "x"))
    assert "Nothing would change" in await bench.edit_refused("a\n", ("a", "a"))
    assert "Nothing would change" in await bench.edit_refused(b"a\r\nb\r\n", ("a\r\nb", "a\nb"))
    assert "overlap" in await bench.edit_refused("abcdef\n", ("abcd", "x"), ("cdef", "y"))
    assert "edits[1].oldText was not found" in await bench.edit_refused("a\nb\n", ("a", "new"), ("new", "y"))
    assert "binary" in await _refusal_of_unread(bench, b"a\0b\n")


async def _refusal_of_unread(bench: Workbench, content: bytes) -> str:
    path = bench.file("binary", content)
    bench.state.remember([str(path)], content)
    return await bench.refused("edit", path="binary", edits=[{"oldText": "a", "newText": "c"}])


async def test_several_edits_are_all_found_in_the_file_as_it_was(bench: Workbench) -> None:
    path = await bench.seen("f", "a\nb\nc\n")
    edits = [{"oldText": "c", "newText": "a"}, {"oldText": "a", "newText": "c"}]
    await bench.call("edit", path="f", edits=edits)
    assert path.read_text() == "c\nb\na\n"


async def test_neighbouring_edits_do_not_overlap(bench: Workbench) -> None:
    path = await bench.seen("f", "ab\n")
    await bench.call("edit", path="f", edits=[{"oldText": "b", "newText": "2"}, {"oldText": "a", "newText": "1"}])
    assert path.read_text() == "12\n"


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "f", "oldText": "x", "newText": "y"},
        {"file_path": "f", "old_string": "x", "new_string": "y"},
        {"path": "f", "edits": '[{"oldText":"x","newText":"y"}]'},
        {"path": "f", "edits": {"oldText": "x", "newText": "y"}},
        {"path": "f", "edits": [{"old_text": "x", "new_text": "y"}]},
    ],
)
async def test_the_usual_other_shapes_of_arguments_are_understood(
    bench: Workbench, arguments: dict[str, object]
) -> None:
    path = await bench.seen("f", "x\n")
    await bench.call("edit", **arguments)
    assert path.read_text() == "y\n"


async def test_shims_leave_the_arguments_of_the_model_alone(bench: Workbench) -> None:
    arguments = {"file_path": "f", "edits": [{"old_string": "x", "new_string": "y"}]}
    bench.tools["edit"].prepare_arguments(arguments)
    assert arguments == {"file_path": "f", "edits": [{"old_string": "x", "new_string": "y"}]}


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "f", "edits": "no json"},
        {"path": "f", "edits": []},
        {"path": "f", "edits": [{"oldText": "x"}]},
        {"path": "f", "edits": [{"oldText": "x", "newText": "y", "all": True}]},
        {"path": "f", "edits": [{"oldText": None, "newText": "y"}]},
        {"path": None, "edits": [{"oldText": "x", "newText": "y"}]},
    ],
)
def test_wrong_arguments_are_refused(bench: Workbench, arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        bench.validated("edit", arguments)


async def test_a_file_must_have_been_read(bench: Workbench) -> None:
    path = bench.file("f", "x\n")
    assert "has not been read" in await bench.refused("edit", path="f", oldText="x", newText="y")
    assert path.read_text() == "x\n"


async def test_a_file_that_changed_since_is_not_edited_and_the_change_is_told(bench: Workbench) -> None:
    path = await bench.seen("f", "one\ntwo\n")
    path.write_text("one\n2\n")
    text = await bench.refused("edit", path="f", oldText="one", newText="1")
    assert "-two" in text
    assert "+2" in text
    assert path.read_text() == "one\n2\n"


async def test_the_same_bytes_with_another_time_are_fine(bench: Workbench) -> None:
    path = await bench.seen("f", "one\n")
    path.unlink()
    path.write_text("one\n")
    os.utime(path, (1, 1))
    await bench.call("edit", path="f", oldText="one", newText="two")
    assert path.read_text() == "two\n"


async def test_what_we_wrote_need_not_be_read_again(bench: Workbench) -> None:
    await bench.call("write", path="f", content="one\n")
    await bench.call("edit", path="f", oldText="one", newText="two")
    await bench.call("edit", path="f", oldText="two", newText="three")
    assert (bench.root / "f").read_text() == "three\n"


async def test_a_read_of_a_part_counts_for_the_whole_content(bench: Workbench) -> None:
    path = bench.file("f", "".join(f"{n}\n" for n in range(100)))
    await bench.call("read", path="f", offset=50, limit=1)
    await bench.call("edit", path="f", oldText="99", newText="x")
    path.write_text(path.read_text() + "more\n")
    assert "has changed" in await bench.refused("edit", path="f", oldText="x", newText="y")


async def test_a_preview_touches_nothing_and_says_what_will_happen(bench: Workbench) -> None:
    path = await bench.seen("f", "x\n")
    before = path.stat()
    details = await bench.preview("edit", path="f", oldText="x", newText="y")
    assert path.stat() == before
    result = await bench.call("edit", path="f", oldText="x", newText="y")
    assert isinstance(result.details, DiffDetails)
    assert replace(result.details, seen=None) == details
    assert result.changed_paths == (str(path),)


async def test_the_patch_has_four_lines_of_context_and_a_hunk_for_each_place(bench: Workbench) -> None:
    lines = [f"line {n}\n" for n in range(1, 5001)]
    await bench.seen("f", "".join(lines))
    edits = [{"oldText": "line 2\n", "newText": "two\n"}, {"oldText": "line 4999\n", "newText": "4999\nmore\n"}]
    details = (await bench.call("edit", path="f", edits=edits)).details
    assert isinstance(details, DiffDetails)
    assert [line for line in details.patch.split("\n") if line.startswith("@@")] == [
        "@@ -1,6 +1,6 @@",
        "@@ -4995,6 +4995,7 @@",
    ]
    assert len(details.patch.split("\n")) < 40
    assert (details.added, details.removed, details.first_changed_line) == (3, 2, 2)


async def test_two_far_apart_edits_in_a_file_of_equal_lines_show_two_hunks(bench: Workbench) -> None:
    await bench.seen("f", "first\n" + "\n" * 30_000 + "last\n")
    edits = [{"oldText": "first", "newText": "1"}, {"oldText": "last", "newText": "2"}]
    details = (await bench.call("edit", path="f", edits=edits)).details
    assert isinstance(details, DiffDetails)
    assert details.patch.count("@@ -") == 2


async def test_mode_owner_and_attributes_stay(bench: Workbench) -> None:
    path = await bench.seen("run.sh", "echo 1\n")
    path.chmod(0o751)
    if os.geteuid() == 0:
        os.chown(path, 1234, 2345)
    os.setxattr(path, "user.note", b"kept")
    await bench.call("edit", path="run.sh", oldText="1", newText="2")
    await bench.call("write", path="run.sh", content="echo 3\n")
    status = path.stat()
    assert status.st_mode & 0o7777 == 0o751
    assert os.getxattr(path, "user.note") == b"kept"
    if os.geteuid() == 0:
        assert (status.st_uid, status.st_gid) == (1234, 2345)


async def test_a_symlink_stays_a_link_and_its_target_changes(bench: Workbench) -> None:
    target = bench.file("real/f", "x\n")
    link = bench.root / "link"
    link.symlink_to("real/f")
    await bench.call("read", path="link")
    await bench.call("edit", path="link", oldText="x", newText="y")
    assert link.is_symlink()
    assert target.read_text() == "y\n"


async def test_a_hard_link_stays_linked_and_leaves_nothing_behind(bench: Workbench) -> None:
    path = await bench.seen("f", "x" * 5000 + "\n")
    other = bench.root / "other"
    other.hardlink_to(path)
    await bench.call("edit", path="f", oldText="x" * 5000, newText="y")
    assert other.read_text() == "y\n"
    assert other.samefile(path)
    assert sorted(entry.name for entry in bench.root.iterdir()) == ["f", "other"]


@pytest.mark.parametrize("tool", ["edit", "write"])
async def test_what_is_no_writable_file_is_refused_without_blocking(bench: Workbench, tool: str) -> None:
    more = {"oldText": "x", "newText": "y"} if tool == "edit" else {"content": "y"}
    (bench.root / "folder").mkdir()
    os.mkfifo(bench.root / "fifo")
    locked = await bench.seen("locked", "x\n")
    locked.chmod(0o444)
    (bench.root / "null").symlink_to("/dev/null")
    assert "directory" in await bench.refused(tool, path="folder", **more)
    assert "fifo" in await bench.refused(tool, path="fifo", **more)
    assert "read-only" in await bench.refused(tool, path="locked", **more)
    assert "device" in await bench.refused(tool, path="null", **more)
    assert locked.read_text() == "x\n"


async def test_nothing_but_the_file_is_left_in_the_folder(bench: Workbench) -> None:
    await bench.edited("a\n", "a", "b")
    assert [entry.name for entry in Path(bench.root).iterdir()] == ["edited.txt"]
