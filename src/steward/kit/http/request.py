"""One request as it came in, before anybody has looked into its body."""

import time
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any

from steward.kit.caller import Caller
from steward.kit.http.answer import Headers
from steward.kit.http.route import Route
from steward.kit.ids import new_id
from steward.kit.problems import PayloadTooLarge
from steward.settings import Network

Receive = Callable[[], Awaitable[dict[str, Any]]]

MAXIMUM_BODY = 1024 * 1024
_TOO_LARGE = "The request body is larger than 1 MiB."


class Request:
    __slots__ = (
        "_receive",
        "caller",
        "client",
        "extra_headers",
        "headers",
        "https",
        "id",
        "method",
        "path",
        "route",
        "scope",
        "started",
    )

    def __init__(self, scope: dict[str, Any], receive: Receive, trusted_proxies: tuple[Network, ...]) -> None:
        self.started = time.perf_counter()
        self.id = new_id("req")
        self.scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.client = _client(scope, trusted_proxies)
        self.https = _https(scope, self.headers, trusted_proxies)
        self.route: Route | None = None
        self.caller: Caller | None = None
        # What the checks on the way have to tell, whatever the answer will be.
        self.extra_headers: Headers = []
        self._receive = receive

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def check_announced_size(self) -> None:
        length = self.headers.get(b"content-length")
        if length is not None and length.isdigit() and int(length) > MAXIMUM_BODY:
            raise PayloadTooLarge(_TOO_LARGE)

    async def body(self) -> bytes:
        """All of the body. Its real size is counted, since a chunked one announces none."""
        message = await self._receive()
        body: bytes = message.get("body", b"")
        if not message.get("more_body"):
            if len(body) > MAXIMUM_BODY:
                raise PayloadTooLarge(_TOO_LARGE)
            return body
        parts, size = [body], len(body)
        while message.get("more_body"):
            message = await self._receive()
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > MAXIMUM_BODY:
                raise PayloadTooLarge(_TOO_LARGE)
        return b"".join(parts)


def _client(scope: dict[str, Any], trusted: tuple[Network, ...]) -> str:
    """The caller's address: behind proxies of ours, the nearest hop that isn't one."""
    peer = scope.get("client")
    address = str(peer[0]) if peer else ""
    if not trusted or not _within(address, trusted):
        return address
    # Several lines are one list.
    lines = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    forwarded = b",".join(lines).decode("latin-1")
    for hop in reversed([part.strip() for part in forwarded.split(",") if part.strip()]):
        if not _is_address(hop):
            break
        address = hop
        if not _within(hop, trusted):
            break
    return address


def _https(scope: dict[str, Any], headers: dict[bytes, bytes], trusted: tuple[Network, ...]) -> bool:
    """Whether the caller's own connection is encrypted: a proxy of ours may have ended it."""
    if scope.get("scheme") == "https":
        return True
    forwarded = headers.get(b"x-forwarded-proto")
    if forwarded is None or not scope.get("client"):
        return False
    return forwarded.split(b",")[0].strip().lower() == b"https" and _within(scope["client"][0], trusted)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _within(address: str, networks: tuple[Network, ...]) -> bool:
    if not _is_address(address):
        return False
    found = ip_address(address)
    # An IPv4 caller on a socket for both kinds looks like ::ffff:192.0.2.7.
    plain = getattr(found, "ipv4_mapped", None) or found
    return any(plain in network for network in networks)
