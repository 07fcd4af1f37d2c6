"""Makes `export.png`: what `/export` writes, as a browser shows it. Needs Chromium.

python screenshots/export.py
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

from pyagent_tui.agent.details import Details, DiffDetails, OutputDetails
from pyagent_tui.agent.messages import (
    AssistantContent,
    AssistantMessage,
    Cost,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pyagent_tui.sessions.export_html import export_html
from pyagent_tui.sessions.session import Session

HERE = Path(__file__).resolve().parent
SIZE = "1180,940"
COLOURS = 64

PATCH = '''\
--- a/shop/totals.py
+++ b/shop/totals.py
@@ -6,5 +6,4 @@
-from typing import Any
 from shop.items import Item
-def total(items: Iterable[Item]) -> float:
-    """The sum of the prices."""
-    return sum(float(item.price) for item in items)
+def total(items: Iterable[Item]) -> Decimal:
+    """The sum of the prices, exact to the cent."""
+    return sum((item.price for item in items), Decimal())
'''


def spent(given: int, cached: int, answered: int) -> Usage:
    return Usage(given, answered, cached, cost=Cost(given * 3e-6, answered * 15e-6, cached * 3e-7))


def reply(usage: Usage, *content: AssistantContent) -> AssistantMessage:
    return AssistantMessage(content, "anthropic-messages", "anthropic", "claude-sonnet-4-5", usage)


def result(call: ToolCall, text: str, details: Details, *, is_error: bool = False) -> ToolResultMessage:
    return ToolResultMessage(call.id, call.name, (TextContent(text),), details, is_error, None, 210)


def shop_session(folder: Path) -> Session:
    """A short talk with a branch that was left."""
    session = Session.in_memory(folder, "totals as Decimal")
    test = ToolCall("c1", "bash", {"command": "python3 -m unittest"})
    edit = ToolCall("c2", "edit", {"path": "shop/totals.py"})
    again = ToolCall("c3", "bash", {"command": "python3 -m unittest"})
    asked = session.append_message(UserMessage.of("The order totals are off by a cent. Make them exact."))
    session.append_message(reply(spent(1_900, 0, 40), TextContent("Rounding at the end would hide it.")))
    session.branch(asked)
    session.append_message(reply(spent(1_900, 0, 96), TextContent("First the tests as they are."), test))
    session.append_message(
        result(
            test,
            "AssertionError: 0.30000000000000004 != 0.3",
            OutputDetails("python3 -m unittest", "F", 1),
            is_error=True,
        )
    )
    said = "Prices are added as **floats**; `Decimal` all the way keeps the cents exact."
    found = session.append_message(reply(spent(300, 1_900, 210), TextContent(said), edit))
    session.set_label(found, "the cause")
    session.branch(found)
    session.append_message(result(edit, "shop/totals.py changed.", DiffDetails("shop/totals.py", PATCH, 3, 4)))
    session.append_message(reply(spent(400, 2_200, 60), TextContent("Now the tests again."), again))
    session.append_message(result(again, "Ran 3 tests in 0.000s\n\nOK", OutputDetails("python3 -m unittest", "OK", 0)))
    session.append_message(reply(spent(300, 2_600, 90), TextContent("All three tests pass.")))
    return session


def photograph(page: Path, picture: Path, profile: Path) -> None:
    """Let Chromium show the page, and keep what it shows."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("Chromium is not installed.")
    command = [
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={profile}",
    ]
    command += [f"--window-size={SIZE}", f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    with Image.open(picture) as shown:
        shown.convert("RGB").quantize(COLOURS).save(picture, optimize=True)


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "shop"
        folder.mkdir()
        page = folder / "session.html"
        export_html(shop_session(folder), page)
        text = page.read_text("utf-8").replace(str(folder), "~/src/shop")
        page.write_text(text, "utf-8")
        photograph(page, HERE / "export.png", Path(name) / "profile")


if __name__ == "__main__":
    main()
