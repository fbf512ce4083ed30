from steward.kit.db.listing import Listing
from steward.kit.db.query import Database, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import OwnOnly, TenantId
from steward.work_orders.comments.model import Comment, CommentVisibility

# Reporters who see only their own orders see the comments for reporters.
COMMENTS = Table(
    "work_order_comments",
    Comment,
    "comment",
    parent="work_order_id",
    open_where=("visibility", CommentVisibility.REPORTER),
)
LISTING = Listing(COMMENTS, filters={"visibility": "visibility = {}"})

_NEWEST = sql(
    f"""{COMMENTS.of_tenant} AND work_order_id = $2 AND ($4::text IS NULL OR visibility = $4)
        ORDER BY id DESC LIMIT $3"""
)


async def newest(
    db: Database, tenant: TenantId, work_order_id: str, limit: int, own: OwnOnly | None
) -> list[Comment]:
    """Those that the caller may see."""
    kept = None if own is None else COMMENTS.kept_value(own)
    return [COMMENTS.load(row) for row in await db.fetch(_NEWEST, tenant, work_order_id, limit, kept)]
