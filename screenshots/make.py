"""Makes the pictures in this folder from scripted sessions: the real app, the real tools, a scripted model.

    python screenshots/make.py [--check] [NAME …]

Needs git. The pictures are the same at every run: what a clock says is replaced by one fixed time. With `--check`
nothing is written; the exit status is 1 if a picture is not what is in this folder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.demo import FILES, PROMPT
from pyagent_tui.app.paths import find_paths
from pyagent_tui.app.settings.model import Settings
from pyagent_tui.app.tui import PyAgentApp
from pyagent_tui.providers.config import LOCAL, PROVIDERS

HERE = Path(__file__).resolve().parent
WAIT = 30.0
"""Seconds after which a scene gives up on what it waits for."""

READ = {"call": "read", "arguments": {"path": "shop/totals.py"}}
TEST = {"call": "bash", "arguments": {"command": "python3 -m unittest"}}
EDIT = {
    "call": "edit",
    "arguments": {
        "path": "shop/totals.py",
        "edits": [
            {
                "oldText": "from collections.abc import Iterable\n",
                "newText": "from collections.abc import Iterable\nfrom decimal import Decimal\n",
            },
            {
                "oldText": '-> float:\n    """The sum of the prices."""\n    return sum(float(item.price) for item in items)',
                "newText": '-> Decimal:\n    """The sum of the prices, exact to the cent."""\n    return sum((item.price for item in items), Decimal())',
            },
        ],
    },
}
LOOK = {"parts": [{"think": "Where are prices added?"}, {"say": "I'll look at the code that adds prices first."}, READ]}
FOUND = {"parts": [{"say": "Prices are added as **floats**. `Decimal` all the way keeps the cents exact:"}, EDIT]}
AGAIN = {"parts": [{"say": "Now the tests."}, TEST]}
ANSWER = """\
All three tests pass.

## What changed

- `total` in `shop/totals.py` adds `Decimal` prices; no float is left in it.
- Its return type is `Decimal` now. Callers that *format* the total are fine:

```python
def receipt(items: Iterable[Item]) -> str:
    return f"Total: {total(items):.2f} EUR"
```

| caller | needs a change |
|---|---|
| `shop/receipt.py` | no |
| `shop/export.py` | yes: it rounds |
"""
SAY = {"parts": [{"say": ANSWER}]}
STREAM = {"parts": [{"say": ANSWER[: ANSWER.index("| `shop/export")]}, {"stall": 60}]}
SHORT = {"parts": [{"say": "Only `shop/receipt.py`, and it is fine."}]}
GONE = {"parts": [{"say": "`shop/export.py`: its float is gone."}]}
SEARCH = {
    "parts": [
        {"say": "I'll find where floats are used, and what is there."},
        {"call": "grep", "arguments": {"pattern": "float|Decimal", "path": "."}},
        {"call": "find", "arguments": {"pattern": "**/*.py"}},
        {"call": "ls", "arguments": {"path": "shop"}},
    ]
}
COLOURS = "printf '\\033[32m%s\\033[0m\\n' 'ok  test_items'; printf '\\033[31m%s\\033[0m\\n' 'FAIL test_totals'; exit 2"
ACT = {
    "parts": [
        {"call": "bash", "arguments": {"command": COLOURS}},
        {"call": "write", "arguments": {"path": "NOTES.md", "content": "# Notes\n\n- exact to the cent\n"}},
        {"call": "read", "arguments": {"path": "shop/cart.py"}},
    ]
}
DONE = {"parts": [{"say": "That is all."}]}
HANG = {
    "parts": [
        {"call": "bash", "arguments": {"command": "for n in 1 2 3 4 5 6 7 8; do echo check $n ok; done; sleep 60"}}
    ]
}


class Stage:
    """One scene while it is played."""

    def __init__(self, app: PyAgentApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, holds: Callable[[], object]) -> None:
        """Let the app work until something holds. Raises TimeoutError with the screen."""
        end = time.monotonic() + WAIT
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(self.text())
            await self.pilot.pause(0.02)

    async def see(self, words: str) -> None:
        """Wait until the screen holds these words."""
        await self.until(lambda: words in self.text())

    async def say(self, words: str) -> None:
        """Type and send."""
        self.app.view.editor.insert(words)
        await self.pilot.press("enter")

    async def rest(self) -> None:
        """Wait until the run has ended."""
        await self.until(lambda: not self.app.conversation.is_running)

    async def question(self) -> None:
        """Wait for the approval panel, and until a key counts as an answer."""
        await self.until(lambda: self.app.view.panel.is_open)
        await self.pilot.pause(0.8)

    def text(self) -> str:
        """The screen as text."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())  # pyright: ignore[reportPrivateUsage]


Play = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True)
class Scene:
    """A picture: what the model says, what the person does, how large and in which theme."""

    name: str
    turns: Sequence[dict[str, Any]]
    play: Play
    size: tuple[int, int] = (120, 40)
    theme: str = "textual-dark"
    arguments: Arguments = Arguments()
    keys: Sequence[str] = ()
    """Environment variables of providers that are set."""


async def start(stage: Stage) -> None:
    await stage.see("There is no model")


async def review(stage: Stage) -> None:
    await stage.say(PROMPT)
    await stage.question()


async def hunks(stage: Stage) -> None:
    await review(stage)
    await stage.pilot.press("h")
    await stage.pilot.press("j", "space")


async def streaming(stage: Stage) -> None:
    await stage.say(PROMPT)
    await stage.see("waiting for the model")


async def answer(stage: Stage) -> None:
    await stage.say(PROMPT)
    await stage.see("it rounds")
    await stage.rest()


async def tools(stage: Stage) -> None:
    await stage.say("what is slow here?")
    await stage.see("That is all.")
    await stage.rest()


async def tree(stage: Stage) -> None:
    await stage.say("which callers format it?")
    await stage.see("it is fine")
    await stage.rest()
    await stage.say("and which export it?")
    await stage.see("float is gone")
    await stage.rest()
    await stage.say("/tree")
    await stage.see("which callers")


async def picker(stage: Stage) -> None:
    await stage.say("/model")
    await stage.see("claude")


async def queue(stage: Stage) -> None:
    await stage.say(PROMPT)
    await stage.see("check 8 ok")
    await stage.say("keep the public signature")
    stage.app.view.editor.insert("then update the changelog")
    await stage.pilot.press("alt+enter")
    await stage.see("update the changelog")


async def help_page(stage: Stage) -> None:
    await stage.pilot.press("f1")
    await stage.see("Talk and stop")


AUTO = Arguments(approval="auto")
ALL_TOOLS = Arguments(approval="auto", tools=("+grep", "+find", "+ls"))
SCENES = (
    Scene("start", [], start, (100, 24)),
    Scene("review", [LOOK, FOUND], review),
    Scene("hunks", [LOOK, FOUND], hunks),
    Scene("streaming", [LOOK, STREAM], streaming, arguments=AUTO),
    Scene("answer", [LOOK, FOUND, AGAIN, SAY], answer, (120, 60), arguments=AUTO),
    Scene("tools", [SEARCH, ACT, DONE], tools, (120, 50), arguments=ALL_TOOLS),
    Scene("queue", [LOOK, HANG], queue, arguments=AUTO),
    Scene("tree", [SHORT, GONE], tree),
    Scene("picker", [], picker, (100, 30), keys=("ANTHROPIC_API_KEY",)),
    Scene("light", [LOOK, FOUND], review, theme="textual-light"),
    Scene("small", [LOOK, FOUND], review, (60, 15)),
    Scene("help", [SAY], help_page, (100, 40)),
)


async def picture(scene: Scene, home: Path) -> str:
    """Play a scene in a fresh project below `home`; the screen as SVG."""
    project = home / "src" / "shop"
    make_project(project)
    arguments = replace(scene.arguments, sandbox="off")  # what can be confined differs from machine to machine
    if scene.turns:
        script = home / "scenario.json"
        script.write_text(json.dumps({"turns": list(scene.turns)}), encoding="utf-8")
        arguments = replace(arguments, script=str(script))
    os.chdir(project)
    app = PyAgentApp(replace(arguments, sandbox="off"), Settings(), [], find_paths(), project)
    async with app.run_test(size=scene.size) as pilot:
        app.theme = scene.theme
        stage = Stage(app, pilot)
        if scene.turns:
            await stage.until(lambda: app.conversation.composition is not None)
        await scene.play(stage)
        await pilot.pause(0.2)
        return steady(app.export_screenshot(title="pyagent-tui"))


def make_project(folder: Path) -> None:
    """The demo's project, on a git branch."""
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)


def steady(svg: str) -> str:
    """The picture without what changes from run to run: times, and the name that Rich makes up for its classes."""
    svg = re.sub(r"\d\.\d(&#160;| )s", r"0.4\1s", svg)
    svg = re.sub(r"in(&#160;| )\d\.\d+s", r"in\g<1>0.004s", svg)
    svg = re.sub("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]", "⠹", svg)
    return re.sub(r"terminal-\d+", "terminal", svg)


def isolate(scene: Scene, home: str) -> None:
    """Nothing of the person's own shows: no keys but the scene's, no server, a home folder of its own."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL", "_TOKEN"))]:
        del os.environ[name]
    for server in LOCAL:
        os.environ[PROVIDERS[server].base_url_env[0]] = "http://127.0.0.1:9/v1"  # the discard port: nobody answers
    os.environ |= dict.fromkeys(scene.keys, "none")
    os.environ |= {"HOME": home, "PYAGENT_TUI_HOME": str(Path(home) / "config"), "TEXTUAL_ANIMATIONS": "none"}
    os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""}


def make(scene: Scene) -> str:
    """The scene as SVG."""
    with tempfile.TemporaryDirectory() as home:
        isolate(scene, home)
        try:
            return asyncio.run(picture(scene, Path(home)))
        finally:
            os.chdir(HERE)


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes the pictures in this folder.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a picture is not what is here")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(scene.name for scene in SCENES))
    arguments = parser.parse_args()
    differing = 0
    for scene in SCENES:
        if arguments.names and scene.name not in arguments.names:
            continue
        file = HERE / f"{scene.name}.svg"
        svg = make(scene)
        differs = not file.exists() or file.read_text(encoding="utf-8") != svg
        differing += differs
        sys.stdout.write(f"screenshots/{file.name}{' differs' if differs else ''}\n")
        if not arguments.check:
            file.write_text(svg, encoding="utf-8")
    return 1 if arguments.check and differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
