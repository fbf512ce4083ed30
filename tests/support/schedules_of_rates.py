"""Schedules and quotations to test with."""

import time
from typing import Any

import httpx
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization

DAY = 86400
VALVE: dict[str, Any] = {
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


def new_schedule(organization: Organization, **fields: Any) -> dict[str, Any]:
    """A draft whose rates hold now."""
    now = int(time.time())
    body = {"name": "Fabric", "effectiveFrom": now - DAY, "effectiveTo": now + DAY, **fields}
    return organization.created("sor/schedules", body)


def new_item(organization: Organization, schedule: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return organization.created(f"sor/schedules/{schedule['id']}/items", {**VALVE, **fields})


def do(organization: Organization, path: str, verb: str, body: Any = None, **more: Any) -> dict[str, Any]:
    answer = organization.api.post(f"{organization.path}/{path}/{verb}", json=body, **more)
    assert answer.status_code == 200, answer.text
    return data_of(answer)


def publish(organization: Organization, schedule: dict[str, Any]) -> dict[str, Any]:
    return do(organization, f"sor/schedules/{schedule['id']}", "publish")


def published_schedule(organization: Organization, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A published schedule and its one item."""
    schedule = new_schedule(organization, **fields)
    item = new_item(organization, schedule)
    return publish(organization, schedule), item


def schedule_now(organization: Organization, schedule: dict[str, Any]) -> dict[str, Any]:
    return data_of(organization.api.get(f"{organization.path}/sor/schedules/{schedule['id']}"))


def new_quotation(organization: Organization, *lines: dict[str, Any], **fields: Any) -> dict[str, Any]:
    body = {"lineItems": list(lines), **fields}
    if "scheduleId" not in body:
        body["scheduleId"] = published_schedule(organization)[0]["id"]
    return organization.created("sor/quotations", body)


def events(organization: Organization, type: str) -> list[dict[str, Any]]:
    return data_of(organization.api.get(f"/v2{organization.path}/events", params={"type": type}))


class Colleague(Client):
    """Somebody else in the organization."""

    def __init__(self, organization: Organization, *roles: str) -> None:
        user = organization.new_user(*(roles or ("Manager",)))
        super().__init__(organization.base_url, bearer=organization.log_in(user["email"])["token"])
        self.user_id: str = user["id"]
