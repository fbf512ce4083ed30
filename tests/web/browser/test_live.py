"""A page that is open follows what happens, also when the server restarts."""

import re
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.processes import ApiProcess
from tests.support.service import Service
from tests.support.waiting import wait_for
from tests.web.browser.board import LANE, pick_up

_LIVE_PAGE = """<!doctype html><html lang="en"><title>Live</title><body>
<p id="orders" data-live="work-orders visitors">0</p><p id="value" data-live-value="{asset}:Temperature">?</p>
<script type="module" src="/static/test.js"></script></body></html>"""
_LIVE_SCRIPT = """import {connect} from "/static/js/live.js";
const orders = document.getElementById("orders");
orders.addEventListener("live", (event) => {
  orders.textContent = Number(orders.textContent) + 1;
  orders.dataset.ids = JSON.stringify(event.detail.ids);
});
connect();"""


def _serve(page: Page, html: str, script: str) -> None:
    """A page of ours that nothing but the module moves."""
    scripts = files("steward.web").joinpath("static/js")
    policy = {"content-security-policy": "default-src 'none'; script-src 'self'; connect-src 'self'"}
    for path, kind, body in (
        ("/app/moving", "text/html", html),
        ("/static/test.js", "text/javascript", script),
        *(
            (f"/static/js/{name}", "text/javascript", scripts.joinpath(name).read_text(encoding="utf-8"))
            for name in ("live.js", "hold.js", "disclosure.js")
        ),
    ):
        page.route(f"**{path}", partial(_fulfill, body, {**policy, "content-type": kind}))


def _fulfill(body: str, headers: dict[str, str], route: Route) -> None:
    route.fulfill(body=body, headers=headers)


@pytest.mark.long
def test_an_open_page_follows_what_happens_also_after_a_restart(
    browser: Browser, organization: Organization, service: Service, tmp_path: Path
) -> None:
    api = ApiProcess(tmp_path / "api.log", service.database_url)
    api.wait_until_live()
    person = BrowserClient(api.base_url)
    person.log_in(organization.email)
    context = browser.new_context(base_url=api.base_url)
    context.add_cookies([{"name": k, "value": v, "url": api.base_url} for k, v in person.cookies.items()])
    page, device = context.new_page(), organization.devices.first_id
    _serve(page, _LIVE_PAGE.format(asset=device), _LIVE_SCRIPT)
    orders, value, connected = (
        page.locator("#orders"),
        page.locator("#value"),
        page.locator("html[data-live=on]"),
    )
    try:
        page.goto("/app/moving")
        expect(connected).to_be_attached()
        first = organization.work_orders.create()
        expect(orders).to_have_attribute("data-ids", f'["{first["id"]}"]')
        expect(orders).to_have_text("1")
        organization.devices.report(device, {"Temperature": 21.456})
        expect(value).to_have_text("21.46")
        expect(value).not_to_have_class("is-fresh")
        assert api.stop() == 0
        expect(page.locator("html[data-live=off]")).to_be_attached()
        organization.work_orders.create()
        api = ApiProcess(
            tmp_path / "api.log", service.database_url, STEWARD_PORT=str(urlsplit(api.base_url).port)
        )
        # What happened meanwhile may have been anything.
        expect(connected).to_be_attached()
        expect(orders).to_have_attribute("data-ids", "null")
        organization.devices.report(device, {"Temperature": 19})
        expect(value).to_have_text("19")
    finally:
        api.stop()
        context.close()


_FIELD_PAGE = """<!doctype html><html lang="en"><title>Live</title><body>
<p id="free" data-live="work-orders">0</p><p id="held" data-live="work-orders"><input aria-label="Name"></p>
<script type="module" src="/static/test.js"></script></body></html>"""
_FIELD_SCRIPT = """import {connect} from "/static/js/live.js";
for (const part of document.querySelectorAll("[data-live]")) part.addEventListener("live", () => { part.dataset.heard = ""; });
connect();"""


def test_an_update_waits_while_its_field_has_the_focus(desk: Page, organization: Organization) -> None:
    _serve(desk, _FIELD_PAGE, _FIELD_SCRIPT)
    desk.goto("/app/moving")
    expect(desk.locator("html[data-live=on]")).to_be_attached()
    field = desk.get_by_label("Name")
    field.fill("Ada")
    organization.work_orders.create()
    expect(desk.locator("#free[data-heard]")).to_be_attached()
    expect(desk.locator("#held[data-heard]")).to_have_count(0)
    field.blur()
    expect(desk.locator("#held[data-heard]")).to_be_attached()


NewsOf = Callable[[str], None]


@pytest.fixture
def news_of(organization: Organization, log_in: Callable[..., Page]) -> NewsOf:
    """Reports an order and waits until the pages of others show it: a page that doesn't has chosen not to."""
    witness = log_in(organization.email, organization.password)
    witness.goto("/app/work-orders")
    expect(witness.locator("html")).to_have_attribute("data-live", "on")

    def report(title: str) -> None:
        organization.work_orders.create(title)
        expect(witness.get_by_role("link", name=title)).to_be_visible()

    return report


def test_a_board_does_not_change_under_a_card_that_is_dragged(
    desk: Page, organization: Organization, news_of: NewsOf
) -> None:
    organization.work_orders.create("Lift is stuck")
    desk.goto("/app/work-orders/board")
    pick_up(desk, "Lift is stuck", "InProgress")
    news_of("Tap drips")
    expect(desk.get_by_role("link", name="Tap drips")).to_have_count(0)
    desk.mouse.up()
    expect(desk.locator(LANE.format("InProgress"))).to_contain_text("Lift is stuck")
    expect(desk.locator(LANE.format("Open"))).to_contain_text("Tap drips")
    assert [each["status"] for each in organization.work_orders.listed(q="Lift")] == ["InProgress"]


def test_an_update_fetched_before_a_drag_is_applied_after_it(
    desk: Page, organization: Organization, news_of: NewsOf
) -> None:
    organization.work_orders.create("Lift is stuck")
    desk.goto("/app/work-orders/board")
    held: list[Route] = []
    desk.route(re.compile("/app/work-orders/board$"), lambda route: held.append(route))  # noqa: PLW0108 (Playwright marks the function)
    expect(desk.locator("html")).to_have_attribute("data-live", "on")
    news_of("Tap drips")
    # Playwright hands a request over while it waits for something.
    wait_for("the board's request", lambda: desk.evaluate("1") and held)
    pick_up(desk, "Lift is stuck", "InProgress")
    with desk.expect_response(re.compile("/app/work-orders/board$")):
        held[0].continue_()
    desk.unroute_all()
    expect(desk.get_by_role("link", name="Tap drips")).to_have_count(0)
    desk.mouse.up()
    expect(desk.locator(LANE.format("InProgress"))).to_contain_text("Lift is stuck")
    expect(desk.locator(LANE.format("Open"))).to_contain_text("Tap drips")


def test_a_list_does_not_change_under_a_button_that_is_down(
    desk: Page, organization: Organization, news_of: NewsOf
) -> None:
    organization.work_orders.create("Lift is stuck")
    desk.goto("/app/work-orders")
    expect(desk.locator("html")).to_have_attribute("data-live", "on")
    desk.get_by_role("cell", name="Open").hover()
    desk.mouse.down()
    news_of("Tap drips")
    expect(desk.get_by_role("link", name="Tap drips")).to_have_count(0)
    desk.mouse.up()
    expect(desk.get_by_role("link", name="Tap drips")).to_be_visible()


def test_a_menu_stays_open_and_a_choice_stays_made(
    desk: Page, organization: Organization, news_of: NewsOf
) -> None:
    organization.work_orders.create("Lift is stuck")
    desk.goto("/app/work-orders/board")
    expect(desk.locator("html")).to_have_attribute("data-live", "on")
    desk.get_by_text("Move No. 1").click()
    news_of("Tap drips")
    expect(desk.get_by_role("button", name="Start")).to_be_visible()
    expect(desk.get_by_role("link", name="Tap drips")).to_have_count(0)
    desk.keyboard.press("Escape")
    expect(desk.get_by_role("link", name="Tap drips")).to_be_visible()
    desk.goto("/app/work-orders")
    desk.get_by_role("checkbox", name="Choose No. 1").check()
    news_of("Door squeaks")
    expect(desk.get_by_role("link", name="Door squeaks")).to_be_visible()
    expect(desk.get_by_role("checkbox", name="Choose No. 1")).to_be_checked()


def test_the_focus_stays_where_it_was_when_a_list_follows(app: Page, organization: Organization) -> None:
    organization.work_orders.create("Lift is stuck")
    app.goto("/app/work-orders")
    expect(app.locator("html")).to_have_attribute("data-live", "on")
    link = app.get_by_role("link", name="Lift is stuck")
    link.focus()
    organization.work_orders.create("Tap drips")
    expect(app.get_by_role("link", name="Tap drips")).to_be_visible()
    expect(link).to_be_focused()
    app.keyboard.press("Enter")
    expect(app.get_by_role("heading", level=1)).to_contain_text("Lift is stuck")
