"""What ends before it begins is refused, in every query and body that has a beginning and an end."""

from typing import Any

import httpx
import pytest
from tests.support.organizations import Organization

from steward.kit.domain.ranges import pairs
from steward.kit.http.route import Route
from steward.wiring.routes import document_routes

QUERIES = [(route, first, second) for route in document_routes() for first, second in pairs(route.query)]
HOUR = 3600


def refused(answer: httpx.Response, first: str, second: str) -> None:
    assert answer.status_code == 422, answer.text
    found = {detail["field"]: detail["message"] for detail in answer.json()["details"]}
    assert found[second] == f"must be later than {first}"


@pytest.mark.parametrize(
    ("route", "first", "second"),
    QUERIES,
    ids=[f"{route.operation_id} {first}" for route, first, _ in QUERIES],
)
def test_a_query(organization: Organization, route: Route, first: str, second: str) -> None:
    path = route.path.replace("{orgId}", organization.id).replace("{assetId}", "ast_any")
    path = path.replace("{resourceId}", "rsc_any")
    answer = organization.api.get(path, params={first: 2 * HOUR, second: HOUR})
    refused(answer, first, second)
    # Together with whatever else is wrong.
    wrong = organization.api.get(path, params={first: 2 * HOUR, second: HOUR, "nothing": "1"})
    refused(wrong, first, second)
    assert "nothing" in {detail["field"] for detail in wrong.json()["details"]}


def test_a_schedule_of_rates_when_it_is_made_and_whenever_it_is_changed(organization: Organization) -> None:
    path = f"{organization.path}/sor/schedules"
    body: dict[str, Any] = {"name": "2027", "effectiveFrom": 2 * HOUR, "effectiveTo": HOUR}
    refused(organization.api.post(path, json=body), "effectiveFrom", "effectiveTo")
    made = organization.created("sor/schedules", {**body, "effectiveTo": 3 * HOUR})
    changed = organization.api.patch(f"{path}/{made['id']}", json={"effectiveTo": HOUR})
    refused(changed, "effectiveFrom", "effectiveTo")
    cleared = organization.api.patch(f"{path}/{made['id']}", json={"effectiveTo": None})
    assert cleared.status_code == 200


def test_a_replay(organization: Organization) -> None:
    hook = organization.webhooks.create()
    path = f"/v2{organization.path}/webhooks/{hook['webhookId']}/replays"
    body = {"since": 2_000_000_000, "until": 1_900_000_000, "only": "all"}
    refused(organization.api.post(path, json=body), "since", "until")
