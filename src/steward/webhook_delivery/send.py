"""The only stage that talks to receivers. Nothing that they do costs more than one place for half a minute.

What they answer is read up to a bound and believed in nothing but its status. Redirects are not followed, proxies of the
environment are not used, and connections are made to judged addresses only: names are resolved here, each answer is judged,
and every socket is judged once more before it is opened.
"""

import errno
import socket
import ssl
import time
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from steward.kit.runtime import clock
from steward.kit.security import url_guard as guard
from steward.kit.security.url_guard import BlockedAddressError, Resolve
from steward.webhook_delivery.judge import is_success
from steward.webhook_delivery.model import TIMEOUT_SECONDS, AttemptResult, ErrorClass
from steward.webhook_delivery.prepare import SignedRequest

_READ_BYTES = 64 * 1024
KEPT_BYTES = 16 * 1024
_CONNECT_SECONDS = 10.0
# Shorter than what common servers keep a connection for: a request on one that they are closing would be lost.
_KEEP_ALIVE_SECONDS = 4.0
# Answers of name servers are judged when they come, and used no longer than this.
_NAMES_SECONDS = 10

# The first that fits says what went wrong.
_ERRORS: tuple[tuple[tuple[type[BaseException], ...], ErrorClass], ...] = (
    ((BlockedAddressError,), ErrorClass.BLOCKED),
    ((aiohttp.ClientConnectorDNSError,), ErrorClass.DNS),
    (
        (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError, ssl.SSLError),
        ErrorClass.TLS,
    ),
    ((TimeoutError,), ErrorClass.TIMEOUT),
    ((aiohttp.ServerDisconnectedError, ConnectionResetError, BrokenPipeError), ErrorClass.RESET),
)
_NUMBERS = {errno.ECONNREFUSED: ErrorClass.REFUSED, errno.ECONNRESET: ErrorClass.RESET}


class _JudgingResolver(AbstractResolver):
    def __init__(self, resolve: Resolve, *, allow_local: bool) -> None:
        self._resolve = resolve
        self._allow_local = allow_local

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 (the client's signature; we take all kinds)
    ) -> list[ResolveResult]:
        addresses = await guard.resolve_validated(
            host, port, allow_local=self._allow_local, resolve=self._resolve
        )
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": socket.IPPROTO_TCP,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in addresses
        ]

    async def close(self) -> None:
        pass


class HttpSender:
    """One client for all receivers; connections are used again. To be made within a running loop."""

    def __init__(
        self, *, allow_local: bool, resolve: Resolve = guard.resolve, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        self._allow_local = allow_local
        connector = aiohttp.TCPConnector(
            limit=0,
            ssl=ssl.create_default_context(),
            resolver=_JudgingResolver(resolve, allow_local=allow_local),
            ttl_dns_cache=_NAMES_SECONDS,
            keepalive_timeout=_KEEP_ALIVE_SECONDS,
            socket_factory=self._judged_socket,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            timeout=aiohttp.ClientTimeout(total=timeout, sock_connect=min(_CONNECT_SECONDS, timeout)),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("Accept-Encoding",),
            trust_env=False,
        )

    async def close(self) -> None:
        await self._session.close()

    async def send(self, request: SignedRequest) -> AttemptResult:
        started, began = clock.now_ms(), time.monotonic()
        status: int | None = None
        try:
            async with self._session.post(
                request.target.url, data=request.body, headers=request.headers, allow_redirects=False
            ) as response:
                status = response.status
                kept = await _read(response)
                retry_after = response.headers.get("Retry-After")
        except Exception as error:  # noqa: BLE001 (whatever a receiver provokes is an answer of some kind)
            return AttemptResult(started, _since(began), status, classify(error, answered=status is not None))
        error_class = None if is_success(status) else ErrorClass.STATUS
        return AttemptResult(started, _since(began), status, error_class, retry_after, kept)

    def _judged_socket(self, info: Any) -> socket.socket:
        """The last word on where a connection goes, however its address was come by."""
        family, kind, protocol, _, address = info
        guard.validate_addresses([address[0]], allow_local=self._allow_local)
        return socket.socket(family, kind, protocol)


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The beginning of the answer; a connection with more to come is not used again."""
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size >= _READ_BYTES:
            response.close()
            break
    return b"".join(parts)[:KEPT_BYTES]


def classify(error: Exception, *, answered: bool) -> ErrorClass:
    """`answered` says that a status had come before it went wrong."""
    for kinds, found in _ERRORS:
        if isinstance(error, kinds):
            return ErrorClass.TOO_SLOW if found is ErrorClass.TIMEOUT and answered else found
    if isinstance(error, aiohttp.ClientPayloadError) and isinstance(error.__cause__, OSError):
        return ErrorClass.RESET
    if isinstance(error, OSError):
        return _NUMBERS.get(error.errno or 0, ErrorClass.UNREACHABLE)
    return ErrorClass.PROTOCOL


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
