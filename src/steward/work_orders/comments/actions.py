from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.security.caller import Caller
from steward.work_orders.comments import queries
from steward.work_orders.comments.model import Comment, NewComment
from steward.work_orders.comments.rules import new_comment
from steward.work_orders.queries import WORK_ORDERS


async def create(db: Database, who: Caller, work_order_id: str, new: NewComment, *, now: int) -> Comment:
    """Possible in every state."""
    async with db.transaction() as tx:
        await records.lock(tx, WORK_ORDERS, who.tenant, work_order_id)
        comment = new_comment(work_order_id, new, who.user, now)
        return await records.create(tx, queries.COMMENTS, who.tenant, comment, now=now)
