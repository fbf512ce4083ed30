from steward.forms import queries, rules
from steward.forms.events import CREATED, DELETED, UPDATED
from steward.forms.model import Form
from steward.forms.rules import MOVES
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.records.moves import MoveDetails
from steward.kit.records.verbs import changing, creating, deleting, moving

create = creating(queries.FORMS, rules.new_form, CREATED)
change = changing(queries.FORMS, rules.changed, UPDATED)
archive = moving(queries.FORMS, MOVES, "archive")
# With its versions; submissions prevent it.
delete = deleting(queries.FORMS, DELETED)


async def publish(ctx: Target) -> Form:
    async with ctx.transaction() as ctx:
        form = await records.move(ctx, queries.FORMS, MOVES, "publish", MoveDetails.of(ctx))
        await queries.insert_version(ctx.tx, ctx.tenant, rules.new_version(form, ctx.who.user))
        return form
