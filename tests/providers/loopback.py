"""A real HTTP server on loopback that answers as a test says, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pyagent_tui.agent.messages import JsonObject


@dataclass
class Asked:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Hang:
    """Send nothing more, keep the connection open."""


class Drop:
    """Break the connection off."""


@dataclass
class Pause:
    """Wait so many seconds, as a slow server does."""

    seconds: float


Piece: TypeAlias = bytes | Hang | Drop | Pause


@dataclass
class Answer:
    """What the server says. Without a length header the end of the connection ends the body, unless it `keeps_alive`."""

    pieces: Iterable[Piece] = ()
    status: int = 200
    content_type: str | None = "text/event-stream"
    headers: Sequence[tuple[str, str]] = ()
    keeps_alive: bool = False


Reaction: TypeAlias = Answer | Callable[[Asked], Answer]


@dataclass
class Server:
    """`reactions` are used up in order; the last one is used again and again."""

    port: int
    reactions: list[Reaction]
    scheme: str = "http"
    asked: list[Asked] = field(default_factory=list[Asked])
    connections: int = 0
    closed_early: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"


@asynccontextmanager
async def serving(*reactions: Reaction, tls: ssl.SSLContext | None = None) -> AsyncGenerator[Server]:
    """Run a server for the length of a test."""
    served = Server(0, list(reactions), scheme="http" if tls is None else "https")
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.connections += 1
        task = asyncio.ensure_future(_converse(served, reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    served.port = listener.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _converse(served: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while (await _exchange(served, reader, writer)).keeps_alive:
            pass
    writer.close()


async def _exchange(served: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Answer:
    asked = await _read_request(reader)
    served.asked.append(asked)
    reaction = served.reactions.pop(0) if len(served.reactions) > 1 else served.reactions[0]
    answer = reaction if isinstance(reaction, Answer) else reaction(asked)
    try:
        await _answer(answer, reader, writer)
    except ConnectionError:
        served.closed_early.set()
        raise
    return answer


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)


async def _answer(answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    headers = [*answer.headers] if answer.keeps_alive else [("connection", "close"), *answer.headers]
    if answer.content_type is not None:
        headers.append(("content-type", answer.content_type))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    writer.write(f"HTTP/1.1 {answer.status} Said\r\n{lines}\r\n".encode("latin-1"))
    for piece in answer.pieces:
        if isinstance(piece, Hang):
            await writer.drain()
            await reader.read()
            raise ConnectionResetError
        if isinstance(piece, Drop):
            writer.transport.abort()
            return
        if isinstance(piece, Pause):
            await asyncio.sleep(piece.seconds)
            continue
        writer.write(piece)
        await writer.drain()


def json_answer(status: int, document: object, **headers: str) -> Answer:
    pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Answer([json.dumps(document).encode()], status, "application/json", pairs)


def sse(*documents: object, done: bool = False) -> list[bytes]:
    """Events of JSON documents, one piece each."""
    events = [b"data: " + json.dumps(document).encode() + b"\n\n" for document in documents]
    return [*events, b"data: [DONE]\n\n"] if done else events


def chat_reply(text: str = "hello") -> Answer:
    """A small Chat Completions reply."""
    delta: JsonObject = {"choices": [{"index": 0, "delta": {"content": text}}]}
    end: JsonObject = {
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    }
    return Answer(sse(delta, end, done=True))


def anthropic_reply(text: str = "hello") -> Answer:
    """A small Messages reply."""
    start = {"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": {"input_tokens": 3}}}
    return Answer(
        sse(
            start,
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        )
    )
