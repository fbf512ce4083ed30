from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller
from steward.visitors import model, queries
from steward.visitors.erasure import erase_locked
from steward.visitors.model import MOVES, REGISTERED, NewVisitor, Visitor, VisitorChanges, VisitorStatus


async def register(db: Database, who: Caller, new: NewVisitor, *, now: int) -> Visitor:
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
        created=now,
    )
    return await records.create(db, queries.VISITORS, who.tenant, visitor, events=[REGISTERED], now=now)


async def change(
    db: Database, who: Caller, id: str, changes: VisitorChanges, *, precondition: Precondition, now: int
) -> Visitor:
    return await records.change(
        db,
        queries.VISITORS,
        who.tenant,
        id,
        to=lambda visitor: model.change(visitor, changes),
        precondition=precondition,
        now=now,
    )


async def check_in(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Visitor:
    return await records.move(
        db,
        queries.VISITORS,
        MOVES,
        who.tenant,
        id,
        "check-in",
        then=lambda visitor: model.checked_in(visitor, now),
        precondition=precondition,
        now=now,
    )


async def check_out(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Visitor:
    return await records.move(
        db,
        queries.VISITORS,
        MOVES,
        who.tenant,
        id,
        "check-out",
        then=lambda visitor: model.checked_out(visitor, now),
        precondition=precondition,
        now=now,
    )


async def cancel(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Visitor:
    return await records.move(
        db,
        queries.VISITORS,
        MOVES,
        who.tenant,
        id,
        "cancel",
        precondition=precondition,
        now=now,
    )


async def erase(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    """Erasing again changes nothing."""
    async with db.transaction() as tx:
        visitor = await records.lock(tx, queries.VISITORS, who.tenant, id, precondition)
        model.refuse_on_site(visitor)
        await erase_locked(tx, who.tenant, [id], now)
