"""A tablet beside a door: what its link lets in to, and what not."""

import re
from collections.abc import Callable

import httpx
import pytest
from tests.bookings.helpers import HOUR, MINUTE, now, tomorrow
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.records.collection import Record

from steward.bookings.tablets.model import MAX_TABLETS


@pytest.fixture
def room(organization: Organization) -> Record:
    return organization.resources.create(name="Elbe <1>", checkInRequired=True)


def _make(admin: BrowserClient, room: Record, name: str = "Door") -> httpx.Response:
    return admin.post(f"/app/bookings/resources/{room['id']}/tablets", data={"name": name})


@pytest.fixture
def link(admin: BrowserClient, room: Record) -> str:
    made = _make(admin, room)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store"), made.text
    found = re.search(r'value="(/tablet/[^"]+)"', made.text)
    assert found
    return found[1]


@pytest.fixture
def tablet(new_browser: Callable[[], BrowserClient]) -> BrowserClient:
    return new_browser()


def _state(page: str) -> str:
    return page.split('data-state="')[1].split('"', maxsplit=1)[0]


def test_a_tablet_books_until_the_next_and_ends_early(
    organization: Organization, tablet: BrowserClient, link: str, room: Record
) -> None:
    soon = now() // MINUTE * MINUTE + 20 * MINUTE
    later = organization.bookings.book(room, soon, soon + HOUR, title="<i>Next</i>")
    page = tablet.sees(link)
    assert _state(page) == "free"
    assert "Elbe &lt;1&gt;" in page
    assert "&lt;i&gt;Next&lt;/i&gt;" in page
    choices = [int(end) for end in re.findall(r'name="until" value="(\d+)"', page)]
    assert choices[-1] == soon
    assert tablet.post(f"{link}/book", data={"until": soon + 1}).status_code == 409
    assert tablet.post(f"{link}/book", data={"until": "x"}).status_code == 422
    assert tablet.post(f"{link}/book", data={"until": soon}).status_code == 303
    page = tablet.sees(link)
    assert _state(page) == "in-use"
    refused = tablet.post(f"{link}/book", data={"until": choices[0]})
    assert refused.status_code == 409
    assert "has been taken just now" in refused.text
    mine = data_of(organization.api.get(f"{organization.path}/bookings"))[0]
    assert (mine["title"], mine["status"], mine["bookedBy"]) == ("Booked at the door", "CheckedIn", None)
    assert tablet.post(f"{link}/end", data={"bookingId": mine["id"]}).status_code == 303
    assert organization.bookings.read(mine)["endTime"] <= max(now(), mine["startTime"] + 1)
    early = tablet.post(f"{link}/check-in", data={"bookingId": later["id"]})
    assert early.status_code == 409
    assert "It is too early to check in" in early.text


def test_a_link_reaches_its_own_resource_only(
    organization: Organization, tablet: BrowserClient, link: str
) -> None:
    elsewhere = organization.resources.create(name="Elsewhere")
    other = organization.bookings.book(elsewhere, now() - MINUTE, now() + HOUR)
    for verb in ("check-in", "end"):
        assert tablet.post(f"{link}/{verb}", data={"bookingId": other["id"]}).status_code == 404
    assert organization.bookings.read(other)["status"] == "Confirmed"
    assert tablet.get("/app/bookings").status_code == 303


def test_a_wrong_tablet_link_is_not_found(
    organization: Organization, other_organization: Organization, tablet: BrowserClient, link: str
) -> None:
    for wrong in (
        link[:-1],
        link + "x",
        link.replace(organization.id, other_organization.id),
        "/tablet/nonsense",
        f"/tablet/{organization.id}.",
    ):
        assert tablet.get(wrong).status_code == 404, wrong
        assert tablet.post(f"{wrong}/book", data={"until": now() + HOUR}).status_code == 404, wrong
    assert tablet.get("/tablet").status_code == 404


def test_a_form_from_elsewhere_is_refused(
    tablet: BrowserClient, link: str, organization: Organization
) -> None:
    end = now() // MINUTE * MINUTE + 15 * MINUTE
    forged = tablet.post(f"{link}/book", data={"until": end}, headers={"Origin": "https://elsewhere.example"})
    assert forged.status_code == 403
    assert data_of(organization.api.get(f"{organization.path}/bookings")) == []


def test_links_are_listed_and_revoked_and_their_secrets_not_kept(
    organization: Organization, admin: BrowserClient, tablet: BrowserClient, link: str, room: Record
) -> None:
    path = f"/app/bookings/resources/{room['id']}"
    assert "not used yet" in admin.sees(path)
    assert tablet.get(link).headers["cache-control"] == "no-store"
    page = admin.sees(path)
    assert "last used" in page
    assert link.rpartition(".")[2] not in page
    [row] = organization.sql("SELECT * FROM resource_tablets WHERE organization_id = $1", organization.id)
    assert len(row["token_hash"]) == 32
    assert admin.post(f"{path}/tablets/{row['id']}/revoke").status_code == 303
    assert tablet.get(link).status_code == 404
    assert admin.post(f"{path}/tablets/{row['id']}/revoke").status_code == 404


def test_a_resource_has_a_bounded_number_of_links(admin: BrowserClient, room: Record) -> None:
    assert [_make(admin, room).status_code for _ in range(MAX_TABLETS)] == [201] * MAX_TABLETS
    refused = _make(admin, room)
    assert refused.status_code == 409
    assert "revoke one that is not used" in refused.text
    assert _make(admin, room, " ").status_code == 422


def test_requests_per_link_are_limited(
    organization: Organization, tablet: BrowserClient, link: str, room: Record
) -> None:
    booking = organization.bookings.book(room, tomorrow(), tomorrow() + HOUR)
    tried = [tablet.post(f"{link}/end", data={"bookingId": booking["id"]}).status_code for _ in range(13)]
    assert tried == [409] * 12 + [429]
    seen = [tablet.get(link).status_code for _ in range(61)]
    assert seen == [200] * 60 + [429]
    assert int(tablet.get(link).headers["retry-after"]) <= 60
