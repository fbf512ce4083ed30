from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import msgspec

from steward.kit.db.listing import SEARCH, Filter, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, query, sql
from steward.kit.db.table import Table
from steward.kit.records.archiving import ARCHIVED, PRESENT
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.locations.model import Location

LOCATIONS = Table("locations", Location, "location", searched=("name", "code"))
LISTING = Listing(
    LOCATIONS,
    filters={
        "code": Filter("code = {}", unique=True),
        "external_id": Filter("external_id = {}", unique=True),
        "parent_id": "parent_id = {}",
        "type": "type = {}",
        "updated_after": "updated >= {}",
        "archived": ARCHIVED,
        "q": SEARCH,
    },
    sorts={"name": Sort(folded("name"), "text", indexed_with=("parent_id",)), "updated": Sort("updated")},
)
LOOKUP = Lookup(
    "location",
    "locations",
    label="name",
    detail="coalesce(code, type)",
    path="/app/locations",
    only=PRESENT,
    permission=Permission.LOCATIONS_READ,
)

# The equal parent is repeated as a range: where most locations have one parent, the planner would assume that
# for each, and read all of them for each.
_WITHIN = sql(
    """WITH RECURSIVE below AS (
           SELECT given.id COLLATE "C" AS id FROM unnest($2::text[]) AS given (id)
           UNION
           SELECT child.id FROM below CROSS JOIN LATERAL (
               SELECT l.id FROM locations l WHERE l.organization_id = $1 AND l.parent_id = below.id
                 AND l.parent_id >= below.id AND l.parent_id <= below.id OFFSET 0
           ) child
       )
       SELECT id FROM below"""
)
_TIMEZONE = sql(
    """WITH RECURSIVE above AS (
           SELECT l.id, l.parent_id, l.timezone, 0 AS height FROM locations l
           WHERE l.organization_id = $1 AND l.id = $2
           UNION ALL
           SELECT l.id, l.parent_id, l.timezone, above.height + 1
           FROM locations l JOIN above ON l.id = above.parent_id
           WHERE l.organization_id = $1 AND above.timezone IS NULL
       )
       SELECT timezone FROM above WHERE timezone IS NOT NULL ORDER BY height LIMIT 1"""
)
_TRAILS = sql(
    """WITH RECURSIVE above AS (
           SELECT l.id AS start, l.id, l.name, l.parent_id, 0 AS height
           FROM locations l WHERE l.organization_id = $1 AND l.id = ANY ($2::text[])
           UNION ALL
           SELECT above.start, l.id, l.name, l.parent_id, above.height + 1
           FROM locations l JOIN above ON l.id = above.parent_id
           WHERE l.organization_id = $1
       )
       SELECT start, id, name FROM above WHERE height > 0 ORDER BY start, height DESC"""
)
# Locations at the top of the tree have no parent.
_PARENT = "coalesce(l.parent_id, '')"
_NODES = f"""SELECT l.id, l.name, l.type, l.code, {_PARENT},
                    EXISTS (SELECT 1 FROM locations c
                            WHERE c.organization_id = $1 AND c.parent_id = l.id AND c.{PRESENT})
             FROM locations l WHERE l.organization_id = $1 AND l.{PRESENT}"""
_BRANCH = sql(f"{_NODES} AND {_PARENT} = $2 AND (l.name, l.id) > ($3, $4) ORDER BY l.name, l.id LIMIT $5")


# A location or several, and everything above.
ABOVE = """WITH RECURSIVE above AS (
           SELECT l.id, l.parent_id FROM locations l WHERE l.organization_id = $1 AND l.id {}
           UNION
           SELECT l.id, l.parent_id FROM locations l JOIN above ON l.id = above.parent_id
           WHERE l.organization_id = $1
       )"""


@query(f"{ABOVE.format('= $2')} SELECT id FROM above")
async def ancestors(db: Database, tenant: TenantId, location_id: str) -> list[str]:
    """The location itself and everything above it."""


async def within(db: Database, tenant: TenantId, given: str | list[str]) -> list[str]:
    """These locations, existing or not, and everything within them."""
    ids = [given] if isinstance(given, str) else given
    return [row[0] for row in await db.fetch(_WITHIN, tenant, ids)]


# `includeDescendants` on lists of records with a location.
WITHIN = Filter("location_id = {}", expand=within)
# On pages, a location always includes everything within it.
BELOW = (("includeDescendants", "true"),)


async def timezone(db: Database, tenant: TenantId, location_id: str | None) -> tzinfo:
    """The zone of a location, or of the nearest one above that has one; UTC otherwise."""
    name = location_id and await db.fetchval(_TIMEZONE, tenant, location_id)
    return ZoneInfo(name) if name else UTC


class TrailStep(msgspec.Struct, frozen=True):
    id: str
    name: str


class Node(msgspec.Struct, frozen=True):
    """A location as the tree shows it."""

    id: str
    name: str
    type: str
    code: str | None
    parent_id: str
    has_children: bool


async def trails(db: Database, tenant: TenantId, ids: list[str]) -> dict[str, list[TrailStep]]:
    """The path of each of these locations, from the top down."""
    found: dict[str, list[TrailStep]] = {}
    for start, id, name in await db.fetch(_TRAILS, tenant, ids) if ids else ():
        found.setdefault(start, []).append(TrailStep(id, name))
    return found


async def branch(
    db: Database, tenant: TenantId, parent_id: str, limit: int, *, after: tuple[str, str] = ("", "")
) -> list[Node]:
    """The direct children of a location, or the top ones, by name; `after` is name and identifier of the last
    known one.
    """
    return [Node(*row) for row in await db.fetch(_BRANCH, tenant, parent_id, *after, limit)]


@query(f"{_NODES} AND {_PARENT} = ANY ($2::text[]) ORDER BY l.name, l.id LIMIT $3")
async def branches(db: Database, tenant: TenantId, parent_ids: list[str], limit: int) -> list[Node]:
    """The direct children of any of these."""


@query(
    f"SELECT name FROM locations WHERE organization_id = $1 AND parent_id = $2 AND {PRESENT} ORDER BY name, id LIMIT 4"
)
async def present_children(db: Database, tenant: TenantId, location_id: str) -> list[str]:
    """The names of its first visible children."""


@query("SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE")
async def lock_tree(db: Database, tenant: TenantId) -> None:
    """Two concurrent moves could close a cycle that neither of them sees."""
