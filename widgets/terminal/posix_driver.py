"""The driver for POSIX terminals."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false
from __future__ import annotations

import asyncio
import atexit
import fcntl
import os
import selectors
import signal
import struct
import sys
import termios
from codecs import getincrementaldecoder
from threading import Event, Timer
from time import monotonic
from typing import IO, Any, ClassVar, TextIO

from textual import constants, events
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from .background_answer import BackgroundAnswer
from .keyboard import KeyParser
from .output_guard import OutputGuard
from .sequences import ASK_BACKGROUND

READ_SIZE = 1 << 16

_WINSIZE = struct.Struct("HHHH")
"""Rows and columns, width and height in pixels (tty_ioctl(4), TIOCGWINSZ)."""

RESTORE = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # mouse
    "\x1b[?2004l\x1b[?2048l\x1b[?1004l\x1b[?2031l"  # marked pastes, sizes in band, focus, dark or light
    "\x1b[?2026l\x1b[?7h\x1b[0m"  # synchronised output, line wrap, colours
    "\x1b[23;2t"  # the window's title
    "\x1b[<u"  # keyboard protocol, which belongs to the alternate screen
    "\x1b[?1049l\x1b[?25h"
)
"""Everything that was switched on, off again; each is harmless where it was not."""

ALTERNATE_KEYS = "\x1b[=4;2u"
"""Ask for the key's place on a Latin layout as well, for Ctrl+C on a Russian one (kitty keyboard protocol)."""

ASK_MARKED_PASTES = "\x1b[?2004$p"
"""Ask whether the terminal marks pastes; if so, lines that come in one read are keys."""

ASK_KIND = "\x1b[c"
"""Ask what it is (DA1). Every terminal answers, in order: one that has not named its background by then never will."""

TELL_SCHEME = "\x1b[?2031h"
"""Have it tell when it turns dark or light (mode 2031, "color palette update notifications")."""

KEEP_TITLE = "\x1b[22;2t"
"""Put the window's title on the terminal's stack (xterm control sequences, XTWINOPS)."""

SETTLE = 0.05
"""Seconds after a change of size until everything is painted once more."""

EXIT_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
FORCE_AFTER = 3.0
"""Seconds that the app has to end by itself after a signal."""


class TerminalFile:
    """The terminal's output. A terminal that is gone swallows what is written instead of killing the writer."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        try:
            return self._file.write(text)
        except (OSError, ValueError):
            return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except (OSError, ValueError):
            return

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _own_file(file: TextIO) -> TextIO:
    """The same terminal by a descriptor of its own, so that others may write elsewhere. stdout where stderr is none."""
    descriptor = file.fileno()
    if not os.isatty(descriptor) and sys.__stdout__ is not None and sys.__stdout__.isatty():
        descriptor = sys.__stdout__.fileno()
    return open(os.dup(descriptor), "w", encoding=file.encoding or "utf-8", errors="replace")


class WakingEvent(Event):
    """An event that also makes `reader` readable, so that a thread in ``select`` sees it at once."""

    def __init__(self) -> None:
        super().__init__()
        self.reader, self._writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(self._writer, False)

    def set(self) -> None:
        super().set()
        try:
            os.write(self._writer, b"x")
        except BlockingIOError:
            return

    def clear(self) -> None:
        super().clear()
        try:
            while os.read(self.reader, 64):
                pass
        except BlockingIOError:
            return


def _in_background(seconds: float, function: Any, *arguments: Any) -> None:
    """Call a function after a while, even if the event loop is stuck by then."""
    timer = Timer(seconds, function, arguments)
    timer.daemon = True
    timer.start()


class PosixDriver(LinuxDriver):
    """Textual's driver with another parser.

    It sleeps until there is input, restores every mode before the terminal settings, and does so on SIGTERM, SIGHUP,
    SIGQUIT, on a closed terminal and at interpreter exit too. A second signal, or an app that has not ended
    `FORCE_AFTER` seconds after the first, ends the process at once.
    """

    guard: ClassVar[OutputGuard | None] = None

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file: Any = TerminalFile(_own_file(self._file))
        self.exit_event = WakingEvent()
        self.parser = KeyParser(debug)
        self.background = BackgroundAnswer()
        self._frame: list[str] | None = None
        self._repaint: asyncio.TimerHandle | None = None
        self._is_on = False
        self._is_ending = False

    # Modes

    def start_application_mode(self) -> None:
        if self.guard is not None:
            self.guard.catch()
        is_resumed = self.attrs_before is not None
        holds_escape = self.parser.holds_escape
        self.parser = KeyParser(self._debug)
        self.parser.holds_escape = holds_escape
        self._is_on = True
        super().start_application_mode()
        self.background.ask()
        self.write(ASK_BACKGROUND + ASK_KIND + TELL_SCHEME)
        if not constants.DISABLE_KITTY_KEY:
            self.write(ALTERNATE_KEYS)
        self.write(ASK_MARKED_PASTES + KEEP_TITLE)
        self._watch_signals()
        if is_resumed:
            self._repaint_soon()
        atexit.register(self._restore_now)

    def stop_application_mode(self) -> None:
        """Switch off what was switched on, wait until that is written, then restore the terminal's settings."""
        if not self._is_on:
            return
        self._is_on = False
        atexit.unregister(self._restore_now)
        self.disable_input()
        self._frame = None
        self.write(RESTORE)
        if self._writer_thread is not None:
            self._writer_thread.stop()
        self._restore_settings()
        if self.guard is not None:
            self.guard.release()

    def write(self, data: str) -> None:
        """Queue output, a synchronised frame in one piece; dropped once the terminal was given back."""
        if data == SYNC_START:
            self._frame = [data]
        elif self._frame is not None and data != SYNC_END:
            self._frame.append(data)
        else:
            data, self._frame = "".join([*(self._frame or ()), data]), None
            if self._writer_thread is not None and self._writer_thread.is_alive():
                self._writer_thread.write(data)

    def close(self) -> None:
        """Nothing is left to do: the writer ended with application mode."""

    def _restore_settings(self) -> None:
        if self.attrs_before is None:
            return
        try:
            termios.tcsetattr(self.fileno, termios.TCSADRAIN, self.attrs_before)
        except termios.error:
            return

    def _restore_now(self) -> None:
        """The same without the writer thread, for an end that cannot wait."""
        if not self._is_on:
            return
        self._is_on = False
        try:
            os.write(self._file.fileno(), RESTORE.encode())
        except OSError:
            return
        self._restore_settings()

    # Signals

    def _watch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in EXIT_SIGNALS:
            loop.add_signal_handler(number, self._end, number)
        loop.add_signal_handler(signal.SIGWINCH, self._resized)

    def _get_terminal_size(self) -> tuple[int, int]:
        """The terminal's own size in cells; COLUMNS and LINES count only where it has none (they may be inherited)."""
        try:
            columns, rows = os.get_terminal_size(self.fileno)
        except OSError:
            columns = rows = 0
        return (columns, rows) if columns and rows else super()._get_terminal_size()

    def cell_pixels(self) -> tuple[int, int] | None:
        """Width and height of a cell in pixels, None if the kernel was not told."""
        try:
            size = fcntl.ioctl(self.fileno, termios.TIOCGWINSZ, bytes(_WINSIZE.size))
        except OSError:
            return None
        rows, columns, width, height = _WINSIZE.unpack(size)
        return (width // columns, height // rows) if rows and columns and width and height else None

    def _resized(self) -> None:
        """Tell the app of the size. In the event loop, since one signal handler may interrupt another and win."""
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self.send_message(events.Resize(size, size))
        self._repaint_soon()

    def _repaint_soon(self) -> None:
        """Paint everything once the size is settled: a terminal that went there and back has lost what it showed."""
        if self._repaint is not None:
            self._repaint.cancel()
        self._repaint = self._loop.call_later(SETTLE, self._app.refresh)

    def _end(self, number: int) -> None:
        """Ask the app to end; the second time, or when it takes too long, end it."""
        if self._is_ending:
            # A terminal that goes away says so twice: by the signal and by the end of the input.
            if number != signal.SIGHUP:
                self._force(number)
            return
        self._is_ending = True
        _in_background(FORCE_AFTER, self._force, number)
        self._app.exit(return_code=128 + number)

    def _force(self, number: int) -> None:
        """End now; a terminal that takes no output can't hold it up for long."""
        _in_background(FORCE_AFTER / 6, os._exit, 128 + number)
        self._restore_now()
        os._exit(128 + number)

    # Input

    def process_message(self, message: Message) -> None:
        self.background.see(message)
        super().process_message(message)

    def run_input_thread(self) -> None:
        """Read until told to stop; sleep until there is input, or until the parser must settle something."""
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self.exit_event.reader, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                deadline = self.parser.deadline
                ready = selector.select(None if deadline is None else max(0.0, deadline - monotonic()))
                if any(key.fd == self.fileno for key, _ in ready) and not self._read(decode):
                    return
                for message in self.parser.tick():
                    self.process_message(message)

    def _read(self, decode: Any) -> bool:
        """Take what there is to read. False if the terminal is gone, in which case the app is asked to end."""
        try:
            data = os.read(self.fileno, READ_SIZE)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            self._loop.call_soon_threadsafe(self._end, signal.SIGHUP)
            return False
        for message in self.parser.feed(decode(data)):
            self.process_message(message)
        return True
