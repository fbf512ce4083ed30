"""One request as it arrived, before its body is decoded."""

import time
from ipaddress import ip_address

from steward.kit.domain.ids import new_id
from steward.kit.http.response import Headers
from steward.kit.http.route import Route
from steward.kit.http.server.exchange import MAXIMUM_BODY, Exchange, body_too_large
from steward.kit.http.unpacking import is_packed, unpacked
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller
from steward.kit.security.client_address import is_within
from steward.settings import Network


class Request:
    __slots__ = (
        "_trusted_proxies",
        "caller",
        "exchange",
        "extra_headers",
        "headers",
        "id",
        "method",
        "now_ms",
        "path",
        "query_string",
        "route",
        "started",
    )

    def __init__(self, exchange: Exchange, trusted_proxies: tuple[Network, ...]) -> None:
        self.started = time.perf_counter()
        self.now_ms = clock.now_ms()
        self.id = new_id("req")
        self.exchange = exchange
        self.method = exchange.method
        self.path = exchange.path
        self.query_string = exchange.query_string
        self.headers = exchange.headers
        self.route: Route | None = None
        self.caller: Caller | None = None
        # Headers that checks add, whatever the answer will be.
        self.extra_headers: Headers = []
        self._trusted_proxies = trusted_proxies

    @property
    def client(self) -> str:
        """The caller's address: behind trusted proxies, the nearest hop that isn't one of them."""
        address, trusted = self.exchange.peer, self._trusted_proxies
        if not trusted or not is_within(address, trusted):
            return address
        forwarded = self.headers.get("x-forwarded-for", "")
        for hop in reversed([part.strip() for part in forwarded.split(",") if part.strip()]):
            if not _is_address(hop):
                break
            address = hop
            if not is_within(hop, trusted):
                break
        return address

    @property
    def https(self) -> bool:
        """Whether the caller's connection is encrypted: we serve plain HTTP, so a trusted proxy must have ended
        TLS.
        """
        forwarded = self.headers.get("x-forwarded-proto")
        if forwarded is None:
            return False
        encrypted = forwarded.split(",")[0].strip().lower() == "https"
        return encrypted and is_within(self.exchange.peer, self._trusted_proxies)

    def header(self, name: str) -> str | None:
        return self.headers.get(name)

    @property
    def announced_size(self) -> int:
        length = self.headers.get("content-length")
        return int(length) if length is not None and length.isdigit() else 0

    def check_announced_size(self, limit: int = MAXIMUM_BODY) -> None:
        if self.announced_size > limit:
            raise body_too_large(limit)

    async def body(self, limit: int = MAXIMUM_BODY) -> bytes:
        """The body before compression."""
        if not is_packed(self.headers.get("content-encoding")):
            return await self.exchange.body(limit)
        body = await unpacked(await self.exchange.body(limit), limit)
        self.exchange.reserve_memory(len(body))
        return body


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
