"""Who still names a record: asked before it is deleted, so that the refusal can say who it is.

A foreign key refuses in any case, also what comes at the same moment; but it only knows the table of who holds on.
"""

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import Sql
from steward.kit.domain.archiving import instead_of_deleting
from steward.kit.domain.problems import Conflict
from steward.kit.security.caller import TenantId

_SHOWN = 3


class Referrer(msgspec.Struct, frozen=True):
    """`find` takes the tenant and the record's identifier, and returns what the holders are known by."""

    singular: str
    plural: str
    find: Sql


_holders: dict[str, list[Referrer]] = {}


def register_referrer(table: str, holder: Referrer) -> None:
    _holders.setdefault(table, []).append(holder)


async def refuse_referenced(db: Database, table: str, noun: str, tenant: TenantId, id: str) -> None:
    """409 that names who holds on to a record of this table."""
    for holder in _holders.get(table, ()):
        if names := [row[0] for row in await db.fetch(holder.find, tenant, id)]:
            instead = instead_of_deleting(noun)
            raise Conflict(f"This {noun} can't be deleted while {_who(holder, names)} it{instead}.")


def _who(holder: Referrer, names: list[str]) -> str:
    if len(names) == 1:
        return f"{holder.singular} {names[0]} names"
    shown = ", ".join(names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{holder.plural} {shown}{more} name"
