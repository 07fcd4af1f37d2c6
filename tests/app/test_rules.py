"""Rules of "always allow", made at a question, listed, taken back; and the record of who decided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyagent_tui.agent.permission import Permission
from pyagent_tui.tests.stage_app import call, open_app, say

pytestmark = pytest.mark.anyio

LS = call("bash", command="ls")


async def test_a_kept_rule_lets_the_next_session_run_and_can_be_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [LS, say("first over")]) as stage:
        await stage.say("look")
        await stage.question()
        await stage.press("w")
        await stage.see("always run exactly `ls` in")
        await stage.press("2")
        await stage.see("first over")
        rule = f"always run exactly `ls` in {stage.project}"
        assert stage.results[-1].permission == Permission("allowed", "person", rule)
    async with open_app(tmp_path, monkeypatch, [LS, say("over"), LS, say("again over")]) as stage:
        await stage.say("look")
        await stage.see("over")
        assert stage.results[-1].permission == Permission("allowed", "rule", rule)
        assert "allowed by rule: always run exactly `ls`" in stage.text()
        await stage.idle()
        await stage.say("/rules remove 1")
        await stage.see("No longer: always run exactly")
        await stage.say("/rules")
        await stage.see("No rules:")
        await stage.say("look")
        await stage.question()


async def test_the_keys_of_rules_are_rebound_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "keys.toml").write_text('"approval.rule_1" = "f4"\n"approval.rule_2" = "1"\n')
    async with open_app(tmp_path, monkeypatch, [LS, say("over")]) as stage:
        await stage.say("look")
        await stage.question()
        await stage.press("w")
        await stage.see("f4  always run exactly `ls` in")
        await stage.press("2", "y", "f4")
        await stage.see("over")
        permission = stage.results[-1].permission
        assert permission is not None
        assert (permission.by, "always run exactly `ls`" in permission.words) == ("person", True)


async def test_the_list_of_rules_takes_one_back_after_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [LS, call("bash", command="pwd"), say("over"), LS]) as stage:
        await stage.say("look")
        for _ in range(2):
            await stage.question()
            await stage.press("w", "1")
        await stage.see("over")
        await stage.idle()
        await stage.say("/rules")
        await stage.see("2 rules")
        await stage.press("delete")
        await stage.see("Take this rule back?")
        await stage.press("k")
        await stage.see("2 rules")
        await stage.press("delete")
        await stage.see("Take this rule back?")
        await stage.press("t")
        await stage.see("1 rule ")
        await stage.see("No longer: always run exactly `ls`")
        await stage.press("escape")
        await stage.say("look")
        await stage.question()


async def test_the_session_and_its_export_say_who_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [call("bash", command="echo hi"), call("bash", command="echo ho"), say("over")]
    async with open_app(tmp_path, monkeypatch, turns) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("f", *"later", "enter")
        await stage.see("later")
        await stage.question()
        await stage.press("y")
        await stage.see("over")
        await stage.idle()
        composition = stage.app.conversation.composition
        assert composition is not None
        assert composition.session.path is not None
        lines = [json.loads(line) for line in composition.session.path.read_text().splitlines()]
        found = [
            line["message"].get("permission") for line in lines if line.get("message", {}).get("role") == "toolResult"
        ]
        assert found == [
            {"verdict": "refused", "by": "person", "words": "later"},
            {"verdict": "allowed", "by": "person"},
        ]
        for ending in ("html", "md"):
            target = tmp_path / f"out.{ending}"
            await stage.say(f"/export {target}")
            await stage.until(target.exists)
            assert "refused by the person: later" in target.read_text()
            assert "allowed by the person" in target.read_text()
