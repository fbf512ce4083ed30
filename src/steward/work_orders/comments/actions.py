from steward.kit.db.pool import Database
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.users import queries as users
from steward.work_orders.comments import queries, rules
from steward.work_orders.comments.events import COMMENTED, CommentedOrder
from steward.work_orders.comments.model import Comment, NewComment
from steward.work_orders.queries import WORK_ORDERS
from steward.work_orders.rules import kept_to


async def create(db: Database, who: Caller, work_order_id: str, new: NewComment, *, now: int) -> Comment:
    """Possible in every state."""
    author = await users.acting_person(db, who, new.created_by, "createdBy")
    comment = rules.new_comment(work_order_id, new, rules.visibility(new, who), author, now)
    async with db.transaction() as tx:
        await records.change(
            tx,
            WORK_ORDERS,
            who.tenant,
            work_order_id,
            to=lambda order: rules.counted(order, comment),
            own=kept_to(who),
            events=lambda _old, order: [(COMMENTED, CommentedOrder.of(order, comment))],
            now=now,
        )
        return await records.create(tx, queries.COMMENTS, who.tenant, comment, now=now)
