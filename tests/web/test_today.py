"""What the first page shows, and to whom."""

import time
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

from steward.web.today import rules

BERLIN = ZoneInfo("Europe/Berlin")


def _sections(page: str) -> dict[str, str]:
    parts = page.split('<section class="card" aria-labelledby="')[1:]
    return {part.split('"')[0]: part for part in parts}


@pytest.mark.parametrize(
    ("now", "hours"),
    [("2026-03-29 12:00", 23), ("2026-10-25 00:30", 25), ("2026-11-16 23:59", 24), ("2026-11-16 00:00", 24)],
)
def test_a_day_lasts_from_midnight_to_midnight_in_the_users_time_zone(now: str, hours: int) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=BERLIN)
    day = rules.day_of(int(moment.timestamp()), BERLIN)
    assert datetime.fromtimestamp(day.start, BERLIN).isoformat()[:16] == moment.date().isoformat() + "T00:00"
    assert day.end - day.start == hours * 3600


@pytest.mark.parametrize(
    ("open_now", "made", "closed", "counts"),
    [
        (3, {}, {}, [3, 3, 3]),
        # Two were made today, one yesterday and one closed today: three, then two, then one before.
        (3, {2: 2, 1: 1}, {2: 1}, [1, 2, 3]),
        (0, {0: 1}, {1: 1}, [1, 0, 0]),
        # Never less than nothing, whatever was deleted.
        (0, {2: 5}, {}, [0, 0, 0]),
    ],
)
def test_the_backlog_is_counted_back_from_today(
    open_now: int, made: dict[int, int], closed: dict[int, int], counts: list[int]
) -> None:
    assert rules.backlog_by_day(open_now, made, closed, 3) == counts


def test_a_manager_sees_what_is_late_and_what_will_be(
    organization: Organization, admin: BrowserClient
) -> None:
    now = int(time.time())
    for title, deadline, missed, status in (
        ("Late <one>", now - 3600, now - 3600, "Open"),
        ("Soon", now + 3600, None, "InProgress"),
        ("Paused", now + 3600, None, "OnHold"),
        ("Far", now + 86_400, None, "Open"),
        ("Done", now - 3600, now - 3600, "Completed"),
    ):
        id = organization.work_orders.create(title)["id"]
        organization.sql(
            """UPDATE work_orders SET sla_resolution_deadline = $3, sla_resolution_breached_at = $4, status = $5
               WHERE organization_id = $1 AND id = $2""",
            organization.id,
            id,
            deadline,
            missed,
            status,
        )
    page = admin.sees("/app")
    urgent = _sections(page)["urgent"]
    assert urgent.index("Late &lt;one&gt;") < urgent.index("Soon")
    for absent in ("Paused", "Far", "Done", "<one>"):
        assert absent not in urgent
    tiles = {
        part.split('class="tile-name">')[1].split("<")[0]: part.split('class="tile-count">')[1].split("<")[0]
        for part in page.split('<a class="tile ')[1:]
    }
    assert tiles == {
        "Overdue": "1",
        "Due within 4 hours": "1",
        "Unassigned": "4",
        "All open": "4",
        "Alerts": "0",
        "Devices offline": "0",
    }
    for part in page.split('<a class="tile ')[1:]:
        assert admin.get(part.split('href="')[1].split('"')[0].replace("&amp;", "&")).status_code == 200
    overdue = admin.sees("/app/work-orders?overdue=true&sort=due")
    assert ("Late &lt;one&gt;" in overdue, "Soon" in overdue) == (True, False)
    (series,) = admin.get("/app/today/backlog.json").json()["series"]
    assert (len(series["points"]), series["points"][-1][1], series["points"][0][1]) == (30, 4, 0)


def test_a_technician_sees_their_own_work_by_due_time(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    user = organization.new_user("Technician")
    for title, priority in (("Later", "Low"), ("Sooner", "Critical")):
        organization.work_orders.create(title, priority=priority, assigneeId=user["id"])
    organization.work_orders.create("Of somebody else")
    page = logged_in(user["email"]).sees("/app")
    sections = _sections(page)
    assert sections["mine"].index("Sooner") < sections["mine"].index("Later")
    assert "Of somebody else" not in page
    for absent in ("urgent", "visitors", "bookings", "asked"):
        assert absent not in sections


def test_reception_sees_who_comes_and_what_is_booked(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    now = int(time.time())
    visitor = organization.visitors.create(name="Ada <L>", expectedArrival=now)
    organization.visitors.create(name="In a week", expectedArrival=now + 7 * 86_400)
    organization.visitors.create_in_status("CheckedIn", name="Is here")
    reception = logged_in(organization.new_user("Reception")["email"])
    visitors = _sections(reception.sees("/app"))["visitors"]
    assert "Ada &lt;L&gt;" in visitors
    assert "Is here" in visitors
    assert "In a week" not in visitors
    answer = reception.post(f"/app/visitors/{visitor['id']}/check-in?next=/app")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
    assert "No visitors expected today." in reception.sees("/app")
    assert "No bookings today." in _sections(reception.sees("/app"))["bookings"]


def test_a_requester_reports_a_problem_in_two_fields(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    place = organization.locations.create(name="Kitchen", type="Building")["id"]
    organization.work_orders.create("Of somebody else")
    requester = logged_in(organization.new_user("Requester")["email"])
    assert "You have not reported anything yet." in requester.sees("/app")
    answer = requester.post("/app/work-orders?next=/app", data={"title": "Tap <drips>", "locationId": place})
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
    page = requester.sees("/app")
    assert "Tap &lt;drips&gt;" in _sections(page)["asked"]
    assert "Kitchen" in _sections(page)["asked"]
    assert "Of somebody else" not in page
    for absent in ("/app/settings", "/app/reports", "/app/visitors"):
        assert absent not in page
    answer = requester.post("/app/work-orders?next=/app", data={"title": "", "locationId": place})
    assert answer.status_code == 422
    assert "Fill this in." in answer.text
    assert "Kitchen" in answer.text


def test_every_role_has_a_first_page(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    for name in ("Administrator", "Facility manager", "Technician", "Reception", "Requester", "Viewer"):
        if organization.role_ids(name):
            assert "Hello, " in logged_in(organization.new_user(name)["email"]).sees("/app")
    nobody = logged_in(organization.new_user()["email"])
    page = nobody.sees("/app")
    assert _sections(page) == {}
    assert nobody.get("/app/today/backlog.json").status_code == 403
