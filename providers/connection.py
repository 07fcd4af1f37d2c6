"""Opening an httpx client, and saying in plain words why a connection failed. Imports httpx: import it on use only."""

from __future__ import annotations

import os
import re
import socket
import ssl
from typing import TYPE_CHECKING

import httpx

from ..agent.provider import ProviderError
from .address import host_of, is_loopback

if TYPE_CHECKING:
    from .limits import Limits

PROXY_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def transport_errors() -> tuple[type[Exception], ...]:
    """What httpx raises for a request that failed."""
    return (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, UnicodeError)


def open_client(url: str, limits: Limits) -> httpx.AsyncClient:
    """A client for the server at `url`, with certificates and (not for loopback) proxies from the environment.

    Raises `ProviderError` naming the environment variable that makes it impossible.
    """
    timeout = httpx.Timeout(limits.idle or None, connect=limits.connect or None, pool=None)
    loopback = is_loopback(url)
    try:
        return httpx.AsyncClient(
            timeout=timeout,
            trust_env=not loopback,
            verify=_certificates(url) if loopback else True,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=4, keepalive_expiry=60.0),
        )
    except (ValueError, ImportError, OSError, httpx.InvalidURL) as error:
        raise ProviderError("network", _blame(error), retryable=False) from error


def _certificates(url: str) -> ssl.SSLContext | bool:
    """Those that count for a server on this machine. Plain HTTP, with no proxy and no redirect, never speaks TLS: then
    none are read, which takes longer than a local server may need for its answer."""
    return False if url.lower().startswith("http:") else httpx.create_ssl_context()


def as_provider_error(error: Exception, url: str, limits: Limits) -> ProviderError:
    """The `ProviderError` that a failed request stands for."""
    host = host_of(url)
    reason = _reason(error)
    if isinstance(error, httpx.ConnectTimeout):
        return ProviderError("network", f"No connection to {host} within {limits.connect:g} s.{_proxy_note(url)}")
    if isinstance(error, httpx.TimeoutException):
        return ProviderError("network", f"{host} sent nothing for {limits.idle:g} s.")
    if _is_certificate_error(error):
        return ProviderError("network", f"{host} is not trusted: {reason}.{_certificate_note()}", retryable=False)
    if isinstance(error, httpx.ProxyError):
        return ProviderError("network", f"The proxy refused: {reason}.{_proxy_note(url)}", retryable=False)
    if isinstance(error, httpx.ConnectError):
        return ProviderError("network", f"Cannot connect to {host}: {reason}.{_proxy_note(url)}")
    if isinstance(error, httpx.RemoteProtocolError) and (ended := _early_end(str(error))):
        return ProviderError("network", f"{host} {ended}.")
    if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        return ProviderError("network", f"The connection to {host} broke: {reason}.")
    return ProviderError("bad_request", f"The request to {host} cannot be sent: {reason}.")


def _early_end(message: str) -> str:
    """How a connection ended too early, by the message of httpcore and h11; empty if it broke in another way."""
    if "without sending complete message body" in message:
        return "ended the connection in the middle of its reply"
    return "ended the connection before it replied" if "without sending a response" in message else ""


def _reason(error: BaseException) -> str:
    """The innermost cause that says something."""
    reason = str(error)
    cause = error.__cause__ or error.__context__
    while cause is not None:
        reason = _os_reason(cause) or reason
        cause = cause.__cause__ or cause.__context__
    return (reason or type(error).__name__).rstrip(".")


def _os_reason(error: BaseException) -> str:
    if not isinstance(error, OSError):
        return ""
    # asyncio puts the address where the reason should be ("Connect call failed").
    is_errno = error.errno is not None and error.errno > 0 and not isinstance(error, ssl.SSLError | socket.gaierror)
    return os.strerror(error.errno or 0) if is_errno else error.strerror or ""


def _is_certificate_error(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _blame(error: Exception) -> str:
    for name, value in _set_variables(CERTIFICATE_VARIABLES):
        if not os.path.exists(value):
            return f"The environment variable {name} names {value!r}, which does not exist."
    for name, value in _set_variables(PROXY_VARIABLES[:3]):
        try:
            httpx.AsyncHTTPTransport(proxy=value, verify=False)
        except ImportError:
            advice = "Install pyagent-tui[socks] to use it."
            return f"The environment variable {name} asks for the SOCKS proxy {_safe(value)}. {advice}"
        except (ValueError, httpx.InvalidURL) as reason:
            # Desktops write socks:// for what others call socks5://.
            advice = " Write socks5:// instead of socks://." if value.lower().startswith("socks:") else ""
            return f"The environment variable {name} holds {_safe(value)}, which is no usable proxy: {reason}.{advice}"
    names = [name for name, _ in _set_variables((*PROXY_VARIABLES[3:], *CERTIFICATE_VARIABLES))]
    return f"The environment variable {' or '.join(names) or 'of a proxy'} makes connections impossible: {error}"


def _proxy_note(url: str) -> str:
    if is_loopback(url):
        return ""
    names = ("HTTPS_PROXY" if url.startswith("https") else "HTTP_PROXY", "ALL_PROXY")
    return "".join(f" ({name} is set to {_safe(value)}.)" for name, value in _set_variables(names))


def _certificate_note() -> str:
    return "".join(f" ({name} is set to {value}.)" for name, value in _set_variables(CERTIFICATE_VARIABLES))


def _set_variables(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Those of `names` that are set, spelled as they are set (lower case counts for proxies)."""
    spellings = [spelling for name in names for spelling in (name, name.lower())]
    return [(name, os.environ[name]) for name in spellings if os.environ.get(name)]


def _safe(proxy: str) -> str:
    return re.sub(r"//[^/@]*@", "//…@", proxy)
