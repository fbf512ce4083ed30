from steward.forms import queries, rules
from steward.forms.events import CREATED, DELETED, UPDATED
from steward.forms.model import Form, FormChanges, NewForm
from steward.forms.rules import MOVES
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller


async def create(db: Database, who: Caller, new: NewForm, *, now: int) -> Form:
    form = rules.new_form(new, now)
    return await records.create(db, queries.FORMS, who.tenant, form, events=(CREATED,), now=now)


async def change(
    db: Database, who: Caller, id: str, changes: FormChanges, *, precondition: Precondition, now: int
) -> Form:
    return await records.change(
        db,
        queries.FORMS,
        who.tenant,
        id,
        to=lambda form: rules.changed(form, changes),
        events=records.always(UPDATED),
        precondition=precondition,
        now=now,
    )


async def publish(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Form:
    async with db.transaction() as tx:
        form = await records.move(
            tx,
            queries.FORMS,
            MOVES,
            who.tenant,
            id,
            "publish",
            then=rules.published,
            precondition=precondition,
            now=now,
        )
        await queries.insert_version(tx, who.tenant, rules.new_version(form, who.user))
        return form


async def archive(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Form:
    return await records.move(
        db, queries.FORMS, MOVES, who.tenant, id, "archive", precondition=precondition, now=now
    )


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    """With its versions; submissions hold it."""
    await records.delete(db, queries.FORMS, who.tenant, id, precondition=precondition, event=DELETED, now=now)
