from collections.abc import Callable

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.http.route import NoBody
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller
from steward.visitors import model, queries
from steward.visitors.erasure import erase_locked
from steward.visitors.model import MOVES, REGISTERED, NewVisitor, Visitor, VisitorChanges, VisitorStatus


async def register(db: Database, who: Caller, new: NewVisitor) -> Visitor:
    visitor = Visitor(
        id=new_id("vis"),
        name=new.name,
        email=new.email,
        company=new.company,
        host_id=new.host_id or who.user,
        location_id=new.location_id,
        expected_arrival=new.expected_arrival,
        status=VisitorStatus.REGISTERED,
        checked_in_at=None,
        checked_out_at=None,
        erased_at=None,
        created=clock.now(),
    )
    return await records.create(db, queries.VISITORS, who.tenant, visitor, events=[REGISTERED])


async def change(
    db: Database, who: Caller, id: str, changes: VisitorChanges, if_match: str | None
) -> Visitor:
    return await records.change(
        db,
        queries.VISITORS,
        who.tenant,
        id,
        to=lambda visitor: model.change(visitor, changes),
        if_match=if_match,
    )


async def check_in(db: Database, who: Caller, id: str, _body: NoBody, if_match: str | None) -> Visitor:
    now = clock.now()
    return await _move(db, who, id, if_match, verb="check-in", to=lambda old: model.check_in(old, now))


async def check_out(db: Database, who: Caller, id: str, _body: NoBody, if_match: str | None) -> Visitor:
    now = clock.now()
    return await _move(db, who, id, if_match, verb="check-out", to=lambda old: model.check_out(old, now))


async def cancel(db: Database, who: Caller, id: str, _body: NoBody, if_match: str | None) -> Visitor:
    return await _move(db, who, id, if_match, verb="cancel", to=model.cancel)


async def erase(db: Database, who: Caller, id: str, if_match: str | None) -> None:
    """Erasing again changes nothing."""
    async with db.transaction() as tx:
        visitor = await records.lock(tx, queries.VISITORS, who.tenant, id, if_match)
        model.refuse_on_site(visitor)
        await erase_locked(tx, who.tenant, [id], clock.now())


async def _move(
    db: Database,
    who: Caller,
    id: str,
    if_match: str | None,
    *,
    verb: str,
    to: Callable[[Visitor], Visitor],
) -> Visitor:
    event = MOVES[verb].event
    return await records.change(
        db,
        queries.VISITORS,
        who.tenant,
        id,
        to=to,
        if_match=if_match,
        events=lambda _old, _new: [] if event is None else [event],
    )
