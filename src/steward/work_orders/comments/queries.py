from steward.kit.db.listing import Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
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
LISTING = Listing(
    "work_order_comments",
    json_columns(Comment),
    parent="work_order_id",
    filters={"visibility": "visibility = {}"},
    owned=COMMENTS,
)

_NEWEST = sql(
    f"""SELECT {", ".join(COMMENTS.fields)} FROM work_order_comments
        WHERE organization_id = $1 AND work_order_id = $2 AND ($4::text IS NULL OR visibility = $4)
        ORDER BY id DESC LIMIT $3"""
)


async def newest(
    db: Database, tenant: TenantId, work_order_id: str, limit: int, own: OwnOnly | None
) -> list[Comment]:
    """Those that the caller may see."""
    kept = None if own is None else COMMENTS.kept_value(own)
    return [COMMENTS.load(row) for row in await db.fetch(_NEWEST, tenant, work_order_id, limit, kept)]
