import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyagent_tui.agent.json_values import MAX_DEPTH, dump_json, replace_surrogates
from pyagent_tui.providers.arguments import check_arguments, parse_arguments


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("  \n", {}),
        ("null", {}),
        ("{}", {}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": "line\nbreak\tand tab"}', {"a": "line\nbreak\tand tab"}),
        (r'{"a": "\d+\."}', {"a": r"\d+\."}),
        (r'{"a": "C:\\new\folder", "b": "\u00e9"}', {"a": "C:\\new\folder", "b": "é"}),
        (r'{"a": "\u12"}', {"a": r"\u12"}),
        (json.dumps(json.dumps({"a": [1]})), {"a": [1]}),
        (r'{"a": "\ud83d\ude42 \ud800"}', {"a": "🙂 \ufffd"}),
    ],
)
def test_what_models_write_is_understood(text: str, value: object):
    parsed = parse_arguments(text)
    assert parsed.error is None
    assert parsed.value == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": ', "invalid JSON"),
        ('{"a": 1} and more', "invalid JSON"),
        ("{'a': 1}", "invalid JSON"),
        ("[1]", "got a list"),
        ("3", "got a number"),
        ("true", "got a boolean"),
        ('"text"', "invalid JSON"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": ' + "[" * 100_000, "too deeply"),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", "nested deeper"),
        ('{"a": ' + "1" * 10_000 + "}", "invalid JSON"),
    ],
)
def test_what_cannot_be_understood_says_why(text: str, words: str):
    parsed = parse_arguments(text)
    assert parsed.value == {}
    assert parsed.error is not None
    assert words in parsed.error


def test_arguments_that_came_parsed_are_checked_too():
    assert check_arguments(None).value == {}
    assert check_arguments({"a": "\ud800"}).value == {"a": "\ufffd"}
    deep: dict[str, object] = {}
    for _ in range(MAX_DEPTH + 2):
        deep = {"a": deep}
    assert check_arguments(deep).error is not None
    assert check_arguments([]).error == "arguments must be a JSON object, got a list"


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_sent(text: str):
    assert json.loads(dump_json({"text": text}))["text"] == replace_surrogates(text)
    replace_surrogates(text).encode()


@given(st.text())
def test_text_without_lone_surrogates_is_not_touched(text: str):
    assert replace_surrogates(text) == text


@given(st.text())
def test_anything_parses_or_says_why_not(text: str):
    parsed = parse_arguments(text)
    assert parsed.error is None or parsed.value == {}
