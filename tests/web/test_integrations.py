"""Where other systems begin, the log of events, and what a key did."""

import html
from collections.abc import Callable

from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

from steward.api_keys import queries
from steward.api_keys.model import UsageDay
from steward.api_keys.rules import usage_chart
from steward.kit.runtime import clock
from steward.web.integrations import broker_options

_PATH = "/app/integrations"


def test_the_overview_has_commands_ready_to_run(organization: Organization, admin: BrowserClient) -> None:
    page = html.unescape(admin.sees(_PATH))
    for line in (
        f"export STEWARD_URL={organization.base_url}",
        f"export STEWARD_ORG={organization.id}",
        '"$STEWARD_URL/organizations/$STEWARD_ORG/work-orders"',
        "STEWARD_MQTT_URL",
        'href="/docs"',
    ):
        assert line in page, line
    asset = organization.assets.create()
    filled = html.unescape(admin.sees(f"{_PATH}?assetId={asset['id']}"))
    assert f"/assets/{asset['id']}/telemetry" in filled
    assert f"steward/{organization.id}/{asset['id']}/telemetry" in filled
    assert "ast_unknown" not in admin.sees(f"{_PATH}?assetId=ast_unknown")


def test_a_broker_is_named_without_the_password_of_the_service() -> None:
    assert broker_options(None) is None
    assert broker_options("mqtt://steward:secret@broker.example.com") == "-h broker.example.com -p 1883"
    assert (
        broker_options("mqtts://u:p@broker.example.com:8884")
        == "-h broker.example.com -p 8884 --tls-use-os-certs"
    )


def test_without_an_api_the_overview_says_so(
    new_organization: Callable[..., Organization], logged_in: Callable[[str], BrowserClient]
) -> None:
    page = logged_in(new_organization("Starter").email).sees(_PATH)
    assert "API access requires Professional or Enterprise plan" in page


def test_a_search_finds_records_that_the_user_can_see(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    tabs = (_PATH, "/app/api-keys", f"{_PATH}/webhooks", f"{_PATH}/events")
    for role, theirs in (("Manager", {0, 2, 3}), ("Viewer", {0, 2, 3}), ("Technician", set())):
        person = logged_in(organization.new_user(role)["email"])
        assert ("/app/integrations" in person.sees("/app")) == bool(theirs)
        for at, path in enumerate(tabs):
            assert person.get(path).status_code == (200 if at in theirs else 403), (role, path)
        if theirs:
            page = person.sees(_PATH)
            assert {at for at, path in enumerate(tabs) if f'href="{path}"' in page} == theirs


def test_the_log_shows_events_and_can_be_filtered(organization: Organization, admin: BrowserClient) -> None:
    evil = "<script>alert(1)</script>"
    order = organization.work_orders.create(title=evil)
    organization.visitors.create(name="Ada")
    page = admin.sees(f"{_PATH}/events")
    assert "workorder.created" in page
    assert "visitor.registered" in page
    assert evil not in page
    narrow = admin.sees(f"{_PATH}/events?type=workorder.created")
    assert narrow.count('class="row-link"') == 1
    assert html.escape(evil) in narrow
    (event,) = organization.events(type="workorder.created")
    one = admin.sees(f"{_PATH}/events/{event['id']}")
    assert f'"id": "{order["id"]}"' in html.unescape(one)
    assert evil not in one
    assert admin.get(f"{_PATH}/events/evt_unknown").status_code == 404


def test_the_catalogue_contains_every_type(organization: Organization, admin: BrowserClient) -> None:
    page = admin.sees(f"{_PATH}/event-types")
    types = data_of(organization.api.get("/v2/event-types"))
    assert types
    for kind in types:
        assert f'id="{kind["type"]}"' in page


def test_the_page_of_a_key_shows_its_requests(organization: Organization, admin: BrowserClient) -> None:
    key = organization.new_key("work-orders:read")
    client = organization.client(key=key["secret"])
    for _ in range(2):
        assert client.get(f"{organization.path}/work-orders").status_code == 200
    assert client.get(f"{organization.path}/users").status_code == 403
    page = admin.sees(f"/app/api-keys/{key['keyId']}")
    assert "<dd>3</dd>" in page
    assert "View work orders" in page
    assert key["secret"] not in page
    chart = admin.get(f"/app/api-keys/{key['keyId']}/usage.json").json()
    assert len(chart["x"]) == 30
    points = {series["name"]: series["points"] for series in chart["series"]}
    assert (sum(points["Successful"]), sum(points["Failed"])) == (2, 1)
    assert points["Successful"][-2:] in ([0, 2], [2, 0], [1, 1])


def test_keys_of_other_organizations_are_not_found(
    admin: BrowserClient, other_organization: Organization
) -> None:
    for path in ("", "/usage.json"):
        assert admin.get(f"/app/api-keys/{other_organization.key_id}{path}").status_code == 404


def test_days_without_a_call_are_drawn_as_well() -> None:
    today = 20_000
    chart = usage_chart([UsageDay(today, 5, 3), UsageDay(today - 29, 1, 1)], today * 86_400 + 100)
    assert (len(chart["x"]), chart["x"][0], chart["x"][-1]) == (30, "5 Sep", "4 Oct")
    successful, failed = (series["points"] for series in chart["series"])
    assert (successful[0], successful[1], successful[-1], failed[-1]) == (1, 0, 3, 2)


def test_old_usage_of_a_key_is_deleted(organization: Organization) -> None:
    today = clock.now() // 86_400
    for day in (today - 30, today - 29):
        organization.sql(
            "INSERT INTO api_key_usage_days VALUES ($1, 'key_old', $2, 1, 1)", organization.id, day
        )
    organization.with_pool(lambda pool: queries.delete_old_usage(pool, clock.now()))
    kept = organization.sql(
        "SELECT day FROM api_key_usage_days WHERE organization_id = $1 AND key_id = 'key_old'",
        organization.id,
    )
    assert [row[0] for row in kept] == [today - 29]
