"""A terminal for tests: a real program in a real pty, an emulator that draws it, answers to what it asks.

`Terminal` starts the program, `send` types bytes, `wait_for` waits until the screen shows something.
"""

from __future__ import annotations

import fcntl
import os
import re
import selectors
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Self

import pyte

PATIENCE = 30.0
"""Seconds until what a test waits for is not coming."""

REST = 0.03
"""Seconds without output after which a frame counts as whole."""

LONGEST_FRAME = 0.5

LOOK_AGAIN = 0.1
"""Seconds after which a condition is looked at again though nothing was written: it may be one of files."""

_TRAMPOLINE = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)

_QUERY = re.compile(
    rb"\x1b\[(?P<da>[>=]?)0?c"
    rb"|\x1b\[(?P<dsr>\??\d+)n"
    rb"|\x1b\](?P<colour>1[012]);\?(?:\x07|\x1b\\)"
    rb"|\x1b\[>0?(?P<version>q)"
    rb"|\x1b\[\?(?P<flags>u)"
    rb"|\x1b\[(?P<kitty>[<>=])(?P<arguments>[\d;]*)u"
    rb"|\x1b\[\?(?P<mode>\d+)\$p"
    rb"|\x1b\[(?P<window>1[468])t"
    rb"|\x1b\[\?1;1;0(?P<registers>S)"
    rb"|\x1bP\+q(?P<capability>[^\x1b]*)\x1b\\"
)
_NOT_FOR_PYTE = re.compile(
    rb"\x1bPtmux;(?:[^\x1b]|\x1b\x1b)*\x1b\\|"
    rb"\x1b\[[<>=][0-?]*[ -/]*[@-~]|\x1b\[\?u|\x1b\[[0-?]*[ -/]+[@-~]|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)"
)
_UNFINISHED = re.compile(rb"\x1b(?:Ptmux;(?:[^\x1b]|\x1b\x1b)*\x1b?|\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]*\x1b?)?\Z")
_KNOWN_MODES = {b"1", b"7", b"25", b"1000", b"1002", b"1003", b"1004", b"1006", b"1049", b"2004", b"2026"}


@dataclass(frozen=True, slots=True)
class Settings:
    """The terminal's settings, comparable before and after."""

    input: int
    output: int
    control: int
    local: int


class Terminal:
    """A program in a pty of `columns` x `rows`. Use it as a context manager; leaving it ends the program.

    `kitty`: the terminal offers the kitty keyboard protocol. `dark`: its background. `answers`: it answers queries, `late` seconds after they came. `knows_colours`: also those
    for its colours.
    `marks_pastes`: it says that it knows bracketed pastes. `name`, `abilities` (DA1), `cell` (pixels), `colours` of a
    picture: what it says of itself; `cell` None: nothing. `settle`: what is waited for is drawn to the end of its
    frame, which costs a little time.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        kitty: bool = False,
        dark: bool = True,
        answers: bool = True,
        late: float = 0.0,
        knows_colours: bool = True,
        marks_pastes: bool = True,
        settle: bool = True,
        name: str = "terminal 1.0",
        abilities: str = "62;1;6;22",
        cell: tuple[int, int] | None = (10, 20),
        colours: int = 0,
    ) -> None:
        self._kitty, self.dark, self._answers, self._marks_pastes = kitty, dark, answers, marks_pastes
        self._settles, self._late, self._knows_colours = settle, late, knows_colours
        self.cell_pixels = cell
        self._name, self._abilities, self._colours = name, abilities, colours
        self.keyboard_flags = [0]
        self._screen: Any = pyte.Screen(columns, rows)
        self._stream: Any = pyte.ByteStream(self._screen)
        self._output = bytearray()
        self._rest = b""
        self._changed = threading.Condition()
        self._stopped_pause = threading.Event()
        self._master, slave = os.openpty()
        self._set_size(columns, rows)
        self.settings_before = self.settings
        environ = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **(env or {})}
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _TRAMPOLINE, *argv],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environ,
            cwd=cwd,
            start_new_session=True,
        )
        os.close(slave)
        self._stopping, self._stop = os.pipe()
        self._reader = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What a person does

    def send(self, keys: str | bytes) -> None:
        """Type these bytes, all in one write where the pty takes them."""
        data = keys.encode("utf-8", "surrogatepass") if isinstance(keys, str) else keys
        while data:
            data = data[os.write(self._master, data) :]

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, as dragging a window does."""
        with self._changed:
            self._screen.resize(rows, columns)
        self._set_size(columns, rows)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        self._stop_reading()
        os.close(self._master)
        self._master = -1

    # What a person sees

    def screen(self) -> list[str]:
        """The rows as drawn, without trailing blanks."""
        with self._changed:
            return [row.rstrip() for row in self._drawn()]

    @property
    def text(self) -> str:
        """The rows as one text."""
        return "\n".join(self.screen())

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the terminal's own cursor, from 0."""
        with self._changed:
            return self._screen.cursor.x, self._screen.cursor.y

    @property
    def output(self) -> bytes:
        """Every byte that the program has written."""
        with self._changed:
            return bytes(self._output)

    def _drawn(self) -> list[str]:
        """The rows as they are; pyte's own `display` fails where half of a wide character was cut off."""
        lines = (self._screen.buffer[y] for y in range(self._screen.lines))
        return ["".join(line[x].data for x in range(self._screen.columns)) for line in lines]

    def cell(self, column: int, row: int) -> Any:
        """The emulator's character at a place: `data`, `fg`, `bg`, `bold`, `reverse`."""
        with self._changed:
            return self._screen.buffer[row][column]

    def wait_for(self, what: str | Callable[[list[str]], bool], timeout: float = PATIENCE) -> list[str]:
        """Wait until the screen holds a text, or fulfils a condition; return it, drawn to the end of its frame.

        Raises AssertionError with the screen.
        """
        shows: Callable[[list[str]], bool] = (lambda rows: what in "\n".join(rows)) if isinstance(what, str) else what
        self._wait(lambda: shows(self.screen()), f"the screen never showed {what!r}", timeout)
        if self._settles:
            self._settle()
        return self.screen()

    def wait_for_output(self, sequence: bytes, timeout: float = PATIENCE) -> None:
        """Wait until the program has written these bytes."""
        self._wait(lambda: sequence in self._output, f"the program never wrote {sequence!r}", timeout)

    # The program

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def settings(self) -> Settings:
        """The terminal's settings now, also after the program has ended."""
        return Settings(*termios.tcgetattr(self._master)[:4])

    def kill(self, number: int = signal.SIGTERM) -> None:
        """Send the program a signal."""
        self._process.send_signal(number)

    def wait_until_stopped(self, timeout: float = PATIENCE) -> None:
        """Wait until the program is stopped, as by Ctrl+Z."""
        end = monotonic() + timeout
        while os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)[0] == 0:
            if monotonic() > end:
                raise AssertionError("the program did not stop")
            self._stopped_pause.wait(0.01)

    def wait(self, timeout: float = PATIENCE) -> int:
        """Wait until the program ends and its output is read; its exit code, negative for a signal."""
        code = self._process.wait(timeout)
        self._reader.join(timeout)
        return code

    def close(self) -> None:
        """End the program and close the pty."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._stop_reading()
        for descriptor in (self._master, self._stop, self._stopping):
            if descriptor >= 0:
                os.close(descriptor)

    # Parts

    def _wait(self, holds: Callable[[], bool], complaint: str, timeout: float) -> None:
        end = monotonic() + timeout
        with self._changed:
            while not holds():
                self._changed.wait(LOOK_AGAIN)
                if monotonic() > end:
                    raise AssertionError(f"{complaint}; it is\n" + "\n".join(self._drawn()))

    def _settle(self) -> None:
        """Let the frame that is being drawn come to its end; what never rests is not waited for."""
        end = monotonic() + LONGEST_FRAME
        with self._changed:
            while monotonic() < end and self._changed.wait(REST):
                pass

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _stop_reading(self) -> None:
        os.write(self._stop, b"x")
        self._reader.join()

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._master, selectors.EVENT_READ)
            selector.register(self._stopping, selectors.EVENT_READ)
            while all(key.fd == self._master for key, _ in selector.select()):
                try:
                    data = os.read(self._master, 1 << 16)
                except OSError:
                    data = b""
                if not data:
                    return
                self._take(data)

    def _take(self, data: bytes) -> None:
        with self._changed:
            self._output += data
            data = self._rest + data
            unfinished = _UNFINISHED.search(data)
            cut = unfinished.start() if unfinished else len(data)
            data, self._rest = data[:cut], data[cut:]
            position = 0
            for query in _QUERY.finditer(data):
                self._draw(data[position : query.start()])
                position = query.end()
                self._answer(query)
            self._draw(data[position:])
            self._changed.notify_all()

    def _draw(self, data: bytes) -> None:
        self._stream.feed(_NOT_FOR_PYTE.sub(b"", data))

    def _answer(self, query: re.Match[bytes]) -> None:
        answer = self._answer_to({name: value for name, value in query.groupdict().items() if value is not None})
        if answer and self._answers and self._late:
            threading.Timer(self._late, lambda: os.write(self._master, answer)).start()
        elif answer and self._answers:
            os.write(self._master, answer)

    def _answer_to(self, asked: dict[str, bytes]) -> bytes:
        match asked:
            case {"da": kind}:
                answers = {
                    b"": b"\x1b[?%sc" % self._abilities.encode(),
                    b">": b"\x1b[>1;4000;0c",
                    b"=": b"\x1bP!|00000000\x1b\\",
                }
                return answers[kind]
            case {"dsr": b"5"}:
                return b"\x1b[0n"
            case {"dsr": b"?996"}:
                return b"\x1b[?997;%dn" % (1 if self.dark else 2)
            case {"dsr": number}:
                cursor = self._screen.cursor
                private = b"?" if number.startswith(b"?") else b""
                return b"\x1b[%s%d;%dR" % (private, cursor.y + 1, cursor.x + 1)
            case {"colour": _} if not self._knows_colours:
                return b""
            case {"colour": number}:
                is_light = (number == b"11") != self.dark
                return b"\x1b]%s;rgb:%s\x1b\\" % (number, b"eeee/eeee/eeee" if is_light else b"1e1e/1e1e/1e1e")
            case {"version": _}:
                return b"\x1bP>|%s\x1b\\" % self._name.encode() if self._name else b""
            case {"registers": _}:
                return b"\x1b[?1;0;%dS" % self._colours if self._colours else b""
            case {"flags": _}:
                return b"\x1b[?%du" % self.keyboard_flags[-1] if self._kitty else b""
            case {"kitty": operator, "arguments": arguments}:
                self._set_keyboard(operator, [int(part or 0) for part in arguments.split(b";")])
                return b""
            case {"mode": number}:
                is_known = number in _KNOWN_MODES and (self._marks_pastes or number != b"2004")
                return b"\x1b[?%s;%d$y" % (number, 2 if is_known else 0)
            case {"window": number}:
                return self._window_size(number)
            case _:
                return b"\x1bP0+r\x1b\\"

    def _set_keyboard(self, operator: bytes, arguments: list[int]) -> None:
        """The stack of keyboard flags, as programs push, pop and change them."""
        flags, mode = arguments[0], arguments[1] if len(arguments) > 1 else 1
        if not self._kitty:
            return
        if operator == b">":
            self.keyboard_flags.append(flags)
        elif operator == b"<":
            del self.keyboard_flags[max(1, len(self.keyboard_flags) - max(1, flags)) :]
        else:
            now = self.keyboard_flags[-1]
            self.keyboard_flags[-1] = {1: flags, 2: now | flags, 3: now & ~flags}[mode]

    def _window_size(self, number: bytes) -> bytes:
        lines, columns = self._screen.lines, self._screen.columns
        if self.cell_pixels is None and number != b"18":
            return b""
        width, height = self.cell_pixels or (0, 0)
        sizes = {b"14": (4, lines * height, columns * width), b"16": (6, height, width), b"18": (8, lines, columns)}
        return b"\x1b[%d;%d;%dt" % sizes[number]
