"""Finds records by what people call them, and says what people call records: for pickers, for lists and for searches."""

from collections.abc import Iterable

import msgspec

from steward.kit.db import search
from steward.kit.db.pool import Database
from steward.kit.db.sql import Sql, sql
from steward.kit.security.caller import OwnOnly, TenantId
from steward.kit.security.permissions import Need


class Found(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    label: str
    # What tells it from others of the same name.
    detail: str | None = None


class Lookup:
    """`label` and `detail` are expressions over the columns of `table`; `path` is where the web app shows the records, to those
    who have `permission`. The table has the two search columns. `owner` is the column that names whose record it is, where
    somebody may be kept to their own.
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
        owner: str | None = None,
    ) -> None:
        self.kind = kind
        self.path = path
        self.permission = permission
        columns = f"{id}, {label}, {detail}"
        source = f"FROM {table} WHERE organization_id = $1"
        self._own = None if owner is None else _own(f"SELECT {columns} {source} AND {only}", owner, id)
        self._names = sql(f"SELECT {id}, {label} {source} AND {id} = ANY ($2::text[])")
        self._newest = sql(f"SELECT {columns} {source} AND {only} ORDER BY {id} DESC LIMIT $2")
        newest = f"SELECT * {source} AND {only} ORDER BY {id} DESC LIMIT {search.WINDOW}"
        self._recent = sql(
            f"""SELECT {columns} FROM ({newest}) recent
                WHERE search_text LIKE ALL ($2::text[]) ORDER BY {id} DESC LIMIT $3"""  # noqa: S608
        )
        self._search = sql(
            f"""SELECT {columns} {source} AND search_grams @> $2::bigint[] AND search_text LIKE ALL ($3::text[])
                AND {only} ORDER BY {id} DESC LIMIT $4"""
        )

    async def names(self, db: Database, tenant: TenantId, ids: Iterable[str | None]) -> dict[str, str]:
        """What these are called; who isn't there has no name. Without a query where there is nothing to ask for."""
        wanted = sorted({id for id in ids if id})
        if not wanted:
            return {}
        return {row[0]: row[1] for row in await db.fetch(self._names, tenant, wanted)}

    async def name(self, db: Database, tenant: TenantId, id: str | None) -> str | None:
        return (await self.names(db, tenant, [id])).get(id or "")

    async def find(
        self, db: Database, tenant: TenantId, text: str, limit: int, *, own: OwnOnly | None = None
    ) -> list[Found]:
        """Those that have every word; the newest, where there is nothing to search for yet."""
        if own is not None and self._own is not None:
            words = search.query(tenant, text)[1] if search.is_searchable(text) else []
            return [Found(*row) for row in await db.fetch(self._own, tenant, own.user, words, limit)]
        if search.is_searchable(text):
            return await self.search(db, tenant, text, limit)
        return [Found(*row) for row in await db.fetch(self._newest, tenant, limit)]

    async def search(
        self, db: Database, tenant: TenantId, text: str, limit: int, *, own: OwnOnly | None = None
    ) -> list[Found]:
        """Those that have every word; none, where there is nothing to search for."""
        if not search.is_searchable(text):
            return []
        if own is not None and self._own is not None:
            return await self.find(db, tenant, text, limit, own=own)
        grams, words = search.query(tenant, text)
        rows = await db.fetch(self._recent, tenant, words, limit)
        if len(rows) < limit:
            rows = await db.fetch(self._search, tenant, grams, words, limit)
        return [Found(*row) for row in rows]


def _own(select: str, owner: str, id: str) -> Sql:
    """Nobody has so many of their own that these would have to be found by an index of their words."""
    return sql(f"{select} AND {owner} = $2 AND search_text LIKE ALL ($3::text[]) ORDER BY {id} DESC LIMIT $4")
