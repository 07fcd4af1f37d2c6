"""What went wrong, from what the server said: status, body, words."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping

from ..agent.json_values import is_object, list_of, object_of, text_of
from ..agent.provider import ErrorKind, ProviderError

MAX_MESSAGE = 2_000
"""Characters of a server's words that are worth showing."""

_OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
_QUOTA_CODES = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_error", "quota_exceeded", "1308"}
)
_AUTH_CODES = frozenset(
    {"authentication_error", "permission_error", "invalid_api_key", "API_KEY_INVALID", "UNAUTHENTICATED"}
)
_MISSING_CODES = frozenset({"model_not_found", "not_found_error", "NOT_FOUND"})
_RATE_CODES = frozenset({"rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED", "too_many_requests"})
_BUSY_CODES = frozenset({"overloaded_error", "api_error", "server_error", "UNAVAILABLE", "INTERNAL", "internal_error"})

_OVERFLOW = re.compile(
    r"prompt is too long|request_too_large|context[ _]length|exceeds the (available )?context|context window|"
    r"input token count .*exceeds|reduce the length of the messages|maximum prompt length is|"
    r"too large for model with \d+ maximum context|exceeded model token limit|exceeds the limit of \d+|"
    r"input is too long for|input length .*exceed|too many tokens in|token limit exceeded for the prompt|"
    r"model's (maximum )?context",
    re.IGNORECASE,
)
_NOT_OVERFLOW = re.compile(r"rate limit|too many requests|throttling|tokens per (minute|day)", re.IGNORECASE)
_QUOTA = re.compile(
    r"insufficient.{0,3}(quota|balance|credit|fund)|out of (budget|credits)|exceeded your current quota|billing|"
    r"credit balance is too low|(monthly|free|go) usage limit|payment required|purchase credits",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate.?limit|too many requests|throttl|resource.?exhausted|quota exceeded", re.IGNORECASE)
_BUSY = re.compile(
    r"overloaded|at capacity|over capacity|server (is )?busy|currently busy|service unavailable|temporarily unavailable|"
    r"internal (server )?error|provider returned error|bad gateway|gateway time-?out|please retry your request|"
    r"upstream (connect )?error",
    re.IGNORECASE,
)
_AUTH = re.compile(r"api key|unauthorized|authentication|invalid.{0,12}token|invalid x-api-key", re.IGNORECASE)
_MISSING = re.compile(r"model.{0,80}(does not exist|not found|is not supported)|unknown model", re.IGNORECASE)

_WAIT = re.compile(
    r"(?:try again|retry) (?:in|after) (?:(\d+)m(?!s))?\s*([\d.]+)\s*(ms|s|seconds?|minutes?)?", re.IGNORECASE
)


def classify(status: int, headers: Mapping[str, str], body: bytes | str) -> ProviderError:
    """The error that an HTTP answer other than 2xx stands for, in the server's own words."""
    text = body if isinstance(body, str) else body.decode("utf-8", "replace")
    document = _document(text)
    words = _words(document) or plain_text(text) or f"HTTP {status} without a reason"
    body_wait = _wait_of_body(document, words)
    header_wait = _wait_of_headers(headers)
    wait = body_wait if header_wait is None else header_wait
    kind = _kind(status, _codes(document), words, body_wait)
    if status == 400 and not text.strip():
        # Cerebras refuses a prompt that is too long so; nobody else refuses without a word.
        kind = "context_overflow"
    retryable = _may_retry(status, kind, headers)
    return ProviderError(kind, _sentence(status, words), status=status, retry_after=wait, retryable=retryable)


def classify_stream(document: object) -> ProviderError:
    """The error that an error event inside a stream stands for."""
    words = _words(document) or "the server reported an error without a reason"
    codes = _codes(document)
    status = next((int(code) for code in codes if code.isdecimal() and 400 <= int(code) < 600), None)
    wait = _wait_of_body(document, words)
    return ProviderError(_kind(status or 0, codes, words, wait), words, status=status, retry_after=wait)


def _kind(status: int, codes: frozenset[str], words: str, wait: float | None) -> ErrorKind:
    by_code = _kind_of_codes(codes)
    if by_code in ("context_overflow", "quota"):
        return by_code
    if _OVERFLOW.search(words) and not _NOT_OVERFLOW.search(words) and status not in (401, 403, 429):
        return "context_overflow"
    # Google says "exceeded your current quota" of limits per minute too, but then with the time to wait.
    if status == 402 or (status in (0, 400, 403, 429) and wait is None and _QUOTA.search(words)):
        return "quota"
    if status in (401, 403, 407):
        return "auth"
    return by_code or _kind_of_status(status) or _kind_of_words(words)


def _kind_of_codes(codes: frozenset[str]) -> ErrorKind | None:
    table: tuple[tuple[frozenset[str], ErrorKind], ...] = (
        (_OVERFLOW_CODES, "context_overflow"),
        (_QUOTA_CODES, "quota"),
        (_AUTH_CODES, "auth"),
        (_MISSING_CODES, "not_found"),
        (_RATE_CODES, "rate_limit"),
        (_BUSY_CODES, "overloaded"),
    )
    return next((kind for known, kind in table if codes & known), None)


def _kind_of_status(status: int) -> ErrorKind | None:
    if status == 429:
        return "rate_limit"
    if status == 413:
        return "context_overflow"
    if status in (408, 409, 425, 499) or 500 <= status < 600:
        return "overloaded"
    return "not_found" if status in (404, 405, 410) else None


def _kind_of_words(words: str) -> ErrorKind:
    table: tuple[tuple[re.Pattern[str], ErrorKind], ...] = (
        (_RATE, "rate_limit"),
        (_BUSY, "overloaded"),
        (_MISSING, "not_found"),
        (_AUTH, "auth"),
    )
    for pattern, kind in table:
        if pattern.search(words):
            return kind
    return "bad_request"


def _may_retry(status: int, kind: ErrorKind, headers: Mapping[str, str]) -> bool | None:
    asked = headers.get("x-should-retry", "")
    if asked in ("true", "false") and kind not in ("auth", "quota", "context_overflow"):
        return asked == "true"
    return False if status == 501 else None


def _sentence(status: int, words: str) -> str:
    return words if str(status) in words else f"{words} (HTTP {status})"


def _document(text: str) -> object:
    # By trying, not by content type: DeepSeek labels its JSON errors application/octet-stream.
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _words(document: object) -> str:
    if isinstance(document, str):
        return document[:MAX_MESSAGE]
    for item in list_of(document):
        return _words(item)
    outer = object_of(document)
    error = outer.get("error", outer)
    if isinstance(error, str):
        return error[:MAX_MESSAGE]
    inner = object_of(error)
    words = text_of(inner.get("message")) or text_of(outer.get("message")) or text_of(outer.get("detail"))
    raw = text_of(object_of(inner.get("metadata")).get("raw"))
    if raw and raw not in words:
        words = f"{words}: {raw}" if words else raw
    return words[:MAX_MESSAGE].strip()


def plain_text(text: str) -> str:
    """The words of a page, without its markup."""
    without_tags = re.sub(
        r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text[: 20 * MAX_MESSAGE], flags=re.DOTALL | re.IGNORECASE
    )
    return " ".join(without_tags.split())[:MAX_MESSAGE]


def _codes(document: object) -> frozenset[str]:
    """Every word in which an error names its own class."""
    outer = object_of(next(iter(list_of(document)), document))
    error = object_of(outer.get("error", outer))
    found = [error.get("code"), error.get("type"), error.get("status"), error.get("status_code")]
    found += [object_of(detail).get("reason") for detail in list_of(error.get("details"))]
    return frozenset(str(code) for code in found if isinstance(code, str | int))


def _wait_of_headers(headers: Mapping[str, str]) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    return max(0.0, when.timestamp() - time.time())


def _wait_of_body(document: object, words: str) -> float | None:
    outer = object_of(next(iter(list_of(document)), document))
    for detail in list_of(object_of(outer.get("error")).get("details")):
        delay = text_of(detail.get("retryDelay")) if is_object(detail) else ""
        if delay.endswith("s") and (seconds := _number(delay[:-1])) is not None:
            return seconds
    match = _WAIT.search(words)
    amount = _number(match[2]) if match else None
    if match is None or amount is None:
        return None
    unit = (match[3] or "s").lower()
    factor = 0.001 if unit == "ms" else 60.0 if unit.startswith("m") else 1.0
    return amount * factor + 60.0 * int(match[1] or 0)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None
