"""The scenarios that are made of requests: what is asked, and the floor that answers with the same bytes."""

import base64
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol

import asyncpg
import msgspec
from msgspec.structs import replace

import steward.wiring.schema  # noqa: F401 (what follows from an event is registered there)
from bench.bare_http import BareHandler
from bench.load import Request
from bench.tenants import Tenant
from steward.kit.domain.ids import AFTER_ALL, new_id
from steward.kit.events.event_types import build_event
from steward.kit.security.caller import TenantId
from steward.work_orders.events import CREATED
from steward.work_orders.model import NewWorkOrder, WorkOrder

# Not the module's to give away, but the floor of a create is just this statement: a copy would drift from it.
from steward.work_orders.queries import _INSERT, LISTING, WORK_ORDERS, insert

_PAGE = 20
_IDS_PER_KEY = 5
_MAC = bytes(12)

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode_new_work_order = msgspec.json.Decoder(NewWorkOrder).decode

Requests = Callable[[list[Tenant]], Sequence[Request]]


class Statement(Protocol):
    """One statement, prepared on every connection of the floor."""

    async def fetch(self, *args: Any) -> list[Any]: ...
    async def fetchrow(self, *args: Any) -> Any: ...


class Floor(NamedTuple):
    """The least that does the same: a statement, and the handler around it."""

    statement: str
    handler: Callable[[Statement, list[Tenant]], BareHandler]


class Comparison(NamedTuple):
    """A new one is a value in `COMPARISONS`; nothing else has to know of it."""

    requests: Requests
    # Or what else the same service is asked by turns, so that `ratio` says what one costs of the other.
    floor: Floor | Requests
    # What it needs in the database beyond the tenants that all share.
    prepare: Callable[[asyncpg.Connection, list[Tenant]], Awaitable[None]] | None = None
    # Whether `bench/peers/web_app.py` answers these requests, too.
    has_peer: bool = False


def _by_turns(per_tenant: list[list[Request]]) -> list[Request]:
    """One of each tenant after the other: neighbours in the rotation don't share rows."""
    return list(chain.from_iterable(zip(*per_tenant, strict=True)))


def _list_requests(tenants: list[Tenant]) -> list[Request]:
    return _by_turns(
        [
            [
                Request("GET", f"/organizations/{tenant.id}/work-orders", {"X-API-Key": key})
                for key in tenant.keys
            ]
            for tenant in tenants
        ]
    )


def _asked(query: str) -> Requests:
    def requests(tenants: list[Tenant]) -> list[Request]:
        return [request._replace(path=f"{request.path}?{query}") for request in _list_requests(tenants)]

    return requests


def _list_floor(statement: Statement, _tenants: list[Tenant]) -> BareHandler:
    async def answer(path: str, _body: bytes) -> tuple[int, bytes]:
        tenant = path.split("/", 3)[2]
        rows = await statement.fetch(tenant, AFTER_ALL, _PAGE + 1)
        items = ",".join([row[1] for row in rows[:_PAGE]])
        cursor = base64.urlsafe_b64encode(_MAC + rows[_PAGE - 1][0].encode()).decode()
        body = f'{{"data":[{items}],"lastEvaluatedKey":"{cursor}"}}'
        return 200, body.encode()

    return answer


def _get_requests(tenants: list[Tenant]) -> list[Request]:
    return _by_turns(
        [
            [
                Request("GET", f"/organizations/{tenant.id}/work-orders/{order}", {"X-API-Key": key})
                for number, key in enumerate(tenant.keys)
                for order in _some(tenant.work_orders, number)
            ]
            for tenant in tenants
        ]
    )


def _some(ids: list[str], number: int) -> list[str]:
    """A few identifiers, others for each key."""
    return [ids[(number * _IDS_PER_KEY + step) % len(ids)] for step in range(_IDS_PER_KEY)]


def _get_floor(statement: Statement, _tenants: list[Tenant]) -> BareHandler:
    async def answer(path: str, _body: bytes) -> tuple[int, bytes]:
        _, _, tenant, _, order = path.split("/")
        row = await statement.fetchrow(tenant, order)
        return 200, b'{"data":%s}' % _encode(WORK_ORDERS.load(row))

    return answer


_NEW_WORK_ORDER = _encode(
    {
        "title": "Air handler 3 is noisy",
        "description": "Grinding noise since this morning, third floor, beside the north stairs.",
        "priority": "High",
    }
)


def _create_requests(tenants: list[Tenant]) -> list[Request]:
    return [request._replace(method="POST", body=_NEW_WORK_ORDER) for request in _list_requests(tenants)]


class _OneStatement:
    """Lets the service's own query run the one statement that the floor has prepared."""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement

    async def fetchval(self, _sql: str, *args: Any) -> Any:
        return (await self._statement.fetchrow(*args))[0]

    async def is_distributed(self) -> bool:
        return False


def _create_floor(statement: Statement, tenants: list[Tenant]) -> BareHandler:
    # The service learns the reporter from the key; without keys, it is who the organization has.
    reporters = {tenant.id: tenant.user_id for tenant in tenants}
    db: Any = _OneStatement(statement)

    async def answer(path: str, body: bytes) -> tuple[int, bytes]:
        new = _decode_new_work_order(body)
        tenant = TenantId(path.split("/", 3)[2])
        now = int(time.time())
        order = WorkOrder(
            id=new_id("wo"),
            number=0,
            title=new.title,
            description=new.description,
            priority=new.priority,
            reported_by=reporters[tenant],
            sla_response_deadline=now + 3600,
            sla_resolution_deadline=now + 28800,
            created=now,
            updated=now,
        )
        event = build_event(CREATED, order, tenant=tenant, now=now)
        made = replace(order, number=await insert(db, tenant, order, event))
        return 201, b'{"data":%s}' % _encode(made)

    return answer


async def _subscribe(connection: asyncpg.Connection, tenants: list[Tenant]) -> None:
    """One webhook each, paused: its delivery rows are written, and no attempt takes time from what is measured."""
    for tenant in tenants:
        await connection.execute(
            """INSERT INTO webhooks (organization_id, id, url, events, types, status, secrets, secret_last_four,
                                     created_at, updated_at)
               VALUES ($1, $2, 'https://example.com/', $3, $3, 'paused', '', '', 1, 1)""",
            tenant.id,
            new_id("whk"),
            [CREATED.name],
        )


COMPARISONS = {
    "list": Comparison(_list_requests, Floor(LISTING.statement(()), _list_floor), has_peer=True),
    "list_sorted": Comparison(_asked("status=Open&sort=due"), _list_requests),
    "list_several": Comparison(_asked("status=Open,InProgress&sort=due"), _list_requests),
    "get": Comparison(_get_requests, Floor(WORK_ORDERS.select, _get_floor), has_peer=True),
    "create": Comparison(_create_requests, Floor(_INSERT(), _create_floor), _subscribe, has_peer=True),
}
