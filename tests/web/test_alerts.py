"""Alerts in the web app: worst first, with their cause in words, and what can be done about them."""

import html
import re
import time
from collections.abc import Awaitable, Callable
from datetime import UTC
from functools import partial
from typing import Any, TypeVar

from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.pages import compact

from steward.alert_rules.alerts.pages import LIST, show_of_asset
from steward.alert_rules.pages import show_of_asset as rules_of_asset
from steward.alert_rules.pages import show_of_type as rules_of_type
from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Pool
from steward.kit.db.sql import Row, Sql
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.kit.web.form import empty_form
from steward.kit.web.moments import set_viewer
from steward.kit.web.page import PageRequest, View
from steward.web.rendering import page_bytes, renderer

T = TypeVar("T")
NOW = int(time.time())


def _warm(organization: Organization, **fields: Any) -> str:
    id: str = organization.alert_rules.create(**fields)["id"]
    return id


def _shown(page: str) -> str:
    return " ".join(html.unescape(page).split())


def test_alerts_are_sorted_by_severity(organization: Organization, admin: BrowserClient) -> None:
    for number, (severity, status) in enumerate(
        (
            ("Critical", "Acknowledged"),
            ("Warning", "Active"),
            ("Critical", "Active"),
            ("Warning", "Acknowledged"),
            ("Critical", "Active"),
            ("Critical", "Cleared"),
        )
    ):
        organization.alerts.insert(severity=severity, status=status, rule_id=f"arl_{number}")
    page = admin.sees("/app/alerts")
    order = [int(part.split('"')[0][-28:]) for part in page.split('alert-cause" href="/app/alerts/')[1:]]
    first = min(order) - (min(order) - 1) % 6
    assert [number - first for number in order] == [4, 2, 0, 1, 3]


def test_the_cause_is_shown_in_words(organization: Organization, admin: BrowserClient) -> None:
    place = organization.locations.create("Server <room>")["id"]
    sensor = organization.devices.add("Rack <1>", locationId=place)
    _warm(organization, name="Too <b>warm</b>")
    organization.devices.report(sensor, {"Temperature": 31.2})
    page = admin.sees("/app/alerts")
    assert "Temperature 31.2 °C &gt; 30 °C" in page
    for name in ("Too &lt;b&gt;warm&lt;/b&gt;", "Rack &lt;1&gt;", "Server &lt;room&gt;"):
        assert name in page
    assert "<b>warm" not in page
    (alert,) = organization.alerts.listed()
    one = admin.sees(f"/app/alerts/{alert['id']}")
    assert "Temperature 31.2 °C &gt; 30 °C" in one
    assert "in 1 reading<" in one


def test_an_alert_is_acknowledged_and_says_by_whom(organization: Organization, admin: BrowserClient) -> None:
    alert = organization.alerts.insert()
    path = f"/app/alerts/{alert['id']}/acknowledge"
    assert f'action="{path}?next=/app/alerts"' in admin.sees("/app/alerts")
    answer = admin.post(f"{path}?next=/app/alerts")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app/alerts")
    stored = organization.alerts.read(alert)
    assert (stored["status"], stored["acknowledgedBy"]) == ("Acknowledged", organization.user_id)
    page = admin.sees("/app/alerts")
    assert path not in page
    assert "just now" in page
    again = admin.post(path)
    assert again.status_code == 409
    assert "Acknowledged, still open" in again.text


def test_the_way_to_a_work_order(organization: Organization, admin: BrowserClient) -> None:
    place = organization.locations.create("Server room")["id"]
    sensor = organization.devices.add("Rack 1 & 2", locationId=place)
    _warm(organization)
    organization.devices.report(sensor, {"Temperature": 31})
    page = admin.sees("/app/alerts")
    link = html.unescape(page.split('href="/app/work-orders/new')[1].split('"')[0])
    form = admin.sees(f"/app/work-orders/new{link}")
    assert 'value="Too warm: Rack 1 &amp; 2"' in form
    assert f'value="{sensor}"' in form
    assert f'value="{place}"' in form
    order = organization.created("work-orders", {"title": "Cool it"})["id"]
    other = organization.alerts.insert(rule_id="arl_9", work_order_id=order)
    assert f'href="/app/work-orders/{order}"' in admin.sees(f"/app/alerts/{other['id']}")


def test_alerts_are_filtered_by_severity_asset_and_location_with_what_lies_in_it(
    organization: Organization, admin: BrowserClient
) -> None:
    building = organization.locations.create("House", type="Building")["id"]
    room = organization.locations.create("Cellar", parentId=building)["id"]
    below, elsewhere = (
        organization.devices.add("Below", locationId=room),
        organization.devices.add("Elsewhere"),
    )
    organization.alerts.insert(asset_id=below, severity="Critical")
    organization.alerts.insert(asset_id=elsewhere)

    def seen(query: str) -> list[str]:
        page = admin.sees(f"/app/alerts?{query}")
        return [name for name in ("Below", "Elsewhere") if f">{name}</a>" in page]

    assert seen("") == ["Below", "Elsewhere"]
    assert seen("severity=Critical") == ["Below"]
    assert seen(f"assetId={elsewhere}") == ["Elsewhere"]
    assert seen(f"locationId={building}") == ["Below"]
    assert seen(f"locationId={room}&severity=Warning") == []
    assert "Nothing matches" in admin.sees(f"/app/alerts?locationId={room}&severity=Warning")
    assert admin.get("/app/alerts?severity=Bad").status_code == 422


def test_cleared_alerts_stay_in_the_history(organization: Organization, admin: BrowserClient) -> None:
    assert "All quiet" in admin.sees("/app/alerts")
    alert = organization.alerts.insert(status="Cleared", cleared_at=1767226500)
    assert alert["id"] not in admin.sees("/app/alerts")
    page = _shown(admin.sees("/app/alerts/cleared"))
    assert f"/app/alerts/{alert['id']}" in page
    assert "15 min" in page
    assert alert["id"] in admin.get("/app/alerts/cleared.csv").text
    assert alert["id"] not in admin.get("/app/alerts.csv").text


def test_cursors_keep_the_order(organization: Organization, admin: BrowserClient) -> None:
    for number in range(25):
        organization.alerts.insert(rule_id=f"arl_{number}", severity="Critical" if number < 3 else "Warning")
    first = admin.sees("/app/alerts")
    assert first.count("alert-cause") == 20
    assert first.count("is-critical") == 3
    second = admin.sees(html.unescape(first.split('rel="next" href="')[1].split('"')[0]))
    assert second.count("alert-cause") == 5
    assert "is-critical" not in second


def test_read_only_users_see_no_buttons(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    alert = organization.alerts.insert()
    viewer = logged_in(organization.new_user("Viewer")["email"])
    for path in ("/app/alerts", f"/app/alerts/{alert['id']}"):
        page = viewer.sees(path)
        assert "/acknowledge" not in page
        assert "/app/work-orders/new" not in page
    assert viewer.post(f"/app/alerts/{alert['id']}/acknowledge").status_code == 403
    # Who does the work opens an order; acknowledging takes more.
    technician = logged_in(organization.new_user("Technician")["email"])
    page = technician.sees("/app/alerts")
    assert "/app/work-orders/new" in page
    assert "/acknowledge" not in page
    requester = logged_in(organization.new_user("Requester")["email"])
    assert requester.get("/app/alerts").status_code == 403
    assert "/app/alerts" not in requester.sees("/app/work-orders")


def test_a_forged_form_is_refused(organization: Organization, admin: BrowserClient) -> None:
    alert = organization.alerts.insert()
    answer = admin.post(f"/app/alerts/{alert['id']}/acknowledge", headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert organization.alerts.read(alert)["status"] == "Active"


def test_another_tenants_alert_is_not_found(
    new_organization: Callable[..., Organization], admin: BrowserClient
) -> None:
    foreign = new_organization().alerts.insert()
    assert admin.get(f"/app/alerts/{foreign['id']}").status_code == 404
    assert foreign["id"] not in admin.sees("/app/alerts")


class _Counting:
    """A database that counts what it is asked."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.asked = 0

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        self.asked += 1
        return await self.pool.fetch(sql, *args)


def _ask(organization: Organization, work: Callable[[PageRequest[Any, Any]], Awaitable[T]]) -> tuple[T, int]:
    """What comes of a request by somebody who may do everything, and how many queries it took."""

    async def run(pool: Pool) -> tuple[T, int]:
        db: Any = _Counting(pool)
        unused: Any = None
        request: PageRequest[Any, Any] = PageRequest(
            db=db,
            cursors=Cursors(Encryption(bytes(32))),
            caller=Caller(tenant=TenantId(organization.id), plan="", permissions=ALL_PERMISSIONS),
            form=empty_form(),
            query=None,
            now=NOW,
            explain=unused,
            show_panels=unused,
        )
        return await work(request), db.asked

    return organization.with_pool(run)


def test_the_number_of_queries_does_not_grow_with_alerts(organization: Organization) -> None:
    def asked() -> tuple[int, int]:
        panel = _ask(organization, lambda request: show_of_asset(request, organization.devices.first_id))
        return _ask(organization, LIST.show)[1], panel[1]

    by = organization.user_id
    organization.alerts.insert(status="Acknowledged", acknowledged_by=by, acknowledged_at=NOW)
    few = asked()
    for number in range(12):
        other = organization.devices.add(f"Sensor {number}", locationId=organization.locations.first_id)
        organization.alerts.insert(asset_id=other, rule_id=_warm(organization, assetId=other))
    # One more for the names of the places.
    assert (few, asked()) == ((4, 4), (5, 4))


def _rendered(view: View) -> str:
    set_viewer(NOW, UTC)
    common = {"may": lambda *_: True, "now": NOW}
    page = page_bytes(renderer(lambda name: name), view.template, view.values, common).decode()
    return html.unescape(compact(page))


def test_the_page_of_an_asset_shows_its_alerts_and_its_rules(organization: Organization) -> None:
    devices = organization.devices
    rule = _warm(organization, name="Too <b>warm")
    devices.report(devices.first_id, {"Temperature": 31})
    alert = organization.alerts.listed()[0]["id"]
    organization.alerts.insert(status="Cleared", cleared_at=1767226500, rule_id=rule)
    organization.alerts.insert(asset_id=devices.second_id)
    panel = _rendered(_ask(organization, lambda request: show_of_asset(request, devices.first_id))[0])
    assert panel.count("<li>") == 2
    assert panel.index("Temperature 31 °C > 30 °C") < panel.index("after 15 min")
    assert f'action="/app/alerts/{alert}/acknowledge?next=/app/assets/{devices.first_id}"' in panel
    own = _warm(organization, assetId=devices.second_id)
    for asset, rules in ((devices.first_id, [rule]), (devices.second_id, [own, rule])):
        of_asset = _rendered(_ask(organization, partial(_rules_of_asset, asset))[0])
        assert re.findall(r'href="/app/alert-rules/(arl_\w+)"', of_asset) == rules
        assert f'href="/app/alert-rules/new?assetId={asset}"' in of_asset
    of_type = _rendered(_ask(organization, lambda request: rules_of_type(request, devices.type_id))[0])
    assert re.findall(r'href="/app/alert-rules/(arl_\w+)"', of_type) == [rule]
    assert "Temperature > 30 °C" in of_type


async def _rules_of_asset(asset_id: str, request: PageRequest[Any, Any]) -> View:
    return await rules_of_asset(request, asset_id)
