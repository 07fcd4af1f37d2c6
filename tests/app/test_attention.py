"""Notifications, the window's title and the progress of the work: what the terminal is told, and when."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from pyagent_tui.agent.events import AgentEnd, AgentStart, CompactionEnd, CompactionStart, EndReason
from pyagent_tui.agent.measures import RunMeasures
from pyagent_tui.app.settings.model import Notify, Settings
from pyagent_tui.app.terminal.attention import LONG, Attention
from pyagent_tui.app.terminal.notes import notification, through_multiplexer, title_sequence, way_of
from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import call, say
from pyagent_tui.tests.terminal import Terminal

PATIENCE = 30

GUARD = 0.6
"""Seconds after which an answer counts."""


class Told:
    """An `Attention` whose clock the test turns; `words` is what was written since it was asked last."""

    def __init__(self, settings: Settings | None = None, environ: Mapping[str, str] | None = None) -> None:
        self.now = 100.0
        self._written: list[str] = []
        self.attention = Attention(self._written.append, environ=environ or {}, clock=lambda: self.now)
        self.attention.settings = settings or Settings(notify="osc9", title=False)
        self.attention.place = "shop"

    @property
    def words(self) -> list[str]:
        written = self._written[:]
        self._written.clear()
        return written

    def run(self, seconds: float, reason: EndReason = "done") -> list[str]:
        self.attention.see(AgentStart())
        self.now += seconds
        self.attention.see(AgentEnd((), reason, RunMeasures()))
        return self.words


def osc9(text: str) -> str:
    return f"\x1b]9;pyagent-tui shop: {text}\x1b\\"


def test_who_looks_elsewhere_is_told_and_who_looks_is_not() -> None:
    told = Told()
    told.attention.focused(False)
    assert told.run(1) == [osc9("done (1.0 s)")]
    told.attention.focused(True)
    assert told.run(1000) == []


def test_without_focus_reports_only_long_work_is_told() -> None:
    told = Told()
    assert told.run(LONG - 1) == []
    assert told.run(LONG) == [osc9("done (10 s)")]


def test_what_the_person_stopped_is_not_told() -> None:
    told = Told()
    told.attention.focused(False)
    assert told.run(1, "aborted") == []
    assert told.run(1, "error") == [osc9("ended by an error (1.0 s)")]


def test_a_question_is_told_once() -> None:
    told = Told()
    told.attention.focused(False)
    told.attention.see(AgentStart())
    told.attention.asks("run this command?")
    told.attention.asks("run this command?")
    assert told.words == [osc9("needs you: run this command?")]
    told.attention.asks(None)
    told.attention.asks("run this command?")
    assert told.words == [osc9("needs you: run this command?")]


def test_a_compaction_within_a_run_is_no_end() -> None:
    told = Told()
    told.attention.focused(False)
    told.attention.see(AgentStart())
    told.attention.see(CompactionStart("threshold"))
    told.attention.see(CompactionEnd("threshold", "s", aborted=False, will_retry=False))
    assert told.words == []
    told.attention.see(AgentEnd((), "done", RunMeasures()))
    assert told.words == [osc9("done (0.0 s)")]


def test_the_title_says_what_goes_on() -> None:
    told = Told(Settings(notify="off"))
    titles = [title_sequence(text) for text in ("… working - shop - pyagent-tui", "● needs you - shop - pyagent-tui")]
    told.attention.see(AgentStart())
    told.attention.asks("apply this change?")
    assert told.words == titles
    told.attention.asks(None)
    told.attention.focused(False)
    told.words.clear()
    told.attention.see(AgentEnd((), "done", RunMeasures()))
    told.attention.focused(True)
    assert told.words[-2:] == [title_sequence("✓ done - shop - pyagent-tui"), title_sequence("shop - pyagent-tui")]


def test_progress_is_shown_if_wanted() -> None:
    told = Told(Settings(notify="off", title=False, progress=True))
    assert told.run(1) == ["\x1b]9;4;3\x1b\\", "\x1b]9;4;0\x1b\\"]
    assert told.run(1, "error")[-1] == "\x1b]9;4;2;100\x1b\\"
    told.attention.see(AgentStart())
    told.attention.close()
    assert told.words[-1] == "\x1b]9;4;0\x1b\\"


@pytest.mark.parametrize(
    ("setting", "environ", "way"),
    [
        ("off", {"TERM_PROGRAM": "iTerm.app"}, None),
        ("bell", {"TERM": "xterm-kitty"}, "bell"),
        ("osc9", {"TMUX": "x"}, "osc9"),
        ("auto", {"TERM": "xterm-256color"}, "bell"),
        ("auto", {"TERM": "xterm-kitty"}, "osc99"),
        ("auto", {"TERM": "foot-extra"}, "osc777"),
        ("auto", {"TERM_PROGRAM": "WezTerm"}, "osc9"),
        ("auto", {"TERM_PROGRAM": "WezTerm", "TMUX": "x"}, "bell"),
        ("auto", {"TERM": "xterm-256color", "LC_TERMINAL": "iTerm.app"}, "osc9"),
    ],
)
def test_the_way_fits_the_terminal(setting: Notify, environ: dict[str, str], way: str | None) -> None:
    assert way_of(setting, environ) == way


def test_nothing_from_outside_ends_a_sequence() -> None:
    evil = "a\x1b\\\x07\x9c;b\u202e\n" + "x" * 1000
    for way in ("osc9", "osc777", "osc99"):
        sequence = notification(way, evil, evil)
        assert not set(sequence.replace("\x1b]", "").replace("\x1b\\", "")) & set("\x1b\x07\x9c\n\u202e")
        assert len(sequence) < 400
    assert notification("osc777", "a;b", "c").split(";")[2] == "a,b"


def test_tmux_is_asked_to_hand_it_on() -> None:
    assert through_multiplexer("\x1b]9;x\x1b\\", {"TMUX": "x"}) == "\x1bPtmux;\x1b\x1b]9;x\x1b\x1b\\\x1b\\"
    assert through_multiplexer("\a", {"TMUX": "x"}) == "\a"
    assert through_multiplexer("\x1b]9;x\x1b\\", {}) == "\x1b]9;x\x1b\\"


def test_in_a_real_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('notify = "osc9"\n')
    turns = [call("bash", command="echo hi"), say("All done.")]
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, turns)]
    with Terminal(argv, columns=100, rows=30, cwd=project) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.wait_for_output(b"\x1b[22;2t")
        terminal.wait_for_output(b"\x1b]2;project - pyagent-tui\x1b\\")
        terminal.send("go\r\x1b[O")
        terminal.wait_for_output(b"\x1b]9;pyagent-tui project: needs you: run this command?\x1b\\", PATIENCE)
        terminal.wait_for_output("\x1b]2;● needs you - project - pyagent-tui\x1b\\".encode())
        terminal.wait_for("run this command?", PATIENCE)
        terminal.send(b"\x1b[I")
        terminal.wait_for(lambda rows: "y run" in "".join(rows))
        before = len(terminal.output)
        time.sleep(GUARD)
        terminal.send("y")
        terminal.wait_for("All done.", PATIENCE)
        terminal.wait_for(lambda _: b"\x1b]2;project - pyagent-tui" in terminal.output[before:], PATIENCE)
        assert b"]9;" not in terminal.output[before:]
        terminal.send(b"\x04")
        assert terminal.wait(PATIENCE) == 0
        assert b"\x1b[23;2t" in terminal.output
