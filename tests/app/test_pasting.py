"""Ctrl+V: what the clipboard holds, on the real app, with tools that play the clipboard."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from PIL import Image

from pyagent_tui.app.terminal import clipboard_reading
from pyagent_tui.app.terminal.clipboard_reading import Clip, ClipboardError, read_clipboard
from pyagent_tui.tests.stage_app import open_app, say

pytestmark = pytest.mark.anyio

TOOLS = {"wl-paste": "WAYLAND_DISPLAY", "xclip": "DISPLAY", "xsel": "DISPLAY", "powershell.exe": "WSL_DISTRO_NAME"}


class Clipboard:
    """Types and what is there of each, served by a tool of the same manners as the real one."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        folder.mkdir()
        (folder / "data").mkdir()
        for variable in (*TOOLS.values(), "SSH_TTY", "TERMUX_VERSION"):
            monkeypatch.delenv(variable, raising=False)
        real = (Path(each) / name for name in ("sh", "cat", "ls", "sleep") for each in os.get_exec_path())
        for path in real:
            if path.exists() and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
        monkeypatch.setenv("PATH", str(folder))

    def serve(self, tool: str, script: str = "") -> None:
        """`tool` is there; its last argument is a type, or asks for the types."""
        wanted = 'for wanted; do :; done; case "$wanted" in --list-types|TARGETS) exec cat "$0.types";; esac\n'
        path = self.folder / tool
        path.write_text(f"#!/bin/sh\n{script or wanted + self._cases()}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        (self.folder / f"{tool}.types").write_text("\n".join([*self._types(), ""]))
        self._monkeypatch.setenv(TOOLS[tool], ":0")

    def put(self, mime_type: str, data: bytes) -> None:
        """Have this, to be given as `mime_type`."""
        (self.folder / "data" / mime_type.replace("/", "%")).write_bytes(data)

    def _types(self) -> list[str]:
        return [path.name.replace("%", "/") for path in (self.folder / "data").iterdir()]

    def _cases(self) -> str:
        cases = "".join(f'"{each}") exec cat "{self.folder}/data/{each.replace("/", "%")}";;' for each in self._types())
        return f'case "$wanted" in {cases} *) exit 1;; esac\n'


@pytest.fixture
def clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clipboard:
    return Clipboard(tmp_path / "bin", monkeypatch)


def picture(path: Path) -> Path:
    Image.new("RGB", (30, 20), "red").save(path)
    return path


@pytest.mark.parametrize("tool", ["wl-paste", "xclip"])
@pytest.mark.parametrize("key", ["ctrl+v", "alt+v"])
async def test_a_picture_is_attached_where_the_caret_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard, tool: str, key: str
) -> None:
    clipboard.put("image/png", picture(tmp_path / "a.png").read_bytes())
    clipboard.put("text/html", b"<img>")
    clipboard.serve(tool)
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await stage.press("h", "m", key)
        await stage.until(lambda: stage.draft == "hm[image #1]", "the picture")
        await stage.press("enter")
        await stage.see("▀▀")


async def test_copied_files_are_attached_if_they_are_pictures_and_else_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard
) -> None:
    first, second, notes = picture(tmp_path / "a.png"), picture(tmp_path / "b c.png"), tmp_path / "notes.txt"
    clipboard.put(
        "text/uri-list", "\r\n".join(["# copied", *(each.as_uri() for each in (first, second, notes)), ""]).encode()
    )
    clipboard.put("image/png", b"the icon")
    clipboard.serve("xclip")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await stage.press("ctrl+v")
        await stage.until(lambda: stage.draft == f"[image #1] [image #2] {notes}", "both pictures and the name")


async def test_a_long_text_is_folded_and_never_sends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard
) -> None:
    clipboard.put("UTF8_STRING", "größe\x1b[31m\r\n".encode() * 20)
    clipboard.serve("xclip")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await stage.press("ctrl+v")
        await stage.see("[paste #1 +21 lines]")
        assert stage.draft == "größe\n" * 20


async def test_in_the_search_for_earlier_prompts_it_is_searched_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard
) -> None:
    clipboard.put("text/plain", b"needle")
    clipboard.serve("wl-paste")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await stage.press("ctrl+r", "ctrl+v")
        await stage.see("search needle")


@pytest.mark.parametrize(
    ("ssh", "words"),
    [
        (False, "No wl-paste or xclip here: paste with the terminal's key, or drop a file"),
        (True, "ssh has no clipboard: paste with the terminal's key, or drop a file"),
    ],
)
async def test_what_cannot_be_read_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard, *, ssh: bool, words: str
) -> None:
    if ssh:
        clipboard.serve("wl-paste")
        monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    async with open_app(tmp_path, monkeypatch, [say("red")], size=(80, 24)) as stage:
        await stage.press("ctrl+v")
        await stage.see(words)


async def test_a_picture_that_is_damaged_and_an_empty_clipboard_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard
) -> None:
    clipboard.serve("xclip")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await stage.press("ctrl+v")
        await stage.see("The clipboard holds nothing that can be pasted")
        clipboard.put("image/png", picture(tmp_path / "a.png").read_bytes()[:60])
        clipboard.serve("xclip")
        await stage.press("ctrl+v")
        await stage.see("The picture is not attached:")
        assert not stage.draft


async def test_escape_stops_waiting_for_a_clipboard_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard
) -> None:
    monkeypatch.setattr(clipboard_reading, "TIMEOUT", 30.0)
    clipboard.serve("xclip", f"until [ -e {tmp_path}/go ]; do sleep 0.05; done; echo UTF8_STRING")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await stage.press("a", "ctrl+v", "b")
        await stage.see("reading the clipboard · esc stops")
        await stage.press("escape")
        (tmp_path / "go").touch()
        await stage.until(lambda: "reading the clipboard" not in stage.text(), "its end")
        assert stage.draft == "ab"


def test_a_tool_that_hangs_is_given_up(clipboard: Clipboard) -> None:
    clipboard.serve("xclip", "exec sleep 60")
    with pytest.raises(ClipboardError, match=r"xclip did not answer within 0\.2 seconds"):
        clipboard_reading._run("xclip", timeout=0.2)  # pyright: ignore[reportPrivateUsage]


def test_with_x11_forwarded_over_ssh_the_clipboard_is_the_persons(
    monkeypatch: pytest.MonkeyPatch, clipboard: Clipboard
) -> None:
    clipboard.put("UTF8_STRING", b"mine")
    clipboard.serve("xclip")
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    with pytest.raises(ClipboardError, match="ssh has no clipboard"):
        read_clipboard()
    monkeypatch.setenv("DISPLAY", "localhost:10.0")
    assert read_clipboard() == Clip(text="mine")


@pytest.mark.parametrize(
    ("written", "clip"),
    [
        ("image aW1hZ2U=", Clip(image=b"image")),
        ("text Z3LDvG4=", Clip(text="grün")),
        ("file QzpcYS5wbmc=\\r\\nfile QzpcYi5wbmc=\\r", Clip(files=("/mnt/a.png", "/mnt/a.png"))),
    ],
)
def test_wsl_asks_powershell(clipboard: Clipboard, written: str, clip: Clip) -> None:
    clipboard.serve("powershell.exe", f"printf '{written}\\n'")
    converter = clipboard.folder / "wslpath"
    converter.write_text("#!/bin/sh\necho /mnt/a.png\n")
    converter.chmod(0o755)
    assert read_clipboard() == clip
