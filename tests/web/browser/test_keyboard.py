"""Every main job without a mouse: Tab leads to what is wanted, keys do the rest."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support import schedules_of_rates as rates
from tests.support.organizations import Organization

pytestmark = pytest.mark.long

# Nobody presses Tab more often than that.
_MAX_STOPS = 150


class Keyboard:
    """Somebody who never touches the mouse."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def _reach(self, wanted: Locator) -> None:
        expect(wanted).to_be_visible()
        for _ in range(_MAX_STOPS):
            # Found anew each time: a live update replaces the list that it is in.
            if wanted.evaluate("one => one === document.activeElement"):
                return
            self._page.keyboard.press("Tab")
        raise AssertionError(f"Tab doesn't lead to {wanted}")

    def press(self, role: str, name: str, *, key: str = "Enter", exact: bool = False) -> None:
        self._reach(self._page.get_by_role(role, name=name, exact=exact).first)  # type: ignore[arg-type]
        self._page.keyboard.press(key)

    def unfold(self, text: str) -> None:
        self._reach(self._page.locator("summary", has_text=text).first)
        self._page.keyboard.press("Enter")

    def write(self, label: str, text: str) -> None:
        named = re.compile(rf"^\s*{re.escape(label)}(\s*\(optional\))?\s*$")
        self._reach(self._page.get_by_label(named).first)
        self._page.keyboard.press("Control+A")
        self._page.keyboard.type(text)

    def choose(self, label: str, option: str) -> None:
        self._reach(self._page.get_by_label(label, exact=True))
        self._page.keyboard.type(option)

    def pick(self, label: str, text: str, name: str) -> None:
        self.write(label, text)
        expect(self._page.locator(".options:not([hidden]) [role=option]")).to_contain_text([name])
        self._page.keyboard.press("ArrowDown")
        self._page.keyboard.press("Enter")
        expect(self._page.get_by_role("combobox", name=label)).to_have_value(name)

    def expect_heading(self, text: str) -> None:
        expect(self._page.get_by_role("heading", level=1)).to_have_text(text)


def test_an_order_is_reported_moved_on_the_board_and_completed(
    desk: Page, organization: Organization
) -> None:
    organization.created("locations", {"name": "Plant room", "type": "Space"})
    organization.new_user("Technician", name="Grace Hopper")
    keys = Keyboard(desk)
    keys.press("link", "New work order")
    keys.expect_heading("New work order")
    keys.write("Title", "Pump leaks")
    keys.pick("Location", "plant", "Plant room")
    keys.pick("Assign to", "hopper", "Grace Hopper")
    keys.write("Checklist", "Close the valve")
    keys.press("button", "Create work order")
    keys.expect_heading("Pump leaks")
    keys.press("link", "Work orders", exact=True)
    keys.press("link", "Board")
    keys.unfold("Move")
    keys.press("button", "Start")
    expect(desk.locator("[data-status='InProgress']")).to_contain_text("Pump leaks")
    keys.press("link", "Pump leaks")
    keys.press("checkbox", "Close the valve", key="Space")
    expect(desk.get_by_role("checkbox", name="Close the valve")).to_have_attribute("aria-checked", "true")
    keys.press("button", "Complete")
    expect(desk.locator(".badge", has_text="Completed").first).to_be_visible()
    (order,) = organization.work_orders.listed()
    assert (order["status"], order["checklist"][0]["done"]) == ("Completed", True)


def test_a_room_is_booked_and_a_visitor_comes_and_goes(desk: Page, organization: Organization) -> None:
    organization.resources.create(name="Elbe")
    organization.visitors.create(name="Ada Lovelace", expectedArrival=int(time.time()))
    keys = Keyboard(desk)
    keys.press("link", "Bookings", exact=True)
    keys.press("link", "New booking")
    keys.choose("What", "Elbe")
    keys.write("Title", "Planning")
    keys.press("button", "Book", exact=True)
    keys.expect_heading("Planning")
    keys.press("link", "Visitors", exact=True)
    keys.press("button", "Check in Ada Lovelace")
    keys.press("button", "Check out Ada Lovelace")
    expect(desk.get_by_text("No visitors on site")).to_be_visible()


def test_a_form_is_built_published_and_filled_in(desk: Page, organization: Organization) -> None:
    keys = Keyboard(desk)
    keys.press("link", "Forms")
    keys.press("link", "New form")
    keys.write("Name", "Fire round")
    keys.press("button", "Add a question")
    keys.write("Question", "Is the exit clear?")
    keys.press("button", "Create form")
    keys.expect_heading("Fire round")
    keys.press("button", "Publish")
    keys.press("link", "Fill in")
    keys.write("Is the exit clear?", "Yes")
    keys.press("button", "Send")
    expect(desk.locator("dl.answers")).to_contain_text("Yes")


def test_a_deck_is_built_and_shown(desk: Page, organization: Organization) -> None:
    keys = Keyboard(desk)
    keys.press("link", "Decks")
    keys.press("link", "New deck")
    keys.write("Title", "Lobby")
    keys.press("button", "Create deck")
    keys.press("link", "Add cards")
    keys.unfold("Add a card")
    keys.press("link", "Text")
    keys.write("Text", "Welcome")
    keys.press("button", "Add card")
    keys.press("link", "Done")
    expect(desk.get_by_text("Welcome")).to_be_visible()
    keys.write("Name of the screen", "By the door")
    keys.press("button", "Make a link")
    expect(desk.get_by_label("Link", exact=True)).not_to_have_value("")


def test_a_quotation_is_made_and_approved_by_a_second_person(
    desk: Page, organization: Organization, log_in: Callable[..., Page]
) -> None:
    rates.published_schedule(organization)
    organization.work_orders.create("Waste is blocked")
    first = Keyboard(desk)
    first.press("link", "Work orders", exact=True)
    first.press("link", "Waste is blocked")
    first.press("link", "New quotation")
    first.press("button", "Create and add lines")
    first.write("Add a rate", "valve")
    expect(desk.get_by_role("option", name="PLB-010")).to_be_visible()
    for key in ("ArrowDown", "Enter"):
        desk.keyboard.press(key)
    # What was found before anything was written has this rate, too: the choice may have to wait for the list.
    expect(desk.get_by_role("textbox", name="Quantity")).to_be_focused()
    for key in ("2", "Enter"):
        desk.keyboard.press(key)
    first.press("button", "Save and submit for approval")
    expect(desk.get_by_text("someone else must approve it")).to_be_visible()
    page = log_in(organization.new_user("Manager")["email"])
    second = Keyboard(page)
    second.press("link", "Quotations", exact=True)
    second.press("link", "Waste is blocked")
    second.press("button", "Approve")
    expect(page.get_by_text("Approved", exact=True).first).to_be_visible()


def test_an_alert_is_acknowledged(desk: Page, organization: Organization) -> None:
    sensor = organization.devices.add("Rack 1")
    organization.alert_rules.create(name="Too warm")
    organization.devices.report(sensor, {"Temperature": 31})
    keys = Keyboard(desk)
    keys.press("link", "Alerts", exact=True)
    keys.press("button", "Acknowledge")
    expect(desk.get_by_role("row", name="Rack 1")).to_contain_text("just now")


def test_a_key_and_a_webhook_are_made_and_somebody_is_invited(desk: Page) -> None:
    keys = Keyboard(desk)
    keys.press("link", "Integrations")
    keys.press("link", "API keys", exact=True)
    keys.unfold("New API key")
    keys.write("Name", "ERP")
    keys.press("button", "Create key")
    expect(desk.get_by_label("API key", exact=True)).not_to_have_value("")
    keys.press("link", "I have copied it")
    keys.press("link", "Webhooks", exact=True)
    keys.press("link", "New webhook")
    keys.write("Address", "https://hooks.example.com/steward")
    keys.press("checkbox", "All event types, including new ones", key="Space")
    keys.press("button", "Create webhook")
    expect(desk.get_by_label("Signing secret", exact=True)).not_to_have_value("")
    keys.press("link", "Settings", exact=True)
    keys.press("link", "Users", exact=True)
    keys.press("link", "Invite a person")
    keys.write("Name", "Ada Lovelace")
    keys.write("E-mail", "ada@example.com")
    keys.press("checkbox", "Technician", key="Space")
    keys.press("button", "Invite")
    keys.expect_heading("Ada Lovelace is invited")


def test_somebody_gets_a_new_password(desk: Page, organization: Organization) -> None:
    person = organization.new_user("Technician", name="Grace Hopper")
    keys = Keyboard(desk)
    keys.press("link", "Settings", exact=True)
    keys.press("link", "Users", exact=True)
    keys.press("link", "Grace Hopper")
    keys.press("link", "Reset password")
    keys.press("button", "Create link")
    expect(desk.get_by_label("Link", exact=True)).not_to_have_value("")
    assert person["id"] in desk.url
