"""The front desk's day: somebody who is expected comes and goes, somebody else just comes, and the house is evacuated."""

import time

from playwright.sync_api import Locator, Page, expect
from tests.support.organizations import Organization


def _list(app: Page, title: str) -> Locator:
    return app.locator("section", has=app.get_by_role("heading", name=title))


def _pick(app: Page, field: str, name: str) -> None:
    """By keyboard: it also works where the list lies below the edge of a phone's screen."""
    box = app.get_by_role("combobox", name=field)
    with app.expect_response(lambda answer: "q=" + name.split(maxsplit=1)[0] in answer.url):
        box.fill(name)
    expect(app.get_by_role("option")).to_have_text([f"{name} Building"])
    box.press("ArrowDown")
    box.press("Enter")


def _fill(app: Page, field: str, name: str) -> None:
    _pick(app, field, name)
    box = app.get_by_role("combobox", name=field)
    expect(box).to_have_value(name)
    box.press("Tab")
    expect(app.get_by_role("option", name=name)).to_be_hidden()


def test_a_visitor_is_checked_in_and_out(app: Page, organization: Organization) -> None:
    organization.visitors.create(name="Ada Lovelace", expectedArrival=int(time.time()))
    app.goto("/app/visitors")
    expected, on_site, left = (_list(app, title) for title in ("Expected", "On site", "Left today"))
    expected.get_by_role("button", name="Check in Ada Lovelace").press("Enter")
    expect(on_site).to_contain_text("Ada Lovelace")
    expect(expected).to_contain_text("No more visitors expected today")
    on_site.get_by_role("button", name="Check out Ada Lovelace").click()
    expect(left).to_contain_text("Ada Lovelace")
    expect(on_site).to_contain_text("No visitors on site")
    # Somebody is registered elsewhere, and comes onto the page by itself.
    expect(app.locator("html")).to_have_attribute("data-live", "on")
    organization.visitors.create(name="Alan Kay", company="Dynabook")
    expect(expected).to_contain_text("Alan Kay")
    app.get_by_label("Search name or company").fill("nobody of this name")
    expect(expected).not_to_contain_text("Alan Kay")


def test_a_walk_in_gets_a_badge_and_is_found_when_the_house_is_evacuated(
    app: Page, organization: Organization
) -> None:
    tower = organization.locations.create(name="North tower", type="Building")
    organization.visitors.create_in_status("CheckedIn", name="Grace Hopper")
    app.goto("/app/visitors")
    app.get_by_role("link", name="Walk-in").click()
    app.get_by_label("Name", exact=True).fill("Ada Lovelace")
    app.get_by_label("Company").fill("Analytical Engines")
    _fill(app, "Location", "North tower")
    app.get_by_role("button", name="Check in").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")
    expect(app.get_by_text("Checked in", exact=True).first).to_be_visible()
    app.get_by_role("link", name="Print badge").click()
    expect(app.get_by_role("region", name="Badge")).to_contain_text("North tower")
    expect(app.get_by_role("button", name="Print")).to_be_visible()
    app.get_by_role("link", name="Back").click()
    app.goto("/app/visitors")
    _pick(app, "Location", "North tower")
    expect(app.get_by_role("combobox", name="Another location")).to_have_value("")
    expect(_list(app, "On site")).not_to_contain_text("Grace Hopper")
    evacuation = app.get_by_role("link", name="Evacuation list")
    expect(evacuation).to_have_attribute("href", f"/app/visitors/evacuation?locationId={tower['id']}")
    # The desk keeps to its tower; the whole house is a page of its own.
    app.goto("/app/visitors/evacuation")
    expect(app.get_by_text("0 of 2 found")).to_be_visible()
    app.get_by_label("Ada Lovelace").check()
    expect(app.get_by_text("1 of 2 found")).to_be_visible()
    app.reload()
    expect(app.get_by_text("0 of 2 found")).to_be_visible()
