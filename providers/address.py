"""Where requests go: base addresses, loopback, what may travel unencrypted, what a header may hold."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from ..agent.provider import ProviderError


def hostname(url: str) -> str:
    """The host that `url` names, in lower case; empty if it names none."""
    try:
        return _split(url).hostname or ""
    except ProviderError:
        return ""


def is_loopback(url: str) -> bool:
    """Whether `url` names this machine itself."""
    host = hostname(url).rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def check_url(url: str, allow_http: bool) -> None:
    """Raise `ProviderError` unless requests may go to `url`."""
    parts = _split(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ProviderError("bad_request", f"The base URL {url!r} is not an http or https address.")
    if parts.scheme == "http" and not allow_http and not is_loopback(url):
        reason = f"Plain http to {parts.hostname} would show the key and the code to everyone on the way."
        advice = "Use https, or set allow_http = true for this provider in models.toml."
        raise ProviderError("bad_request", f"{reason} {advice}")


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise `ProviderError` for a value that cannot be sent; the value itself is never shown."""
    for name, value in headers.items():
        if not value.isascii() or not value.isprintable():
            kind = (
                "auth" if name.lower() in ("authorization", "x-api-key", "x-goog-api-key", "api-key") else "bad_request"
            )
            what = "The key" if kind == "auth" else f"The header {name}"
            raise ProviderError(kind, f"{what} holds characters that no header can carry (line break, accent, blank?).")


def join_url(base_url: str, path: str) -> str:
    """`base_url` with or without a trailing slash, then `path`, which starts with one; both may have a query."""
    parts = _split(base_url)
    path, _, query = path.partition("?")
    queries = "&".join(each for each in (parts.query, query) if each)
    return parts._replace(path=parts.path.rstrip("/") + path, query=queries).geturl()


def host_of(url: str) -> str:
    """Scheme, host and port: what a person recognises a server by, without any secret. Empty for what is no address."""
    host = hostname(url)
    if not host:
        return ""
    parts = _split(url)
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError as error:
        raise ProviderError("bad_request", f"The base URL {url!r} is not an address: {error}.") from None
    return parts
