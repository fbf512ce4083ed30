"""Webhooks in the web app; nobody sends what is queued here."""

import html
import re
import time
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.page_statements import statements_of
from tests.support.records.webhooks import URL

from steward.kit.security.encryption import Encryption
from steward.webhooks import pages
from steward.webhooks.deliveries import pages as delivery_pages
from steward.webhooks.replays.model import EXAMPLE as REPLAY
from steward.webhooks.replays.rules import progress

PATH = "/app/integrations/webhooks"
_SECRET = re.compile(r'value="(whsec_[^"]+)"')


def _logged_in(organization: Organization, email: str | None = None) -> BrowserClient:
    person = BrowserClient(organization.base_url)
    assert person.log_in(email or organization.email).status_code == 303
    return person


@pytest.fixture
def admin(organization: Organization) -> BrowserClient:
    return _logged_in(organization)


def _read(organization: Organization, webhook: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data_of(organization.api.get(organization.webhooks.path_of(webhook)))
    return found


def test_a_webhook_is_made_with_its_types_and_filter(
    organization: Organization, admin: BrowserClient
) -> None:
    place = organization.locations.create(name="North <wing>")["id"]
    answer = admin.post(
        PATH,
        data={
            "url": URL,
            "events": ["", "workorder.*", "asset.created"],
            "description": "ERP <b>",
            "mode": "include",
            "locationId": ["", place],
            "priority": ["High", "Critical"],
        },
    )
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    secret = _SECRET.search(answer.text)
    assert secret
    assert 'data-copy="secret"' in answer.text
    (made,) = data_of(organization.api.get(organization.webhooks.path))
    assert (made["url"], made["events"], made["description"]) == (
        URL,
        ["workorder.*", "asset.created"],
        "ERP <b>",
    )
    criteria = {"locationId": [place], "priority": ["High", "Critical"]}
    assert made["filtering"] == {"mode": "include", "criteria": criteria, "includeDescendants": True}
    page = admin.sees(f"{PATH}/{made['webhookId']}")
    assert secret[1] not in page
    assert "North &lt;wing&gt;" in page
    assert "and locations inside" in page
    form = admin.sees(f"{PATH}/{made['webhookId']}/edit")
    assert 'name="includeDescendants" value="true" checked' in form
    exactly = {
        "url": URL,
        "events": "*",
        "mode": "include",
        "locationId": place,
        "includeDescendants": "false",
    }
    assert admin.post(f"{PATH}/{made['webhookId']}", data=exactly).status_code == 303
    assert organization.webhooks.read(made)["filtering"]["includeDescendants"] is False
    assert "and locations inside" not in admin.sees(f"{PATH}/{made['webhookId']}")
    assert "ERP &lt;b&gt;" in page
    assert URL in admin.sees(PATH)


def test_errors_are_shown_at_their_fields_and_checkboxes_kept(
    organization: Organization, admin: BrowserClient
) -> None:
    answer = admin.post(PATH, data={"url": URL, "events": [""], "mode": "exclude"})
    assert answer.status_code == 422
    assert 'id="events-error">Choose at least one event type' in answer.text
    assert 'id="mode-error">Choose below what the filter is about' in answer.text
    gone = {"url": URL, "events": "*", "mode": "include", "locationId": "loc_gone"}
    answer = admin.post(PATH, data=gone)
    assert answer.status_code == 422
    assert 'id="locationId-error">Names no location of this organization' in answer.text
    local = admin.post(PATH, data={"url": "http://127.0.0.1/", "events": ["asset.*"], "priority": "Low"})
    assert local.status_code == 422
    assert 'id="url-error"' in local.text
    assert 'value="asset.*" checked' in local.text
    assert 'value="Low" checked' in local.text
    assert data_of(organization.api.get(organization.webhooks.path)) == []


def test_editing_a_webhook_needs_its_current_version(
    organization: Organization, admin: BrowserClient
) -> None:
    webhook = organization.webhooks.create(
        "workorder.sla.*", filtering={"mode": "include", "criteria": {"priority": ["Low"]}}
    )
    form = admin.sees(f"{PATH}/{webhook['webhookId']}/edit")
    # A group within a group has no tick of its own, and isn't lost.
    assert 'value="workorder.sla.*" checked' in form
    action = html.unescape(re.findall(r'action="([^"]+version=[^"]+)"', form)[0])
    changed = admin.post(
        action, data={"url": URL, "events": ["asset.deleted"], "description": "New", "mode": ""}
    )
    assert (changed.status_code, changed.headers["location"]) == (303, f"{PATH}/{webhook['webhookId']}")
    now = _read(organization, webhook)
    assert (now["events"], now["description"], now["filtering"]) == (["asset.deleted"], "New", None)
    late = admin.post(action, data={"url": URL, "events": ["asset.created"]})
    assert late.status_code == 412
    assert 'value="asset.created" checked' in late.text
    assert _read(organization, webhook)["events"] == ["asset.deleted"]


def test_a_webhook_is_paused_activated_and_deleted(organization: Organization, admin: BrowserClient) -> None:
    webhook = organization.webhooks.create()
    page = f"{PATH}/{webhook['webhookId']}"
    assert admin.post(f"{page}/status", data={"status": "paused"}).status_code == 303
    assert _read(organization, webhook)["status"] == "paused"
    assert "Activate" in admin.sees(page)
    refused = admin.post(f"{page}/test")
    assert refused.status_code == 409
    assert "The webhook is paused" in refused.text
    assert admin.post(f"{page}/status", data={"status": "active"}).status_code == 303
    assert _read(organization, webhook)["status"] == "active"
    assert admin.post(f"{page}/delete").headers["location"] == PATH
    assert admin.get(page).status_code == 404


def test_a_test_leads_to_its_delivery_which_can_be_sent_again(
    organization: Organization, admin: BrowserClient
) -> None:
    webhook = organization.webhooks.create()
    answer = admin.post(f"{PATH}/{webhook['webhookId']}/test")
    page = answer.headers["location"]
    waiting = admin.sees(page)
    assert "webhook.test" in waiting
    assert "This is a test event from Steward." in waiting
    assert 'hx-trigger="every 1s"' in waiting
    (delivery,) = organization.webhooks.deliveries(webhook)
    organization.webhooks.finish_delivery(delivery, "failed")
    organization.sql(
        """INSERT INTO delivery_attempts (organization_id, delivery_id, number, started, duration_ms, status_code, error, response)
           VALUES ($1, $2, 1, $3, 1234, 502, 'http_status', $4)""",
        organization.id,
        delivery["id"],
        int(time.time() * 1000),
        b"<b>Bad gateway</b>",
    )
    failed = admin.sees(page)
    for words in ("502", "1234 ms", "http status", "&lt;b&gt;Bad gateway&lt;/b&gt;"):
        assert words in failed
    assert "hx-trigger" not in failed
    part = admin.get(page, headers={"HX-Request": "true", "HX-Target": "attempts"}).text
    assert "1234 ms" in part
    assert "<html" not in part
    assert admin.post(f"{page}/retry").headers["location"] == page
    assert [each["status"] for each in organization.webhooks.deliveries(webhook)] == ["retrying"]


def test_deliveries_are_filtered_by_status_and_paged(
    organization: Organization, admin: BrowserClient
) -> None:
    webhook = organization.webhooks.create("workorder.created")
    for number in range(12):
        organization.work_orders.create(title=f"Order {number}")
    organization.webhooks.finish_delivery(organization.webhooks.deliveries(webhook)[0], "failed")
    page = f"{PATH}/{webhook['webhookId']}"
    first = admin.sees(page)
    assert first.count("/deliveries/dlv_") == 10
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older
    assert admin.sees(html.unescape(older[1])).count("/deliveries/dlv_") == 2
    assert admin.sees(f"{page}?status=failed").count("/deliveries/dlv_") == 1
    assert "None is skipped." in admin.sees(f"{page}?status=skipped")
    assert admin.get(f"{page}?status=lost").status_code == 422


def test_deliveries_are_found_by_event_type_event_and_time(
    organization: Organization, admin: BrowserClient
) -> None:
    webhook = organization.webhooks.create("*")
    for number in range(11):
        organization.work_orders.create(title=f"Order {number}")
    organization.locations.create()
    page = f"{PATH}/{webhook['webhookId']}"
    (place,) = organization.webhooks.deliveries(webhook, type="location.created")
    assert admin.sees(f"{page}?type=location.*").count("/deliveries/dlv_") == 1
    assert admin.sees(f"{page}?eventId={place['eventId']}&status=").count("/deliveries/dlv_") == 1
    assert "None is like that." in admin.sees(f"{page}?eventId={place['eventId']}&type=asset.*")
    first = admin.sees(f"{page}?type=workorder.*")
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older
    assert admin.sees(html.unescape(older[1])).count("/deliveries/dlv_") == 1
    assert "None is like that." in admin.sees(f"{page}?from=2020-01-01T00:00&to=2020-01-02T00:00")
    assert admin.sees(f"{page}?from=2020-01-01T00:00").count("/deliveries/dlv_") == 10
    assert admin.get(f"{page}?type=asset.exploded").status_code == 422
    shown = admin.sees(f"{page}/deliveries/{place['id']}")
    assert f"<dt>webhook-id</dt><dd><code>{place['eventId']}</code></dd>" in shown


def test_a_new_secret_is_shown_once(organization: Organization, admin: BrowserClient) -> None:
    webhook = organization.webhooks.create()
    page = f"{PATH}/{webhook['webhookId']}"
    answer = admin.post(f"{page}/rotate-secret", data={"graceSeconds": "3600"})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    secret = _SECRET.search(answer.text)
    assert secret
    assert secret[1] != webhook["signingSecret"]
    assert _read(organization, webhook)["secretLastFour"] == secret[1][-4:]
    assert secret[1] not in admin.sees(page)
    assert admin.post(f"{page}/rotate-secret", data={"graceSeconds": "-1"}).status_code == 422


def test_a_replay_is_started_watched_and_cancelled(organization: Organization, admin: BrowserClient) -> None:
    webhook = organization.webhooks.create("workorder.*")
    page = f"{PATH}/{webhook['webhookId']}"
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 24 * 3600))
    span = {"since": f"{day}T00:00", "until": time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))}
    answer = admin.post(f"{page}/replays", data={**span, "only": "skipped", "types": ["workorder.created"]})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{page}#replays")
    (made,) = data_of(organization.api.get(organization.webhooks.path_of(webhook, "/replays")))
    assert (made["only"], made["types"], made["since"] % 86400) == ("skipped", ["workorder.created"], 0)
    running = admin.sees(page)
    assert 'hx-trigger="every 2s"' in running
    assert "<progress" in running
    assert admin.post(f"{page}/replays/{made['id']}/cancel").status_code == 303
    cancelled = admin.sees(page)
    assert "Cancelled" in cancelled
    assert "<progress" not in cancelled
    turned = admin.post(
        f"{page}/replays", data={"since": span["until"], "until": span["since"], "only": "all"}
    )
    assert turned.status_code == 422
    assert 'id="until-error"' in turned.text


@pytest.mark.parametrize(
    ("reached", "percent"), [(None, 0), (0, 0), (43_200, 50), (86_400, 99), (100_000, 99), (-5, 0)]
)
def test_progress_is_how_much_of_the_time_was_looked_through(reached: int | None, percent: int) -> None:
    at = None if reached is None else f"evt_{(REPLAY.since + reached) * 1_000_000:014x}0123456789ab"
    assert progress(REPLAY, at) == percent


def test_without_an_api_webhooks_can_only_be_ended(organization: Organization) -> None:
    webhooks = [organization.webhooks.create() for _ in range(2)]
    organization.set_plan("Starter")
    admin = _logged_in(organization)
    needed = "API access requires Professional or Enterprise plan"
    listed = admin.sees(PATH)
    assert needed in listed
    assert "New webhook" not in listed
    refused = admin.post(PATH, data={"url": URL, "events": ["*"]})
    assert refused.status_code == 403
    assert needed in refused.text
    page = f"{PATH}/{webhooks[0]['webhookId']}"
    for path, data in (
        ("/test", {}),
        ("/rotate-secret", {}),
        ("", {"url": URL, "events": ["*"]}),
        ("/replays", {"since": str(int(time.time()) - 60), "until": str(int(time.time())), "only": "all"}),
    ):
        assert admin.post(f"{page}{path}", data=data).status_code == 403, path
    shown = admin.sees(page)
    assert "Send a test" not in shown
    assert "Rotate" not in shown
    assert admin.post(f"{page}/status", data={"status": "paused"}).status_code == 303
    assert admin.post(f"{page}/status", data={"status": "active"}).status_code == 403
    assert admin.post(f"{PATH}/{webhooks[1]['webhookId']}/delete").status_code == 303
    assert admin.sees(PATH).count('class="row-link"') == 1


def test_read_only_users_see_no_controls(organization: Organization) -> None:
    webhook = organization.webhooks.create()
    page = f"{PATH}/{webhook['webhookId']}"
    viewer = _logged_in(organization, organization.new_user("Viewer")["email"])
    for path in (PATH, page):
        seen = viewer.sees(path)
        assert f'action="{PATH}' not in seen
        assert "New webhook" not in seen
    assert viewer.get(f"{page}/edit").status_code == 403
    assert viewer.post(f"{page}/test").status_code == 403
    technician = _logged_in(organization, organization.new_user("Technician")["email"])
    assert "/app/integrations" not in technician.sees("/app")
    assert technician.get(PATH).status_code == 403


def test_a_forged_form_is_refused(organization: Organization, admin: BrowserClient) -> None:
    webhook = organization.webhooks.create()
    for path in ("", f"/{webhook['webhookId']}/delete", f"/{webhook['webhookId']}/test"):
        answer = admin.post(PATH + path, headers={"Origin": "https://example.com"}, data={"url": URL})
        assert answer.status_code == 403
    assert _read(organization, webhook)["status"] == "active"


def test_another_tenants_webhook_is_not_found(admin: BrowserClient, other_organization: Organization) -> None:
    foreign = other_organization.webhooks.create()
    sent = data_of(other_organization.api.post(other_organization.webhooks.path_of(foreign, "/test")))
    page = f"{PATH}/{foreign['webhookId']}"
    assert admin.get(page).status_code == 404
    assert admin.get(f"{page}/edit").status_code == 404
    assert admin.get(f"{page}/deliveries/{sent['deliveryId']}").status_code == 404
    assert admin.post(f"{page}/delete").status_code == 404
    assert _read(other_organization, foreign)["status"] == "active"


def test_a_page_runs_the_same_number_of_queries_however_much_it_shows(
    organization: Organization, other_organization: Organization
) -> None:
    asked = []
    for some, count in ((organization, 1), (other_organization, 5)):
        places = [some.locations.create(name=f"Place {number}")["id"] for number in range(count)]
        criteria = {"locationId": places}
        webhook = some.webhooks.create("*", filtering={"mode": "exclude", "criteria": criteria})
        some.webhooks.create()
        for number in range(count):
            some.work_orders.create(title=f"Order {number}")
        delivery = some.webhooks.deliveries(webhook)[0]
        params = {"webhookId": webhook["webhookId"], "deliveryId": delivery["id"]}
        every = (*pages.pages(Encryption(bytes(32)), allow_local=False), *delivery_pages.PAGES)
        found = [page for page in every if page.method == "GET" and not page.path.endswith(".csv")]
        asked.append([statements_of(some, page, params=params) for page in found])
    assert asked[0] == asked[1] == [1, 4, 4]
