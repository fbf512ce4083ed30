"""`asset.telemetry.updated` is written while a webhook wants it or the organization has switched it on."""

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.service import Service

READINGS = "asset.telemetry.updated"
WAYS = [{}, {"order": "asc"}]


def _send(organization: Organization, asset: str, value: float) -> None:
    path = f"{organization.path}/assets/{asset}/telemetry"
    answer = organization.api.post(path, json={"values": {"Temperature": value}})
    assert answer.status_code == 200, answer.text


def _switch(organization: Organization, *, on: bool) -> None:
    changed = data_of(organization.api.patch(organization.path, json={"telemetryEvents": on}))
    assert changed["telemetryEvents"] is on


@pytest.mark.parametrize("way", WAYS)
def test_asking_for_readings_by_name_while_they_are_off_says_how_to_switch_them_on(
    organization: Organization, way: dict[str, str]
) -> None:
    assert data_of(organization.api.get(organization.path))["telemetryEvents"] is False
    path = f"/v2{organization.path}/events"
    answer = organization.api.get(path, params={"type": f"{READINGS},asset.created", **way})
    assert answer.status_code == 409, answer.text
    assert f"PATCH {organization.path} " in answer.json()["message"]
    assert '{"telemetryEvents": true}' in answer.json()["message"]
    assert organization.api.get(path, params={"type": "asset.*", **way}).status_code == 200
    for suffix in ("csv", "ndjson"):
        exported = organization.api.get(f"{path}.{suffix}", params={"type": READINGS})
        assert (exported.status_code, exported.json()["message"]) == (409, answer.json()["message"])
        assert organization.api.get(f"{path}.{suffix}", params={"type": "asset.*"}).status_code == 200
    key = organization.new_key("events:read")["secret"]
    assert organization.client(key=key).get(path, params={"type": READINGS, **way}).status_code == 403


@pytest.mark.parametrize("way", WAYS)
def test_reading_events_are_written_while_enabled(organization: Organization, way: dict[str, str]) -> None:
    asset = organization.assets.create()["id"]
    _send(organization, asset, 20)
    _switch(organization, on=True)
    _send(organization, asset, 21)
    path = f"/v2{organization.path}/events"
    told = data_of(organization.api.get(path, params={"type": READINGS, **way}))
    assert [event["data"]["object"]["lastTelemetry"] for event in told] == [{"Temperature": 21}]
    _switch(organization, on=False)
    _send(organization, asset, 22)
    assert organization.api.get(path, params={"type": READINGS, **way}).status_code == 409
    assert len(organization.events(type="asset.telemetry.*")) == 1


def test_a_webhook_for_readings_enables_them(organization: Organization) -> None:
    webhook = organization.webhooks.create(READINGS)
    asset = organization.assets.create()["id"]
    _send(organization, asset, 20)
    assert len(organization.events(type=READINGS)) == 1
    organization.api.delete(organization.webhooks.path_of(webhook))
    answer = organization.api.get(f"/v2{organization.path}/events", params={"type": READINGS})
    assert answer.status_code == 409


def test_the_setting_applies_in_every_process_at_once(organization: Organization, service: Service) -> None:
    other = service.another_api()
    asset = organization.assets.create()["id"]
    _switch(organization, on=True)
    elsewhere = organization.client(key=organization.secret, base_url=other.base_url)
    path = f"{organization.path}/assets/{asset}/telemetry"
    assert elsewhere.post(path, json={"values": {"Temperature": 20}}).status_code == 200
    assert len(organization.events(type=READINGS)) == 1


def test_the_settings_page_has_the_switch(organization: Organization) -> None:
    admin = BrowserClient(organization.base_url)
    admin.log_in(organization.email)
    assert 'name="telemetryEvents"' in admin.get("/app/settings").text
    for on in (True, False):
        sent = {"name": "Test house", "telemetryEvents": ["false", "true"] if on else "false"}
        assert admin.post("/app/settings", data=sent).status_code == 303
        assert data_of(organization.api.get(organization.path))["telemetryEvents"] is on
