"""Which records still refer to one that is to be deleted, so that the refusal can name them.

A foreign key refuses in any case, also concurrent changes; but it only knows the table.
"""

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import Sql
from steward.kit.domain.archiving import instead_of_deleting
from steward.kit.domain.problems import Conflict
from steward.kit.security.caller import TenantId

_SHOWN = 3


class Referrer(msgspec.Struct, frozen=True):
    """`find` takes the tenant and the record's identifier, and returns the names of the records that refer to it."""

    singular: str
    plural: str
    find: Sql


_referrers: dict[str, list[Referrer]] = {}


def register_referrer(table: str, referrer: Referrer) -> None:
    _referrers.setdefault(table, []).append(referrer)


async def refuse_referenced(db: Database, table: str, noun: str, tenant: TenantId, id: str) -> None:
    """409 with the records that refer to a record of this table."""
    for referrer in _referrers.get(table, ()):
        if names := [row[0] for row in await db.fetch(referrer.find, tenant, id)]:
            instead = instead_of_deleting(noun)
            raise Conflict(f"This {noun} can't be deleted while {_named(referrer, names)} it{instead}.")


def _named(referrer: Referrer, names: list[str]) -> str:
    if len(names) == 1:
        return f"{referrer.singular} {names[0]} names"
    shown = ", ".join(names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{referrer.plural} {shown}{more} name"
