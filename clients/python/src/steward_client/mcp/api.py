"""Calls of the service in somebody's name, retried as the client does it."""

import platform
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from steward_client._async.transport import AsyncTransport
from steward_client._calls import Call, make_call
from steward_client._retries import RetryPolicy
from steward_client._version import VERSION
from steward_client.mcp.document import Document, parse_document
from steward_client.mcp.requests import ArgumentError

_AGENT = f"steward-client/{VERSION} mcp python/{platform.python_version()}"
_TIMEOUT = 30.0
# An assistant gives up on a tool after about a minute, and then doesn't see what was answered.
_POLICY = RetryPolicy(max_retries=4, max_wait=30.0)


@dataclass(frozen=True, slots=True)
class Caller:
    """In whose name something is asked for."""

    api_key: str = field(repr=False)
    organization: str
    # Where a request over HTTP came from: the service counts failed attempts by address, where it trusts us as a proxy.
    address: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        forwarded = {"X-Forwarded-For": self.address} if self.address else {}
        return {"User-Agent": _AGENT, "X-API-Key": self.api_key, **forwarded}


class Api:
    """One service, for many callers."""

    def __init__(self, http: httpx.AsyncClient, url: str) -> None:
        self._http = http
        self.url = url

    async def send(self, caller: Caller, call: Call) -> Any:
        """The answer's JSON; raises StewardError, or ArgumentError for what no request has room for."""
        try:
            return await self._transport(caller.headers).data(call)
        except httpx.InvalidURL as error:
            raise ArgumentError(f"These arguments can't be sent: {error}.") from error

    def sender(self, caller: Caller) -> Callable[[Call], Awaitable[Any]]:
        async def send(call: Call) -> Any:
            return await self.send(caller, call)

        return send

    async def document(self) -> Document:
        """Raises StewardError, or DocumentError."""
        call = make_call("GET", "/openapi.json")
        return parse_document(await self._transport({"User-Agent": _AGENT}).data(call))

    def _transport(self, headers: dict[str, str]) -> AsyncTransport:
        return AsyncTransport(
            self._http, self.url, headers, organization=None, timeout=_TIMEOUT, policy=_POLICY
        )
