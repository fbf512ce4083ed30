"""What a caller is shown who has the narrower of two permissions: records of their own, and of others' as little as the
table says."""

from typing import Any

import msgspec

from steward.kit.db.listing import Listing, Page
from steward.kit.db.narrow_view import require_open_filters
from steward.kit.db.table import Table
from steward.kit.domain.list_query import PageQuery
from steward.kit.http.route import Call
from steward.kit.records import records
from steward.kit.security.caller import OwnOnly
from steward.kit.security.permissions import Need

# Filters that look into more than one field of a record.
_SEARCHES = ("q",)


class Narrow(msgspec.Struct, frozen=True):
    """What callers with the narrower of two permissions read, where it isn't a part of the same rows."""

    table: Table[Any]
    listing: Listing


def own_records_only(call: Call[Any, Any], need: Need, table: Table[Any] | None) -> OwnOnly | None:
    """Records without an owner are visible to all callers who may see some, though perhaps not all of their fields."""
    return call.caller.own_records_only(need) if table is not None and table.hides_some else None


async def find_page(
    call: Call[Any, PageQuery], listing: Listing, table: Table[Any] | None, need: Need, parent_id: str | None
) -> Page:
    own = own_records_only(call, need, table)
    require_open_filters(call.query, own)
    hides = own is not None and table is not None and table.kept_private is not None
    # A filter on a hidden field finds the caller's own records only.
    asked = () if table is None else (*(table.kept_private or ()), *_SEARCHES)
    only = None if hides and not any(name in asked for name in call.query.filters()) else own
    found = await listing.page(
        call.db, call.cursors, call.caller.tenant, call.query, parent_id=parent_id, own=only
    )
    if not hides or only is not None:
        return found
    return Page([_visible_to(table, item, own) for item in found.items], found.last_evaluated_key)


async def find_one(
    call: Call[Any, Any], table: Table[Any], need: Need, id: str, parent_id: str | None
) -> Any:
    own = own_records_only(call, need, table)
    if own is not None and table.kept_private is not None:
        found = await records.get(call.db, table, call.caller.tenant, id, within=parent_id)
        return table.visible_to(found, own)
    found = await records.get(
        call.db, table, call.caller.tenant, id, within=parent_id, own=own, only_shown=True
    )
    return table.visible_to(found, own)


def _visible_to(table: Any, item: str, own: OwnOnly | None) -> str:
    record = msgspec.json.decode(item, type=table.record)
    return msgspec.json.encode(table.visible_to(record, own)).decode()
