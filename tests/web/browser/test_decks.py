"""A deck, from its first card to the screen on the wall."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.support.answers import data_of
from tests.support.organizations import Organization

pytestmark = pytest.mark.long


def _add(desk: Page, kind: str) -> None:
    desk.locator("summary", has_text="Add a card").click()
    desk.locator(".deck-types").get_by_role("link", name=re.compile(f"^{kind}")).click()


def _add_of_asset(desk: Page, kind: str, title: str) -> None:
    _add(desk, kind)
    desk.get_by_label("Title").fill(title)
    desk.get_by_role("combobox", name="Asset").fill("Sensor 1")
    desk.get_by_role("option", name="Sensor 1").click()
    expect(desk.get_by_label("Reading")).to_have_value("Temperature")
    desk.get_by_role("button", name="Add card").click()


def test_a_deck_updates_live_on_a_screen_until_its_link_is_revoked(
    desk: Page, organization: Organization, new_page: Callable[[], Page]
) -> None:
    device = organization.devices.first_id
    organization.devices.report(device, {"Temperature": 20.5, "Humidity": 40})
    desk.goto("/app/decks")
    desk.get_by_role("link", name="New deck").click()
    desk.get_by_label("Title").fill("Lobby")
    desk.get_by_role("button", name="Create deck").click()
    desk.get_by_role("link", name="Add cards").click()
    _add_of_asset(desk, "Value", "Temperature")
    _add_of_asset(desk, "Chart", "Over the day")
    _add(desk, "Text")
    desk.get_by_label("Text").fill("Welcome")
    desk.get_by_role("button", name="Add card").click()

    # The third card lies below the two others; dragged to the right of the first, it stays there.
    handle = desk.get_by_role("region", name="Text").locator(".deck-handle")
    box, target = handle.bounding_box(), desk.get_by_role("region", name="Temperature").bounding_box()
    assert box is not None
    assert target is not None
    desk.mouse.move(box["x"] + 20, box["y"] + 8)
    desk.mouse.down()
    desk.mouse.move(target["x"] + target["width"] + 100, target["y"] + 30, steps=12)
    desk.mouse.up()
    desk.get_by_role("button", name="Save layout").click()
    expect(desk.get_by_role("button", name="Save layout")).to_be_hidden()
    [deck] = data_of(organization.api.get(f"{organization.path}/decks"))
    assert deck["cards"][2]["layout"]["y"] == 0
    assert deck["cards"][2]["layout"]["x"] >= 3

    desk.get_by_role("link", name="Done").click()
    expect(desk.get_by_text("20.5", exact=True)).to_be_visible()
    expect(desk.locator("[data-chart] canvas")).to_be_visible()
    desk.get_by_label("Name of the screen").fill("By the door")
    desk.get_by_role("button", name="Make a link").click()
    link = desk.get_by_label("Link", exact=True).input_value()

    screen = new_page()
    screen.goto(link)
    expect(screen.get_by_text("Welcome")).to_be_visible()
    expect(screen.locator("[data-chart] canvas")).to_be_visible()
    expect(screen.get_by_text("20.5", exact=True)).to_be_visible()
    expect(screen.locator("html[data-live=on]")).to_be_attached()
    organization.devices.report(device, {"Temperature": 23.75, "Humidity": 40})
    expect(screen.get_by_text("23.75", exact=True)).to_be_visible()

    desk.get_by_role("link", name="Done").click()
    desk.locator("summary", has_text="Revoke").click()
    desk.get_by_role("button", name="Revoke for good").click()
    expect(screen.get_by_text("This screen has been switched off")).to_be_visible()
    expect(screen.get_by_text("Welcome")).to_be_hidden()
    assert organization.client().get(link).status_code == 404
