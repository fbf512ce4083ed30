"""A day with work orders: reported, assigned, moved on the board, completed with its checklist."""

import re
from collections.abc import Callable

from playwright.sync_api import APIResponse, Page, Route, expect
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import wait_for
from tests.web.browser.board import LANE, drag


def _pick(page: Page, label: str, text: str, name: str) -> None:
    """Chooses in a picker with the keyboard alone."""
    field = page.get_by_role("combobox", name=label)
    field.fill(text)
    # Nothing else has all these letters.
    expect(page.locator(".options:not([hidden]) [role=option]")).to_have_count(1)
    expect(page.locator(".options:not([hidden]) [role=option]")).to_contain_text(name)
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value(name)


def test_an_order_from_report_to_completion(app: Page, organization: Organization) -> None:
    organization.created("locations", {"name": "Plant room", "type": "Space"})
    technician = organization.new_user("Technician", name="Grace Hopper")
    app.goto("/app/work-orders")
    expect(app.get_by_text("No work orders yet")).to_be_visible()
    app.get_by_role("link", name="New work order").click()
    app.get_by_label("Title").fill("Pump <b>leaks</b>")
    app.get_by_label("Priority").select_option("Critical")
    _pick(app, "Location", "plant", "Plant room")
    _pick(app, "Assign to", "hopper", "Grace Hopper")
    app.get_by_label("Checklist").fill("Close the valve\nChange the seal")
    app.get_by_role("button", name="Create work order").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Pump <b>leaks</b>")
    (order,) = data_of(organization.api.get(f"{organization.path}/work-orders"))
    assert order["assigneeId"] == technician["id"]
    app.get_by_role("button", name="Start").click()
    for item in ("Close the valve", "Change the seal"):
        app.get_by_role("checkbox", name=item).click()
        expect(app.get_by_role("checkbox", name=item)).to_have_attribute("aria-checked", "true")
    app.get_by_label("Comment", exact=True).fill("Done before lunch.")
    app.get_by_role("button", name="Comment").click()
    expect(app.get_by_text("Done before lunch.")).to_be_visible()
    app.get_by_role("button", name="Complete").click()
    expect(app.locator(".badge", has_text="Completed").first).to_be_visible()
    stored = data_of(organization.api.get(f"{organization.path}/work-orders/{order['id']}"))
    assert [item["done"] for item in stored["checklist"]] == [True, True]


def test_a_drag_on_the_board_is_a_move_and_an_illegal_one_is_refused(
    desk: Page, organization: Organization
) -> None:
    order = organization.created("work-orders", {"title": "Lift is stuck"})
    desk.goto("/app/work-orders/board")
    drag(desk, "Lift is stuck", "Completed")
    expect(desk.get_by_role("alert")).to_contain_text("can't become Completed")
    expect(desk.locator(LANE.format("Open"))).to_contain_text("Lift is stuck")
    drag(desk, "Lift is stuck", "InProgress")
    expect(desk.locator(LANE.format("InProgress"))).to_contain_text("Lift is stuck")
    # The board has been made anew: the card offers what its new state allows.
    expect(desk.locator("form[action*='/complete']")).to_have_count(1)
    drag(desk, "Lift is stuck", "OnHold")
    reason = desk.get_by_label("Reason")
    reason.fill("Waiting for a part")
    # The card lies where it was dropped before the server has agreed.
    with desk.expect_response("**/drop"):
        desk.get_by_role("button", name="Move", exact=True).last.click()
    expect(desk.locator(LANE.format("OnHold"))).to_contain_text("Lift is stuck")
    stored = data_of(organization.api.get(f"{organization.path}/work-orders/{order['id']}"))
    assert (stored["status"], stored["holdReason"]) == ("OnHold", "Waiting for a part")


def test_several_orders_are_assigned_at_once(desk: Page, organization: Organization) -> None:
    technician = organization.new_user("Technician", name="Grace Hopper")
    for number in range(3):
        organization.created("work-orders", {"title": f"Order {number}"})
    desk.goto("/app/work-orders")
    for number in (1, 3):
        desk.get_by_role("checkbox", name=f"Choose No. {number}").check()
    _pick(desk, "Person", "grace", "Grace Hopper")
    desk.get_by_role("button", name="Apply").click()
    expect(desk.get_by_role("status")).to_contain_text("2 work orders changed")
    orders = data_of(organization.api.get(f"{organization.path}/work-orders"))
    assert sorted(o["number"] for o in orders if o["assigneeId"] == technician["id"]) == [1, 3]


def test_a_page_shows_what_others_do_without_reload(
    desk: Page, organization: Organization, log_in: Callable[..., Page]
) -> None:
    desk.goto("/app/work-orders")
    expect(desk.locator("html")).to_have_attribute("data-live", "on")
    organization.created("work-orders", {"title": "Just reported"})
    expect(desk.get_by_role("link", name="Just reported")).to_be_visible()


def test_an_update_during_a_fetch_is_not_lost(desk: Page, organization: Organization) -> None:
    organization.created("work-orders", {"title": "The first"})
    desk.goto("/app/work-orders")
    expect(desk.locator("html")).to_have_attribute("data-live", "on")
    desk.evaluate("window.heard = 0; document.addEventListener('live', () => { window.heard += 1; }, true)")
    held: list[tuple[Route, APIResponse]] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    desk.route(re.compile(r"/app/work-orders(\?.*)?$"), hold_first)
    organization.created("work-orders", {"title": "The second"})
    wait_for("the part", lambda: desk.evaluate("window.heard") and held)
    heard = desk.evaluate("window.heard")
    organization.created("work-orders", {"title": "The third"})
    wait_for("more news", lambda: desk.evaluate("window.heard") > heard)
    route, answer = held[0]
    assert "The third" not in answer.text()
    route.fulfill(response=answer)
    expect(desk.get_by_role("link", name="The third")).to_be_visible()


def test_search_and_shortcuts(desk: Page, organization: Organization) -> None:
    order = organization.created("work-orders", {"title": "Boiler is cold"})
    desk.keyboard.press("?")
    expect(desk.get_by_role("dialog")).to_be_visible()
    desk.keyboard.press("Escape")
    expect(desk.get_by_role("dialog")).not_to_be_visible()
    desk.keyboard.press("/")
    desk.keyboard.type("boiler")
    expect(desk.get_by_role("option", name="Boiler is cold")).to_be_visible()
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("Boiler is cold")
    assert desk.url.endswith(order["id"])
