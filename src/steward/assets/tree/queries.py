import msgspec

from steward.kit.db.listing import folded
from steward.kit.db.query import Database, sql
from steward.kit.records.archiving import PRESENT
from steward.kit.security.caller import TenantId

# Large counts show a bound: counting all would take longer the more there are. The inner limit lets
# PostgreSQL scan the index of each location, where it might otherwise read all assets.
COUNTED = 1000
_BRANCHES = f"""SELECT l.id, l.name, l.type,
               (WITH RECURSIVE below AS (
                    SELECT l.id
                    UNION
                    SELECT c.id FROM locations c JOIN below b ON c.parent_id = b.id WHERE c.organization_id = $1 AND c.{PRESENT}
                )
                SELECT count(*) FROM (SELECT 1 FROM below b
                                      CROSS JOIN LATERAL (SELECT 1 FROM assets a
                                                          WHERE a.organization_id = $1 AND a.location_id = b.id AND a.{PRESENT}
                                                          LIMIT {COUNTED + 1}) there
                                      LIMIT {COUNTED + 1}) found) AS assets
        FROM locations l
        WHERE l.organization_id = $1 AND l.parent_id {{}} AND l.{PRESENT}
        ORDER BY {folded("l.name")}, l.id LIMIT $2"""
_IN_LOCATION = f"""SELECT id, name, status, connection_status, asset_type_id FROM assets
       WHERE organization_id = $1 AND location_id {{}} AND {PRESENT}
       ORDER BY {folded("name")}, id LIMIT $2"""
# An index serves one or the other, not a condition for both.
_TOP_BRANCHES, _BRANCHES_OF = sql(_BRANCHES.format("IS NULL")), sql(_BRANCHES.format("= $3"))
_NOWHERE, _DIRECTLY_IN = sql(_IN_LOCATION.format("IS NULL")), sql(_IN_LOCATION.format("= $3"))


class Branch(msgspec.Struct, frozen=True):
    """A location in the tree of assets, with how many are directly in it and within it."""

    id: str
    name: str
    type: str
    assets: int


class Leaf(msgspec.Struct, frozen=True):
    """An asset in the tree."""

    id: str
    name: str
    status: str
    connection_status: bool | None
    asset_type_id: str


async def branches(db: Database, tenant: TenantId, location_id: str | None, limit: int) -> list[Branch]:
    """The direct children of this location, or the top ones, by name."""
    if location_id is None:
        rows = await db.fetch(_TOP_BRANCHES, tenant, limit)
    else:
        rows = await db.fetch(_BRANCHES_OF, tenant, limit, location_id)
    return [Branch(*row) for row in rows]


async def in_location(db: Database, tenant: TenantId, location_id: str | None, limit: int) -> list[Leaf]:
    """The assets directly in this location, or in none, by name."""
    if location_id is None:
        rows = await db.fetch(_NOWHERE, tenant, limit)
    else:
        rows = await db.fetch(_DIRECTLY_IN, tenant, limit, location_id)
    return [Leaf(*row) for row in rows]
