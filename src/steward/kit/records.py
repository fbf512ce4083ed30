"""One way to read, make, change and delete a record.

A record is a frozen Struct whose fields are the columns of its table. A change is a pure function from the old record
to the new one, or a Problem; the mechanism reads the old one under lock, holds it against `If-Match`, and writes the
columns that differ. It is no ORM: there are no relations and no queries beyond the one row.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from steward.kit import clock
from steward.kit.caller import TenantId
from steward.kit.db import Database, Transaction
from steward.kit.http.answer import etag
from steward.kit.problems import NotFound, PreconditionFailed
from steward.kit.sql import Sql, sql

R = TypeVar("R", bound=msgspec.Struct)


class Table(Generic[R]):
    """Where records of one kind are kept. The first field of the record is its identifier."""

    def __init__(self, name: str, record: type[R], noun: str) -> None:
        self.record = record
        self.noun = noun
        self._name = name
        self._fields = record.__struct_fields__
        self._updates: dict[tuple[str, ...], Sql] = {}
        columns = ", ".join(self._fields)
        values = ", ".join(f"${i}" for i in range(2, len(self._fields) + 2))
        self.select = sql(f"SELECT {columns} FROM {name} WHERE organization_id = $1 AND id = $2")  # noqa: S608
        self.lock = sql(f"{self.select} FOR UPDATE")
        self.insert = sql(f"INSERT INTO {name} (organization_id, {columns}) VALUES ($1, {values})")  # noqa: S608
        self.delete = sql(f"DELETE FROM {name} WHERE organization_id = $1 AND id = $2")  # noqa: S608

    def update(self, fields: tuple[str, ...]) -> Sql:
        known = self._updates.get(fields)
        if known is None:
            assignments = ", ".join(f"{field} = ${i}" for i, field in enumerate(fields, start=3))
            known = self._updates[fields] = sql(
                f"UPDATE {self._name} SET {assignments} WHERE organization_id = $1 AND id = $2"  # noqa: S608
            )
        return known

    def missing(self) -> NotFound:
        return NotFound(f"There is no such {self.noun}.")


async def get(db: Database, table: Table[R], tenant: TenantId, id: str) -> R:
    row = await db.fetchrow(table.select, tenant, id)
    if row is None:
        raise table.missing()
    return table.record(*row)


async def create(db: Database, table: Table[R], tenant: TenantId, record: R) -> R:
    await db.execute(table.insert, tenant, *msgspec.structs.astuple(record))
    return record


async def change(
    tx: Transaction, table: Table[R], tenant: TenantId, id: str, *, to: Callable[[R], R], if_match: str | None
) -> R:
    old = await _locked(tx, table, tenant, id, if_match)
    record = to(old)
    differing = tuple(f for f in record.__struct_fields__ if getattr(record, f) != getattr(old, f))
    if not differing:
        return old
    record = msgspec.structs.replace(record, updated=clock.now())
    fields = tuple(dict.fromkeys((*differing, "updated")))
    await tx.execute(table.update(fields), tenant, id, *(getattr(record, field) for field in fields))
    return record


async def delete(
    tx: Transaction,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    may_go: Callable[[R], None],
    if_match: str | None,
) -> R:
    """`may_go` raises a Problem where the record has to stay."""
    old = await _locked(tx, table, tenant, id, if_match)
    may_go(old)
    await tx.execute(table.delete, tenant, id)
    return old


async def _locked(tx: Transaction, table: Table[R], tenant: TenantId, id: str, if_match: str | None) -> R:
    row = await tx.fetchrow(table.lock, tenant, id)
    if row is None:
        raise table.missing()
    record = table.record(*row)
    require_match(record, if_match)
    return record


def require_match(resource: msgspec.Struct, if_match: str | None) -> None:
    """412 unless the caller has seen the resource as it is now."""
    if if_match is None or if_match.strip() == "*":
        return
    if etag(resource) not in {part.strip() for part in if_match.split(",")}:
        raise PreconditionFailed("The resource has changed since you read it; read it again.")
