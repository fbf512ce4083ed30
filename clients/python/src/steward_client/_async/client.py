"""The client itself."""

import os
import platform
from types import TracebackType
from typing import Any, Self

import httpx

from .._calls import make_call
from .._configuration import address, credentials
from .._retries import RetryPolicy
from .._version import VERSION
from .operations import AsyncOperations
from .transport import AsyncTransport

_AGENT = f"steward-client/{VERSION} python/{platform.python_version()}"


class AsyncSteward(AsyncOperations):
    """Steward's API. Address, key and organization come from STEWARD_URL, STEWARD_API_KEY and STEWARD_ORG unless given.

    Args:
        url: Where the service is, such as `https://steward.example.com`.
        api_key: A key of the organization.
        organization: The identifier of the organization; single calls may name another one.
        token: An access token, instead of a key.
        timeout: Seconds to wait for a connection, and for each piece of an answer.
        max_retries: How often a call is repeated after 429, 502, 503, 504 and failed connections, where that is safe.
        max_wait: How many seconds one call spends on waiting between its attempts, all in all.
        http_client: One of yours, for proxies, certificates and tests; it stays open when this one is closed.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        organization: str | None = None,
        *,
        token: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 4,
        max_wait: float = 120.0,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._own = http_client is None
        self._http = httpx.AsyncClient() if http_client is None else http_client
        headers = {"User-Agent": _AGENT} | credentials(api_key, token, os.environ)
        self._transport = AsyncTransport(
            self._http,
            address(url, os.environ),
            headers,
            organization=organization or os.environ.get("STEWARD_ORG") or None,
            timeout=timeout,
            policy=RetryPolicy(max_retries=max_retries, max_wait=max_wait),
        )
        super().__init__(self._transport)

    @property
    def url(self) -> str:
        return self._transport.url

    @property
    def organization(self) -> str | None:
        return self._transport.organization

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        headers: dict[str, str | None] | None = None,
    ) -> Any:
        """Any operation by its path, retried like the others; the answer's JSON as it is. `{orgId}` is filled in."""
        if "{orgId}" in path:
            path = path.replace("{orgId}", self._transport.organization_or_default(None))
        if method.upper() == "POST":
            headers = {"Idempotency-Key": None, **(headers or {})}
        call = make_call(method.upper(), path, query=query, body=body, headers=headers)
        return await self._transport.data(call)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._own:
            await self._http.aclose()
