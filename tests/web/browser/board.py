"""Cards that are dragged over the board of work orders."""

from playwright.sync_api import Page, expect

LANE = "[data-status='{}']"


def drag(page: Page, title: str, status: str) -> None:
    pick_up(page, title, status)
    page.mouse.up()


def pick_up(page: Page, title: str, status: str) -> None:
    """Takes a card and carries it over a lane, where the mouse button is still down."""
    card = page.locator(".card.is-order", has_text=title)
    # Once the script is there, and the card has stopped moving.
    expect(page.locator("html")).to_have_attribute("data-live", "on")
    card.hover()
    source, target = card.bounding_box(), page.locator(LANE.format(status)).bounding_box()
    assert source
    assert target
    page.mouse.move(source["x"] + 20, source["y"] + source["height"] / 2)
    page.mouse.down()
    page.mouse.move(target["x"] + 60, target["y"] + 20, steps=8)
