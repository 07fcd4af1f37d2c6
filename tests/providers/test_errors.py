"""One typed error for each way in which a provider says no."""

import json
import time
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from pyagent_tui.providers.connection import as_provider_error
from pyagent_tui.providers.errors import classify, classify_stream
from pyagent_tui.providers.limits import Limits
from pyagent_tui.tests.providers.asking import CHAT, RESPONSES, ask_for, hear, model_of, provider_at
from pyagent_tui.tests.providers.loopback import Answer, json_answer, serving, sse
from pyagent_tui.tests.providers.recordings import FOLDER

KINDS = {"model_not_found": "not_found", "tool_use_failed": "bad_request"}


def recorded() -> list[str]:
    return sorted(path.name for path in (FOLDER / "errors").glob("*.json") if path.name != "expected.json")


@pytest.mark.parametrize("name", recorded())
def test_a_recorded_error_has_its_kind_and_the_words_of_the_server(name: str):
    expected = json.loads((FOLDER / "errors" / "expected.json").read_text())[name]
    answer = json.loads((FOLDER / "errors" / name).read_text())
    error = classify(answer["status"], answer["headers"], json.dumps(answer["body"]))
    kind = KINDS.get(expected["class"], expected["class"])
    if name == "openai-responses-400-generic.json":
        # Its body says model_not_found, word for word as the recording that is expected to be that.
        kind = "not_found"
    assert (error.kind, error.retryable, error.status) == (kind, expected["retryable"], answer["status"])
    assert answer["body"]["error"]["message"][:1_000] in str(error)


OVERFLOWS = [
    "prompt is too long: 213462 tokens > 200000 maximum",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    "Please reduce the length of the messages or completion.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 50000 tokens",
    "request (3031 tokens) exceeds the available context size (2048 tokens), try increasing it",
    "tokens to keep from the initial prompt is greater than the context length",
    "Prompt contains 264345 tokens, too large for model with 262144 maximum context length",
    "Your request exceeded model token limit: 262144 (requested: 300000)",
    "invalid params, context window exceeds limit",
    "The input is longer than the model's context length",
    "prompt token count of 140000 exceeds the limit of 128000",
    "Input is too long for requested model.",
]


@pytest.mark.parametrize("words", OVERFLOWS)
def test_a_full_context_is_told_by_its_words(words: str):
    for status in (400, 413, 422, 500):
        error = classify(status, {}, json.dumps({"error": {"message": words}}))
        assert (error.kind, error.retryable) == ("context_overflow", False)


NOT_OVERFLOWS = [
    (429, "Rate limit reached: too many tokens per minute, limit exceeds the limit of 90000", "rate_limit"),
    (400, "ThrottlingException: Too many tokens, please wait before trying again.", "rate_limit"),
    (400, "Rate limit reached: too many tokens in the last minute.", "rate_limit"),
    (400, "max_tokens is too large", "bad_request"),
    (413, "", "context_overflow"),
    (400, "", "bad_request"),
]


@pytest.mark.parametrize(("status", "words", "kind"), NOT_OVERFLOWS)
def test_a_rate_limit_is_no_full_context(status: int, words: str, kind: str):
    assert classify(status, {}, json.dumps({"error": {"message": words}})).kind == kind


@pytest.mark.parametrize(
    ("status", "body", "kind", "retryable"),
    [
        (401, {"error": {"message": "Incorrect API key provided"}}, "auth", False),
        (403, {"error": "forbidden"}, "auth", False),
        (402, {"error": {"message": "Insufficient Balance"}}, "quota", False),
        (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, "quota", False),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}, "quota", False),
        (429, {"error": {"message": "slow down", "type": "rate_limit_error"}}, "rate_limit", True),
        (529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}, "overloaded", True),
        (503, {"error": {"code": 503, "status": "UNAVAILABLE", "message": "try later"}}, "overloaded", True),
        (500, "oops", "overloaded", True),
        (502, "<html><h1>502 Bad Gateway</h1></html>", "overloaded", True),
        (408, {}, "overloaded", True),
        (501, {}, "overloaded", False),
        (404, "page not found", "not_found", False),
        (422, {"detail": "field required"}, "bad_request", False),
        (400, {"object": "error", "message": "wrong shape", "type": "BadRequestError"}, "bad_request", False),
    ],
)
def test_a_status_and_a_body_have_a_kind(status: int, body: Any, kind: str, retryable: bool):
    text = body if isinstance(body, str) else json.dumps(body)
    error = classify(status, {}, text)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert str(status) in str(error)


def test_a_page_is_shown_by_its_words_and_a_long_body_cut():
    assert "502 Bad Gateway nginx" in str(classify(502, {}, "<html><b>502 Bad\n Gateway</b> nginx</html>"))
    assert len(str(classify(500, {}, "x" * 100_000))) < 3_000
    assert "HTTP 500" in str(classify(500, {}, b"\xff\x00"))


def test_what_the_upstream_of_a_router_said_is_not_lost():
    body = {"error": {"message": "Provider returned error", "metadata": {"raw": "model is rate-limited upstream"}}}
    assert "rate-limited upstream" in str(classify(429, {}, json.dumps(body)))


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, {}, 1.5),
        ({"retry-after": "2"}, {}, 2.0),
        ({"retry-after": "0.25"}, {}, 0.25),
        ({"retry-after": "soon"}, {}, None),
        ({"retry-after": "-5"}, {}, None),
        ({}, {"error": {"details": [{"@type": "x.RetryInfo", "retryDelay": "13s"}]}}, 13.0),
        ({}, {"error": {"message": "Please try again in 1.2s."}}, 1.2),
        ({}, {"error": {"message": "Please try again in 250ms."}}, 0.25),
        ({}, {"error": {"message": "Please try again in 2m3.5s."}}, 123.5),
        ({}, {"error": {"message": "Please retry after 30 seconds."}}, 30.0),
        ({}, {"error": {"message": "slow down"}}, None),
    ],
)
def test_the_wait_is_what_the_server_asks_for(headers: dict[str, str], body: Any, wait: float | None):
    assert classify(429, headers, json.dumps(body)).retry_after == wait


def test_a_wait_may_be_a_date():
    error = classify(503, {"retry-after": formatdate(time.time() + 30, usegmt=True)}, "")
    assert error.retry_after is not None
    assert 25 < error.retry_after <= 30
    past = classify(503, {"retry-after": formatdate(time.time() - 30, usegmt=True)}, "")
    assert past.retry_after == 0


def test_a_quota_with_a_wait_is_a_rate_limit():
    words = "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s."
    error = classify(429, {}, json.dumps({"error": {"message": words, "status": "RESOURCE_EXHAUSTED"}}))
    assert (error.kind, error.retry_after) == ("rate_limit", 34.07)


def test_the_server_may_forbid_or_ask_for_another_try():
    assert classify(500, {"x-should-retry": "false"}, "").retryable is False
    assert classify(400, {"x-should-retry": "true"}, "{}").retryable is True
    assert classify(401, {"x-should-retry": "true"}, "").retryable is False


def test_a_refusal_without_a_word_is_a_prompt_that_is_too_long():
    assert classify(400, {}, b"").kind == "context_overflow"
    assert classify(400, {}, b"{}").kind == "bad_request"
    assert classify(404, {}, b"").kind == "not_found"


@pytest.mark.anyio
async def test_a_model_that_is_gone_has_near_names():
    gone = json_answer(404, {"error": {"message": "The model does not exist", "code": "model_not_found"}})
    async with serving(gone) as server:
        for wanted, words in (("gpt-5.5-por", "gpt-5.5-pro"), ("zzzz", None)):
            model = model_of(RESPONSES, model=wanted)
            heard = await hear(provider_at(server.url, model), ask_for(model))
            assert heard.error is not None
            assert heard.error.kind == "not_found"
            assert ("/model lists" in str(heard.error)) == (words is not None)
            assert words is None or words in str(heard.error)


def test_an_error_in_a_stream_is_classified_as_one_of_http_is():
    overloaded = classify_stream({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert (overloaded.kind, overloaded.retryable) == ("overloaded", True)
    by_code = classify_stream({"error": {"code": 429, "message": "hm"}})
    assert (by_code.kind, by_code.status) == ("rate_limit", 429)
    assert classify_stream({"error": None}).kind == "bad_request"


@pytest.mark.anyio
async def test_an_error_comes_over_http_with_its_wait_and_its_words():
    async with serving(json_answer(429, {"error": {"message": "slow down"}}, retry_after="7")) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model), ask_for(model))
    assert heard.error is not None
    assert (heard.error.kind, heard.error.retry_after, heard.events) == ("rate_limit", 7.0, [])
    assert "slow down" in str(heard.error)


@pytest.mark.anyio
async def test_an_endless_error_body_is_cut():
    async with serving(Answer([b"x" * 100_000] * 1_000, status=500, content_type="text/plain")) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model), ask_for(model))
    assert heard.error is not None
    assert heard.error.kind == "overloaded"


@pytest.mark.anyio
async def test_a_later_error_keeps_the_usage_that_came_with_it():
    delta = {"choices": [{"index": 0, "delta": {"content": "part"}}]}
    broken = {"error": {"message": "gone", "code": 502}, "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    async with serving(Answer(sse(delta, broken))) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model), ask_for(model))
    assert heard.error is not None
    assert heard.error.kind == "overloaded"
    assert heard.message is not None
    assert (heard.message.text, heard.message.usage.input, heard.message.usage.output) == ("part", 9, 2)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "peer closed connection without sending complete message body (incomplete chunked read)",
            "https://api.example ended the connection in the middle of its reply.",
        ),
        (
            "Server disconnected without sending a response.",
            "https://api.example ended the connection before it replied.",
        ),
        ("illegal header line", "The connection to https://api.example broke: illegal header line."),
    ],
)
def test_a_connection_that_breaks_is_said_in_plain_words(message: str, told: str) -> None:
    error = as_provider_error(httpx.RemoteProtocolError(message), "https://api.example/v1", Limits())
    assert (str(error), error.kind, error.retryable) == (told, "network", True)
