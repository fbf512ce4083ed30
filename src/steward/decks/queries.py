from collections.abc import Sequence

from steward.decks.model import Deck
from steward.kit.db.listing import SEARCH, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.locations import queries as locations

DECKS = Table("decks", Deck, "deck", searched=("title",))
LISTING = Listing(
    DECKS,
    filters={
        "location_id": "location_id = {}",
        "within": locations.WITHIN,
        "updated_after": "updated >= {}",
        "q": SEARCH,
    },
    sorts={"title": Sort(folded("title"), "text"), "updated": Sort("updated")},
)
LOOKUP = Lookup("deck", "decks", label="title", path="/app/decks", permission=Permission.DECKS_READ)

_BY_IDS = sql(f"{DECKS.of_tenant} AND id = ANY ($2::text[])")


async def by_ids(db: Database, tenant: TenantId, ids: Sequence[str]) -> list[Deck]:
    """Those that there are, in the order of their identifiers here."""
    found = {row["id"]: DECKS.load(row) for row in await db.fetch(_BY_IDS, tenant, ids)}
    return [found[id] for id in dict.fromkeys(ids) if id in found]
