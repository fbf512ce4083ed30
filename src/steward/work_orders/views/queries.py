from collections.abc import Mapping
from typing import Any

from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, Sql, Statements
from steward.kit.security.caller import TenantId
from steward.work_orders.model import WorkOrder, WorkOrderStatus
from steward.work_orders.queries import WORK_ORDERS

_FIELDS = ", ".join(WORK_ORDERS.fields)
_DUE = "coalesce(sla_resolution_deadline, 9223372036854775807)"
_OPEN = "status IN ('Open', 'InProgress', 'OnHold')"
# Repeated beside the status itself, so that every plan finds the index of closed orders.
_CLOSED = "status IN ('Completed', 'Cancelled')"
# The filters of board and calendar, by query parameter.
_FILTERS = {"assignee_id": "assignee_id", "location_id": "location_id", "priority": "priority"}
_statements = Statements()


# How many values each statement has before those of the filters.
_VALUES = {"open": 3, "closed": 4, "due": 4}


def _text(kind: str, names: tuple[str, ...]) -> str:
    places = enumerate(names, start=_VALUES[kind] + 1)
    conditions = "".join(f" AND {_FILTERS[name]} = ${place}" for place, name in places)
    if kind == "open":
        return f"""SELECT {_FIELDS} FROM work_orders
                   WHERE organization_id = $1 AND status = $2{conditions}
                   ORDER BY {_DUE}, id LIMIT $3"""
    if kind == "closed":
        return f"""SELECT {_FIELDS} FROM work_orders
                   WHERE organization_id = $1 AND status = $2 AND {_CLOSED} AND updated >= $4{conditions}
                   ORDER BY updated DESC, id DESC LIMIT $3"""
    return f"""SELECT {_FIELDS} FROM work_orders
               WHERE organization_id = $1 AND {_OPEN} AND {_DUE} >= $2 AND {_DUE} < $3{conditions}
               ORDER BY {_DUE}, id LIMIT $4"""


def _statement(kind: str, names: tuple[str, ...]) -> Sql:
    return _statements.get((kind, *names), lambda: _text(kind, names))


for _kind in _VALUES:
    _statement(_kind, ())
    _statement(_kind, tuple(_FILTERS))


async def open_column(
    db: Database, tenant: TenantId, status: WorkOrderStatus, filters: Mapping[str, Any], *, limit: int
) -> list[WorkOrder]:
    """Orders in one state, the most urgent first."""
    statement = _statement("open", tuple(filters))
    rows: list[Row] = await db.fetch(statement, tenant, status, limit, *filters.values())
    return [WORK_ORDERS.load(row) for row in rows]


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
    statement = _statement("closed", tuple(filters))
    rows: list[Row] = await db.fetch(statement, tenant, status, limit, updated_from, *filters.values())
    return [WORK_ORDERS.load(row) for row in rows]


async def due_between(
    db: Database, tenant: TenantId, start: int, end: int, filters: Mapping[str, Any], *, limit: int
) -> list[WorkOrder]:
    statement = _statement("due", tuple(filters))
    rows: list[Row] = await db.fetch(statement, tenant, start, end, limit, *filters.values())
    return [WORK_ORDERS.load(row) for row in rows]
