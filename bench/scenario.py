"""What a scenario is. A new one is a value of this type in `scenarios.py`; nothing else has to know of it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol

import asyncpg

from bench.bare_http import BareHandler
from bench.tenants import Tenant


class Request(NamedTuple):
    """One request of the rotation; both sides get the very same bytes, the key included."""

    method: str
    path: str
    key: str
    body: bytes = b""

    def raw(self) -> bytes:
        lines = [
            f"{self.method} {self.path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"X-API-Key: {self.key}",
            "User-Agent: bench",
        ]
        if self.body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(self.body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


class Statement(Protocol):
    """One statement, prepared on every connection of the floor."""

    async def fetch(self, *args: Any) -> list[Any]: ...
    async def fetchrow(self, *args: Any) -> Any: ...


class Floor(NamedTuple):
    """The least that does the same: a statement, and the handler around it."""

    statement: str
    handler: Callable[[Statement, list[Tenant]], BareHandler]


class Beside(NamedTuple):
    """Instead of a floor: what else the same service is asked by turns, so that `ratio` says what one costs of the other."""

    requests: "Callable[[list[Tenant]], Sequence[Request]]"


Preparation = Callable[[asyncpg.Connection, list[Tenant]], Awaitable[None]]


async def _nothing_to_prepare(_connection: asyncpg.Connection, _tenants: list[Tenant]) -> None:
    pass


class Scenario(NamedTuple):
    name: str
    meaning: str
    requests: Callable[[list[Tenant]], Sequence[Request]]
    floor: Floor | Beside
    # What the scenario needs in the database beyond the tenants that all share.
    prepare: Preparation = _nothing_to_prepare
    # Whether `bench/peers/web_app.py` answers these requests, too.
    has_peer: bool = False
