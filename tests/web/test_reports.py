"""Every figure of the reports, from records of which the answer is known."""

import csv
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

from steward.kit.db.partitions import first_id
from steward.kit.domain.problems import Invalid
from steward.reports import rules
from steward.reports.actions import MOST_CHANGES, REPORTS
from steward.reports.model import ReportSpan
from steward.reports.rules import ReportedDevice

BERLIN = ZoneInfo("Europe/Berlin")
_HOUR, _DAY = 3600, 86_400
# Monday, 5 January 2026, 12:00 in Berlin.
NOON = 1_767_610_800
_SPAN = "since=2026-01-01&until=2026-01-31"


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp())


def _rows(person: BrowserClient, report: str, query: str = _SPAN) -> list[list[str]]:
    person.cookies.set("steward_zone", "Europe%2FBerlin")
    found = list(csv.reader(person.sees(f"/app/reports/{report}/rows.csv?{query}").splitlines()))
    return found[1:]


def _order(organization: Organization, **columns: Any) -> str:
    """An order as it would be now, had it been made and moved in the past; `created` makes its identifier, too."""
    fields = {name: columns.pop(name) for name in ("priority", "locationId", "assetId") if name in columns}
    id: str = organization.work_orders.create("Order", **fields)["id"]
    if "created" in columns:
        new = first_id("wo", columns["created"]) + id[-12:]
        columns["id"] = new
    names = list(columns)
    places = ", ".join(f"{name} = ${place}" for place, name in enumerate(names, start=3))
    organization.sql(
        f"UPDATE work_orders SET {places} WHERE organization_id = $1 AND id = $2",
        organization.id,
        id,
        *columns.values(),
    )
    return str(columns.get("id", id))


@pytest.mark.parametrize(
    ("since", "until", "days", "first", "end"),
    [
        (None, None, 1, "2026-01-05", "2026-01-06"),
        (None, None, 30, "2025-12-07", "2026-01-06"),
        ("2026-03-01", "2026-03-31", 30, "2026-03-01", "2026-04-01"),
        ("2026-10-25", "2026-10-25", 30, "2026-10-25", "2026-10-26"),
        (None, "2026-01-31", 31, "2026-01-01", "2026-02-01"),
    ],
)
def test_a_span_is_whole_days_of_the_viewer(
    since: str | None, until: str | None, days: int, first: str, end: str
) -> None:
    found = rules.span(since, until, days=days, now=NOON, zone=BERLIN)
    assert (found.start, found.end) == (_at(first), _at(end))
    assert rules.days_of(found)[0].isoformat() == first


@pytest.mark.parametrize(
    ("since", "until"),
    [
        ("2026-01-02", "2026-01-01"),
        ("2000-01-01", "2026-01-01"),
        ("yesterday", None),
        (None, "9999-12-31"),
        (None, "0001-01-01"),
        ("0001-01-01", "0001-01-02"),
        ("", None),
    ],
)
def test_an_invalid_time_range_is_reported(since: str | None, until: str | None) -> None:
    with pytest.raises(Invalid):
        rules.span(since, until, days=30, now=NOON, zone=BERLIN)


def test_working_days_are_from_monday_to_friday() -> None:
    # From Friday to Monday, over the night in which the clocks change.
    found = rules.span("2026-03-27", "2026-03-30", days=1, now=NOON, zone=BERLIN)
    assert rules.bookable_seconds(found) == 2 * 10 * _HOUR
    weekend = rules.span("2026-03-28", "2026-03-29", days=1, now=NOON, zone=BERLIN)
    assert rules.bookable_seconds(weekend) == 0
    assert rules.share(5, 0) is None


_ON, _OFF = "true", "false"


@pytest.mark.parametrize(
    ("online", "created", "changes", "now", "expected"),
    [
        # Nothing has changed: it is what it has been.
        (True, 0, [], 2000, (1.0, 0, 0)),
        (False, 0, [], 2000, (0.0, 1000, 0)),
        # Off for a quarter of the span.
        (True, 0, [(1250, _OFF), (1500, _ON)], 2000, (0.75, 250, 1)),
        # Before the first change it was the opposite.
        (True, 0, [(1400, _ON)], 2000, (0.6, 400, 0)),
        (False, 0, [(1900, _OFF)], 2000, (0.9, 100, 1)),
        # Twice off, and off at the end.
        (False, 0, [(1100, _OFF), (1200, _ON), (1800, _OFF)], 2000, (0.7, 300, 2)),
        # The same said again begins nothing.
        (False, 0, [(1500, _OFF), (1600, _OFF)], 2000, (0.5, 500, 1)),
        # The span isn't over: what hasn't passed doesn't count.
        (False, 0, [(1250, _OFF)], 1500, (0.5, 250, 1)),
        # What changed after the span tells what it was in it.
        (False, 0, [(2500, _OFF)], 3000, (1.0, 0, 0)),
        (True, 0, [(2500, _ON)], 3000, (0.0, 1000, 0)),
        (True, 0, [(1500, _OFF), (2500, _ON)], 3000, (0.5, 500, 1)),
        # It was made in the middle.
        (True, 1500, [(1600, _ON)], 2000, (0.8, 100, 0)),
        # It was made afterwards.
        (True, 2000, [], 3000, None),
    ],
)
def test_availability_follows_the_changes(
    online: bool,
    created: int,
    changes: list[tuple[int, str]],
    now: int,
    expected: tuple[float, int, int] | None,
) -> None:
    span = ReportSpan(1000, 2000, UTC)
    told = [("a", moment, became) for moment, became in changes]
    found = rules.availability(
        span, now, {"a": ReportedDevice(online, created)}, [*told, ("gone", 1500, _OFF)]
    )
    rounded = {id: (round(share, 6), seconds, times) for id, (share, seconds, times) in found.items()}
    assert rounded == ({} if expected is None else {"a": expected})


def test_sla_attainment_is_that_of_orders_with_a_deadline(
    organization: Organization, admin: BrowserClient
) -> None:
    done = {"status": "Completed", "completed_at": NOON, "sla_resolution_deadline": NOON}
    for late in (None, None, NOON):
        _order(organization, priority="High", **done, sla_resolution_breached_at=late)
    _order(organization, priority="High", **done, sla_response_breached_at=NOON - 1)
    _order(organization, priority="Low", **done)
    _order(organization, priority="Low", **{**done, "sla_resolution_deadline": None})
    # In Berlin it is February already, in UTC it is not.
    _order(organization, priority="Low", **{**done, "completed_at": _at("2026-02-01 00:30")})
    assert _rows(admin, "sla") == [
        ["2026-01", "High", "4", "0.75", "0.75"],
        ["2026-01", "Low", "1", "1.0", "1.0"],
    ]
    assert [row[:3] for row in _rows(admin, "sla", "since=2026-02-01&until=2026-02-01")] == [
        ["2026-02", "Low", "1"]
    ]
    page = admin.sees(f"/app/reports/sla?{_SPAN}")
    assert "75.0 %" in page
    chart = admin.get(f"/app/reports/sla/chart.json?{_SPAN}").json()
    assert {s["name"]: s["points"] for s in chart["series"]}["High"] == [75.0]


def test_time_on_hold_does_not_count(organization: Organization, admin: BrowserClient) -> None:
    for hours, held, response in ((2, 0, 600), (5, 2, 1200), (11, 1, None)):
        created = NOON - hours * _HOUR
        _order(
            organization,
            status="Completed",
            created=created,
            completed_at=NOON,
            sla_paused_seconds=held * _HOUR,
            responded_at=None if response is None else created + response,
        )
    # To respond: 10 and 20 minutes. To repair: 2, 3 and 10 hours.
    assert _rows(admin, "times") == [["2026-01", "3", "900", "900", str(5 * _HOUR), str(3 * _HOUR)]]


def test_the_backlog_is_counted_by_age_whatever_span_is_asked_for(
    organization: Organization, admin: BrowserClient
) -> None:
    now = int(datetime.now(UTC).timestamp())
    for days in (0, 2, 6, 8, 40, 100, 400):
        _order(organization, priority="High", created=now - days * _DAY - 60)
    _order(organization, priority="High", created=now - 60, status="Completed", completed_at=now)
    _order(organization, priority="Critical", created=now - 60, status="OnHold")
    for query in ("", "since=2020-01-01&until=2020-01-02"):
        critical, high = _rows(admin, "backlog", query)
        assert critical[:6] == ["Critical", "1", "0", "0", "0", "0"]
        assert high[:6] == ["High", "1", "2", "1", "1", "2"]
        assert abs(int(high[6]) - (sum((0, 2, 6, 8, 40, 100, 400)) * _DAY // 7 + 60)) < 60
    assert 'type="date"' not in admin.sees("/app/reports/backlog")


def test_orders_are_counted_by_place_and_asset(organization: Organization, admin: BrowserClient) -> None:
    place = organization.locations.create(name="=House", type="Building")["id"]
    pump = organization.assets.create(name="Pump")["id"]
    made = {"created": NOON, "locationId": place}
    _order(organization, **made, status="Completed", completed_at=NOON + 60)
    _order(organization, **made, assetId=pump, sla_resolution_breached_at=NOON)
    _order(organization, created=NOON)
    _order(organization, created=NOON - 30 * _DAY, locationId=place)
    # A name that a spreadsheet would take for a formula is a text.
    assert _rows(admin, "by-location") == [["'=House", "2", "1", "1"], ["No location", "1", "0", "0"]]
    assert _rows(admin, "by-asset") == [["Pump", "1", "0", "1"]]
    page = admin.sees(f"/app/reports/by-location?{_SPAN}")
    link = re.search(r'href="(/app/work-orders\?locationId=[^"]+)"', page)
    assert link
    assert admin.sees(link[1]).count('class="row-link"') == 3


def test_use_and_no_shows_are_those_of_bookings_that_were_not_cancelled(
    organization: Organization, admin: BrowserClient
) -> None:
    now = int(datetime.now(UTC).timestamp()) // _HOUR * _HOUR
    room = organization.resources.create(name="Room Elbe")
    organization.resources.create(name="Never booked")
    # All on one Monday: ten hours are bookable.
    for number, status in enumerate(("Confirmed", "CheckedIn", "NoShow", "Cancelled", "NoShow")):
        id = organization.bookings.book(room, now + (24 + number) * _HOUR, now + (25 + number) * _HOUR)["id"]
        start = NOON - 4 * _HOUR + number * _HOUR
        organization.sql(
            """UPDATE bookings SET start_time = $3, end_time = $4, status = $5
               WHERE organization_id = $1 AND id = $2""",
            organization.id,
            id,
            start,
            start + _HOUR,
            status,
        )
    query = "since=2026-01-05&until=2026-01-05"
    # Four bookings, two hours of ten, two of the four with nobody there, one cancelled.
    assert _rows(admin, "bookings", query) == [["Room Elbe", "4", str(2 * _HOUR), "0.2", "2", "0.5", "1"]]
    # On a weekend nothing is bookable, and there is no share of nothing.
    organization.sql(
        "UPDATE bookings SET start_time = start_time - $2, end_time = end_time - $2 WHERE organization_id = $1",
        organization.id,
        _DAY,
    )
    (row,) = _rows(admin, "bookings", "since=2026-01-04&until=2026-01-04")
    assert row[3] == ""


def test_visitors_are_counted_on_the_day_on_which_they_came(
    organization: Organization, admin: BrowserClient
) -> None:
    for came, left in (
        ("2026-01-05 09:00", "2026-01-05 10:00"),
        ("2026-01-05 23:30", "2026-01-06 01:30"),
        ("2026-01-06 00:30", None),
    ):
        visitor = organization.visitors.create_in_status("CheckedIn")
        organization.sql(
            "UPDATE visitors SET checked_in_at = $3, checked_out_at = $4 WHERE organization_id = $1 AND id = $2",
            organization.id,
            visitor["id"],
            _at(came),
            left and _at(left),
        )
    organization.visitors.create(name="Never came")
    assert _rows(admin, "visitors") == [["2026-01-06", "1", "0", ""], ["2026-01-05", "2", "2", str(90 * 60)]]


def test_devices_are_counted_from_their_events(organization: Organization, admin: BrowserClient) -> None:
    now = int(datetime.now(UTC).timestamp())
    today = datetime.fromtimestamp(now, BERLIN).date().isoformat()
    start = _at(today)
    ids = {
        name: organization.devices.add(name) for name in ("Always on", "Off since midnight", "No device yet")
    }
    for name, online in (("Always on", True), ("Off since midnight", False)):
        organization.sql(
            "UPDATE assets SET connection_status = $3, created = $4 WHERE organization_id = $1 AND id = $2",
            organization.id,
            ids[name],
            online,
            start - 5 * _DAY,
        )
    told = {"data": {"object": {"connectionStatus": False}, "previousAttributes": {"connectionStatus": True}}}
    organization.sql(
        """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
           VALUES ($1, $2, 'asset.status.changed', $3, $4, '{}', $5, event_position())""",
        organization.id,
        first_id("evt", start) + "0" * 14,
        start,
        ids["Off since midnight"],
        msgspec.json.encode(told),
    )
    worst, best = _rows(admin, "devices", f"since={today}&until={today}")
    assert (worst[0], float(worst[1]), worst[3]) == ("Off since midnight", 0.0, "1")
    assert now - start <= int(worst[2]) <= now - start + 600
    assert best == ["Always on", "1.0", "0", "0"]


def test_changes_beyond_the_counting_limit_are_reported(
    organization: Organization, admin: BrowserClient
) -> None:
    now = int(datetime.now(UTC).timestamp())
    told = {"data": {"object": {"connectionStatus": False}, "previousAttributes": {"connectionStatus": True}}}
    organization.sql(
        """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
           SELECT $1, $2 || lpad(n::text, 14, '0'), 'asset.status.changed', $3, 'ast_1', '{}', $4, event_position()
           FROM generate_series(0, $5) n""",
        organization.id,
        first_id("evt", now - _HOUR),
        now - _HOUR,
        msgspec.json.encode(told),
        MOST_CHANGES,
    )
    answer = admin.get("/app/reports/devices")
    assert answer.status_code == 422
    assert "more than 50,000 changes" in answer.text


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.id)
def test_every_report_has_a_formula_rows_and_an_empty_state(
    organization: Organization, admin: BrowserClient, report: Any
) -> None:
    assert f"/app/reports/{report.id}" in admin.sees("/app/reports")
    page = admin.sees(f"/app/reports/{report.id}")
    assert "Nothing to count" in page
    assert report.formula[:30] in page
    chart = admin.get(f"/app/reports/{report.id}/chart.json")
    assert chart.status_code == (404 if report.chart is None else 200)
    assert _rows(admin, report.id) == []
    for query in ("since=nonsense", "until=9999-12-31", "since=2026-02-02&until=2026-02-01"):
        assert admin.get(f"/app/reports/{report.id}?{query}").status_code == 422
    assert admin.get(f"/app/reports/{report.id}?since=&until=").status_code == 200


def test_a_report_needs_permission_for_the_records_it_counts(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    grants = ["organization:read", "visitors:read"]
    role = organization.created("roles", {"name": "Counts visitors", "permissions": grants})
    person = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    page = person.sees("/app/reports")
    assert "/app/reports/visitors" in page
    assert "/app/reports/sla" not in page
    for rest in ("", "/rows.csv", "/chart.json"):
        assert person.get(f"/app/reports/sla{rest}").status_code == 403
        assert person.get(f"/app/reports/visitors{rest}").status_code == 200
        assert person.get(f"/app/reports/unknown{rest}").status_code == 404
    technician = logged_in(organization.new_user("Technician")["email"])
    assert technician.get("/app/reports").status_code == 403
    assert "/app/reports" not in technician.sees("/app")
