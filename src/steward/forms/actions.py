from steward.forms import model, queries
from steward.forms.answers import check_answers
from steward.forms.definition import check_fields
from steward.forms.model import (
    MOVES,
    Form,
    FormChanges,
    FormStatus,
    FormVersion,
    NewForm,
    NewSubmission,
    Submission,
)
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Invalid
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller


async def create(db: Database, who: Caller, new: NewForm, *, now: int) -> Form:
    check_fields(new.fields)
    form = Form(new_id("frm"), new.name, new.description, FormStatus.DRAFT, 0, new.fields, now, now)
    return await records.create(db, queries.FORMS, who.tenant, form, now=now)


async def change(
    db: Database, who: Caller, id: str, changes: FormChanges, *, precondition: Precondition, now: int
) -> Form:
    return await records.change(
        db,
        queries.FORMS,
        who.tenant,
        id,
        to=lambda form: model.change(form, changes),
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
            then=model.published,
            precondition=precondition,
            now=now,
        )
        frozen = FormVersion(form.id, form.version, form.fields, who.user, form.updated)
        await queries.insert_version(tx, who.tenant, frozen)
        return form


async def archive(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Form:
    return await records.move(
        db, queries.FORMS, MOVES, who.tenant, id, "archive", precondition=precondition, now=now
    )


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    """With its versions; submissions hold it."""
    await records.delete(db, queries.FORMS, who.tenant, id, precondition=precondition, now=now)


async def submit(db: Database, who: Caller, form_id: str, new: NewSubmission, *, now: int) -> Submission:
    async with db.transaction() as tx:
        found = await queries.in_force(tx, who.tenant, form_id)
        if found is None:
            raise queries.FORMS.missing()
        status, version, fields = found
        model.require_open(status)
        if details := check_answers(fields, new.answers):
            raise Invalid.of(details)
        made = Submission(new_id("fsb"), form_id, version, new.answers, new.location_id, who.user, now)
        return await records.create(tx, queries.SUBMISSIONS, who.tenant, made, now=now)
