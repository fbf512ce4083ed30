from msgspec.structs import replace

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.security.caller import Caller
from steward.users import queries as users
from steward.work_orders.comments import queries
from steward.work_orders.comments.events import COMMENTED, CommentedOrder
from steward.work_orders.comments.model import Comment, NewComment
from steward.work_orders.comments.rules import new_comment
from steward.work_orders.queries import WORK_ORDERS
from steward.work_orders.rules import kept_to


async def create(db: Database, who: Caller, work_order_id: str, new: NewComment, *, now: int) -> Comment:
    """Possible in every state. The order counts its comments, so that whoever knows it as it was sees that it isn't any more."""
    author = await users.acting_person(db, who, new.created_by, "createdBy")
    comment = new_comment(work_order_id, new, author, now)
    async with db.transaction() as tx:
        await records.change(
            tx,
            WORK_ORDERS,
            who.tenant,
            work_order_id,
            to=lambda order: replace(order, comment_count=order.comment_count + 1),
            own=kept_to(who),
            events=lambda _old, order: [(COMMENTED, CommentedOrder.of(order, comment))],
            now=now,
        )
        return await records.create(tx, queries.COMMENTS, who.tenant, comment, now=now)
