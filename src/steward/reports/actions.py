"""All reports, in the order of the list."""

from urllib.parse import urlencode

from steward.assets.connectivity import queries as connectivity
from steward.bookings import queries as bookings
from steward.kit.db.pool import Database
from steward.kit.domain.fields import Priority
from steward.kit.domain.problems import Invalid
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.reports import charts, rules
from steward.reports.model import MOST_ROWS, Load, Report, ReportColumn, ReportRow, ReportSpan
from steward.visitors import queries as visitors
from steward.work_orders.figures import queries as figures

MOST_CHANGES = 50_000
_YEAR, _MONTH = 365, 30
_ORDERS = "/app/work-orders"
_C = ReportColumn
_PRIORITIES = [str(priority) for priority in reversed(Priority)]


def _in_zone(span: ReportSpan) -> tuple[int, int, str]:
    return span.start, span.end, str(span.zone)


async def _sla(db: Database, tenant: TenantId, span: ReportSpan) -> list[ReportRow]:
    return [
        ReportRow(
            (month, priority, done, rules.share(responded, done), rules.share(resolved, done)),
            f"{_ORDERS}?{urlencode({'status': 'Completed', 'priority': priority})}",
        )
        for month, priority, done, responded, resolved in await figures.sla(db, tenant, *_in_zone(span))
    ]


async def _times(db: Database, tenant: TenantId, span: ReportSpan) -> list[ReportRow]:
    return [ReportRow(tuple(row)) for row in await figures.times(db, tenant, *_in_zone(span))]


async def _backlog(db: Database, tenant: TenantId, _span: ReportSpan) -> list[ReportRow]:
    found = {row[0]: tuple(row) for row in await figures.backlog(db, tenant, clock.now())}
    return [
        ReportRow(found[priority], f"{_ORDERS}?{urlencode({'priority': priority, 'sort': 'due'})}")
        for priority in _PRIORITIES
        if priority in found
    ]


async def _by_location(db: Database, tenant: TenantId, span: ReportSpan) -> list[ReportRow]:
    return [
        ReportRow((name or "No location", *rest), f"{_ORDERS}?locationId={id}" if id else None)
        for id, name, *rest in await figures.by_location(db, tenant, span.start, span.end, MOST_ROWS)
    ]


async def _by_asset(db: Database, tenant: TenantId, span: ReportSpan) -> list[ReportRow]:
    return [
        ReportRow((name, *rest), f"{_ORDERS}?assetId={id}")
        for id, name, *rest in await figures.by_asset(db, tenant, span.start, span.end, MOST_ROWS)
    ]


async def _bookings(db: Database, tenant: TenantId, span: ReportSpan) -> list[ReportRow]:
    bookable = rules.bookable_seconds(span)
    return [
        ReportRow(
            (
                name,
                booked,
                seconds,
                rules.share(seconds, bookable),
                no_shows,
                rules.share(no_shows, booked),
                cancelled,
            ),
            f"/app/bookings/list?resourceId={id}",
        )
        for id, name, booked, seconds, no_shows, cancelled in await bookings.use(
            db, tenant, span.start, span.end, MOST_ROWS
        )
    ]


async def _visitors(db: Database, tenant: TenantId, span: ReportSpan) -> list[ReportRow]:
    return [ReportRow(tuple(row)) for row in await visitors.per_day(db, tenant, *_in_zone(span))]


async def _devices(db: Database, tenant: TenantId, span: ReportSpan) -> list[ReportRow]:
    found = await connectivity.newest_devices(db, tenant, MOST_ROWS)
    names = {row[0]: row[1] for row in found}
    devices = {row[0]: rules.ReportedDevice(row[2], row[3]) for row in found}
    # One more than is counted, so that no figures are shown from which something is missing.
    rows = await connectivity.connection_changes(db, tenant, span.start, MOST_CHANGES + 1)
    if len(rows) > MOST_CHANGES:
        raise Invalid(
            "since", f"more than {MOST_CHANGES:,} changes happened from then on; choose a later day"
        )
    changes = [(row[0], row[1], row[2]) for row in rows]
    rates = rules.availability(span, clock.now(), devices, changes)
    return [
        ReportRow((names[id], rate, seconds, times), f"/app/assets/{id}")
        for id, (rate, seconds, times) in sorted(rates.items(), key=lambda item: item[1][0])
    ]


def _orders_by(noun: str, load: Load) -> Report:
    return Report(
        id=f"by-{noun}",
        title=f"Work orders by {noun}",
        formula=f"Orders created in the span, by the {noun} that they name; completed and late ones of these.",
        columns=(
            _C(noun.capitalize()),
            _C("Created", "number"),
            _C("Completed", "number"),
            _C("Late", "number"),
        ),
        load=load,
        chart=charts.most("Work orders", at=1, count=10),
        permission=Permission.WORK_ORDERS_READ,
        days=_YEAR,
    )


REPORTS = (
    Report(
        id="sla",
        title="SLA attainment by priority and month",
        formula="Of the orders completed in a month: those without a missed deadline ÷ all with a deadline. "
        "Time on hold does not count.",
        columns=(
            _C("Month"),
            _C("Priority"),
            _C("Completed", "number"),
            _C("Responded in time", "percent"),
            _C("Resolved in time", "percent"),
        ),
        load=_sla,
        chart=charts.attainment,
        permission=Permission.WORK_ORDERS_READ,
        days=_YEAR,
    ),
    Report(
        id="times",
        title="Time to respond and repair",
        formula="Of the orders completed in a month: from creation to the first start, and from creation to completion "
        "less the time on hold, as far as it lies in business hours. The median is the middle one.",
        columns=(
            _C("Month"),
            _C("Completed", "number"),
            _C("To respond, average", "duration"),
            _C("median", "duration"),
            _C("To repair, average", "duration"),
            _C("median", "duration"),
        ),
        load=_times,
        chart=charts.response_and_repair,
        permission=Permission.WORK_ORDERS_READ,
        days=_YEAR,
    ),
    Report(
        id="backlog",
        title="Age of the backlog",
        formula="Orders that are open, in progress or on hold now, by how long ago they were created.",
        columns=(
            _C("Priority"),
            *(_C(age, "number") for age in charts.AGES),
            _C("Average age", "duration"),
        ),
        load=_backlog,
        chart=charts.ages,
        permission=Permission.WORK_ORDERS_READ,
        days=1,
        about_now=True,
    ),
    _orders_by("location", _by_location),
    _orders_by("asset", _by_asset),
    Report(
        id="bookings",
        title="Use of bookable resources",
        formula=f"Use: hours booked ÷ ({rules.WORKDAY_HOURS} hours a working day, Monday to Friday). "
        "No-show rate: bookings that nobody checked into ÷ all that were not cancelled.",
        columns=(
            _C("Resource"),
            _C("Bookings", "number"),
            _C("Booked", "duration"),
            _C("Use", "percent"),
            _C("No-shows", "number"),
            _C("No-show rate", "percent"),
            _C("Cancelled", "number"),
        ),
        load=_bookings,
        chart=charts.use,
        permission=Permission.BOOKINGS_READ,
        days=_MONTH,
    ),
    Report(
        id="visitors",
        title="Visitors per day",
        formula="Visitors who were checked in on a day; the stay is from check-in to check-out, of those who left.",
        columns=(_C("Day"), _C("Came", "number"), _C("Left", "number"), _C("Average stay", "duration")),
        load=_visitors,
        chart=charts.per_day("Visitors"),
        permission=Permission.VISITORS_READ,
        days=_MONTH,
    ),
    Report(
        id="devices",
        title="Availability of devices",
        formula="Time online ÷ all of the span until now, from the changes of connectivity that were recorded "
        "(kept for 30 days). The worst first.",
        columns=(
            _C("Device"),
            _C("Available", "percent"),
            _C("Offline", "duration"),
            _C("Times offline", "number"),
        ),
        load=_devices,
        permission=Permission.IOT_READ,
        days=_MONTH,
    ),
)
BY_ID = {report.id: report for report in REPORTS}
