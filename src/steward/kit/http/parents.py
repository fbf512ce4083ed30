"""The parent of a resource's items, where their path names one."""

from typing import Any

import msgspec

from steward.kit.db.table import Table
from steward.kit.http.own_records import own_records_only
from steward.kit.http.route import Call
from steward.kit.records import records
from steward.kit.security.permissions import Need


class Parent(msgspec.Struct, frozen=True):
    """`{id_name}` in the path of a resource names a record of `table`.

    The resource's own table and listing name the field that holds that identifier.
    """

    id_name: str
    table: Table[Any]


async def require_parent(call: Call[Any, Any], parent: Parent, need: Need) -> None:
    """404 when the parent doesn't exist, or this caller may not see it."""
    id, own = call.params[parent.id_name], own_records_only(call, need, parent.table)
    await records.get(call.db, parent.table, call.caller.tenant, id, own=own)
