"""Finds records by their names, and the names of records: for pickers, lists and searches."""

from collections.abc import Iterable
from typing import Any

import msgspec

from steward.kit.db import search
from steward.kit.db.bounds import CANDIDATES, SCANNED_ROWS, at_most
from steward.kit.db.pool import Database
from steward.kit.db.sql import Sql, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import OwnOnly, TenantId
from steward.kit.security.permissions import Need


class Found(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    label: str
    # Distinguishes records of the same name.
    detail: str | None = None


# All of the program.
LOOKUPS: "list[Lookup]" = []


class Lookup:
    """`label` and `detail` are expressions over the columns of `table`, which has the two search columns; `path` is where the web app shows
    the records to users with `permission`. `owned` is the table of the records if some callers see only their own.
    """

    def __init__(
        self,
        kind: str,
        table: str,
        *,
        label: str,
        path: str,
        permission: Need,
        detail: str = "NULL::text",
        id: str = "id",
        only: str = "true",
        owned: Table[Any] | None = None,
    ) -> None:
        self.kind = kind
        self.path = path
        self._name_of = f"(SELECT {label} FROM {table} WHERE organization_id = $1 AND {id} = {{}})"  # noqa: S608
        self.permission = permission
        columns, of_tenant = f"{id}, {label}, {detail}", "organization_id = $1"
        words = search.CONDITION.format("$3")
        self._names = sql(f"SELECT {id}, {label} FROM {table} WHERE {of_tenant} AND {id} = ANY ($2::text[])")  # noqa: S608
        self._newest = _matching(columns, table, id, _latest(table, id, of_tenant), only)
        self._recent = _matching(columns, table, id, _latest(table, id, of_tenant), f"{only} AND {words}")
        self._owned = owned
        self._own = None
        if owned is not None:
            kept = _latest(table, id, f"{of_tenant} AND {owned.kept_by} = $4")
            self._own = _matching(columns, table, id, kept, f"{only} AND {words}")
        # Under this collation no index that begins with the tenant can be used, so that the search index is.
        listed = f"""SELECT * FROM {table} WHERE {of_tenant} COLLATE "POSIX" AND {search.INDEX_CONDITION.format("$4")}
                 """  # noqa: S608
        self._search = _matching(columns, table, id, at_most(CANDIDATES, listed), f"{only} AND {words}")
        LOOKUPS.append(self)

    def name_of(self, column: str) -> str:
        """SQL for the name of the record that a column refers to, in a statement whose `$1` is the organization."""
        return self._name_of.format(column)

    async def names(self, db: Database, tenant: TenantId, ids: Iterable[str | None]) -> dict[str, str]:
        """The names of those that exist. Without identifiers there is no query."""
        wanted = sorted({id for id in ids if id})
        if not wanted:
            return {}
        return {row[0]: row[1] for row in await db.fetch(self._names, tenant, wanted)}

    async def name(self, db: Database, tenant: TenantId, id: str | None) -> str | None:
        return (await self.names(db, tenant, [id])).get(id or "")

    async def find(
        self, db: Database, tenant: TenantId, text: str, limit: int, *, own: OwnOnly | None = None
    ) -> list[Found]:
        """Records with every word; the newest ones, if the text has none."""
        if own is not None and self._own is not None and self._owned is not None:
            words = search.query(tenant, text)[1] if search.is_searchable(text) else []
            kept = self._owned.kept_value(own)
            return [Found(*row) for row in await db.fetch(self._own, tenant, limit, words, kept)]
        if search.is_searchable(text):
            return await self.search(db, tenant, text, limit)
        return [Found(*row) for row in await db.fetch(self._newest, tenant, limit)]

    async def search(
        self, db: Database, tenant: TenantId, text: str, limit: int, *, own: OwnOnly | None = None
    ) -> list[Found]:
        """Records with every word; none, if the text has none. Of very many, the newest that a bounded scan finds."""
        if not search.is_searchable(text):
            return []
        if own is not None and self._own is not None:
            return await self.find(db, tenant, text, limit, own=own)
        grams, words = search.query(tenant, text)
        rows = await db.fetch(self._recent, tenant, limit, words)
        if len(rows) < limit:
            known = {row[0] for row in rows}
            more = await db.fetch(self._search, tenant, limit, words, grams)
            rows = [*rows, *(row for row in more if row[0] not in known)][:limit]
        return [Found(*row) for row in rows]


def _latest(table: str, id: str, which: str) -> str:
    return at_most(SCANNED_ROWS, f"SELECT * FROM {table} WHERE {which} ORDER BY {id} DESC")  # noqa: S608


def _matching(columns: str, table: str, id: str, rows: str, condition: str) -> Sql:
    """The newest of these rows that match a condition."""
    return sql(f"SELECT {columns} FROM ({rows}) {table} WHERE {condition} ORDER BY {id} DESC LIMIT $2")  # noqa: S608
