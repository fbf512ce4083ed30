from steward.kit.records import records
from steward.kit.records.context import Context
from steward.users import queries as users
from steward.work_orders.comments import queries, rules
from steward.work_orders.comments.events import COMMENTED, CommentedOrder
from steward.work_orders.comments.model import Comment, NewComment
from steward.work_orders.queries import WORK_ORDERS
from steward.work_orders.rules import own_records_only


async def create(ctx: Context, new: NewComment) -> Comment:
    """Possible in every state."""
    author = await users.acting_person(ctx, new.created_by, "createdBy")
    comment = rules.new_comment(ctx.parent, new, rules.visibility(new, ctx.who), author, ctx.now)
    async with ctx.transaction() as ctx:
        await records.change(
            ctx.on(ctx.parent),
            WORK_ORDERS,
            lambda order: rules.counted(order, comment),
            own=own_records_only(ctx.who),
            events=lambda _old, order: [(COMMENTED, CommentedOrder.of(order, comment))],
        )
        return await records.create(ctx, queries.COMMENTS, comment)
