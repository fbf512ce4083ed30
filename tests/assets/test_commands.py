"""Commands over HTTP: what is taken and refused, and who may."""

from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

SETTINGS = "integrations/chirpstack/settings"


def _send(organization: Organization, **body: Any) -> httpx.Response:
    path = f"{organization.path}/assets/{organization.devices.first_id}/commands"
    return organization.api.post(path, json={"name": "setTarget", **body})


def test_a_command_is_queued_listed_and_read(
    organization: Organization, other_organization: Organization
) -> None:
    answer = _send(organization, payload={"Temperature": 21.5})
    assert answer.status_code == 201, answer.text
    made = data_of(answer)
    assert made["id"].startswith("cmd_")
    assert (made["status"], made["via"], made["expiresAt"] - made["created"]) == ("queued", "mqtt", 86_400)
    path = f"{organization.path}/assets/{organization.devices.first_id}/commands"
    listed = data_of(organization.api.get(path, params={"status": "queued"}))
    assert listed == [data_of(organization.api.get(f"{path}/{made['id']}"))] == [made]
    assert data_of(organization.api.get(path, params={"status": "failed"})) == []
    elsewhere = f"{organization.path}/assets/{organization.devices.second_id}/commands/{made['id']}"
    assert organization.api.get(elsewhere).status_code == 404
    sender = organization.client(key=organization.new_key("iot:write")["secret"])
    reader = organization.client(key=organization.new_key("iot:read")["secret"])
    assert reader.post(path, json={"name": "x"}).status_code == 403
    assert (sender.get(path).status_code, sender.post(path, json={"name": "x"}).status_code) == (403, 201)
    foreign = f"{organization.path}/assets/{other_organization.devices.first_id}/commands"
    assert organization.api.post(foreign, json={"name": "x"}).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"payload": {"text": "x" * 10_000}}, "payload"),
        ({"payload": 5}, "payload"),
        ({"via": "pigeon"}, "via"),
        ({"via": "chirpstack"}, "via"),
        ({"data": "not base64"}, "data"),
        ({"fPort": 0}, "fPort"),
        ({"expiresAt": 1767225600}, "expiresAt"),
        ({"expiresAt": 9999999999}, "expiresAt"),
    ],
)
def test_invalid_commands_are_refused_by_field(
    organization: Organization, body: dict[str, Any], field: str
) -> None:
    answer = _send(organization, **body)
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, field)


def test_chirpstack_can_be_configured_and_its_token_is_never_shown(organization: Organization) -> None:
    path = f"{organization.path}/{SETTINGS}"
    nothing = {"url": None, "tokenLastFour": None, "updated": None}
    assert data_of(organization.api.get(path)) == nothing
    local = organization.api.put(path, json={"url": "https://127.0.0.1", "token": "abc"})
    assert (local.status_code, local.json()["details"][0]["field"]) == (422, "url")
    body = {"url": "https://chirpstack.invalid/", "token": "top-secret"}
    answer = organization.api.put(path, json=body)
    assert answer.status_code == 200, answer.text
    shown = organization.api.get(path)
    assert data_of(shown) == data_of(answer)
    assert (data_of(shown)["url"], data_of(shown)["tokenLastFour"]) == (
        "https://chirpstack.invalid",
        "cret",
    )
    assert "top-secret" not in shown.text + answer.text
    assert organization.api.put(path, json={"url": "https://other.invalid"}).status_code == 422
    assert data_of(organization.api.put(path, json={})) == nothing
