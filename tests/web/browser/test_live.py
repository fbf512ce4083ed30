"""A page that is open follows what happens, also when the server restarts."""

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


def _serve_live_page(page: Page, asset_id: str) -> None:
    """A page of ours that nothing but the module moves."""
    script = files("steward.web").joinpath("static/js/live.js").read_text(encoding="utf-8")
    policy = {"content-security-policy": "default-src 'none'; script-src 'self'; connect-src 'self'"}
    for path, kind, body in (
        ("/app/moving", "text/html", _LIVE_PAGE.format(asset=asset_id)),
        ("/static/test.js", "text/javascript", _LIVE_SCRIPT),
        ("/static/js/live.js", "text/javascript", script),
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
    _serve_live_page(page, device)
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
        expect(connected).to_be_attached(timeout=60_000)
        expect(orders).to_have_attribute("data-ids", "null")
        organization.devices.report(device, {"Temperature": 19})
        expect(value).to_have_text("19")
    finally:
        api.stop()
        context.close()


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
