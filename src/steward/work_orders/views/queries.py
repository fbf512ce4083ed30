from collections.abc import Mapping
from typing import Any

from steward.kit.db.query import Database, Sql
from steward.kit.db.sql import Statements
from steward.kit.security.caller import TenantId
from steward.work_orders.model import WorkOrder, WorkOrderStatus
from steward.work_orders.queries import WORK_ORDERS

_ORDERS = WORK_ORDERS.of_tenant
_DUE = "coalesce(sla_resolution_deadline, 9223372036854775807)"
_OPEN = "status IN ('Open', 'InProgress', 'OnHold')"
# Repeated beside the status itself, so that every plan finds the index of closed orders.
_CLOSED = "status IN ('Completed', 'Cancelled')"
# The filters of board and calendar: query parameters that are called like their columns.
_FILTERS = ("assignee_id", "location_id", "priority")
# With the place of the filters' conditions, and how many values come before theirs.
_KINDS = {
    "open": (f"{_ORDERS} AND status = $2{{}} ORDER BY {_DUE}, id LIMIT $3", 3),
    "closed": (
        f"""{_ORDERS} AND status = $2 AND {_CLOSED} AND updated >= $4{{}}
            ORDER BY updated DESC, id DESC LIMIT $3""",
        4,
    ),
    "due": (f"{_ORDERS} AND {_OPEN} AND {_DUE} >= $2 AND {_DUE} < $3{{}} ORDER BY {_DUE}, id LIMIT $4", 4),
}
_statements = Statements()


def _statement(kind: str, names: tuple[str, ...]) -> Sql:
    text, count = _KINDS[kind]
    conditions = (f" AND {name} = ${place}" for place, name in enumerate(names, start=count + 1))
    return _statements.get((kind, *names), lambda: text.format("".join(conditions)))


for _kind in _KINDS:
    _statement(_kind, ())
    _statement(_kind, _FILTERS)


async def _orders(db: Database, kind: str, filters: Mapping[str, Any], *values: Any) -> list[WorkOrder]:
    rows = await db.fetch(_statement(kind, tuple(filters)), *values, *filters.values())
    return [WORK_ORDERS.load(row) for row in rows]


async def open_column(
    db: Database, tenant: TenantId, status: WorkOrderStatus, filters: Mapping[str, Any], *, limit: int
) -> list[WorkOrder]:
    """Orders in one state, the most urgent first."""
    return await _orders(db, "open", filters, tenant, status, limit)


async def closed_column(
    db: Database,
    tenant: TenantId,
    status: WorkOrderStatus,
    filters: Mapping[str, Any],
    *,
    updated_from: int,
    limit: int,
) -> list[WorkOrder]:
    """Orders that ended in a state, the latest first; those without a change for long are left out."""
    return await _orders(db, "closed", filters, tenant, status, limit, updated_from)


async def due_between(
    db: Database, tenant: TenantId, start: int, end: int, filters: Mapping[str, Any], *, limit: int
) -> list[WorkOrder]:
    return await _orders(db, "due", filters, tenant, start, end, limit)
