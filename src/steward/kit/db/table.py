"""The table of a kind of record: the statements for a single row, made once from the record's fields.

A record is a frozen Struct whose fields are the columns of its table; the first field is its identifier. Structs and
lists of Structs among them are jsonb columns.
"""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from steward.kit.db import search
from steward.kit.db.record_fields import defaults, defaults_besides, loaders, record_of
from steward.kit.db.search_columns import SearchedTable, register
from steward.kit.db.sql import Sql, Statements, sql
from steward.kit.domain.problems import Forbidden, NotFound
from steward.kit.security.caller import SYNC_FIELDS, OwnOnly, TenantId

R = TypeVar("R", bound=msgspec.Struct)

_SEARCH_COLUMNS = ("search_text", "search_grams")


class Table(Generic[R]):
    """`searched` are the fields that `q` searches, or `field.key` for parts of an object; the table has the two search columns. `parent` is
    the field of the record in the path. `mirrors` maps fields without a column to the column that they show; `read_as` maps fields to the
    expression that is shown instead of their column.

    The rest is for callers with a narrow permission, who see only their own records: `owner` is the field of the user. With `others_see`
    they see these fields of other records, too. They don't see the fields of other systems (`SYNC_FIELDS`), and `instead` maps fields to
    those that they see in their place. For records without an owner, `open_where` is a field and the value with which they see a record,
    and `looked_at` is for tables of which they see every record.
    """

    def __init__(
        self,
        name: str,
        record: type[R],
        noun: str,
        *,
        searched: tuple[str, ...] = (),
        parent: str | None = None,
        mirrors: Mapping[str, str] | None = None,
        read_as: Mapping[str, str] | None = None,
        owner: str | None = None,
        others_see: tuple[str, ...] | None = None,
        instead: Mapping[str, str] | None = None,
        open_where: tuple[str, str] | None = None,
        looked_at: bool = False,
    ) -> None:
        self.name = name
        self.record = record
        self.noun = noun
        self.searched = searched
        self.parent = parent
        self.owner = owner
        self._open_where = open_where
        self.kept_private = None if others_see is None else defaults_besides(record, others_see)
        self.fields = record.__struct_fields__
        self._withheld = defaults(record, set(SYNC_FIELDS) if owner or looked_at else set())
        self._instead = instead or {}
        self.expressions = {**(mirrors or {}), **(read_as or {})}
        self.columns = tuple(field for field in self.fields if field not in (mirrors or {}))
        self._written = (*self.columns, *(_SEARCH_COLUMNS if searched else ()))
        known = list(loaders(record))
        self.load = record_of(record, known)
        # For a record that is only encoded: enums stay text.
        self.show = record_of(record, [each for each in known if not isinstance(each[1], type)])
        self._statements = Statements()
        self._make_statements()
        if searched:
            register(SearchedTable(name=name, texts=tuple(_expression(path) for path in searched)))

    def _make_statements(self) -> None:
        shown = ", ".join(self.expressions.get(field, field) for field in self.fields)
        # All records of an organization, for statements that narrow it by further conditions.
        self.of_tenant = of_tenant = f"SELECT {shown} FROM {self.name} WHERE organization_id = $1"  # noqa: S608
        self.select = sql(f"{of_tenant} AND id = $2")
        self.lock = sql(f"{self.select} FOR UPDATE")
        self.lock_many = sql(f"{of_tenant} AND id = ANY ($2::text[]) ORDER BY id FOR UPDATE")
        # If its records have a name in other systems.
        named = f"{of_tenant} AND external_id" if "external_id" in self.fields else None
        self.by_external_id = sql(f"{named} = $2") if named else None
        many = f"{named} = ANY ($2::text[]) ORDER BY id FOR UPDATE"
        self.lock_many_by_external_id = sql(many) if named else None
        self.known = sql(f"SELECT id FROM {self.name} WHERE organization_id = $1 AND id = ANY ($2::text[])")  # noqa: S608
        self._make_writing_statements()

    def _make_writing_statements(self) -> None:
        target = f"INSERT INTO {self.name} AS t (organization_id, {', '.join(self._written)})"
        values = ", ".join(f"${i}" for i, _ in enumerate(self._written, start=2))
        self.insert = sql(f"{target} VALUES ($1, {values}) RETURNING t.id")
        # All rows are one JSON value: the table's row type gives the types of the columns, lists included.
        self.insert_many = sql(
            f"""{target} SELECT $1, {", ".join(f"r.{column}" for column in self._written)}
                FROM jsonb_populate_recordset(NULL::{self.name}, $2::jsonb) r RETURNING t.id"""  # noqa: S608
        )
        self.delete = sql(
            f"DELETE FROM {self.name} AS t WHERE t.organization_id = $1 AND t.id = $2 RETURNING t.id"  # noqa: S608
        )

    def belongs_to(self, record: R, parent_id: str | None) -> bool:
        """None is for routes without the parent in their path."""
        return parent_id is None or (self.parent is not None and getattr(record, self.parent) == parent_id)

    def require_own(self, record: R, own: OwnOnly | None) -> None:
        """None is for callers who may see every record."""
        if own is not None and self.kept_by is not None and not self.is_own(record, own):
            raise Forbidden(f"This {self.noun} is somebody else's.") if own.sees_others else self.missing()

    def is_own(self, record: R, own: OwnOnly) -> bool:
        assert self.kept_by is not None, f"a {self.noun} has no owner"  # noqa: S101
        return bool(getattr(record, self.kept_by) == self.kept_value(own))

    @property
    def hides_some(self) -> bool:
        """Whether callers with a narrow permission see less than others."""
        return self.kept_by is not None or bool(self._withheld)

    @property
    def kept_by(self) -> str | None:
        """The field that decides which records a caller with a narrow permission finds; None if they find all."""
        return self._open_where[0] if self._open_where else self.owner

    def kept_value(self, own: OwnOnly) -> str:
        return self._open_where[1] if self._open_where else own.user

    def visible_to(self, record: R, own: OwnOnly | None) -> R:
        """Without the private fields of other owners, and those that a narrow permission doesn't show."""
        if own is None or not self.kept_private or self.is_own(record, own):
            return self.narrowed(record, own)
        return msgspec.structs.replace(record, **self.kept_private)

    def narrowed(self, record: R, own: OwnOnly | None) -> R:
        """Without the fields that a narrow permission doesn't show, even of the caller's own record."""
        if own is None or own.sees_sync_fields:
            return record
        shown = {field: getattr(record, other) for field, other in self._instead.items()}
        return msgspec.structs.replace(record, **self._withheld, **shown)

    def missing(self) -> NotFound:
        return NotFound(f"There is no such {self.noun}.")

    def update(self, fields: tuple[str, ...]) -> Sql:
        def text() -> str:
            assignments = ", ".join(f"{field} = ${i}" for i, field in enumerate(fields, start=3))
            return f"UPDATE {self.name} AS t SET {assignments} WHERE t.organization_id = $1 AND t.id = $2 RETURNING t.id"  # noqa: S608

        return self._statements.get(fields, text)

    def update_many(self, columns: tuple[str, ...]) -> Sql:
        """Sets the same columns of many rows, given as one JSON value."""

        def text() -> str:
            assignments = ", ".join(f"{column} = r.{column}" for column in columns)
            return f"""UPDATE {self.name} AS t SET {assignments}
                       FROM jsonb_populate_recordset(NULL::{self.name}, $2::jsonb) r
                       WHERE t.organization_id = $1 AND t.id = r.id RETURNING t.id"""  # noqa: S608

        return self._statements.get(("many", *columns), text)

    def row(self, tenant: TenantId, record: R) -> dict[str, Any]:
        """The values of a new record, in the order of the statement."""
        values = (*(getattr(record, column) for column in self.columns), *self.searchable(tenant, record))
        return dict(zip(self._written, values, strict=True))

    def searchable(self, tenant: TenantId, record: R) -> tuple[Any, ...]:
        """The values of the search columns."""
        if not self.searched:
            return ()
        texts = [_text(record, path) for path in self.searched]
        return (search.text(*texts), search.grams(tenant, *texts))

    def columns_of_change(self, tenant: TenantId, record: R, differing: tuple[str, ...]) -> dict[str, Any]:
        """The columns to write for these changed fields, with the search columns if they depend on them."""
        columns = {field: getattr(record, field) for field in differing if field in self.columns}
        if set(differing) & {path.partition(".")[0] for path in self.searched}:
            columns |= zip(_SEARCH_COLUMNS, self.searchable(tenant, record), strict=True)
        return columns


def _text(record: Any, path: str) -> str | None:
    """The text at a searched path, if any."""
    field, _, key = path.partition(".")
    value = getattr(record, field)
    if key and value is not None:
        value = value.get(key)
    return None if value is None else str(value)


def _expression(path: str) -> str:
    """The same in SQL."""
    field, _, key = path.partition(".")
    return f"{field} ->> '{key}'" if key else field
