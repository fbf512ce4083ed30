"""The log tells who did what and how it ended, and never anything that opens a door."""

import json

from tests.conftest import Service
from tests.support.organizations import Client, Organization
from tests.support.processes import wait_for


def line_of(service: Service, request_id: str) -> dict:
    """The log line of one request, which is written after its answer."""

    def find() -> dict | None:
        for text in service.api.said.splitlines():
            if request_id in text and (line := json.loads(text))["event"] == "request":
                return line
        return None

    return wait_for(f"the line of {request_id}", find)


def test_a_request_is_one_line_of_json(service: Service, org: Organization) -> None:
    answer = org.api.get(f"{org.path}/work-orders/wo_unknown")
    line = line_of(service, answer.headers["x-request-id"])
    assert line["request"] == answer.headers["x-request-id"]
    assert line["organization"] == org.id
    assert line["key"] == org.key_id
    assert line["route"] == "GET /organizations/{orgId}/work-orders/{workOrderId}"
    assert line["status"] == 404
    assert line["ms"] > 0
    assert line["timestamp"]


def test_a_request_of_nobody_is_logged_as_such(service: Service, org: Organization) -> None:
    answer = org.client(key="svc_live_" + "q" * 32).get(org.path)
    line = line_of(service, answer.headers["x-request-id"])
    assert (line["status"], line["organization"], line["key"]) == (401, None, None)


def test_every_line_is_json_and_no_secret_is_in_any(service: Service, org: Organization) -> None:
    password = f"wrong password {org.id}"
    made = org.api.post(
        f"{org.path}/api-keys", json={"name": "ERP"}, headers={"Idempotency-Key": f"idempotent {org.id}"}
    )
    tokens = org.log_in()
    unknown = "svc_live_" + org.id[-28:] + "zzzz"
    Client(org.base_url).post("/authentications/tokens", json={"account": org.email, "password": password})
    Client(org.base_url).get(f"{org.path}?key={org.secret}", headers={"X-API-Key": org.secret})
    Client(org.base_url, bearer=tokens["token"]).get(f"{org.path}/work-orders")
    Client(org.base_url).post(
        "/authentications/tokens/refresh", json={"refreshToken": tokens["refreshToken"]}
    )
    last = Client(org.base_url, key=unknown).get(org.path)
    line_of(service, last.headers["x-request-id"])
    said = service.api.said
    assert all(isinstance(json.loads(text), dict) for text in said.splitlines())
    secret = made.json()["data"]["secret"]
    for hidden in (
        org.secret,
        org.secret[13:],
        secret,
        secret[13:],
        unknown,
        org.password,
        password,
        tokens["token"],
        tokens["token"].rpartition(".")[2],
        tokens["refreshToken"].partition(".")[2],
    ):
        assert hidden not in said
