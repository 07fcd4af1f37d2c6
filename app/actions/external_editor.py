"""The draft, or a text for an answer, in the person's own editor, on the whole terminal."""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from ..terminal.editor_choice import editor_command

if TYPE_CHECKING:
    from ..tui import PyAgentApp


async def act(app: PyAgentApp, _: str, __: str) -> None:
    """Open the draft; it becomes what was saved there, unless the editor reports a failure."""
    command = editor_command(app.conversation.settings.external_editor)
    if not command:
        app.view.transcript.add_note(
            "warning", "There is no editor: set VISUAL, EDITOR or the setting external_editor."
        )
        return
    field = app.view.panel.field
    draft = app.view.editor.text if field is None else field.text
    name = "prompt.md" if field is None else f"text{app.view.panel.field_ending}"
    folder = await asyncio.to_thread(_write, draft, name)
    try:
        fault = await _on_terminal(app, [*command, str(folder / name)])
        text = draft if fault else await asyncio.to_thread(_read, folder / name)
    except (OSError, SuspendNotSupported) as error:
        fault, text = f"{error}", draft
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, True)
    if fault:
        app.view.transcript.add_note("warning", f"{command[0]}: {fault}. The text is as it was.")
    elif text != draft and field is None:
        app.view.editor.rewrite(text)
    elif field is not None and field is app.view.panel.field:
        field.set_text(text)


async def _on_terminal(app: PyAgentApp, argv: list[str]) -> str:
    """Hand the terminal over until the program has ended; what went wrong, empty if nothing did.

    `App.suspend` takes the terminal back only if nothing is raised inside it.
    """
    fault = ""
    with app.suspend(), _interrupts_ignored():
        try:
            status = await _run(argv, app.cwd)
            fault = f"ended with {status}" if status else ""
        except FileNotFoundError:
            fault = "not found"
        except (OSError, ValueError) as error:
            fault = str(error)
    return fault


async def _run(argv: list[str], cwd: Path) -> int:
    """Run it on our terminal; its exit status."""
    process = await asyncio.create_subprocess_exec(*argv, cwd=cwd)
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()


def _ignore(*_: object) -> None:
    """Do nothing."""


@contextmanager
def _interrupts_ignored() -> Generator[None]:
    """Ctrl+C is the editor's. A handler and not SIG_IGN, which the editor would inherit."""
    before = signal.signal(signal.SIGINT, _ignore)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _write(text: str, name: str) -> Path:
    """A folder that only its owner can read, with the text in a file of that name."""
    folder = Path(tempfile.mkdtemp(prefix="pyagent-prompt-"))
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def _read(path: Path) -> str:
    """What was saved, without the line break that editors put at the end."""
    text = path.read_bytes().decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").removesuffix("\n")
