"""Lets life go on in the demo: each day is planned a week ahead, those who are expected come, and what alerts have opened is
worked on. Only for people whom nobody logs in as: what a visitor of the demo does stays as they left it."""

import datetime as dt
from contextlib import suppress

import msgspec

from steward.bookings import actions as bookings
from steward.bookings.resources.model import BookableResource
from steward.bookings.resources.queries import LISTING as RESOURCES
from steward.demo import queries
from steward.demo.agenda import BOOKED_DAYS_AHEAD, VISITOR_DOMAIN, bookings_on, shows_up, visits_on
from steward.demo.fixed_rows import TEXTS
from steward.demo.past import HOUR, MINUTE, drawn, local_date, local_time
from steward.demo.people import STAFF, TECHNICIANS
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Problem
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller
from steward.visitors import actions as visitors
from steward.work_orders import actions as work_orders
from steward.work_orders.comments import actions as comments
from steward.work_orders.comments.model import CommentVisibility, NewComment
from steward.work_orders.model import WorkOrderChanges, WorkOrderStatus
from steward.work_orders.sla import queries as sla_queries

_HOUSES = ("HC-M", "HC-L", "HC-V")
# A visitor of the demo may have done it already; then there is nothing left to do.
_MAY_BE_LATE = suppress(Problem)


class Life:
    def __init__(self, db: Database, who: Caller) -> None:
        self._db, self._who = db, who
        self._policies = TenantCache(sla_queries.policy)

    async def go_on(self, now: int) -> None:
        users = await queries.users(self._db, self._who.tenant)
        staff = [users[person.email] for person in STAFF if person.email in users]
        technicians = [users[person.email] for person in TECHNICIANS[1:] if person.email in users]
        if staff:
            await self._plan(staff, now)
            await self._check_in(staff, now)
        await self._receive(now)
        if technicians:
            await self._work(technicians, now)

    async def _plan(self, staff: list[str], now: int) -> None:
        """Bookings and visits up to a week ahead; the days on which nobody played stay as they were."""
        today = local_date(now).toordinal()
        planned = await queries.planned_until(self._db, self._who.tenant)
        for day in range(max(today, planned + 1), today + BOOKED_DAYS_AHEAD + 1):
            async with self._db.transaction() as tx:
                await _plan_day(tx, self._who, dt.date.fromordinal(day), staff, now)
                await queries.set_planned_until(tx, self._who.tenant, day)

    async def _check_in(self, staff: list[str], now: int) -> None:
        for row in await queries.expected_bookings(self._db, self._who.tenant, now, staff):
            arrives = shows_up(row["resource_name"], row["start_time"])
            if arrives is not None and arrives <= now:
                with _MAY_BE_LATE:
                    await bookings.check_in(Context(self._db, self._who, now * 1000).on(row["id"]))

    async def _receive(self, now: int) -> None:
        for row in await queries.due_visitors(self._db, self._who.tenant, now, VISITOR_DOMAIN):
            random = drawn("visitor", row["id"])
            comes, late, stays = random.random() > 0.08, random.randint(0, 25), random.randint(25, 200)
            if row["status"] == "Registered":
                move = visitors.check_in if comes else visitors.cancel
                due = row["expected_arrival"] + (late * MINUTE if comes else 8 * HOUR)
            else:
                move, due = visitors.check_out, row["checked_in_at"] + stays * MINUTE
            if due > now:
                continue
            with _MAY_BE_LATE:
                await move(Context(self._db, self._who, now * 1000).on(row["id"]))

    async def _work(self, technicians: list[str], now: int) -> None:
        """Technicians take what alerts have opened, in working hours, one thing after the other."""
        local = local_time(now)
        if local.weekday() >= 5 or not 7 <= local.hour < 18:
            return
        before = now - 40 * MINUTE
        for row in await queries.orders_of_alerts(self._db, self._who.tenant, before, technicians):
            random = drawn("order", row["id"])
            technician = row["assignee_id"] or random.choice(technicians)
            who = msgspec.structs.replace(self._who, user=technician)
            with _MAY_BE_LATE:
                if row["status"] == WorkOrderStatus.OPEN:
                    await self._take(who, row["id"], now)
                else:
                    await self._move(who, "complete", row["id"], now)
                    said = NewComment(
                        text=random.choice(TEXTS.done_comments), visibility=CommentVisibility.REPORTER
                    )
                    await comments.create(Context(self._db, who, now * 1000).inside(row["id"]), said)

    async def _take(self, who: Caller, order_id: str, now: int) -> None:
        own = WorkOrderChanges(assignee_id=who.user)
        await work_orders.change(self._policies, Context(self._db, who, now * 1000).on(order_id), own)
        await self._move(who, "start", order_id, now)

    async def _move(self, who: Caller, verb: str, order_id: str, now: int) -> None:
        await work_orders.move(self._policies, verb, Context(self._db, who, now * 1000).on(order_id))


async def _plan_day(db: Database, who: Caller, day: dt.date, staff: list[str], now: int) -> None:
    found = await RESOURCES.scan(db, who.tenant, {"active": True}, None, 100)
    resources = [msgspec.json.decode(row[1], type=BookableResource) for row in found.rows]
    for new in bookings_on(day, resources, staff):
        with _MAY_BE_LATE:
            await bookings.create(Context(db, who, now * 1000), new)
    places = await queries.places(db, who.tenant)
    houses = [places[code] for code in _HOUSES if code in places]
    for visit in visits_on(day, staff, houses) if houses else ():
        if (visit.new.expected_arrival or 0) > now:
            await visitors.register(Context(db, who, now * 1000), visit.new)
