"""An exported page shows everything and does nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pyagent_tui.agent.details import DiffDetails, OutputDetails
from pyagent_tui.agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    Cost,
    CustomMessage,
    ImageContent,
    ServerToolContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pyagent_tui.sessions.export_html import ExportCancelledError, export_html
from pyagent_tui.sessions.export_markdown import export_markdown, fenced
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.sessions.building import reply, user

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

ATTACKS = [
    "</script><img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt&#58;alert(1)) [c](data:text/html;base64,PHN2Zz4=) [d](vbscript:x)",
    "[e](ms-settings:x) [f](file:///etc/passwd) [g](//other.example/x) [h](relative) <tel:1> <app-scheme:do>",
    "<script>document.title='owned'</script><svg onload=alert(1)>",
    '"><b onmouseover=alert(1)>x</b><!-- --> <style>*{display:none}</style>',
    "![x](http://tracker.example/p.png) <http://ok.example> <javascript:alert(1)>",
    "```html\n</code></pre><script>document.title='owned'</script>\n```",
    "[x]: javascript:alert(1)\n\n[x] | <a href='javascript:alert(1)'>y</a>",
    "' onfocus='alert(1) autofocus='",
    "\x1b]52;c;AAAA\x07 \u202eevil\u202c \x00 \ud800",
]


def attacked(tmp_path: Path, text: str) -> Session:
    """A session that says `text` in every place that a session has."""
    session = Session.in_memory(tmp_path, text)
    object.__setattr__(session.header, "cwd", text)
    call = ToolCall("c", text, {"path": text, text: [text]})
    first = session.append_message(
        UserMessage((TextContent(text), ImageContent(text, text), ImageContent("aGk=", text)))
    )
    session.append_message(
        AssistantMessage((ThinkingContent(text), TextContent(text), call), text, text, text, Usage(1, 2))
    )
    session.append_message(
        ToolResultMessage("c", text, (TextContent(text),), DiffDetails(text, f"@@ -1 +1 @@\n-{text}\n+{text}", 1, 1))
    )
    session.append_message(ToolResultMessage("c", text, (TextContent(text),), OutputDetails(text, text), is_error=True))
    session.append_message(
        AssistantMessage((ServerToolContent(text, {text: text}),), stop_reason="error", error_message=text)
    )
    session.append_message(BashExecutionMessage(text, text, 1))
    session.append_message(CustomMessage(text, (TextContent(text),)))
    session.append_branch_summary(text, first)
    session.append_model_change(text, text)
    session.append_compaction(text, first, 1)
    session.set_label(first, text.strip() or "x")
    return session


class Collector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def export(session: Session, tmp_path: Path) -> str:
    target = tmp_path / "out.html"
    export_html(session, target)
    return target.read_text()


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_in_a_session_becomes_active(tmp_path: Path, text: str) -> None:
    page = export(attacked(tmp_path, text), tmp_path)
    collector = Collector()
    collector.feed(page)
    assert [tag for tag, _ in collector.tags].count("script") == 1
    for tag, attributes in collector.tags:
        assert tag not in ("iframe", "object", "embed", "form", "link", "base", "b") or (tag == "b" and not attributes)
        assert not any(name.startswith("on") or name in ("srcdoc", "autofocus") for name in attributes), (
            tag,
            attributes,
        )
        assert re.match(r"(#e\d+$|https?://|mailto:)", attributes.get("href") or "#e0"), attributes
        assert (attributes.get("src") or "data:image/").startswith("data:image/")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_a_browser_shows_the_page_and_runs_nothing_of_it(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    session = attacked(tmp_path, "\n".join(ATTACKS).replace("alert(1)", "document.title='owned'"))
    export(session, tmp_path)
    dom = dump(tmp_path, "out.html")
    assert "<title>owned" not in dom
    assert "<article" in dom


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_a_click_on_another_branch_shows_that_branch(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    first = session.append_message(user("start"))
    session.append_message(reply("left side"))
    session.branch(first)
    session.append_message(reply("right side"))
    page = export(session, tmp_path)
    shown = re.compile(r'<article class="assistant" id="e\d"(?: hidden="")?>')
    assert [" hidden" in match for match in re.findall(r'<article class="assistant"[^>]*>', page)] == [True, False]
    script = "<script>document.querySelector('nav a.off').click()</script>"
    driver = page.replace("</body>", script + "</body>")
    (tmp_path / "driver.html").write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", driver))
    assert ["hidden" in match for match in shown.findall(dump(tmp_path, "driver.html"))] == [False, True]


def dump(folder: Path, name: str) -> str:
    """The page after its scripts ran, as Chromium sees it."""
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += ["--virtual-time-budget=2000", "--dump-dom", (folder / name).as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def test_layout_and_links_are_kept(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path, "A & B <C>")
    session.append_message(user("    four blanks\n\ttab & <tag>"))
    session.append_message(
        reply("```\n    code\n```\n\n[ok](https://example.com/?a=1&b=2) **bold**\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    )
    page = export(session, tmp_path)
    assert "<title>A &amp; B &lt;C&gt;</title>" in page
    assert "    four blanks\n\ttab &amp; &lt;tag&gt;" in page
    assert "<code>    code\n</code>" in page
    assert '<a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer" target="_blank">ok</a>' in page
    assert "<strong>bold</strong>" in page
    assert "<td>1</td>" in page


def test_secrets_are_redacted_even_where_they_are_cut_or_quoted(tmp_path: Path) -> None:
    secret = "sk-line1\nline2-0123456789"
    session = Session.in_memory(tmp_path)
    for padding in range(0, 90, 3):
        session.append_message(user("x" * padding + secret))
    session.append_message(reply(f"`{secret}`", ToolCall("c", "bash", {"command": secret, secret: [secret]})))
    session.append_message(ToolResultMessage("c", "bash", (TextContent(secret),), OutputDetails(secret, secret)))
    html, markdown = tmp_path / "out.html", tmp_path / "out.md"

    def redact(text: str) -> str:
        return text.replace(secret, "[secret]")

    export_html(session, html, redact)
    export_markdown(session, markdown, redact)
    for page in (html.read_text(), markdown.read_text()):
        assert "sk-l" not in page
        assert "line2" not in page
        assert "[secret]" in page


def test_the_page_has_every_branch_and_its_costs(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    first = session.append_message(user("start"))
    session.append_message(reply("left", usage=Usage(10, 5, cost=Cost(0.5))))
    session.branch(first)
    session.append_message(reply("right", usage=Usage(20, 5, cost=Cost(0.25))))
    session.set_label(first, "the beginning")
    page = export(session, tmp_path)
    assert "left" in page
    assert "right" in page
    assert '<span class="label">the beginning</span>' in page
    assert "3 messages, 40 tokens, $0.75" in page
    assert page.count('<rect class="tokens"') == 2
    assert (tmp_path / "out.html").stat().st_mode & 0o777 == 0o600


def test_an_unknown_price_is_no_price_of_nothing(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    session.append_message(user("start"))
    session.append_message(reply("one", usage=Usage(10, 5)))
    session.append_message(reply("two", usage=Usage(20, 5)))
    page = export(session, tmp_path)
    assert "3 messages, 40 tokens, cost –" in page
    assert "<title>15 tokens, cost –</title>" in page
    assert "$0" not in page


def test_a_deep_session_is_no_deep_page(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    for index in range(3_000):
        session.append_custom("x", index)
    session.append_message(user("end"))
    assert "end" in export(session, tmp_path)


def test_a_cancelled_export_leaves_nothing(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    for index in range(10):
        session.append_message(user(str(index)))
    done: list[int] = []
    with pytest.raises(ExportCancelledError):
        export_html(session, tmp_path / "out.html", str, lambda number, _: done.append(number), lambda: len(done) > 3)
    assert list(tmp_path.iterdir()) == []


def test_markdown_keeps_the_branch_in_order_and_its_fences_closed(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path, "Name")
    session.append_message(user("hello"))
    session.append_message(reply("sure", ToolCall("c", "edit", {"path": "a"})))
    session.append_message(ToolResultMessage("c", "edit", (TextContent("ok"),), DiffDetails("a", "-x\n+```\n", 1, 1)))
    target = tmp_path / "out.md"
    export_markdown(session, target)
    text = target.read_text()
    assert text.startswith("# Name\n")
    assert re.findall(r"^##+ .*$", text, re.MULTILINE) == ["## User", "## Assistant", "### Result of edit"]
    assert "````diff\n-x\n+```\n````" in text
    assert fenced("a ````` b").startswith("``````\n")


def test_what_only_the_program_reads_is_not_among_the_entries_but_keeps_its_place(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    session.append_message(user("start"))
    session.append_custom("state", {"a": 1})
    session.append_message(reply("on"))
    links = re.findall(r'<a href="#(e\d+)"[^>]*data-parent="(e?\d*)"( class="[^"]*")?', export(session, tmp_path))
    assert links == [("e0", "", ""), ("e1", "e0", ' class="quiet"'), ("e2", "e1", "")]
