"""Booking by dragging, on a phone by a form, and at the door by a tablet."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Page, expect
from tests.bookings.helpers import DAY, HOUR, MINUTE, now
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import wait_for

_DAY = datetime.fromtimestamp(now() + 2 * DAY, UTC).date()


def _at(hours: float) -> int:
    """The browsers here live in UTC."""
    return now() // DAY * DAY + 2 * DAY + int(hours * HOUR)


class _Grid:
    """A place on the grid for each resource, in the order of their names, and each hour of the day."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def point(self, row: int, hours: float) -> tuple[float, float]:
        box = self._page.locator("#grid .ec-day").nth(row).bounding_box()
        assert box is not None
        return box["x"] + box["width"] * hours / 24, box["y"] + 20

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self._page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
        mouse.move(*end, steps=4)
        mouse.up()


def _bookings(organization: Organization) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = data_of(organization.api.get(f"{organization.path}/bookings"))
    return found


def _booked(organization: Organization) -> list[tuple[Any, ...]]:
    found = [each for each in _bookings(organization) if each["status"] == "Confirmed"]
    return sorted((each["title"], each["startTime"], each["endTime"]) for each in found)


def test_rooms_are_booked_moved_and_stretched_by_dragging(
    organization: Organization, log_in: Callable[..., Page]
) -> None:
    elbe = organization.resources.create(name="Elbe")
    organization.resources.create(name="Spree")
    organization.bookings.book(elbe, _at(14), _at(15), title="Board <b>meeting</b>")
    app = log_in(organization.email, timezone_id="UTC")
    app.goto(f"/app/bookings?date={_DAY}")
    board = app.get_by_role("link", name="Board <b>meeting</b>")
    expect(board).to_be_visible()
    grid = _Grid(app)

    # Over free time: a dialog asks for the title.
    grid.drag(grid.point(0, 10.05), grid.point(0, 10.95))
    dialog = app.get_by_role("dialog")
    expect(dialog).to_contain_text("Elbe")
    dialog.get_by_label("Title").fill("Planning")
    expect(dialog.get_by_role("combobox", name="Booked by")).not_to_have_value("")
    dialog.get_by_role("button", name="Book", exact=True).click()
    planning = app.get_by_role("link", name=re.compile("^Planning"))
    expect(planning).to_be_visible()
    expect(dialog).not_to_be_visible()
    assert ("Planning", _at(10), _at(11)) in _booked(organization)

    # Onto another: it jumps back, and the reason is shown.
    before = planning.bounding_box()
    grid.drag(grid.point(0, 10.5), grid.point(0, 14.5))
    problem = app.locator("#grid-problem")
    expect(problem).to_contain_text("Elbe is taken by “Board <b>meeting</b>”")
    expect(problem).to_contain_text("15:00 to 16:00")
    assert ("Planning", _at(10), _at(11)) in _booked(organization)
    wait_for("its old place", lambda: planning.bounding_box() == before)

    # To a free place, and longer.
    grid.drag(grid.point(0, 10.5), grid.point(0, 11.5))
    expect(app.locator(".ec-event", has=planning)).to_have_attribute("title", re.compile("11:00 . 12:00"))
    expect(problem).not_to_be_visible()
    app.mouse.move(*grid.point(0, 11.5))
    grid.drag(grid.point(0, 11.99), grid.point(0, 12.99))
    expect(app.locator(".ec-event", has=planning)).to_have_attribute("title", re.compile("11:00 . 13:00"))
    assert ("Planning", _at(11), _at(13)) in _booked(organization)

    # What another person books appears by itself.
    organization.bookings.book(elbe, _at(8), _at(9), title="Early birds")
    expect(app.get_by_role("link", name=re.compile("^Early birds"))).to_be_visible()

    # A clash in the dialog offers what is free.
    expect(app.locator("html")).to_have_attribute("data-live", "on")
    grid.drag(grid.point(0, 16.05), grid.point(0, 16.95))
    dialog.get_by_label("Title").fill("Late")
    organization.bookings.book(elbe, _at(16), _at(17), title="Faster")
    dialog.get_by_role("button", name="Book", exact=True).click()
    expect(dialog).to_contain_text("Elbe is taken by “Faster”")
    dialog.get_by_role("button", name=re.compile("^Take")).click()
    expect(dialog).not_to_be_visible()
    assert ("Late", _at(17), _at(18)) in _booked(organization)


def test_the_grid_does_not_change_under_a_booking_that_is_dragged(
    organization: Organization, log_in: Callable[..., Page]
) -> None:
    elbe = organization.resources.create(name="Elbe")
    organization.bookings.book(elbe, _at(14), _at(15), title="Board meeting")
    app, witness = (log_in(organization.email, timezone_id="UTC") for _ in range(2))
    early = [page.get_by_role("link", name=re.compile("^Early birds")) for page in (app, witness)]
    for page in (app, witness):
        page.goto(f"/app/bookings?date={_DAY}")
        expect(page.get_by_role("link", name=re.compile("^Board meeting"))).to_be_visible()
        expect(page.locator("html")).to_have_attribute("data-live", "on")
    grid = _Grid(app)
    app.mouse.move(*grid.point(0, 14.5))
    app.mouse.down()
    app.mouse.move(*grid.point(0, 16.5), steps=8)
    organization.bookings.book(elbe, _at(8), _at(9), title="Early birds")
    expect(early[1]).to_be_visible()
    expect(early[0]).to_have_count(0)
    app.mouse.up()
    expect(early[0]).to_be_visible()
    wait_for("the move", lambda: ("Board meeting", _at(16), _at(17)) in _booked(organization))


def test_on_a_phone_a_room_is_booked_by_the_form(
    organization: Organization, log_in: Callable[..., Page]
) -> None:
    elbe = organization.resources.create(name="Elbe")
    organization.bookings.book(elbe, _at(9), _at(10), title="Board")
    app = log_in(organization.email, width=390, height=844, timezone_id="Europe/Berlin")
    app.goto(f"/app/bookings?date={_DAY}")
    expect(app.locator("#grid")).not_to_be_visible()
    app.get_by_role("link", name="Book Elbe").click()
    app.get_by_label("From").fill(f"{_DAY}T10:30")
    app.get_by_label("To").fill(f"{_DAY}T11:30")
    app.get_by_label("Title").fill("On the go")
    app.get_by_role("button", name="Book", exact=True).click()
    taken = app.get_by_role("alert")
    offset = app.evaluate(f"new Date({_at(9)} * 1000).getHours()") - 9
    expect(taken).to_contain_text(f"“Board”, {_DAY:%a %-d %b}, {9 + offset:02}:00 to {10 + offset:02}:00")
    app.get_by_role("button", name=re.compile("instead$")).click()
    expect(app.get_by_role("heading", level=1)).to_have_text("On the go")
    assert ("On the go", _at(10), _at(11)) in _booked(organization)
    app.locator("summary", has_text="Cancel").click()
    app.get_by_role("button", name="Cancel this booking").click()
    expect(app.get_by_text("Cancelled", exact=True).first).to_be_visible()
    assert app.evaluate("document.documentElement.scrollWidth") == 390


def test_a_tablet_at_the_door_books_checks_in_and_ends(
    organization: Organization, log_in: Callable[..., Page], new_page: Callable[..., Page]
) -> None:
    room = organization.resources.create(name="Elbe <3>", checkInRequired=True)
    app = log_in(organization.email)
    app.goto(f"/app/bookings/resources/{room['id']}")
    app.get_by_label("Name of the tablet").fill("Door")
    app.get_by_role("button", name="Make a link").click()
    address = app.get_by_label("Tablet address")
    # A script puts the address of this page in front.
    expect(address).to_have_value(re.compile(rf"^{re.escape(organization.base_url)}/tablet/"))
    link = address.input_value()
    tablet = new_page(width=800, height=1280, color_scheme="dark")
    tablet.goto(link)
    state = tablet.get_by_role("status")
    expect(tablet.get_by_role("heading", level=1)).to_have_text("Elbe <3>")
    expect(state).to_contain_text("Free")

    tablet.get_by_role("button", name="30 min").click()
    expect(state).to_contain_text("In use until")
    # No booking is shorter than a second.
    wait_for("the next second", lambda: now() > _bookings(organization)[0]["startTime"])
    tablet.get_by_role("button", name="End now").click()
    expect(state).to_contain_text("Free")

    organization.bookings.book(room, now(), now() + HOUR, title="Planning")
    tablet.reload()
    expect(state).to_contain_text("Booked until")
    tablet.get_by_role("button", name="Check in").click()
    expect(state).to_contain_text("In use until")
    found = _bookings(organization)
    assert [(each["status"], each["title"]) for each in found] == [
        ("CheckedIn", "Planning"),
        ("CheckedIn", "Booked at the door"),
    ]
    assert found[1]["endTime"] - found[1]["startTime"] < 5 * MINUTE

    app.goto(f"/app/bookings/resources/{room['id']}")
    links = app.locator("#links")
    expect(links).to_contain_text("last used")
    links.locator("summary", has_text="Revoke").click()
    links.get_by_role("button", name="Revoke this link").click()
    expect(links).not_to_contain_text("Door")
    tablet.goto(link)
    expect(tablet.get_by_role("heading", level=1)).to_have_text("There is nothing here")
