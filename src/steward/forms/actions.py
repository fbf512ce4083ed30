from steward.forms import queries, rules
from steward.forms.events import CREATED, DELETED, UPDATED
from steward.forms.model import Form, FormChanges, NewForm
from steward.forms.rules import MOVES
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import MoveDetails


async def create(ctx: Context, new: NewForm) -> Form:
    form = rules.new_form(new, ctx.now)
    return await records.create(ctx, queries.FORMS, form, CREATED)


async def change(ctx: Target, changes: FormChanges) -> Form:
    return await records.change(ctx, queries.FORMS, lambda form: rules.changed(form, changes), UPDATED)


async def publish(ctx: Target) -> Form:
    async with ctx.transaction() as ctx:
        form = await records.move(ctx, queries.FORMS, MOVES, "publish", MoveDetails.of(ctx))
        await queries.insert_version(ctx.tx, ctx.tenant, rules.new_version(form, ctx.who.user))
        return form


async def archive(ctx: Target) -> Form:
    return await records.move(ctx, queries.FORMS, MOVES, "archive", MoveDetails.of(ctx))


async def delete(ctx: Target) -> None:
    """With its versions; submissions prevent it."""
    await records.delete(ctx, queries.FORMS, DELETED)
