"""The log tells who did what and how it ended, and never anything that opens a door."""

import json

from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.service import Service
from tests.support.waiting import wait_for


def line_of(service: Service, request_id: str) -> dict:
    """The log line of one request, which is written after its answer."""

    def find() -> dict:
        # Of the last one only a part may be there.
        for text in service.api.said.rpartition("\n")[0].splitlines():
            if request_id in text and (line := json.loads(text))["event"] == "request":
                return line
        return {}

    return wait_for(f"the line of {request_id}", find)


def test_a_request_is_one_line_of_json(service: Service, organization: Organization) -> None:
    answer = organization.api.get(f"{organization.path}/work-orders/wo_unknown")
    line = line_of(service, answer.headers["x-request-id"])
    assert line["request"] == answer.headers["x-request-id"]
    assert line["organization"] == organization.id
    assert line["key"] == organization.key_id
    assert line["route"] == "GET /organizations/{orgId}/work-orders/{workOrderId}"
    assert line["status"] == 404
    assert line["ms"] > 0
    assert line["timestamp"]


def test_an_anonymous_request_is_logged_as_such(service: Service, organization: Organization) -> None:
    answer = organization.client(key="svc_live_" + "q" * 32).get(organization.path)
    line = line_of(service, answer.headers["x-request-id"])
    assert (line["status"], line["organization"], line["key"]) == (401, None, None)


def test_every_line_is_json_and_no_secret_is_in_any(service: Service, organization: Organization) -> None:
    password = f"wrong password {organization.id}"
    made = organization.api.post(
        f"{organization.path}/api-keys",
        json={"name": "ERP"},
        headers={"Idempotency-Key": f"idempotent {organization.id}"},
    )
    tokens = organization.log_in()
    unknown = "svc_live_" + organization.id[-28:] + "zzzz"
    Client(organization.base_url).post(
        "/authentications/tokens", json={"account": organization.email, "password": password}
    )
    Client(organization.base_url).get(
        f"{organization.path}?key={organization.secret}", headers={"X-API-Key": organization.secret}
    )
    Client(organization.base_url, bearer=tokens["token"]).get(f"{organization.path}/work-orders")
    Client(organization.base_url).post(
        "/authentications/tokens/refresh", json={"refreshToken": tokens["refreshToken"]}
    )
    last = Client(organization.base_url, key=unknown).get(organization.path)
    line_of(service, last.headers["x-request-id"])
    said = service.api.said
    assert all(isinstance(json.loads(text), dict) for text in said.splitlines())
    secret = data_of(made)["secret"]
    for hidden in (
        organization.secret,
        organization.secret[13:],
        secret,
        secret[13:],
        unknown,
        organization.password,
        password,
        tokens["token"],
        tokens["token"].rpartition(".")[2],
        tokens["refreshToken"].partition(".")[2],
    ):
        assert hidden not in said
