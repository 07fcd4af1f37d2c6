import os
import stat
from pathlib import Path

import pytest

from pyagent_tui.agent.approval import ApprovalAnswer
from pyagent_tui.agent.hooks import Allow, Block
from pyagent_tui.agent.permission import Permission
from pyagent_tui.policy.approval import ApprovalPolicy
from pyagent_tui.policy.places import Places
from pyagent_tui.policy.rule_book import RuleBook
from pyagent_tui.policy.rule_store import KeptRule, RuleError, RuleStore
from pyagent_tui.policy.rules import (
    AnyCall,
    CallFacts,
    ChangeFile,
    ChangeFolder,
    CommandPrefix,
    ExactCall,
    ExactCommand,
    Rule,
    offers_for,
)
from pyagent_tui.tests.policy.callers import Person, change, command

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")]

EVERY_RULE: list[Rule] = [
    ExactCommand("bash", "printf \"%s\\n\" 'a' # \x7f\t„ü“\nsecond"),
    CommandPrefix("bash", ("npm", "run", "lint")),
    ExactCall("mcp__x__y", '{"a":1}'),
    AnyCall("mcp__x__y"),
    ChangeFile("/p/a b.txt"),
    ChangeFolder("/p/src"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> RuleStore:
    return RuleStore(tmp_path / "config" / "rules.toml")


def shell(text: str, **more: object) -> CallFacts:
    return CallFacts("bash", {"command": text, **more}, text)


def words(call: CallFacts, project: str = "/p") -> list[str]:
    return [str(offer) for offer in offers_for(call, project)]


def test_the_narrowest_rule_is_offered_first() -> None:
    assert words(shell("pytest -q")) == [
        "always run exactly `pytest -q` in this session",
        "always run exactly `pytest -q` in /p",
        "always run `pytest …` (one command, plain options) in this session",
        "always run `pytest …` (one command, plain options) in /p",
    ]
    assert len(words(shell("pytest -q; rm -rf /"))) == 2
    assert len(words(shell("rm -rf x"))) == 2
    assert "exactly this command" in words(shell("echo a\necho b"))[0]


def test_a_change_offers_its_file_then_its_folder() -> None:
    edit = CallFacts("edit", {"path": "src/a.py"}, None, "/p/src/a.py")
    assert words(edit) == [
        "always apply changes to src/a.py in this session",
        "always apply changes to src/a.py in /p",
        "always apply changes in src/ and below in this session",
        "always apply changes in src/ and below in /p",
    ]
    at_the_top = CallFacts("edit", {"path": "a.py"}, None, "/p/a.py")
    assert len(words(at_the_top)) == 2


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/p2/a", "/p/.git/hooks/pre-commit", "/p/.GIT/config", "/p/.pyagent/x"]
)
def test_no_rule_is_offered_for_a_file_elsewhere_or_one_that_decides_what_runs(path: str) -> None:
    assert words(CallFacts("write", {}, None, path)) == []
    assert not ChangeFolder("/p").allows(CallFacts("write", {}, None, path))


def test_an_unknown_tool_offers_the_call_then_the_tool() -> None:
    call = CallFacts("mcp__x__y", {"b": 1, "a": [2]})
    assert [type(offer.rule) for offer in offers_for(call, "/p")] == [ExactCall, ExactCall, AnyCall, AnyCall]
    assert not offers_for(call, "/p")[0].rule.allows(CallFacts("mcp__x__y", {"b": 1, "a": [3]}))
    assert not AnyCall("bash").allows(shell("ls"))


def test_an_exact_rule_is_to_the_letter_and_of_its_tool() -> None:
    rule = ExactCommand("bash", "pytest -q")
    assert rule.allows(shell("pytest -q", timeout=5))
    for other in ("pytest -q ", "pytest  -q", "pytest -q\n", "pytest -q; x", "Pytest -q"):
        assert not rule.allows(shell(other))
    assert not rule.allows(CallFacts("powershell", {"command": "pytest -q"}, "pytest -q"))


@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: type(rule).__name__)
def test_a_kept_rule_is_read_back_and_removed(store: RuleStore, rule: Rule) -> None:
    kept, other = KeptRule(rule, "/p"), KeptRule(ExactCommand("bash", "ls"), "/q")
    for each in (kept, other, kept):
        store.add(each)
    again = RuleStore(store.path)
    assert again.rules() == (kept, other)
    assert again.rules("/p") == (kept,)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    store.remove(kept)
    assert again.rules() == (other,)


@pytest.mark.parametrize(
    "text",
    [
        "[[rule",
        '[[rule]]\nproject = "/p"\ntool = "bash"\nprefix = ["rm"]\n',
        '[[rule]]\nproject = "/p"\ntool = "bash"\nprefix = []\n',
        '[[rule]]\nproject = "/p"\ntool = "bash"\nexact = "x"\nmore = 1\n',
        '[[rule]]\nproject = "p"\ntool = "bash"\nexact = "x"\n',
        '[[rule]]\nproject = "/p"\nfolder = "."\n',
        '[[rule]]\nproject = "/p"\ntool = "bash"\nany = false\n',
        "rule = 1",
    ],
)
def test_a_file_with_a_fault_is_left_alone_and_none_of_it_counts(store: RuleStore, text: str) -> None:
    store.path.parent.mkdir()
    whole = '[[rule]]\nproject = "/p"\ntool = "bash"\nexact = "ls"\n' + text if text.startswith("[") else text
    store.path.write_text(whole)
    for _ in range(2):
        with pytest.raises(RuleError, match=r"rules\.toml"):
            store.rules()
    with pytest.raises(RuleError):
        store.add(KeptRule(ExactCommand("bash", "ls"), "/p"))
    assert store.path.read_text() == whole


async def test_what_the_person_chose_counts_from_then_on(project: Path, store: RuleStore) -> None:
    person = Person(ApprovalAnswer("apply", rule=3))
    policy = ApprovalPolicy("review", person.ask, rules=RuleBook(str(project), store))
    chosen = f"always run `pytest …` (one command, plain options) in {project}"
    assert await policy.decide(command("pytest -q")) == Allow(permission=Permission("allowed", "person", chosen))
    assert person.asked[0].rules[3] == chosen
    by_rule = Allow(permission=Permission("allowed", "rule", chosen))
    assert await policy.decide(command("pytest -x tests")) == by_rule
    headless = ApprovalPolicy("review", None, rules=RuleBook(str(project), RuleStore(store.path)))
    assert await headless.decide(command("pytest")) == by_rule
    assert isinstance(await headless.decide(command("pytest; rm x")), Block)
    elsewhere = ApprovalPolicy("review", None, rules=RuleBook("/q", RuleStore(store.path)))
    assert isinstance(await elsewhere.decide(command("pytest")), Block)
    policy.mode = "read-only"
    assert isinstance(await policy.decide(command("pytest")), Block)


async def test_a_session_s_rule_is_not_kept(project: Path, store: RuleStore) -> None:
    book = RuleBook(str(project), store)
    policy = ApprovalPolicy("review", Person(ApprovalAnswer("apply", rule=0)).ask, rules=book)
    await policy.decide(command("make it"))
    assert isinstance(await policy.decide(command("make it")), Allow)
    assert not store.path.exists()
    assert await book.listed() == ("always run exactly `make it` in this session",)
    await book.remove(0)
    assert await book.listed() == ()


async def test_a_refusal_makes_no_rule(project: Path, store: RuleStore) -> None:
    book = RuleBook(str(project), store)
    policy = ApprovalPolicy("review", Person(ApprovalAnswer("refuse", rule=1)).ask, rules=book)
    await policy.decide(command("ls"))
    assert await book.listed() == ()


async def test_a_rule_that_cannot_be_kept_holds_for_the_session_and_that_is_said(
    project: Path, store: RuleStore
) -> None:
    store.path.parent.mkdir()
    store.path.write_text("no toml")
    said: list[str] = []
    book = RuleBook(str(project), store, said.append)
    policy = ApprovalPolicy("review", Person(ApprovalAnswer("apply", rule=1)).ask, rules=book)
    await policy.decide(command("ls -l"))
    assert "this session only" in said[-1]
    assert isinstance(await policy.decide(command("ls -l")), Allow)
    assert store.path.read_text() == "no toml"


async def test_a_rule_for_a_folder_does_not_follow_a_link_out_of_it(project: Path, store: RuleStore) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (project / "src" / "away").symlink_to(outside)
    (project / "src" / "link.py").symlink_to(outside / "a.py")
    store.add(KeptRule(ChangeFolder(str(project / "src")), str(project)))
    policy = ApprovalPolicy("review", None, rules=RuleBook(str(project), store))
    assert isinstance(await policy.decide(change(project, "src/new/b.py")), Allow)
    for path in ("src/away/a.py", "src/link.py", "src/../a.py", "../outside/a.py", "src2/a.py"):
        assert isinstance(await policy.decide(change(project, path)), Block), path


@pytest.mark.parametrize(
    ("path", "goes"),
    [
        ("a.py", True),
        ("src/a.py", True),
        ("../elsewhere.py", False),
        (".git/hooks/pre-commit", False),
        (".pyagent/config.toml", False),
        ("away/a.py", False),
        ("{config}/rules.toml", False),
        ("{open}/x", True),
    ],
)
async def test_changes_outside_the_project_ask_in_the_mode_edits(project: Path, path: str, goes: bool) -> None:
    base = project.parent
    for name in ("config", "open", "elsewhere"):
        (base / name).mkdir()
    (project / "away").symlink_to(base / "elsewhere")
    places = Places.of(str(project), open=[str(base / "open")], closed=[str(base / "config")])
    call = change(project, path.format(config=base / "config", open=base / "open"))
    alone = await ApprovalPolicy("edits", None, places=places).decide(call)
    assert isinstance(alone, Allow) == goes
    person = Person(ApprovalAnswer("apply_all"), ApprovalAnswer("apply"))
    policy = ApprovalPolicy("edits", person.ask, places=places)
    await policy.decide(call)
    await policy.decide(call)
    assert len(person.asked) == (0 if goes else 2)
    assert isinstance(await ApprovalPolicy("auto", None, places=places).decide(call), Allow)
