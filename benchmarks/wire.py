"""Parse every recorded stream in many cuts, and time a stream over a socket.

The recordings are those of ../shared/wire, beside the checkout. Exit status 1 if anything differs from what is expected.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter

from pyagent_tui.agent.messages import JsonObject
from pyagent_tui.agent.provider import TextDelta
from pyagent_tui.tests.providers.asking import CHAT, MESSAGES, ask_for, hear, model_of, provider_at
from pyagent_tui.tests.providers.loopback import Answer, serving, sse
from pyagent_tui.tests.providers.recordings import (
    bytewise,
    expectations,
    mismatches,
    play,
    randomly,
    recordings,
    whole,
)

DELTAS = 20_000


def parse_all(random_cuts: int) -> int:
    """Print a line per protocol; the number of mismatches."""
    cuts = [whole, bytewise, *(randomly(seed) for seed in range(random_cuts))]
    parsed: Counter[str] = Counter()
    wrong: list[str] = []
    began = time.perf_counter()
    for name in recordings():
        for number, cut in enumerate(cuts):
            found = mismatches(name, play(name, cut))
            parsed[expectations()[name]["api"]] += 1
            wrong += [f"{name} (cut {number}): {each}" for each in found]
    for api, count in parsed.items():
        print(f"{api:18} {count // len(cuts):3} recordings x {len(cuts)} cuts = {count} parsed")
    for line in wrong:
        print(line)
    seconds = time.perf_counter() - began
    print(
        f"{'all':18} {len(recordings())} recordings, {sum(parsed.values())} parsed, {len(wrong)} mismatches, {seconds:.1f} s"
    )
    return len(wrong)


async def time_stream(api: str) -> None:
    """Print what a long reply costs, from socket to events, with a server in the same process."""
    stop: JsonObject = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    if api == CHAT:
        delta = sse(
            {
                "id": "x",
                "object": "chat.completion.chunk",
                "model": "m",
                "choices": [{"index": 0, "delta": {"content": "word "}}],
            }
        )[0]
        end = b"".join(sse(stop, done=True))
    else:
        delta = sse({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word "}})[0]
        end = b"".join(sse({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}))
    body = delta * DELTAS + end
    pieces = [body[start : start + 4_096] for start in range(0, len(body), 4_096)]
    model = model_of(api)
    async with serving(Answer(pieces)) as server:
        provider = provider_at(server.url, model)
        await hear(provider, ask_for(model))
        began = time.perf_counter()
        heard = await hear(provider, ask_for(model))
        seconds = time.perf_counter() - began
    deltas = sum(isinstance(event, TextDelta) for event in heard.events)
    print(f"{api:18} {deltas:,} deltas, {len(body) / 1e6:.1f} MB, socket to events: {seconds:.2f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cuts", nargs="?", type=int, default=8, metavar="N", help="random cuts of each (default: 8)")
    wrong = parse_all(parser.parse_args().cuts)
    for api in (CHAT, MESSAGES):
        asyncio.run(time_stream(api))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
