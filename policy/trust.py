"""Project trust: nothing that a project brings to run or to configure counts before the person has said so."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from ..agent.frozen import frozen
from .guarded import guarded_resources
from .store import PRIVATE, locked, replace

TrustChoice: TypeAlias = Literal["trust", "trust-parent", "once", "refuse", "refuse-once"]
"""What a person can answer: for this folder, for the one above it too, only now; or no, for good or only now."""

TrustSource: TypeAlias = Literal["nothing to guard", "option", "saved", "setting", "nobody to ask", "answer"]


class TrustError(Exception):
    """The file of decisions cannot be read or written; it was left as it is. `str(error)` names it and the reason."""


@frozen
class Trust:
    """The verdict on a project. `trusted` None: the person must be asked. `guarded` is what an untrusted one loses."""

    trusted: bool | None
    source: TrustSource | None = None
    guarded: tuple[Path, ...] = ()


def decide_trust(
    project: Path,
    store: TrustStore,
    *,
    option: bool | None = None,
    default: Literal["ask", "always", "never"] = "ask",
    can_ask: bool = True,
    home: Path | None = None,
) -> Trust:
    """The first that says something: the command line's `option`, a saved decision, nothing to guard, `default`.

    Without a person (`can_ask` False) a project that nobody decided about is not trusted. Raises `TrustError`.
    """
    guarded = tuple(guarded_resources(project, home))
    if option is not None:
        return Trust(option, "option", guarded)
    saved = store.nearest(project)
    if saved is not None:
        return Trust(saved, "saved", guarded)
    if not guarded:
        return Trust(True, "nothing to guard")
    if default != "ask":
        return Trust(default == "always", "setting", guarded)
    return Trust(None, None, guarded) if can_ask else Trust(False, "nobody to ask", guarded)


def answer_trust(project: Path, store: TrustStore, choice: TrustChoice) -> bool:
    """Keep what the person chose, as far as they want it kept; whether the project is trusted now. Raises `TrustError`."""
    match choice:
        case "trust":
            store.save(project, True)
        case "trust-parent":
            store.save(project.absolute().parent, True)
        case "refuse":
            store.save(project, False)
        case "once" | "refuse-once":
            pass
    return choice in ("trust", "trust-parent", "once")


@frozen
class TrustStore:
    """The saved decisions: a JSON file, 0600, from real paths of folders to true or false."""

    path: Path

    def nearest(self, project: Path) -> bool | None:
        """What was decided about the folder or the nearest one above it; None if nothing was. Raises `TrustError`."""
        decisions = self._read()
        place = Path(os.path.realpath(project))
        return next((decisions[key] for key in map(str, (place, *place.parents)) if key in decisions), None)

    def save(self, project: Path, trusted: bool) -> None:
        """Keep a decision. Blocks for the lock. Raises `TrustError`."""
        try:
            with locked(self.path):
                decisions = {**self._read(), os.path.realpath(project): trusted}
                text = json.dumps(decisions, indent=2, sort_keys=True, ensure_ascii=False)
                replace(self.path, f"{text}\n".encode("utf-8", "surrogateescape"), mode=PRIVATE)
        except OSError as error:
            raise TrustError(f"{self.path} could not be written: {error.strerror or error}") from error

    def _read(self) -> Mapping[str, bool]:
        try:
            found: Any = json.loads(self.path.read_bytes().decode("utf-8-sig", "surrogateescape"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise TrustError(f"{self.path} could not be read: {error.strerror or error}") from error
        except (ValueError, RecursionError) as error:
            raise TrustError(f"{self.path} is no JSON: {error}; mend or remove it") from error
        if not isinstance(found, dict) or not all(isinstance(value, bool) for value in cast("Any", found).values()):
            raise TrustError(f"{self.path} should hold folders with true or false; mend or remove it")
        return cast("dict[str, bool]", found)
