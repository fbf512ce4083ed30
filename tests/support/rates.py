"""Schedules and quotations to test with."""

import time
from typing import Any

import httpx
from tests.support.organizations import Organization

DAY = 86400
VALVE = {
    "code": "PLB-010",
    "description": "Renew isolating valve, 15 mm",
    "unit": "each",
    "rateCents": 4250,
}
STAR = {"description": "Night access, escorted", "unit": "h", "quantity": 1.5, "rateCents": 6500}


def refused_fields(answer: httpx.Response) -> list[str]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError"), answer.text
    return [detail["field"] for detail in answer.json()["details"]]


def conflict(answer: httpx.Response) -> str:
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict"), answer.text
    return answer.json()["message"]


def new_schedule(org: Organization, **fields: Any) -> dict[str, Any]:
    """A draft whose rates hold now."""
    now = int(time.time())
    body = {"name": "Fabric", "effectiveFrom": now - DAY, "effectiveTo": now + DAY, **fields}
    return org.created("sor/schedules", body)


def new_item(org: Organization, schedule: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return org.created(f"sor/schedules/{schedule['id']}/items", {**VALVE, **fields})


def do(org: Organization, path: str, verb: str, body: Any = None, **more: Any) -> dict[str, Any]:
    answer = org.api.post(f"{org.path}/{path}/{verb}", json=body, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def publish(org: Organization, schedule: dict[str, Any]) -> dict[str, Any]:
    return do(org, f"sor/schedules/{schedule['id']}", "publish")


def published_schedule(org: Organization, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A published schedule and its one item."""
    schedule = new_schedule(org, **fields)
    item = new_item(org, schedule)
    return publish(org, schedule), item


def schedule_now(org: Organization, schedule: dict[str, Any]) -> dict[str, Any]:
    return org.api.get(f"{org.path}/sor/schedules/{schedule['id']}").json()["data"]


def new_quotation(org: Organization, *lines: dict[str, Any], **fields: Any) -> dict[str, Any]:
    body = {"lineItems": list(lines), **fields}
    if "scheduleId" not in body:
        body["scheduleId"] = published_schedule(org)[0]["id"]
    return org.created("sor/quotations", body)


def events(org: Organization, type: str) -> list[dict[str, Any]]:
    return org.api.get(f"/v2{org.path}/events", params={"type": type}).json()["data"]


def colleague(org: Organization, *roles: str) -> httpx.Client:
    """Somebody else in the organization."""
    user = org.new_user(*(roles or ("Manager",)))
    client = org.client(bearer=org.log_in(user["email"])["token"])
    client.user_id = user["id"]  # type: ignore[attr-defined]
    return client
