"""Beginnings of commands that may be allowed with any further words: a closed list, each with what may not follow.

Not on it is whatever deletes, sends, starts another program that its words name, or writes where its words say. Such a
command can be allowed only to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..agent.frozen import frozen

Words: TypeAlias = tuple[str, ...]
Follows: TypeAlias = Callable[[Sequence[str]], bool]
"""Whether these further words may follow."""

ANY = "*"
"""In a beginning: one word of the command itself, such as the name of a script. No option."""


def only(short: str, long: str = "") -> Follows:
    """Words that are no options, and these: `short` is a pattern, `long` names what stands behind two dashes.

    Nothing else: many programs take options cut short, bundled, or from a file (``@file``).
    """
    option = rf"--|{short or '(?!)'}|--(?:{long.replace(' ', '|') or '(?!)'})(?:=.*)?"
    return lambda words: all(word[:1] not in ("-", "@") or re.fullmatch(option, word) for word in words)


def anything(words: Sequence[str]) -> bool:
    """Whatever follows: the program only looks."""
    return True


def after_dashes(words: Sequence[str]) -> bool:
    """Nothing, or words after ``--``, which are the script's own."""
    return not words or words[0] == "--"


@frozen
class Prefix:
    """A beginning that may be allowed."""

    words: Words
    may_follow: Follows

    def of(self, command: Sequence[str]) -> Words | None:
        """The beginning of this command, each `ANY` replaced by its own word; None if it begins otherwise."""
        begin = tuple(command[: len(self.words)])
        if len(begin) < len(self.words):
            return None
        pairs = zip(self.words, begin, strict=True)
        fits = all(_is_name(word) if wanted == ANY else word == wanted for wanted, word in pairs)
        return begin if fits and self.may_follow(command[len(begin) :]) else None


def _is_name(word: str) -> bool:
    return word[:1].isalnum() and "=" not in word and " " not in word


_PYTEST = only(
    r"-[qvxsl]+|-[kmn]|-n[0-9]+|-r[A-Za-z]+",
    "lf ff nf sw stepwise last-failed failed-first new-first exitfirst maxfail tb durations collect-only co no-header "
    "no-summary verbose quiet cov no-cov deselect ignore timeout strict-markers setup-show showlocals capture "
    "color",
)
_RUFF = only(
    r"-[qvs]",
    "fix no-fix unsafe-fixes show-fixes diff check select ignore extend-select statistics quiet verbose preview "
    "exit-zero",
)
_MYPY = only(
    r"-[vpm]",
    "strict pretty no-error-summary show-error-codes ignore-missing-imports check-untyped-defs no-incremental verbose",
)
_PYRIGHT = only("", "warnings stats outputjson verbose level skipunannotated")
_CARGO = only(
    r"-[vqFpjDWA]|-j[0-9]+",
    "release all workspace lib bins bin tests test examples example all-targets all-features features "
    "no-default-features package exclude quiet verbose no-run no-fail-fast locked offline frozen check jobs doc "
    "nocapture test-threads ignored exact include-ignored show-output",
)
_GO = only(
    r"--?(?:v|race|short|count|run|bench|benchmem|cover|timeout|tags|failfast|json|parallel|p|shuffle|skip|list|cpu)"
    r"(?:=.*)?"
)
_GIT_STATUS = only(
    r"-[sbvz]+|-u[a-z]*",
    "short branch porcelain untracked-files ignored long show-stash verbose",
)
_GIT = only(
    r"-[0-9]+|-[pnuwbi]|-[nUMCGSL][^ ]*",
    "stat shortstat numstat name-only name-status oneline graph all cached staged color no-color patch no-patch "
    "word-diff since until after before author grep follow decorate first-parent merges no-merges pretty format "
    "abbrev-commit reverse date max-count summary check ignore-all-space ignore-space-change diff-filter no-renames "
    "find-renames unified tags branches remotes",
)
_MAKE = only(r"-[kBs]|-j[0-9]*")

PREFIXES: tuple[Prefix, ...] = (
    Prefix(("pytest",), _PYTEST),
    Prefix(("python", "-m", "pytest"), _PYTEST),
    Prefix(("python3", "-m", "pytest"), _PYTEST),
    Prefix(("uv", "run", "pytest"), _PYTEST),
    Prefix(("poetry", "run", "pytest"), _PYTEST),
    Prefix(("ruff", "check"), _RUFF),
    Prefix(("ruff", "format"), _RUFF),
    Prefix(("mypy",), _MYPY),
    Prefix(("pyright",), _PYRIGHT),
    Prefix(("basedpyright",), _PYRIGHT),
    Prefix(("tsc", "--noEmit"), only("", "pretty strict skipLibCheck")),
    Prefix(("npm", "test"), after_dashes),
    *(Prefix((tool, "run", ANY), after_dashes) for tool in ("npm", "pnpm", "yarn")),
    Prefix(("make", ANY), lambda words: _MAKE(words) and not any("=" in word for word in words)),
    *(Prefix(("cargo", verb), _CARGO) for verb in ("test", "check", "build", "clippy", "fmt")),
    *(Prefix(("go", verb), _GO) for verb in ("test", "vet", "build")),
    Prefix(("git", "status"), _GIT_STATUS),
    *(Prefix(("git", verb), _GIT) for verb in ("diff", "log", "show")),
    *(Prefix((tool,), anything) for tool in ("ls", "cat", "head", "tail", "wc", "pwd", "grep", "stat")),
)


def prefix_of(command: Sequence[str]) -> Words | None:
    """The beginning of a command that may be allowed with any further words, None if there is none."""
    return next((begin for prefix in PREFIXES if (begin := prefix.of(command)) is not None), None)


def covers(prefix: Words, command: Sequence[str]) -> bool:
    """Whether a rule with that beginning lets this command run."""
    return prefix_of(command) == prefix
