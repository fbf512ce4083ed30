"""Rewrites the search columns of records after a change of the folding of texts, or of the fields that `q` searches.

The database stores the form of each table. A migration can't do this, since Python makes the columns.
"""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from steward.kit.db import search
from steward.kit.db.connection import PATIENT_SECONDS, DatabaseConnection, connect
from steward.kit.db.sql import Row, sql
from steward.kit.runtime.log import log
from steward.kit.security.caller import TenantId

# Increase with every change of the results of `search.fold` or `search.grams`.
_FORM = 2
_ROWS_AT_ONCE = 1000
_STATEMENT_SECONDS = 600

_FORMS = sql("SELECT name, form FROM search_forms")
_NOTE_FORM = sql(
    """INSERT INTO search_forms (name, form) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET form = excluded.form"""
)


class SearchedTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table with the two search columns, and the expressions whose text they contain."""

    name: str
    texts: tuple[str, ...]
    id: str = "id"

    @property
    def form(self) -> str:
        return f"{_FORM}: {', '.join(self.texts)}"


# Of all imported slices.
REGISTERED: dict[str, SearchedTable] = {}


def register(table: SearchedTable) -> None:
    REGISTERED[table.name] = table


async def write_search_columns(url: str) -> None:
    """Of every table that is stored in another form; no row of the other tables is read."""
    connection = await connect(url, seconds=_STATEMENT_SECONDS, timeout=PATIENT_SECONDS)
    try:
        forms = dict(await connection.run(_FORMS))
        for table in REGISTERED.values():
            if forms.get(table.name) != table.form:
                written = await _write_table(connection, table)
                await connection.run(_NOTE_FORM, table.name, table.form)
                if written:
                    log.info("search columns rewritten", table=table.name, rows=written)
    finally:
        await connection.close()


async def _write_table(connection: DatabaseConnection, table: SearchedTable) -> int:
    read = sql(
        f"""SELECT organization_id, {table.id}, search_text, {", ".join(table.texts)} FROM {table.name}
            WHERE (organization_id, {table.id}) > ($1, $2) ORDER BY organization_id, {table.id} LIMIT {_ROWS_AT_ONCE}""",  # noqa: S608
        across="search columns of all tenants have one form",
    )
    # A concurrent change of the record has written its columns, too.
    write = sql(
        f"""UPDATE {table.name} AS t SET search_text = r.search_text, search_grams = r.search_grams
            FROM jsonb_to_recordset($2::jsonb) AS r (id text, before text, search_text text, search_grams bigint[])
            WHERE t.organization_id = $1 AND t.{table.id} = r.id AND t.search_text = r.before"""  # noqa: S608
    )
    written, last = 0, ("", "")
    while rows := await connection.run(read, *last):
        last = rows[-1][0], rows[-1][1]
        for tenant, of_tenant in groupby(rows, itemgetter(0)):
            if changed := list(_changed(tenant, of_tenant)):
                await connection.run(write, tenant, changed)
                written += len(changed)
    return written


def _changed(tenant: TenantId, rows: Iterable[Row]) -> Iterable[dict[str, Any]]:
    for _, id, before, *texts in rows:
        text = search.text(*texts)
        if text != before:
            yield {
                "id": id,
                "before": before,
                "search_text": text,
                "search_grams": search.grams(tenant, *texts),
            }
