"""What a server may do to us over a real socket, and what it may not."""

import gzip
import json
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

import anyio
import pytest

from pyagent_tui.agent.messages import JsonObject, TextContent
from pyagent_tui.agent.provider import ProviderError, TextDelta
from pyagent_tui.providers.limits import Limits
from pyagent_tui.providers.transport import Transport
from pyagent_tui.tests.pace import budget
from pyagent_tui.tests.providers.asking import CHAT, MESSAGES, Heard, ask_for, hear, model_of, provider_at
from pyagent_tui.tests.providers.loopback import (
    Answer,
    Drop,
    Hang,
    Pause,
    Piece,
    anthropic_reply,
    chat_reply,
    json_answer,
    serving,
    sse,
)

pytestmark = pytest.mark.anyio

QUICK = Limits(connect=2, idle=0.3, line=200_000, reply=1_000_000, empty_lines=5_000)
DELTA: JsonObject = {"choices": [{"index": 0, "delta": {"content": "part"}}]}
FINISH: JsonObject = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


async def heard_from(answer: Answer, api: str = CHAT, limits: Limits = QUICK) -> Heard:
    async with serving(answer) as server:
        model = model_of(api)
        return await hear(provider_at(server.url, model, limits), ask_for(model))


def error_of(heard: Heard) -> ProviderError:
    assert heard.error is not None
    return heard.error


async def test_a_reply_streams_over_a_socket():
    heard = await heard_from(chat_reply("hello"))
    assert heard.error is None
    assert heard.message is not None
    assert heard.message.content == (TextContent("hello"),)
    assert heard.message.usage.input == 3


async def test_a_connection_that_drops_keeps_the_text_and_is_a_network_error():
    heard = await heard_from(Answer([*sse(DELTA), Drop()]))
    assert heard.message is not None
    assert heard.message.text == "part"
    assert error_of(heard).kind == "network"
    assert error_of(heard).retryable


async def test_a_body_that_ends_before_its_reply_does_is_a_network_error():
    heard = await heard_from(Answer(sse(DELTA)))
    assert error_of(heard).kind == "network"
    assert "before the reply was complete" in str(heard.error)


async def test_an_anthropic_reply_without_its_end_is_a_network_error():
    answer = anthropic_reply("part")
    heard = await heard_from(Answer(list(answer.pieces)[:3]), MESSAGES)
    assert heard.message is not None
    assert heard.message.text == "part"
    assert error_of(heard).kind == "network"


async def test_silence_ends_in_an_error_that_says_how_long():
    heard = await heard_from(Answer([*sse(DELTA), Hang()]))
    assert error_of(heard).kind == "network"
    assert "sent nothing for 0.3 s" in str(heard.error)
    assert heard.message is not None
    assert heard.message.text == "part"


async def test_a_reply_that_is_whole_needs_no_closed_connection():
    began = time.monotonic()
    assert (await heard_from(Answer([*sse(DELTA, FINISH, done=True), Hang()]))).error is None
    assert (await heard_from(Answer([*sse(DELTA, FINISH), Hang()]), limits=Limits(idle=60, grace=0.2))).error is None
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("api", [CHAT, MESSAGES])
async def test_one_connection_serves_request_after_request(api: str):
    """The end of the body comes a moment after the event that ends the reply, as from most servers."""
    reply = chat_reply() if api == CHAT else anthropic_reply()
    last_chunk = b"0\r\n\r\n"
    pieces = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in reply.pieces if isinstance(piece, bytes)]
    chunked = Answer([*pieces, Pause(0.001), last_chunk], headers=[("transfer-encoding", "chunked")], keeps_alive=True)
    async with serving(chunked) as server:
        model = model_of(api)
        provider = provider_at(server.url, model, replace(QUICK, grace=10.0))
        for _ in range(3):
            assert (await hear(provider, ask_for(model))).error is None
        await provider.aclose()
        assert (len(server.asked), server.connections) == (3, 1)


async def test_cancelling_ends_a_silent_stream_at_once_and_closes_the_connection():
    async with serving(Answer([*sse(DELTA), Hang()])) as server:
        model = model_of(CHAT)
        async with aclosing(provider_at(server.url, model, Limits(idle=60)).stream(ask_for(model))) as stream:
            while not isinstance(await anext(stream), TextDelta):
                pass
            began = time.monotonic()
            with anyio.move_on_after(0.1):
                await anext(stream)
        assert time.monotonic() - began < 3
        with anyio.fail_after(30):
            await server.closed_early.wait()


async def test_a_silent_server_that_accepts_but_never_answers_is_left():
    async def accept_and_wait(stream: anyio.abc.SocketStream) -> None:
        await anyio.sleep(30)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    model = model_of(CHAT)
    heard = Heard()
    async with anyio.create_task_group() as group:
        group.start_soon(listener.serve, accept_and_wait)
        heard = await hear(provider_at(f"http://127.0.0.1:{port}", model, QUICK), ask_for(model))
        group.cancel_scope.cancel()
    assert error_of(heard).kind == "network"


async def test_nobody_listening_names_the_address_and_the_reason():
    model = model_of(CHAT)
    heard = await hear(provider_at("http://127.0.0.1:9", model), ask_for(model))
    assert error_of(heard).kind == "network"
    assert "http://127.0.0.1:9" in str(heard.error)
    assert "refused" in str(heard.error)


HOSTILE: dict[str, tuple[Sequence[Piece], str]] = {
    "an endless line": ([b"data: ", *[b"x" * 50_000] * 10], "line of more than"),
    "an endless event": ([b"data: " + b"x" * 50_000 + b"\n"] * 10, "event of more than"),
    "an endless reply": (sse(DELTA) * 30_000, "reply of more than"),
    "a million empty events": ([b"\n" * 10_000] * 100, "without any data"),
    "endless comments": ([b": still here\n\n" * 1_000] * 20, "without any data"),
    "JSON 100,000 deep": ([b"data: " + b"[" * 100_000 + b"\n\n"], "nested too deeply"),
    "no JSON": ([b"data: hello\n\n"], "not JSON"),
    "a list": ([b"data: [1]\n\n"], "instead of an object"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_stream_ends_in_a_typed_error(name: str):
    pieces, words = HOSTILE[name]
    heard = await heard_from(Answer(pieces))
    assert error_of(heard).kind == "protocol"
    assert words in str(heard.error)


async def test_a_reply_that_is_longer_than_any_model_writes_is_stopped():
    long = {"choices": [{"index": 0, "delta": {"content": "x" * 1_000_000}}]}
    heard = await heard_from(Answer(sse(long) * 10), limits=Limits())
    assert error_of(heard).kind == "protocol"
    assert "more than 5,000,000 characters in one reply" in str(heard.error)
    assert heard.message is not None
    assert len(heard.message.text) <= 6_000_000


async def test_a_million_events_that_say_nothing_end_in_an_error_while_others_get_their_turn():
    lags: list[float] = []
    heard = Heard()

    async def watch() -> None:
        while True:
            began = time.monotonic()
            await anyio.sleep(0.01)
            lags.append(time.monotonic() - began)

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        heard = await heard_from(Answer([b"data: {}\n\n" * 1_000] * 1_000), limits=Limits())
        group.cancel_scope.cancel()
    assert error_of(heard).kind == "protocol"
    assert "say nothing" in str(heard.error)
    assert max(lags) < 2
    assert sorted(lags)[len(lags) // 2] < 0.2


async def test_one_byte_at_a_time_without_a_line_end_is_stopped():
    def drip() -> Iterator[Piece]:
        yield b"data: "
        while True:
            yield b"x"
            yield Pause(0.02)

    heard = await heard_from(Answer(drip()), limits=Limits(idle=0.3))
    assert error_of(heard).kind == "network"
    assert "no complete line" in str(heard.error)


async def test_a_gzip_bomb_is_stopped_within_bounded_memory():
    bomb = gzip.compress(b"data: " + b"x" * 100_000_000, 1)
    tracemalloc.start()
    answer = Answer([bomb], headers=[("content-encoding", "gzip")])
    heard = await heard_from(answer, limits=Limits())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error_of(heard).kind == "protocol"
    assert "line of more than 8 MB" in str(heard.error)
    assert peak < 40_000_000


async def test_an_honest_gzip_stream_is_read():
    body = b"".join(piece for piece in chat_reply("hello").pieces if isinstance(piece, bytes))
    heard = await heard_from(Answer([gzip.compress(body)], headers=[("content-encoding", "gzip")]))
    assert heard.message is not None
    assert heard.message.text == "hello"


@pytest.mark.parametrize("encoding", ["br", "zstd"])
async def test_an_encoding_that_nobody_asked_for_is_refused(encoding: str):
    heard = await heard_from(Answer([b"xx"], headers=[("content-encoding", encoding)]))
    assert encoding in str(error_of(heard))


async def test_broken_gzip_is_a_protocol_error():
    heard = await heard_from(Answer([b"no gzip at all"], headers=[("content-encoding", "gzip")]))
    assert error_of(heard).kind == "protocol"


async def test_a_web_page_instead_of_a_stream_is_shown_by_its_words():
    page = b"<html><head><style>x{}</style></head><body><h1>Sign in</h1> to the hotel network</body></html>"
    heard = await heard_from(Answer([page], content_type="text/html"))
    assert error_of(heard).kind == "protocol"
    assert "text/html" in str(heard.error)
    assert "Sign in to the hotel network" in str(heard.error)


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", None])
async def test_a_stream_with_the_wrong_label_is_read_all_the_same(content_type: str | None):
    answer = chat_reply("hello")
    answer.content_type = content_type
    heard = await heard_from(answer)
    assert heard.message is not None
    assert heard.message.text == "hello"


async def test_a_server_that_does_not_stream_is_understood():
    document = {"choices": [{"index": 0, "message": {"content": "all at once"}, "finish_reason": "stop"}]}
    heard = await heard_from(json_answer(200, document))
    assert heard.message is not None
    assert heard.message.text == "all at once"


async def test_an_error_with_status_200_is_an_error():
    heard = await heard_from(json_answer(200, {"error": {"message": "no such luck", "code": 500}}))
    assert "no such luck" in str(error_of(heard))
    assert error_of(heard).kind == "overloaded"


async def test_an_empty_body_is_an_error_and_no_empty_answer():
    assert "empty reply" in str(error_of(await heard_from(Answer([]))))
    assert "empty reply" in str(error_of(await heard_from(Answer([b"data: [DONE]\n\n"]))))


async def test_a_redirect_is_refused_and_the_key_goes_nowhere():
    async with serving(chat_reply()) as other, serving(Answer([], 307, headers=[("location", other.url)])) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model), ask_for(model))
        assert other.asked == []
        assert other.url in str(error_of(heard))


async def test_a_stream_split_inside_characters_and_at_paragraph_separators_is_whole():
    text = "é中✅\u2028\u2029\x85 end"
    delta = {"choices": [{"index": 0, "delta": {"content": text}}]}
    body = b"data: " + json.dumps(delta, ensure_ascii=False).encode() + b"\n\n" + b"".join(sse(FINISH))
    heard = await heard_from(Answer([body[index : index + 1] for index in range(len(body))]))
    assert heard.message is not None
    assert heard.message.text == text


async def test_a_key_that_no_header_can_carry_is_an_error_that_does_not_show_it():
    async with serving(chat_reply()) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model, key="sk-\nsecret"), ask_for(model))
    assert error_of(heard).kind == "auth"
    assert "secret" not in str(heard.error)
    assert server.asked == []


async def test_plain_http_goes_to_loopback_only():
    model = model_of(CHAT)
    heard = await hear(provider_at("http://models.example.org/v1", model), ask_for(model))
    assert "allow_http" in str(error_of(heard))
    assert not error_of(heard).retryable


async def test_what_is_no_address_is_said_to_be_none():
    for url in ("ftp://x/v1", "nonsense", "http://[::1", "http://127.0.0.1:99999999/v1"):
        with pytest.raises(ProviderError) as caught:
            await Transport(url).get("/models")
        assert caught.value.kind == "bad_request"


async def test_twenty_thousand_deltas_cost_little():
    delta = sse({"id": "x", "object": "chat.completion.chunk", "model": "m", **DELTA})[0]
    body = delta * 20_000 + b"".join(sse(FINISH, done=True))
    pieces = [body[start : start + 16_384] for start in range(0, len(body), 16_384)]
    async with serving(Answer(pieces)) as server:
        model = model_of(CHAT)
        began = time.process_time()
        heard = await hear(provider_at(server.url, model), ask_for(model))
        spent = time.process_time() - began
    assert sum(isinstance(event, TextDelta) for event in heard.events) == 20_000
    assert spent < budget(3)
