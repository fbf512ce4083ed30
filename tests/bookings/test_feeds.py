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
    now,
    tomorrow,
)
from tests.support.answers import data_of
from tests.support.line_counter import lines_of
from tests.support.organizations import Client, Organization

from steward.bookings.feeds.actions import write_feed
from steward.bookings.feeds.icalendar import ENDING, beginning, entry, text
from steward.bookings.feeds.model import MAX_ENTRIES, Entry


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


def link(organization: Organization, resource: dict) -> str:
    answer = organization.api.post(f"{organization.path}/resources/{resource['id']}/calendar-link")
    assert answer.status_code == 200, answer.text
    assert list(answer.json()) == ["data"]
    assert list(data_of(answer)) == ["url"]
    return data_of(answer)["url"]


def get(organization: Organization, url: str, **headers: str) -> httpx.Response:
    """As a calendar program asks: without any credential."""
    return Client(organization.base_url).get(url, headers=headers)


def test_the_calendar_feed_shows_bookings_without_people(organization: Organization) -> None:
    resource, begin = organization.resources.create(name="Room; Elbe, north"), tomorrow()
    titled = organization.bookings.book(resource, begin, begin + HOUR, title="Budget, part 1; draft\\final")
    untitled = organization.bookings.book(resource, begin + HOUR, begin + 2 * HOUR)
    cancelled = organization.bookings.book(resource, begin + 2 * HOUR, begin + 3 * HOUR)
    assert organization.bookings.post_verb(cancelled, "cancel").is_success
    present = organization.bookings.book(resource, now() - HOUR, now() + HOUR, title="Now")
    assert organization.bookings.post_verb(present, "check-in").is_success
    organization.bookings.book(organization.resources.create(), begin, begin + HOUR, title="Elsewhere")
    answer = get(organization, link(organization, resource))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert entries(answer.content) == [
        {
            "UID": f"{booking['id']}@steward",
            "DTSTAMP": moment(organization.bookings.read(booking)["updated"]),
            "LAST-MODIFIED": moment(organization.bookings.read(booking)["updated"]),
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
    assert organization.user_id not in answer.text
    assert organization.email not in answer.text


def test_links_are_absolute_listed_without_their_secret_and_revoked(organization: Organization) -> None:
    resource, other = organization.resources.create(), organization.resources.create()
    url = link(organization, resource)
    assert url.startswith(f"{organization.base_url}/calendars/{organization.id}.")
    link(organization, other)
    path = f"{organization.path}/calendar-links"
    listed = data_of(organization.api.get(path))
    assert [one["resourceId"] for one in listed] == [other["id"], resource["id"]]
    assert set(listed[0]) == {"resourceId", "created"}
    [one] = data_of(organization.api.get(path, params={"resourceId": resource["id"]}))
    assert url.rpartition(".")[2] not in str(one)
    revoke = f"{organization.path}/resources/{resource['id']}/calendar-link"
    assert organization.api.delete(revoke).json() == {"data": {"deleted": True}}
    assert get(organization, url).status_code == 404
    again = organization.api.delete(revoke)
    assert (again.status_code, again.json()["message"]) == (404, "This resource has no calendar link.")
    assert [one["resourceId"] for one in data_of(organization.api.get(path))] == [other["id"]]
    assert organization.api.delete(f"{organization.path}/resources/rsc_nothing/calendar-link").json()[
        "message"
    ] == ("There is no such bookable resource.")


def test_no_shows_leave_the_feed(organization: Organization) -> None:
    resource, begin = organization.resources.create(checkInRequired=True), tomorrow()
    organization.bookings.book(resource, begin, begin + HOUR)
    url = link(organization, resource)
    assert len(entries(get(organization, url).content)) == 1
    organization.bookings.release_no_shows(begin + HOUR)
    assert entries(get(organization, url).content) == []


def test_a_calendar_without_bookings_still_holds_a_component(organization: Organization) -> None:
    content = lines(get(organization, link(organization, organization.resources.create())).content)
    assert "BEGIN:VTIMEZONE" in content
    assert "BEGIN:VEVENT" not in content


def test_the_feed_reaches_30_days_back_and_a_year_ahead(organization: Organization) -> None:
    resource = organization.resources.create()
    far, near = now() + 366 * DAY, now() + 364 * DAY
    organization.bookings.book(resource, far, far + HOUR, title="too far")
    organization.bookings.book(resource, near, near + HOUR, title="near enough")
    for title, days in (("too old", 31), ("young enough", 29)):
        old = organization.bookings.book(resource, far + days * DAY, far + days * DAY + HOUR, title=title)
        # Time does not wait for a test, and past times can't be booked.
        organization.sql(
            "UPDATE bookings SET start_time = $3, end_time = $4 WHERE organization_id = $1 AND id = $2",
            organization.id,
            old["id"],
            now() - days * DAY - HOUR,
            now() - days * DAY,
        )
    found = entries(get(organization, link(organization, resource)).content)
    assert [entry["SUMMARY"] for entry in found] == ["young enough", "near enough"]


def test_a_new_link_ends_the_old_one(organization: Organization) -> None:
    resource = organization.resources.create()
    first = link(organization, resource)
    assert get(organization, first).status_code == 200
    second = link(organization, resource)
    assert second != first
    assert get(organization, first).status_code == 404
    assert get(organization, second).status_code == 200


def test_links_of_two_resources_are_independent(organization: Organization) -> None:
    one, other = (
        link(organization, organization.resources.create(name="One")),
        link(organization, organization.resources.create(name="Other")),
    )
    assert "NAME:One" in lines(get(organization, one).content)
    assert "NAME:Other" in lines(get(organization, other).content)


def test_the_secret_itself_is_not_stored(organization: Organization) -> None:
    url = link(organization, organization.resources.create())
    [row] = organization.sql(
        "SELECT token_hash FROM calendar_links WHERE organization_id = $1", organization.id
    )
    assert len(row["token_hash"]) == 32
    assert url.rpartition(".")[2].encode() not in row["token_hash"]


def test_a_wrong_calendar_link_is_not_found(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    url = link(organization, organization.resources.create())
    other = new_organization()
    for wrong in (
        url[:-1],
        url + "x",
        url.replace(organization.id, other.id),
        url.rpartition(".")[0],
        f"/calendars/{organization.id}.",
        f"/calendars/.{url.rpartition('.')[2]}",
        "/calendars/nonsense",
    ):
        answer = get(organization, wrong)
        assert (answer.status_code, answer.json()["error"]) == (404, "NotFound"), wrong


def test_a_calendar_is_read_30_times_a_minute_and_no_more(organization: Organization) -> None:
    url = link(organization, organization.resources.create())
    tag = get(organization, url).headers["etag"]
    same = [get(organization, url, **{"If-None-Match": tag}).status_code for _ in range(29)]
    assert same == [304] * 29
    answer = get(organization, url)
    assert (answer.status_code, answer.json()["error"]) == (429, "TooManyRequests")
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert get(organization, link(organization, organization.resources.create())).status_code == 200


def test_the_feed_works_on_every_plan(organization: Organization) -> None:
    url = link(organization, organization.resources.create())
    organization.set_plan("Starter")
    assert organization.api.get(f"{organization.path}/resources").status_code == 403
    assert get(organization, url).status_code == 200


def test_the_feed_has_a_tag_that_changes_with_the_bookings_only(organization: Organization) -> None:
    resource, begin = organization.resources.create(), tomorrow()
    booking = organization.bookings.book(resource, begin, begin + HOUR)
    url = link(organization, resource)
    first = get(organization, url)
    tag = first.headers["etag"]
    assert get(organization, url).headers["etag"] == tag
    same = get(organization, url, **{"If-None-Match": tag})
    assert (same.status_code, same.content) == (304, b"")
    assert organization.bookings.patch(booking, title="Changed").status_code == 200
    changed = get(organization, url, **{"If-None-Match": tag})
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
def test_any_text_gives_a_valid_calendar(titles: list[str], name: str) -> None:
    made = [Entry(f"bkg_{n}", title or None, 60 * n, 60 * n + 60, 5) for n, title in enumerate(titles)]
    body = b"".join((beginning(name, empty=not made), *map(entry, made), ENDING))
    assert [entry["UID"] for entry in entries(body)] == [f"bkg_{n}@steward" for n in range(len(titles))]
    assert lines(body)[-1] == "END:VCALENDAR"


def _many(since: int) -> list[Entry]:
    return [Entry(f"bkg_{since + n}", "Meeting", 60 * n, 60 * n + 60, since) for n in range(MAX_ENTRIES)]


def test_unchanged_files_are_not_rewritten() -> None:
    same = _many(1)
    # The second time is counted.
    assert lines_of(lambda: write_feed("Room", same)) < 6 * MAX_ENTRIES


async def test_a_long_calendar_yields_to_other_requests() -> None:
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
