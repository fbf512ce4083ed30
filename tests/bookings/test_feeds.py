"""The calendar of a resource: readable by calendar programs, and by nobody without the link."""

import asyncio
import datetime as dt
from collections.abc import Callable

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bookings.helpers import (
    DAY,
    HOUR,
    move,
    new_booking,
    new_resource,
    now,
    patch,
    read,
    release,
    run_sql,
    tomorrow,
)
from tests.support.counting import lines_of
from tests.support.organizations import Client, Organization

from steward.bookings.feeds.actions import write_feed
from steward.bookings.feeds.icalendar import ENDING, MAX_ENTRIES, Entry, beginning, entry, text


def lines(body: bytes) -> list[str]:
    """The content lines, after holding the raw ones against RFC 5545, 3.1."""
    assert body.endswith(b"\r\n")
    raw = body.removesuffix(b"\r\n").split(b"\r\n")
    assert all(len(line) <= 75 and b"\n" not in line and b"\r" not in line for line in raw)
    [line.decode() for line in raw]  # no character is torn apart
    return body.replace(b"\r\n ", b"").decode().removesuffix("\r\n").split("\r\n")


def entries(body: bytes) -> list[dict[str, str]]:
    """Name → value of every VEVENT."""
    found: list[dict[str, str]] = []
    inside = False
    for line in lines(body):
        if line in {"BEGIN:VEVENT", "END:VEVENT"}:
            inside = line == "BEGIN:VEVENT"
            found += [{}] if inside else []
        elif inside:
            name, _, value = line.partition(":")
            assert name not in found[-1]
            found[-1][name] = value
    return found


def moment(seconds: int) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%Y%m%dT%H%M%SZ")


def link(org: Organization, resource: dict) -> str:
    answer = org.api.post(f"{org.path}/resources/{resource['id']}/calendar-link")
    assert answer.status_code == 200, answer.text
    assert list(answer.json()) == ["data"]
    assert list(answer.json()["data"]) == ["url"]
    return answer.json()["data"]["url"]


def get(org: Organization, url: str, **headers: str) -> httpx.Response:
    """As a calendar program asks: without any credential."""
    return Client(org.base_url).get(url, headers=headers)


def test_the_feed_shows_what_holds_the_resource_and_no_person(org: Organization) -> None:
    resource, begin = new_resource(org, name="Room; Elbe, north"), tomorrow()
    titled = new_booking(org, resource, begin, begin + HOUR, title="Budget, part 1; draft\\final")
    untitled = new_booking(org, resource, begin + HOUR, begin + 2 * HOUR)
    cancelled = new_booking(org, resource, begin + 2 * HOUR, begin + 3 * HOUR)
    assert move(org, cancelled, "cancel").is_success
    present = new_booking(org, resource, now() - HOUR, now() + HOUR, title="Now")
    assert move(org, present, "check-in").is_success
    new_booking(org, new_resource(org), begin, begin + HOUR, title="Elsewhere")
    answer = get(org, link(org, resource))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert entries(answer.content) == [
        {
            "UID": f"{booking['id']}@steward",
            "DTSTAMP": moment(read(org, booking)["updated"]),
            "LAST-MODIFIED": moment(read(org, booking)["updated"]),
            "DTSTART": moment(booking["startTime"]),
            "DTEND": moment(booking["endTime"]),
            "SUMMARY": summary,
            "STATUS": "CONFIRMED",
        }
        for booking, summary in (
            (present, "Now"),
            (titled, "Budget\\, part 1\\; draft\\\\final"),
            (untitled, "Booked"),
        )
    ]
    content = lines(answer.content)
    assert content[:4] == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Steward//Bookings//EN",
        "CALSCALE:GREGORIAN",
    ]
    assert "X-WR-CALNAME:Room\\; Elbe\\, north" in content
    assert content[-1] == "END:VCALENDAR"
    assert org.user_id not in answer.text
    assert org.email not in answer.text


def test_no_shows_leave_the_feed(org: Organization) -> None:
    resource, begin = new_resource(org, checkInRequired=True), tomorrow()
    new_booking(org, resource, begin, begin + HOUR)
    url = link(org, resource)
    assert len(entries(get(org, url).content)) == 1
    release(org, begin + HOUR)
    assert entries(get(org, url).content) == []


def test_a_calendar_without_bookings_still_holds_a_component(org: Organization) -> None:
    content = lines(get(org, link(org, new_resource(org))).content)
    assert "BEGIN:VTIMEZONE" in content
    assert "BEGIN:VEVENT" not in content


def test_the_feed_reaches_30_days_back_and_a_year_ahead(org: Organization) -> None:
    resource = new_resource(org)
    far, near = now() + 366 * DAY, now() + 364 * DAY
    new_booking(org, resource, far, far + HOUR, title="too far")
    new_booking(org, resource, near, near + HOUR, title="near enough")
    for title, days in (("too old", 31), ("young enough", 29)):
        old = new_booking(org, resource, far + days * DAY, far + days * DAY + HOUR, title=title)
        # Time does not wait for a test, and nobody can book what is over.
        run_sql(
            org,
            "UPDATE bookings SET start_time = $3, end_time = $4 WHERE organization_id = $1 AND id = $2",
            org.id,
            old["id"],
            now() - days * DAY - HOUR,
            now() - days * DAY,
        )
    found = entries(get(org, link(org, resource)).content)
    assert [entry["SUMMARY"] for entry in found] == ["young enough", "near enough"]


def test_a_new_link_ends_the_old_one(org: Organization) -> None:
    resource = new_resource(org)
    first = link(org, resource)
    assert first.startswith(f"/calendars/{org.id}.")
    assert get(org, first).status_code == 200
    second = link(org, resource)
    assert second != first
    assert get(org, first).status_code == 404
    assert get(org, second).status_code == 200


def test_links_of_two_resources_do_not_disturb_each_other(org: Organization) -> None:
    one, other = link(org, new_resource(org, name="One")), link(org, new_resource(org, name="Other"))
    assert "NAME:One" in lines(get(org, one).content)
    assert "NAME:Other" in lines(get(org, other).content)


def test_the_secret_itself_is_not_stored(org: Organization) -> None:
    url = link(org, new_resource(org))
    [row] = run_sql(org, "SELECT token_hash FROM calendar_links WHERE organization_id = $1", org.id)
    assert len(row["token_hash"]) == 32
    assert url.rpartition(".")[2].encode() not in row["token_hash"]


def test_without_the_right_link_there_is_no_calendar(
    org: Organization, found: Callable[..., Organization]
) -> None:
    url = link(org, new_resource(org))
    other = found()
    for wrong in (
        url[:-1],
        url + "x",
        url.replace(org.id, other.id),
        url.rpartition(".")[0],
        f"/calendars/{org.id}.",
        f"/calendars/.{url.rpartition('.')[2]}",
        "/calendars/nonsense",
    ):
        answer = get(org, wrong)
        assert (answer.status_code, answer.json()["error"]) == (404, "NotFound"), wrong


def test_the_feed_works_on_every_plan(org: Organization) -> None:
    url = link(org, new_resource(org))
    org.set_plan("Starter")
    assert org.api.get(f"{org.path}/resources").status_code == 403
    assert get(org, url).status_code == 200


def test_the_feed_has_a_tag_that_changes_with_the_bookings_only(org: Organization) -> None:
    resource, begin = new_resource(org), tomorrow()
    booking = new_booking(org, resource, begin, begin + HOUR)
    url = link(org, resource)
    first = get(org, url)
    tag = first.headers["etag"]
    assert get(org, url).headers["etag"] == tag
    same = get(org, url, **{"If-None-Match": tag})
    assert (same.status_code, same.content) == (304, b"")
    assert patch(org, booking, title="Changed").status_code == 200
    changed = get(org, url, **{"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


@given(st.text(min_size=1, max_size=300))
def test_a_line_is_folded_without_loss(value: str) -> None:
    [shown] = entries(entry(Entry("bkg_1", value, 0, 60, 5)))
    assert shown["SUMMARY"] == text(value)


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=200))
def test_text_is_escaped_without_loss(value: str) -> None:
    plain, rest = "", text(value)
    while rest:
        taken = 2 if rest[0] == "\\" else 1
        plain, rest = plain + rest[:taken][-1], rest[taken:]
    assert plain == value
    assert not any(character in text(value).replace("\\,", "").replace("\\;", "") for character in ",;")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\nb", "a\\nb"),
        ("a\r\nb\rc", "a\\nb\\nc"),
        ("bell\x07 and \x7f delete", "bell and  delete"),
        ("tab\tstays", "tab\tstays"),
        ("C:\\New\\notes", "C:\\\\New\\\\notes"),
        ("Sitzung im Café, 4. Stock; 部屋", "Sitzung im Café\\, 4. Stock\\; 部屋"),
    ],
)
def test_line_breaks_are_escaped_and_control_characters_dropped(value: str, expected: str) -> None:
    assert text(value) == expected
    [shown] = entries(entry(Entry("bkg_1", value, 0, 60, 5)))
    assert shown["SUMMARY"] == expected


@given(st.lists(st.text(max_size=120), max_size=4), st.text(max_size=120))
def test_whatever_people_write_the_calendar_has_its_form(titles: list[str], name: str) -> None:
    made = [Entry(f"bkg_{n}", title or None, 60 * n, 60 * n + 60, 5) for n, title in enumerate(titles)]
    body = b"".join((beginning(name, empty=not made), *map(entry, made), ENDING))
    assert [entry["UID"] for entry in entries(body)] == [f"bkg_{n}@steward" for n in range(len(titles))]
    assert lines(body)[-1] == "END:VCALENDAR"


def _many(since: int) -> list[Entry]:
    return [Entry(f"bkg_{since + n}", "Meeting", 60 * n, 60 * n + 60, since) for n in range(MAX_ENTRIES)]


def test_what_has_not_changed_is_not_written_again() -> None:
    same = _many(1)
    # The second time is counted.
    assert lines_of(lambda: write_feed("Room", same)) < 6 * MAX_ENTRIES


async def test_a_long_calendar_lets_others_have_their_turns() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    beside = asyncio.create_task(others())
    written = await write_feed("Room", _many(2))
    beside.cancel()
    assert len(entries(written)) == MAX_ENTRIES
    assert turns >= 2
