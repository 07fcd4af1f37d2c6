"""What a project brings once it counts: settings, skills, templates, texts for the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.messages import ImageContent, TextContent, UserMessage
from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.conversation.project import Project, load_project, open_project
from pyagent_tui.app.paths import Paths, find_paths
from pyagent_tui.app.prompt.completions import complete_command
from pyagent_tui.policy.trust import Trust
from pyagent_tui.tests.real_app import isolate, open_real_app, write_script
from pyagent_tui.tests.stage_app import say

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


@pytest.fixture
def paths(folder: Path) -> Paths:
    return find_paths()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def skill(folder: Path, name: str, description: str = "Helps.", body: str = "Do it well.") -> Path:
    return write(folder / name / "SKILL.md", f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")


def opened(folder: Path, paths: Paths, *, trusted: bool = True) -> Project:
    return load_project(paths, folder, Trust(trusted))


def test_a_template_is_expanded_once_and_what_is_put_in_is_not_looked_at(folder: Path, paths: Paths) -> None:
    write(paths.config / "prompts" / "show.md", "A=$1 B=$@ C=$5 D=$HOME")
    project = opened(folder, paths)
    assert project.expand("/show '$2' 'x\ny'") == "A=$2 B=$2 x\ny C= D=$HOME"
    assert project.expand("/show\n'$2' 'x y'") == "A=$2 B=$2 x y C= D=$HOME"


def test_what_calls_nothing_stays_as_it_is(folder: Path, paths: Paths) -> None:
    write(paths.config / "prompts" / "show.md", "shown")
    project = opened(folder, paths)
    for text in ("show", "/etc/hosts", "/", "/ show", "say /show", "/skill:none x", "//show"):
        assert project.expand(text) == text


def test_a_skill_is_put_in_with_its_place_and_the_request(folder: Path, paths: Paths) -> None:
    path = skill(paths.config / "skills", "deploy", body="Run make deploy.")
    text = opened(folder, paths).expand("/skill:deploy to production")
    assert f'<skill name="deploy" location="{path}">' in text
    assert "Run make deploy." in text
    assert text.endswith("\n\nto production")
    assert "description" not in text


def test_pictures_stay_with_an_expanded_message(folder: Path, paths: Paths) -> None:
    write(paths.config / "prompts" / "show.md", "Look at $1.")
    image = ImageContent("aGk=", "image/png")
    message = opened(folder, paths).expanded(UserMessage.of("/show this", (image,)))
    assert message.content == (TextContent("Look at this."), image)


def test_skills_of_real_life_come_each_once_and_the_projects_win(folder: Path, paths: Paths) -> None:
    odd = '\ufeff---\r\nname: odd\r\ndescription: |\r\n  First line\r\n  a: b: c\r\nlicense: "MIT"\r\n---\r\nBody.\r\n'
    write(folder / ".pyagent" / "skills" / "odd" / "SKILL.md", odd)
    (folder / ".pyagent" / "skills" / "again").symlink_to(folder / ".pyagent" / "skills" / "odd")
    skill(folder / ".agents" / "skills" / "group", "nested")
    skill(folder / ".pyagent" / "skills", "both", "The project's.")
    skill(paths.config / "skills", "both", "The person's.")
    broken = write(paths.config / "skills" / "broken" / "SKILL.md", "---\nname: [\n---\n")
    project = opened(folder, paths)
    assert sorted(each.name for each in project.skills) == ["both", "nested", "odd"]
    described = {each.name: each.description for each in project.skills}
    assert described["both"] == "The project's."
    assert described["odd"] == "First line\na: b: c"
    assert len([notice for notice in project.notices if str(broken) in notice]) == 1


def test_without_trust_only_the_persons_own_counts(folder: Path, paths: Paths) -> None:
    write(folder / ".pyagent" / "config.toml", 'theme = "nord"\n')
    write(folder / ".pyagent" / "SYSTEM.md", "Theirs.")
    skill(folder / ".agents" / "skills", "theirs")
    write(paths.config / "SYSTEM.md", "Mine.")
    skill(paths.config / "skills", "mine")
    project = opened(folder, paths, trusted=False)
    assert project.settings.theme == "system"
    assert [each.name for each in project.skills] == ["mine"]
    assert project.texts.custom == "Mine."
    trusted = opened(folder, paths)
    assert (trusted.settings.theme, trusted.texts.custom) == ("nord", "Theirs.")


def test_a_template_never_hides_a_command(folder: Path, paths: Paths) -> None:
    path = write(paths.config / "prompts" / "model.md", "nothing")
    project = opened(folder, paths)
    assert project.notices == (f"{path}: hidden by the built-in command /model",)
    found = [each.label for each in complete_command("/model", project.commands)]
    assert found == ["/model [name]"]


async def test_the_demo_asks_about_no_project(folder: Path, paths: Paths) -> None:
    write(folder / ".pyagent" / "config.toml", 'theme = "nord"\n')

    async def never(*_: object) -> None:
        raise AssertionError("asked")

    project = await open_project(Arguments(demo=True), paths, folder, never)  # pyright: ignore[reportArgumentType]
    assert project.settings.theme == "system"


async def test_templates_and_skills_are_completed_and_sent(folder: Path, paths: Paths, tmp_path: Path) -> None:
    write(
        paths.config / "prompts" / "fixit.md",
        "---\ndescription: Mends a thing.\nargument-hint: <thing>\n---\nPlease mend $1 and test it.",
    )
    skill(paths.config / "skills", "deploy")
    arguments = Arguments(script=write_script(tmp_path, [say("mended"), say("deployed")]))
    async with open_real_app(folder, arguments) as stage:
        await stage.until(lambda: stage.app.conversation.composition is not None)
        await stage.type("/fix")
        await stage.see("/fixit <thing>")
        await stage.see("Mends a thing.")
        await stage.press("tab")
        await stage.type("the door")
        await stage.press("enter")
        await stage.see("Please mend the and test it.")
        await stage.idle()
        await stage.type("/dep")
        await stage.see("/skill:deploy [request]")
        await stage.press("enter", "enter")
        await stage.see("deployed")
        assert "Do it well." in stage.said()[1]


async def test_text_that_is_taken_back_is_what_was_typed(folder: Path, paths: Paths, tmp_path: Path) -> None:
    write(paths.config / "prompts" / "fixit.md", "Please mend $1.")
    arguments = Arguments(script=write_script(tmp_path, [{"parts": [{"say": "begin "}, {"stall": 60}]}]))
    async with open_real_app(folder, arguments) as stage:
        await stage.until(lambda: stage.app.conversation.composition is not None)
        await stage.say("start")
        await stage.see("begin")
        await stage.say("/fixit doors")
        await stage.see("Please mend doors.")
        await stage.press("escape")
        await stage.idle()
        assert stage.draft == "/fixit doors"


async def test_the_first_message_may_call_a_template(folder: Path, paths: Paths, tmp_path: Path) -> None:
    write(paths.config / "prompts" / "fixit.md", "Please mend $1.")
    arguments = Arguments(script=write_script(tmp_path, [say("mended")]), messages=("/fixit doors",))
    async with open_real_app(folder, arguments) as stage:
        await stage.see("mended")
        assert stage.said() == ["Please mend doors."]
