"""The screens of bookings, over HTTP."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.bookings.helpers import DAY, HOUR, MINUTE, now, tomorrow
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

from steward.bookings.grid.rules import day_slot, span
from steward.bookings.slots import Slot


def _local(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M")


def _grid(person: BrowserClient, start: int, end: int, **more: str) -> dict[str, Any]:
    answer = person.get("/app/bookings/events.json", params={"from": start, "to": end, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_grid_shows_bookings_that_overlap_its_window(
    organization: Organization, admin: BrowserClient
) -> None:
    begin = tomorrow()
    room = organization.resources.create(name="Room <B>", capacity=4)
    organization.resources.create(name="Closed", active=False)
    before = organization.bookings.book(room, begin - 2 * HOUR, begin + HOUR, title="Runs <i>in</i>")
    inside = organization.bookings.book(room, begin + 2 * HOUR, begin + 3 * HOUR)
    organization.bookings.book(room, begin - 4 * HOUR, begin - 2 * HOUR, title="Over")
    organization.bookings.book(room, begin + 4 * HOUR, begin + 5 * HOUR, title="Later")
    gone = organization.bookings.book(room, begin + 3 * HOUR, begin + 4 * HOUR)
    organization.bookings.post_verb(gone, "cancel")
    shown = _grid(admin, begin, begin + 4 * HOUR)
    assert shown["resources"] == [{"id": room["id"], "name": "Room <B>", "detail": "Room, 4"}]
    assert [(b["id"], b["title"], b["movable"]) for b in shown["bookings"]] == [
        (before["id"], "Runs <i>in</i>", True),
        (inside["id"], "Booked", True),
    ]
    assert shown["more"] is False
    page = admin.sees(f"/app/bookings?date={datetime.fromtimestamp(begin, UTC):%Y-%m-%d}")
    assert "Room &lt;B&gt;" in page
    assert "Runs &lt;i&gt;in&lt;/i&gt;" in page
    assert "Closed" not in page


def test_the_grid_can_be_filtered_by_type_and_location_with_descendants(
    organization: Organization, admin: BrowserClient
) -> None:
    house = organization.created("locations", {"name": "House", "type": "Building"})
    floor = organization.created("locations", {"name": "1st", "type": "Floor", "parentId": house["id"]})
    room = organization.resources.create(name="Up there", locationId=floor["id"])
    desk = organization.resources.create(name="Desk", type="Desk")

    def names(**more: str) -> list[str]:
        return [each["name"] for each in _grid(admin, now(), now() + DAY, **more)["resources"]]

    assert names() == [desk["name"], room["name"]]
    assert names(type="Desk") == ["Desk"]
    assert names(locationId=house["id"]) == ["Up there"]
    assert names(locationId=house["id"], type="Desk") == []


@pytest.mark.parametrize(
    "query", ["", "from=5&to=5", f"from=0&to={9 * DAY}", "from=x&to=1", "from=0&to=1&type=Castle"]
)
def test_an_invalid_or_too_wide_window_is_refused(admin: BrowserClient, query: str) -> None:
    assert admin.get(f"/app/bookings/events.json?{query}").status_code == 422


def test_an_invalid_date_is_refused(admin: BrowserClient) -> None:
    for day in ("tomorrow", "2026-02-31", "0001-01-01", "9999-12-31"):
        assert admin.get(f"/app/bookings?date={day}").status_code == 422
    assert admin.get("/app/bookings/list?day=tomorrow").status_code == 422


def test_dragging_books_and_moves_and_shows_refusals(
    organization: Organization, admin: BrowserClient
) -> None:
    room, begin = organization.resources.create(name="Elbe", bufferMinutes=15), tomorrow()
    slot = {"resourceId": room["id"], "startTime": begin, "endTime": begin + HOUR}
    made = admin.post("/app/bookings/events.json", data={**slot, "title": "First"})
    assert made.status_code == 201, made.text
    id = made.json()["id"]
    assert organization.bookings.read({"id": id})["bookedBy"] == organization.user_id
    refused = admin.post("/app/bookings/events.json", data={**slot, "title": "Second"})
    offer = {"startTime": begin + 75 * MINUTE, "endTime": begin + 135 * MINUTE}
    taken, free = Slot(begin, begin + HOUR), Slot(offer["startTime"], offer["endTime"])
    assert (refused.status_code, refused.json()) == (
        409,
        {
            "message": f"Elbe is taken by “First”, {span(taken, UTC)}. 15 minutes must lie between bookings. "
            f"The next free time of this length is {span(free, UTC)}.",
            "offer": offer,
        },
    )
    other = admin.post("/app/bookings/events.json", data={**slot, **offer}).json()["id"]
    back = admin.post(f"/app/bookings/{other}/time.json", data={"startTime": begin, "endTime": begin + HOUR})
    assert back.status_code == 409
    assert "“First”" in back.json()["message"]
    later = {"startTime": begin + 5 * HOUR, "endTime": begin + 7 * HOUR}
    assert admin.post(f"/app/bookings/{other}/time.json", data=later).status_code == 200
    moved = organization.bookings.read({"id": other})
    assert {name: moved[name] for name in later} == later
    wrong = admin.post(f"/app/bookings/{other}/time.json", data={"startTime": begin, "endTime": begin})
    assert (wrong.status_code, wrong.json()["message"]) == (422, "endTime must be later than startTime")


def test_the_form_books_and_offers_what_is_free(organization: Organization, admin: BrowserClient) -> None:
    room, begin = organization.resources.create(name="Elbe"), tomorrow()
    sent = {
        "resourceId": room["id"],
        "startTime": _local(begin),
        "endTime": _local(begin + HOUR),
        "title": "<i>Planning</i>",
    }
    made = admin.post("/app/bookings", data=sent)
    assert made.status_code == 303, made.text
    page = admin.sees(made.headers["location"])
    assert "&lt;i&gt;Planning&lt;/i&gt;" in page
    refused = admin.post("/app/bookings", data=sent)
    assert refused.status_code == 409
    assert "Elbe is taken by “<i>Planning</i>”" in unescape(refused.text)
    assert f'name="startTime" value="{begin + HOUR}"' in refused.text
    assert f'value="{_local(begin)}"' in refused.text
    blank = admin.post("/app/bookings", data={**sent, "resourceId": "", "endTime": "soon"})
    assert blank.status_code == 422
    assert 'id="resourceId-error">Fill this in.' in blank.text
    assert 'id="endTime-error">Use a whole number.' in blank.text
    backwards = admin.post("/app/bookings", data={**sent, "endTime": _local(begin - HOUR)})
    assert 'id="endTime-error">Must be later than startTime' in backwards.text


def test_a_booking_is_changed_checked_in_ended_and_cancelled(
    organization: Organization, admin: BrowserClient
) -> None:
    room = organization.resources.create(checkInRequired=True)
    later = organization.bookings.book(room, tomorrow(), tomorrow() + HOUR, title="Later")
    path = f"/app/bookings/{later['id']}"
    page = admin.sees(path)
    assert f'action="{path}/check-in"' not in page
    early = admin.post(f"{path}/check-in")
    assert early.status_code == 409
    assert "It is too early to check in: that is possible from" in early.text
    version = re.search(r"version=(\w+)", page)
    assert version
    changed = {
        "title": "New",
        "startTime": _local(tomorrow() + HOUR),
        "endTime": _local(tomorrow() + 2 * HOUR),
    }
    assert admin.post(f"{path}?version={version[1]}", data=changed).status_code == 303
    stale = admin.post(f"{path}?version={version[1]}", data={**changed, "title": "Stale"})
    assert stale.status_code == 412
    assert 'value="Stale"' in stale.text
    assert organization.bookings.read(later)["title"] == "New"
    assert admin.post(f"{path}/cancel").status_code == 303
    assert organization.bookings.read(later)["status"] == "Cancelled"
    assert "/cancel" not in admin.sees(path)

    running = organization.bookings.book(room, now() - MINUTE, now() + HOUR)
    path = f"/app/bookings/{running['id']}"
    assert f'action="{path}/check-in"' in admin.sees(path)
    assert admin.post(f"{path}/check-in").status_code == 303
    assert admin.post(f"{path}/end").status_code == 303
    ended = organization.bookings.read(running)
    assert (ended["status"], ended["endTime"] <= now()) == ("CheckedIn", True)
    assert admin.post(f"{path}/end").status_code == 409


def test_a_series_is_booked_changed_and_cancelled_by_forms(
    organization: Organization, admin: BrowserClient
) -> None:
    room, begin = organization.resources.create(name="Elbe"), tomorrow()
    other = organization.resources.create(name="Alster")
    sent = {
        "resourceId": room["id"],
        "startTime": _local(begin),
        "endTime": _local(begin + HOUR),
        "title": "Round",
        "attendees": "Ada Lovelace <ada@example.com>\ngrace@example.com\n",
        "repeat": "FREQ=DAILY",
    }
    endless = admin.post("/app/bookings", data=sent)
    assert endless.status_code == 422
    assert 'id="repeatUntil-error">Either a last day or a number of times is needed' in endless.text
    nobody = admin.post("/app/bookings", data={**sent, "repeatCount": "4", "attendees": "Ada"})
    assert (nobody.status_code, 'id="attendees-error"' in nobody.text) == (422, True)
    day = f"{datetime.fromtimestamp(begin + DAY, UTC):%Y-%m-%d}"
    made = admin.post("/app/bookings", data={**sent, "repeatCount": "4", "leftOut": day})
    assert made.status_code == 303, made.text
    page = admin.sees(made.headers["location"])
    assert "ada@example.com" in page
    assert "FREQ=DAILY;COUNT=4" in page
    first = organization.bookings.read(made.headers["location"].rpartition("/")[2])
    assert first["attendees"] == [
        {"email": "ada@example.com", "name": "Ada Lovelace"},
        {"email": "grace@example.com", "name": None},
    ]
    again = admin.post("/app/bookings", data={**sent, "repeatCount": "2"})
    assert again.status_code == 409
    assert "Elbe is taken on 1 of the 2 dates" in again.text
    path = made.headers["location"]
    change = {"title": "Long round", "resourceId": other["id"], "attendees": "", "scope": "all"}
    assert admin.post(path, data=change).status_code == 303

    def dates(field: str) -> list[Any]:
        found = organization.bookings.listed(seriesId=first["seriesId"])
        return [booking[field] for booking in found]

    assert set(dates("title") + dates("resourceName")) == {"Long round", "Alster"}
    assert dates("attendees") == [[], [], []]
    assert admin.post(f"{path}/cancel", data={"scope": "all"}).status_code == 303
    assert dates("status") == ["Cancelled"] * 3


def test_free_slots_link_to_the_booking_form(organization: Organization, admin: BrowserClient) -> None:
    room = organization.resources.create(name="Elbe", capacity=8, features=["Screen"])
    organization.resources.create(name="Alster", capacity=4)
    begin = tomorrow()
    asked = {"from": _local(begin), "to": _local(begin + HOUR), "capacity": "5", "features": "screen, "}
    page = admin.get("/app/bookings/free", params=asked)
    assert page.status_code == 200, page.text
    book = f"/app/bookings/new?resourceId={room['id']}&amp;startTime={begin}&amp;endTime={begin + HOUR}"
    assert (book in page.text, "Alster" in page.text) == (True, False)
    organization.bookings.book(room, begin, begin + HOUR)
    assert "Nothing is free" in admin.get("/app/bookings/free", params=asked).text
    wrong = admin.get("/app/bookings/free", params={**asked, "to": _local(begin - HOUR)})
    assert (wrong.status_code, "must be later than from" in wrong.text) == (422, True)


def test_the_list_is_sorted_by_start_and_narrowed_to_a_day(
    organization: Organization, admin: BrowserClient
) -> None:
    room, begin = organization.resources.create(), tomorrow() + DAY
    for hours, title in ((3, "third"), (1, "first"), (2, "second"), (24 * 5, "another day")):
        organization.bookings.book(room, begin + hours * HOUR, begin + hours * HOUR + 1, title=title)

    def titles(path: str) -> list[str]:
        return re.findall(r'class="row-link"[^>]*>([^<]+)<', admin.sees(path))

    assert titles("/app/bookings/list?sort=start") == ["first", "second", "third", "another day"]
    assert titles("/app/bookings/list?sort=-start&limit=1") == ["another day"]
    day = f"{datetime.fromtimestamp(begin + 5 * DAY, UTC):%Y-%m-%d}"
    assert titles(f"/app/bookings/list?day={day}") == ["another day"]
    csv = admin.get(f"/app/bookings/list.csv?day={day}")
    assert csv.text.count("\n") == 2


def test_a_resource_is_made_changed_and_deleted(organization: Organization, admin: BrowserClient) -> None:
    fields = {
        "name": "Desk <1>",
        "type": "Desk",
        "capacity": "",
        "features": ["standing", "", "two screens"],
        "bufferMinutes": "10",
        "checkInRequired": "true",
        "releaseAfterMinutes": "20",
        "active": "true",
    }
    made = admin.post("/app/bookings/resources", data=fields)
    assert made.status_code == 303, made.text
    path = made.headers["location"]
    assert "Desk &lt;1&gt;" in admin.sees(path)
    assert "Desk &lt;1&gt;" in admin.sees("/app/bookings/resources")
    wrong = admin.post(path, data={**fields, "bufferMinutes": "9999"})
    assert wrong.status_code == 422
    assert 'id="bufferMinutes-error">Use a number that is at most 1440.' in wrong.text
    assert admin.post(path, data={**fields, "active": "false", "capacity": "3"}).status_code == 303
    stored = organization.resources.read({"id": path.rpartition("/")[2]})
    assert (stored["active"], stored["capacity"], stored["checkInRequired"]) == (False, 3, True)
    assert stored["features"] == ["standing", "two screens"]
    assert admin.post(path, data={**fields, "features": ""}).status_code == 303
    assert organization.resources.read(stored)["features"] == []
    assert admin.post(f"{path}/delete").status_code == 303
    assert admin.get(path).status_code == 404


def test_calendar_links_are_shown_once_and_revoked(organization: Organization, admin: BrowserClient) -> None:
    path = f"/app/bookings/resources/{organization.resources.create()['id']}"
    made = admin.post(f"{path}/calendar-link")
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    link = re.search(r'value="(http://[^"]+/calendars/[^"]+)"', made.text)
    assert link
    assert admin.get(link[1]).status_code == 200
    assert link[1] not in admin.sees(path)
    assert admin.post(f"{path}/calendar-link/revoke").status_code == 303
    assert admin.get(link[1]).status_code == 404


def test_read_only_users_see_no_buttons(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    room = organization.resources.create()
    booking = organization.bookings.book(room, now(), now() + HOUR, title="Seen")
    viewer = logged_in(organization.new_user("Viewer")["email"])
    paths = (
        "/app/bookings",
        "/app/bookings/list",
        "/app/bookings/resources",
        f"/app/bookings/{booking['id']}",
        f"/app/bookings/resources/{room['id']}",
    )
    for path in paths:
        page = viewer.sees(path)
        assert 'method="post"' not in page.replace('method="post" action="/app/logout"', ""), path
        assert "/new" not in page, path
        assert "data-may-write" not in page, path
    assert all(not each["movable"] for each in _grid(viewer, now(), now() + HOUR)["bookings"])
    for path, sent in (
        ("/app/bookings/events.json", {"resourceId": room["id"], "startTime": 1, "endTime": 2}),
        (f"/app/bookings/{booking['id']}/time.json", {"endTime": now() + 2 * HOUR}),
        (f"/app/bookings/{booking['id']}/cancel", {}),
        (f"/app/bookings/resources/{room['id']}/tablets", {"name": "Door"}),
        (f"/app/bookings/resources/{room['id']}/calendar-link", {}),
    ):
        assert viewer.post(path, data=sent).status_code == 403, path
    assert viewer.get("/app/bookings/new").status_code == 403


def test_forged_forms_and_other_tenants_are_refused(
    organization: Organization, admin: BrowserClient, other_organization: Organization
) -> None:
    booking = organization.bookings.book(organization.resources.create(), tomorrow(), tomorrow() + HOUR)
    forged = {"Origin": "https://elsewhere.example"}
    for path in (f"/app/bookings/{booking['id']}/cancel", "/app/bookings/events.json"):
        assert admin.post(path, headers=forged).status_code == 403
    assert organization.bookings.read(booking)["status"] == "Confirmed"
    room = other_organization.resources.create(name="Foreign")
    foreign = other_organization.bookings.book(room, tomorrow(), tomorrow() + HOUR)
    assert admin.get(f"/app/bookings/{foreign['id']}").status_code == 404
    assert admin.get(f"/app/bookings/resources/{room['id']}").status_code == 404
    assert (
        admin.post(f"/app/bookings/{foreign['id']}/time.json", data={"endTime": now() + DAY * 9}).status_code
        == 404
    )
    assert "Foreign" not in admin.sees("/app/bookings")


def test_a_day_is_as_long_as_its_clocks_say() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    lengths = [
        (slot.end_time - slot.start_time) // HOUR
        for slot in (day_slot(date(2026, *day), berlin) for day in ((3, 29), (6, 1), (10, 25)))
    ]
    assert lengths == [23, 24, 25]
