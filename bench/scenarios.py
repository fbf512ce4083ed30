"""The scenarios: for each what is asked, and the floor that answers with the same bytes."""

import base64
import time
from itertools import chain
from typing import Any

import msgspec

from bench.scenario import Floor, Request, RsgiHandler, Scenario, Statement
from bench.world import World
from steward.kit.ids import AFTER_ALL, new_id
from steward.work_orders.model import NewWorkOrder, Status, WorkOrder

# Not the module's to give away, but the floor of a create is just this statement: a copy would drift from it.
from steward.work_orders.queries import _INSERT, LISTING, WORK_ORDERS

_JSON = [("content-type", "application/json")]
_PAGE = 20
_IDS_PER_KEY = 5
_MAC = bytes(12)

_encode = msgspec.json.Encoder().encode
_decode_new_work_order = msgspec.json.Decoder(NewWorkOrder).decode


def _by_turns(per_tenant: list[list[Request]]) -> list[Request]:
    """One of each tenant after the other: neighbours in the rotation don't share rows."""
    return list(chain.from_iterable(zip(*per_tenant, strict=True)))


def _list_requests(world: World) -> list[Request]:
    return _by_turns(
        [
            [Request("GET", f"/organizations/{tenant.id}/work-orders", key) for key in tenant.keys]
            for tenant in world.tenants
        ]
    )


def _list_floor(statement: Statement, _world: World) -> RsgiHandler:
    async def answer(scope: Any, protocol: Any) -> None:
        tenant = scope.path.split("/", 3)[2]
        rows = await statement.fetch(tenant, AFTER_ALL, _PAGE + 1)
        items = ",".join([row[1] for row in rows[:_PAGE]])
        cursor = base64.urlsafe_b64encode(_MAC + rows[_PAGE - 1][0].encode()).decode()
        body = f'{{"data":[{items}],"lastEvaluatedKey":"{cursor}"}}'
        protocol.response_bytes(200, _JSON, body.encode())

    return answer


def _get_requests(world: World) -> list[Request]:
    return _by_turns(
        [
            [
                Request("GET", f"/organizations/{tenant.id}/work-orders/{order}", key)
                for number, key in enumerate(tenant.keys)
                for order in _some(tenant.work_orders, number)
            ]
            for tenant in world.tenants
        ]
    )


def _some(ids: list[str], number: int) -> list[str]:
    """A few identifiers, others for each key."""
    return [ids[(number * _IDS_PER_KEY + step) % len(ids)] for step in range(_IDS_PER_KEY)]


def _get_floor(statement: Statement, _world: World) -> RsgiHandler:
    async def answer(scope: Any, protocol: Any) -> None:
        _, _, tenant, _, order = scope.path.split("/")
        row = await statement.fetchrow(tenant, order)
        protocol.response_bytes(200, _JSON, b'{"data":%s}' % _encode(WorkOrder(*row)))

    return answer


_NEW_WORK_ORDER = _encode(
    {
        "title": "Air handler 3 is noisy",
        "description": "Grinding noise since this morning, third floor, beside the north stairs.",
        "priority": "High",
    }
)


def _create_requests(world: World) -> list[Request]:
    return [request._replace(method="POST", body=_NEW_WORK_ORDER) for request in _list_requests(world)]


def _create_floor(statement: Statement, world: World) -> RsgiHandler:
    # The service learns the reporter from the key; without keys, it is who the organization has.
    reporters = {tenant.id: tenant.user_id for tenant in world.tenants}

    async def answer(scope: Any, protocol: Any) -> None:
        new = _decode_new_work_order(await protocol())
        tenant = scope.path.split("/", 3)[2]
        reporter = reporters[tenant]
        now = int(time.time())
        id = new_id("wo")
        values = (new.title, new.description, Status.OPEN, new.priority, new.assignee_id, reporter, now)
        row = await statement.fetchrow(tenant, id, *values)
        order = WorkOrder(id, row[0], *values, now)
        protocol.response_bytes(201, _JSON, b'{"data":%s}' % _encode(order))

    return answer


SCENARIOS = (
    Scenario(
        "list",
        "20 work orders of an organization that has many",
        _list_requests,
        Floor(LISTING.statement(()), _list_floor),
    ),
    Scenario(
        "get",
        "one work order",
        _get_requests,
        Floor(WORK_ORDERS.select, _get_floor),
    ),
    Scenario(
        "create",
        "a new work order with the next number of its organization",
        _create_requests,
        Floor(_INSERT, _create_floor),
    ),
)
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
