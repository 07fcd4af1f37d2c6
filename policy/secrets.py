"""Taking secrets out of text: known values, and strings that have the shape of a key."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..agent.hooks import Allow, BeforeHook, Block, CallRequest, Decision, Redactor

SHORTEST = 8
"""Characters below which a value is not taken for a secret: it would be found in ordinary text."""

SHAPES: Mapping[str, str] = {
    "sk-ant-": r"sk-ant-[A-Za-z0-9_-]{20,}",
    "sk-": r"sk-(?:[A-Za-z0-9]{32,}|(?:proj|or-v1|svcacct|admin)-[A-Za-z0-9_-]{32,})",
    "sk_live_": r"sk_live_[A-Za-z0-9]{16,}",
    "rk_live_": r"rk_live_[A-Za-z0-9]{16,}",
    "AIza": r"AIza[A-Za-z0-9_-]{35}",
    "gsk_": r"gsk_[A-Za-z0-9]{40,}",
    "xai-": r"xai-[A-Za-z0-9]{40,}",
    "hf_": r"hf_[A-Za-z0-9]{30,}",
    "ghp_": r"ghp_[A-Za-z0-9]{36}",
    "gho_": r"gho_[A-Za-z0-9]{36}",
    "ghu_": r"ghu_[A-Za-z0-9]{36}",
    "ghs_": r"ghs_[A-Za-z0-9]{36}",
    "github_pat_": r"github_pat_[A-Za-z0-9_]{50,}",
    "glpat-": r"glpat-[A-Za-z0-9_-]{20,}",
    "xox": r"xox[abprs]-[A-Za-z0-9-]{20,}",
    "AKIA": r"AKIA[A-Z0-9]{16}",
    "ASIA": r"ASIA[A-Z0-9]{16}",
    "npm_": r"npm_[A-Za-z0-9]{36}",
    "pypi-": r"pypi-AgE[A-Za-z0-9_-]{50,}",
    "-----BEGIN ": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)",
}
"""What a key of a common service looks like, by the characters it begins with."""

_SHAPE = rf"(?<![A-Za-z0-9_-])(?:{'|'.join(SHAPES.values())})(?![A-Za-z0-9_-])"


def make_redactor(known: Mapping[str, str], *, shapes: bool = True) -> Redactor:
    """A pure function that replaces the values of `known` (name to secret) and, with `shapes`, what looks like a key.

    A known value becomes ``[redacted: NAME]``, a look-alike ``[redacted: key]``. Text without any costs one plain search
    per value and beginning, no more.
    """
    names = {value: name for name, value in known.items() if len(value) >= SHORTEST}
    # Longest first: a value that contains another is replaced whole.
    values = sorted(names, key=len, reverse=True)

    def redact(text: str) -> str:
        for value in values:
            if value in text:
                text = text.replace(value, _mark(names[value]))
        if shapes and any(beginning in text for beginning in SHAPES):
            text = re.sub(_SHAPE, _mark("key"), text)
        return text

    return redact


def redaction_guard() -> BeforeHook:
    """Blocks a change or command that would put a redaction mark where the secret stands: the secret would be lost."""
    return BeforeHook("redaction", _guard)


async def _guard(request: CallRequest) -> Decision:
    if request.tool.effect == "read":
        return Allow()
    found = re.search(_MARK, request.arguments.model_dump_json())
    return Block(MARKED.format(mark=found[0])) if found else Allow()


_MARK = r"\[redacted: [^\[\]\"\\]{1,80}\]"

MARKED = (
    "Not run: {mark} stands for a secret that was hidden from you; writing it would destroy the secret. "
    "Change only the lines around it, with an edit whose text leaves it out."
)


def _mark(name: str) -> str:
    return f"[redacted: {name}]"
