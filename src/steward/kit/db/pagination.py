"""Lists: newest first, by keyset. A page costs the same at any depth, and the cursor can't be forged or reused."""

import base64
import binascii
import hashlib
import hmac
import itertools
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec

from steward.kit.db import search
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, Sql, Statements
from steward.kit.domain.ids import AFTER_ALL
from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption

_MAC_BYTES = 12
# Characters of JSON. A page of large records holds fewer than were asked for, and says where the next one begins.
MAX_PAGE_LENGTH = 4 * 1024 * 1024


class FilterQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Query parameters that narrow a list."""

    def filters(self) -> dict[str, Any]:
        """The filters that were given, by field name."""
        own = (name for name in self.__struct_fields__ if name not in PageQuery.__struct_fields__)
        return {name: value for name in own if (value := getattr(self, name)) is not None}


class PageQuery(FilterQuery, frozen=True, kw_only=True):
    """What every list takes; a slice adds its filters by inheriting."""

    limit: Annotated[
        int, msgspec.Meta(ge=1, le=100, description="How many items a page holds at most.", examples=[20])
    ] = 20
    last_evaluated_key: Annotated[
        str | None,
        msgspec.Meta(description="The `lastEvaluatedKey` of the page before. URL-encode it."),
    ] = None


class Page(msgspec.Struct, frozen=True):
    """Items already encoded as JSON, and where the next page begins."""

    items: list[str]
    last_evaluated_key: str | None


class Cursors:
    """Seals the place where a page ended; bound to the organization, the list and its filters."""

    def __init__(self, encryption: Encryption) -> None:
        self._key = encryption.key("page cursor")

    def seal(self, tenant: TenantId, listing: str, filters: Mapping[str, Any], last_id: str) -> str:
        mac = self._mac(tenant, listing, filters, last_id)
        return base64.urlsafe_b64encode(mac + last_id.encode()).decode()

    def open(self, tenant: TenantId, listing: str, filters: Mapping[str, Any], cursor: str) -> str:
        try:
            raw = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
            last_id = raw[_MAC_BYTES:].decode()
        except (binascii.Error, UnicodeError):
            raw, last_id = b"", ""
        if not hmac.compare_digest(raw[:_MAC_BYTES], self._mac(tenant, listing, filters, last_id)):
            raise Invalid("lastEvaluatedKey", "is not a cursor of this list with these filters")
        return last_id

    def _mac(self, tenant: TenantId, listing: str, filters: Mapping[str, Any], last_id: str) -> bytes:
        bound = msgspec.json.encode((tenant, listing, sorted(filters.items()), last_id))
        return hashlib.blake2b(bound, key=self._key, digest_size=_MAC_BYTES).digest()


class Filter(msgspec.Struct, frozen=True):
    """A condition with `{}` in the place of each value, and how those come from what the caller gave."""

    condition: str
    values: Callable[[TenantId, Any], tuple[Any, ...]] = lambda _tenant, given: (given,)


# What `q` does on every table with the search columns.
SEARCH = Filter(search.CONDITION, search.query)


class Listing:
    """A list of records: the JSON of each is made by PostgreSQL, which costs half of decoding the rows here.

    `columns` maps JSON names to expressions over `source`, in order, the identifier first; `filters` maps query fields to
    conditions. `parent` is the column that names what the list lies in, where its path does, too: a filter that is always
    there. `item` is an expression for records that are stored as JSON already. There is one statement per set of filters
    in use, so that each has a plan of its own.
    """

    def __init__(
        self,
        source: str,
        columns: Mapping[str, str],
        *,
        filters: Mapping[str, str | Filter] | None = None,
        parent: str | None = None,
        item: str | None = None,
        tenant_column: str = "organization_id",
    ) -> None:
        self.name = source.split(maxsplit=1)[0]
        self.columns = columns
        self._source = source
        self._parent = {parent: f"{parent} = {{}}"} if parent else {}
        self._filters = {
            name: Filter(given) if isinstance(given, str) else given
            for name, given in {**self._parent, **(filters or {})}.items()
        }
        self._item = item
        self._tenant_column = tenant_column
        self._statements = Statements()
        self.statement(tuple(self._parent))
        self.statement(tuple(self._filters))

    def statement(self, names: tuple[str, ...]) -> Sql:
        return self._statements.get(names, lambda: self._text(names))

    def filters(self, query: FilterQuery, parent_id: str | None) -> dict[str, Any]:
        """What narrows this list: what it lies in, then what the caller asks for."""
        return {**dict.fromkeys(self._parent, parent_id), **query.filters()}

    async def page(
        self,
        db: Database,
        cursors: Cursors,
        tenant: TenantId,
        query: PageQuery,
        *,
        parent_id: str | None = None,
    ) -> Page:
        filters = self.filters(query, parent_id)
        start = AFTER_ALL
        if query.last_evaluated_key is not None:
            start = cursors.open(tenant, self.name, filters, query.last_evaluated_key)
        # One row more than asked for tells whether there is a next page.
        rows = await self.rows(db, tenant, filters, start, query.limit + 1)
        shown = _fitting(rows[: query.limit])
        more = len(rows) > len(shown)
        items = [row[1] for row in shown]
        cursor = cursors.seal(tenant, self.name, filters, shown[-1][0]) if more else None
        return Page(items, cursor)

    async def rows(
        self, db: Database, tenant: TenantId, filters: Mapping[str, Any], before: str, limit: int
    ) -> list[Row]:
        """(identifier, JSON) of the records before an identifier, newest first."""
        values = [
            value for name, given in filters.items() for value in self._filters[name].values(tenant, given)
        ]
        return await db.fetch(self.statement(tuple(filters)), tenant, before, limit, *values)

    def _text(self, names: tuple[str, ...]) -> str:
        id_name, id_column = next(iter(self.columns.items()))
        columns = ", ".join(f'{expression} AS "{name}"' for name, expression in self.columns.items())
        placeholders = (f"${number}" for number in itertools.count(4))
        conditions = "".join(
            " AND " + re.sub(r"{}", lambda _: next(placeholders), self._filters[name].condition)
            for name in names
        )
        if self._item is not None:
            columns += f", {self._item} AS item"
        item = "row_to_json(page)::text" if self._item is None else "page.item"
        return f"""SELECT page."{id_name}", {item}
                   FROM (SELECT {columns} FROM {self._source}
                         WHERE {self._tenant_column} = $1 AND {id_column} < $2{conditions}
                         ORDER BY {id_column} DESC LIMIT $3) page"""  # noqa: S608 (all parts are literals of ours)


def _fitting(rows: list[Row]) -> list[Row]:
    """As many as make a page of a bounded size; at least one."""
    room = MAX_PAGE_LENGTH - sum(len(row[1]) for row in rows)
    shown = len(rows)
    while room < 0 and shown > 1:
        shown -= 1
        room += len(rows[shown][1])
    return rows[:shown]


def json_columns(record: type[msgspec.Struct], **special: str) -> dict[str, str]:
    """The columns of a record under their names in the API; `special` replaces an expression."""
    return {
        field.encode_name: special.get(field.name, field.name) for field in msgspec.structs.fields(record)
    }
