"""Every recorded stream means what it is known to mean, however its bytes arrive."""

import json
import random
import re
from typing import Any, cast

import pytest

from pyagent_tui.agent.provider import ToolCallEnd
from pyagent_tui.tests.providers.recordings import (
    FOLDER,
    bytewise,
    expectations,
    mismatches,
    payloads_of,
    play,
    play_payloads,
    randomly,
    recordings,
    whole,
)

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="no recordings beside the checkout")

CUTS = (bytewise, randomly(1))


@pytest.mark.parametrize("name", recordings())
def test_a_recording_means_the_same_however_it_is_cut(name: str):
    reference = play(name, whole)
    assert mismatches(name, reference) == []
    for cut in CUTS:
        outcome = play(name, cut)
        assert mismatches(name, outcome) == []
        assert len(outcome.events) == len(reference.events)


def sse_names() -> list[str]:
    return [name for name in recordings() if name.endswith(".sse")]


@pytest.mark.parametrize("name", sse_names())
def test_line_ends_comments_and_blank_events_change_nothing(name: str):
    body = (FOLDER / name).read_bytes().replace(b"\r\n", b"\n")
    dressed = b"\xef\xbb\xbf: hello\n\n" + body.replace(b"\n\n", b"\n\n\n: still here\n\nevent: nothing\n\n")
    for variant in (body, body.replace(b"\n", b"\r\n"), body.replace(b"\n", b"\r"), dressed):
        assert mismatches(name, play(name, randomly(3), variant)) == []


@pytest.mark.parametrize("name", sse_names())
def test_an_unterminated_last_event_still_counts(name: str):
    body = (FOLDER / name).read_bytes().rstrip(b"\r\n")
    assert mismatches(name, play(name, whole, body)) == []


@pytest.mark.parametrize("name", [name for name in sse_names() if name.startswith("openai-chat/")])
def test_a_missing_done_mark_is_forgiven_if_a_finish_reason_came(name: str):
    expected = expectations()[name]
    body = re.sub(rb"data: ?\[DONE\]\s*", b"", (FOLDER / name).read_bytes())
    outcome = play(name, whole, body)
    if expected["wire_stop_reason"] is None:
        assert outcome.error is not None
    else:
        assert mismatches(name, outcome) == []


@pytest.mark.parametrize("name", [name for name in sse_names() if expectations()[name]["tool_calls"]])
def test_a_call_has_an_id_that_is_its_own_and_keeps_that_of_the_wire(name: str):
    calls = [event.tool_call for event in play(name, whole).events if isinstance(event, ToolCallEnd)]
    assert len({call.id for call in calls}) == len(calls)
    for call, expected in zip(calls, expectations()[name]["tool_calls"], strict=True):
        assert call.id
        wire = call.id if call.wire_id is None else call.wire_id
        assert wire == (expected["id"] or "")


ODD: tuple[Any, ...] = (None, 3, -1, 1.5, True, "", "x", [], {}, [None], {"a": None}, ["x"])


def damaged(value: Any, dice: random.Random) -> Any:
    """The value with one of its inner values replaced by something odd."""
    if dice.random() < 0.15 or not value or not isinstance(value, dict | list):
        return dice.choice(ODD)
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        key = dice.choice(list(known))
        return {**known, key: damaged(known[key], dice)}
    items = cast("list[Any]", value)
    place = dice.randrange(len(items))
    return [*items[:place], damaged(items[place], dice), *items[place + 1 :]]


@pytest.mark.parametrize("name", recordings())
def test_a_damaged_payload_is_read_or_refused_but_never_breaks_the_parser(name: str):
    dice = random.Random(name)
    payloads = payloads_of(name)
    for _ in range(12):
        copies = list(payloads)
        for _ in range(3):
            place = dice.randrange(len(copies)) if copies else 0
            if copies and copies[place] != "[DONE]":
                copies[place] = json.dumps(damaged(json.loads(copies[place]), dice))
        outcome = play_payloads(name, iter(copies))
        assert outcome.error is not None or outcome.events
