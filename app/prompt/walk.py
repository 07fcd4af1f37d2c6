"""Prints the paths of all files below a folder, the shallow ones first; run as a program of its own.

    python walk.py FOLDER

So that a large folder costs the program that asks nothing but reading. Relative paths as bytes, each with a NUL behind
it; symbolic links are not followed, `.git` is left out, and so is what cannot be read. Uses the standard library alone.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator

FLUSH = 4096
"""Bytes that are written at once, at least."""


def walk(root: bytes) -> Iterator[bytes]:
    """The paths, folder by folder."""
    waiting = deque([b""])
    while waiting:
        place = waiting.popleft()
        try:
            with os.scandir(root + b"/" + place) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield place + entry.name
            elif entry.name != b".git":
                waiting.append(place + entry.name + b"/")


def main(root: str) -> None:
    """Print them."""
    held = bytearray()
    for path in walk(os.fsencode(root)):
        held += path + b"\0"
        if len(held) >= FLUSH:
            sys.stdout.buffer.write(held)
            held.clear()
            sys.stdout.buffer.flush()
    sys.stdout.buffer.write(held)


if __name__ == "__main__":
    main(sys.argv[1])
