"""One request as it came in, before anybody has looked into its body."""

import time
from ipaddress import ip_address
from typing import Any

from steward.kit.caller import Caller
from steward.kit.http.answer import Headers
from steward.kit.http.route import Route
from steward.kit.ids import new_id
from steward.kit.problems import PayloadTooLarge
from steward.settings import Network

MAXIMUM_BODY = 1024 * 1024
_UNREADABLE = "\ufffd"
_TOO_LARGE = "The request body is larger than 1 MiB."


class Request:
    __slots__ = (
        "_protocol",
        "_trusted_proxies",
        "caller",
        "extra_headers",
        "headers",
        "id",
        "method",
        "path",
        "query_string",
        "route",
        "scope",
        "started",
    )

    def __init__(self, scope: Any, protocol: Any, trusted_proxies: tuple[Network, ...]) -> None:
        self.started = time.perf_counter()
        self.id = new_id("req")
        self.scope = scope
        self.method: str = scope.method
        self.path: str = scope.path
        self.query_string: str = scope.query_string
        self.headers = _headers(scope)
        self.route: Route | None = None
        self.caller: Caller | None = None
        # What the checks on the way have to tell, whatever the answer will be.
        self.extra_headers: Headers = []
        self._protocol = protocol
        self._trusted_proxies = trusted_proxies

    @property
    def client(self) -> str:
        return _client(self.scope, self._trusted_proxies)

    @property
    def https(self) -> bool:
        return _https(self.scope, self.headers, self._trusted_proxies)

    def header(self, name: str) -> str | None:
        return self.headers.get(name)

    def check_announced_size(self) -> None:
        length = self.headers.get("content-length")
        if length is not None and length.isdigit() and int(length) > MAXIMUM_BODY:
            raise PayloadTooLarge(_TOO_LARGE)

    async def body(self) -> bytes:
        """All of the body. A chunked one announces no size, so it is counted as it comes."""
        if "content-length" in self.headers:
            return await self._protocol()  # type: ignore[no-any-return]
        parts, size = [], 0
        async for part in self._protocol:
            parts.append(part)
            size += len(part)
            if size > MAXIMUM_BODY:
                raise PayloadTooLarge(_TOO_LARGE)
        return b"".join(parts)


def _headers(scope: Any) -> dict[str, str]:
    """The server leaves out values that aren't ASCII; their headers must not pass for absent."""
    came = scope.headers
    headers: dict[str, str] = dict(came.items())
    if len(headers) != len(came):
        for name in came.keys():  # noqa: SIM118 (these headers are no dict)
            headers.setdefault(name, _UNREADABLE)
    return headers


def _client(scope: Any, trusted: tuple[Network, ...]) -> str:
    """The caller's address: behind proxies of ours, the nearest hop that isn't one."""
    address = _peer(scope)
    if not trusted or not _within(address, trusted):
        return address
    # Several lines are one list.
    forwarded = ",".join(scope.headers.get_all("x-forwarded-for"))
    for hop in reversed([part.strip() for part in forwarded.split(",") if part.strip()]):
        if not _is_address(hop):
            break
        address = hop
        if not _within(hop, trusted):
            break
    return address


def _peer(scope: Any) -> str:
    """`192.0.2.7:1234` and `[2001:db8::1]:1234` without the port."""
    return str(scope.client).rpartition(":")[0].strip("[]")


def _https(scope: Any, headers: dict[str, str], trusted: tuple[Network, ...]) -> bool:
    """Whether the caller's own connection is encrypted: a proxy of ours may have ended it."""
    if scope.scheme == "https":
        return True
    forwarded = headers.get("x-forwarded-proto")
    if forwarded is None:
        return False
    return forwarded.split(",")[0].strip().lower() == "https" and _within(_peer(scope), trusted)


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
