"""Reading the clipboard, which no terminal does well: by the tools of the system, for files, pictures and text."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from ...agent.frozen import frozen

TIMEOUT = 3.0
"""Seconds that a tool may take: whoever has the clipboard must answer it."""

POWERSHELL_TIMEOUT = 10.0
"""The same for PowerShell, which takes a second or more to start."""

ELSEWHERE = "ssh has no clipboard: paste with the terminal's key, or drop a file"
NO_TOOL = "No {tools} here: paste with the terminal's key, or drop a file"
NOTHING = "The clipboard holds nothing that can be pasted"

_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp")
_TEXTS = ("text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING", "TEXT")
_FILES = "text/uri-list"


class ClipboardError(Exception):
    """Nothing can be pasted; the text says why, and what to do instead."""


@frozen
class Clip:
    """What the clipboard holds: paths of files, else the bytes of a picture, else a text."""

    files: tuple[str, ...] = ()
    image: bytes = b""
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.files or self.image or self.text)


def read_clipboard(environ: Mapping[str, str] = os.environ) -> Clip:
    """What the clipboard holds. Blocks for up to some seconds: use a thread. Raises `ClipboardError`."""
    readers = _readers(environ)
    if not readers:
        tools = {"darwin": "pbpaste", "win32": "powershell"}.get(sys.platform, "wl-paste or xclip")
        raise ClipboardError(ELSEWHERE if "SSH_TTY" in environ else NO_TOOL.format(tools=tools))
    for read in readers:
        if clip := read():
            return clip
    raise ClipboardError(NOTHING)


def _readers(environ: Mapping[str, str]) -> list[Callable[[], Clip]]:
    """What can read it here, best first. Over ssh that is the person's own only if X11 is forwarded (``host:10.0``)."""

    def has(tool: str, variable: str = "") -> bool:
        return bool(not variable or environ.get(variable)) and shutil.which(tool, path=environ.get("PATH")) is not None

    is_far = "SSH_TTY" in environ
    found: list[Callable[[], Clip]] = []
    if has("wl-paste", "WAYLAND_DISPLAY") and not is_far:
        found.append(lambda: _typed(("wl-paste", "--list-types"), ("wl-paste", "--no-newline", "--type")))
    if not is_far or not environ.get("DISPLAY", "").startswith(":"):
        x = ("xclip", "-selection", "clipboard", "-o", "-t")
        found += [lambda: _typed((*x, "TARGETS"), x)] if has("xclip", "DISPLAY") else []
        found += [lambda: _text("xsel", "--output", "--clipboard")] if has("xsel", "DISPLAY") else []
    if not is_far:
        found += [_windows] if has("powershell.exe") and (environ.get("WSL_DISTRO_NAME") or os.name == "nt") else []
        found += [lambda: _text("termux-clipboard-get")] if has("termux-clipboard-get", "TERMUX_VERSION") else []
        found += [_mac] if sys.platform == "darwin" else []
    return found


def _typed(listing: Sequence[str], take: Sequence[str]) -> Clip:
    """From a tool that lists the types there are (X11's targets, Wayland's MIME types) and gives one of them."""
    types = _run(*listing).decode("utf-8", "replace").split("\n")
    if _FILES in types and (files := _files(_run(*take, _FILES).decode("utf-8", "replace"))):
        return Clip(files)
    if wanted := next((each for each in _IMAGES if each in types), None):
        return Clip(image=_run(*take, wanted))
    wanted = next((each for each in _TEXTS if each in types), None)
    return _text(*take, wanted) if wanted else Clip()


def _text(*command: str) -> Clip:
    return Clip(text=_run(*command).decode("utf-8", "replace"))


def _files(addresses: str) -> tuple[str, ...]:
    """The files of a list of addresses, one a line, lines with ``#`` are comments (RFC 2483, section 5)."""
    lines = [line.strip() for line in addresses.split("\n")]
    return tuple(unquote(urlsplit(line).path) for line in lines if line.startswith("file://"))


_MAC_FILE = "POSIX path of (the clipboard as «class furl»)"
_MAC_IMAGE = "the clipboard as «class PNGf»"


def _mac() -> Clip:
    """A copied file first: Finder puts its icon beside it. AppleScript writes a picture as ``«data PNGf89504E…»``."""
    if path := _run("osascript", "-e", _MAC_FILE).decode("utf-8", "replace").strip():
        return Clip((path,))
    if shutil.which("pngpaste") and (image := _run("pngpaste", "-")):
        return Clip(image=image)
    written = _run("osascript", "-e", _MAC_IMAGE).decode("utf-8", "replace").strip()
    if written.startswith("«data PNGf"):
        return Clip(image=bytes.fromhex(written.removeprefix("«data PNGf").rstrip("»")))
    return _text("pbpaste")


_WINDOWS = r"""
Add-Type -AssemblyName System.Windows.Forms
$clip = [Windows.Forms.Clipboard]
function Say($kind, $bytes) { [Console]::Out.WriteLine("$kind " + [Convert]::ToBase64String($bytes)) }
if ($clip::ContainsFileDropList()) {
  foreach ($path in $clip::GetFileDropList()) { Say file ([Text.Encoding]::UTF8.GetBytes($path)) }
} elseif ($clip::ContainsImage()) {
  $stream = New-Object IO.MemoryStream
  $clip::GetImage().Save($stream, [Drawing.Imaging.ImageFormat]::Png)
  Say image $stream.ToArray()
} elseif ($clip::ContainsText()) { Say text ([Text.Encoding]::UTF8.GetBytes($clip::GetText())) }
"""


def _windows() -> Clip:
    """By PowerShell, also from within WSL, where paths are then those of WSL. It writes base64, which no code page spoils."""
    command = ("powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command", _WINDOWS)
    written = _run(*command, timeout=POWERSHELL_TIMEOUT).decode("ascii", "replace")
    parts = [line.split() for line in written.splitlines()]
    found = [(part[0], base64.b64decode(part[1])) for part in parts if len(part) == 2]
    files = tuple(_path_here(data.decode("utf-8", "replace")) for kind, data in found if kind == "file")
    image = next((data for kind, data in found if kind == "image"), b"")
    text = next((data.decode("utf-8", "replace") for kind, data in found if kind == "text"), "")
    return Clip(files, image, text)


def _path_here(path: str) -> str:
    """A path of Windows as this system has it."""
    if os.name == "nt":
        return path
    return _run("wslpath", "-u", path).decode("utf-8", "replace").strip() or path


def _run(*command: str, timeout: float | None = None) -> bytes:
    """What the command writes; nothing if it fails. Raises `ClipboardError` if it takes too long."""
    seconds = TIMEOUT if timeout is None else timeout
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ClipboardError(f"{command[0]} did not answer within {seconds:g} seconds: nothing is pasted") from None
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""
