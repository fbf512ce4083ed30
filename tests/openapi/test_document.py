"""The service does what its document says: schemathesis makes requests from it and holds the answers against it."""

import time
from collections.abc import Iterator

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.support.answers import data_of
from tests.support.organizations import Organization, close_clients, new_address
from tests.support.service import Service
from tests.support.waiting import limit

from steward.wiring.routes import api_document

pytestmark = pytest.mark.long
# Each bound of every parameter and field is tried, and some of what else the document allows.
SCHEMA = schemathesis.openapi.from_dict(api_document())
# What is asked of something that isn't there ends before most of that is looked at; a few requests tell as much as many.
AT_RANDOM = schemathesis.openapi.from_dict(
    api_document(),
    config=SchemathesisConfig.from_dict({"phases": {"coverage": {"enabled": False}}}),
)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = settings(max_examples=10, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


class Target:
    """An organization with one of everything, behind an API that does not tire."""

    def __init__(self, service: Service) -> None:
        api = service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="1000000", STEWARD_WEBHOOK_ALLOW_LOCAL="on")
        self.base_url = api.base_url
        self.organization = Organization(api.base_url, service.database_url, "Enterprise")
        # An organization makes ten in an hour.
        self._key_id = self.organization.new_key()["keyId"]
        self._number = 0
        self._there: dict[frozenset[str], dict[str, str]] = {}

    def real_ids(self, wanted: frozenset[str]) -> dict[str, str]:
        """Of what a path names; the same ones until they are used up."""
        if wanted not in self._there:
            self._there[wanted] = self._make(wanted)
        return self._there[wanted]

    def used_up(self, wanted: frozenset[str]) -> None:
        """Something was done to them; after that they may be gone or let nothing more be done."""
        self._there.pop(wanted, None)

    def _make(self, wanted: frozenset[str]) -> dict[str, str]:
        made: dict[str, str] = {
            "userId": self.organization.user_id,
            "keyId": self._key_id,
            "version": "1",
        }
        for names, make in (
            ({"roleId"}, self._role),
            ({"locationId"}, self._location),
            ({"assetTypeId", "assetId"}, self._asset),
            ({"alertRuleId", "alertId"}, self._alert),
            ({"workOrderId", "commentId"}, self._work_order),
            ({"formId", "submissionId"}, self._form),
            ({"deckId"}, self._deck),
            ({"resourceId", "bookingId"}, self._booking),
            ({"visitorId"}, self._visitor),
            ({"scheduleId", "itemId"}, self._schedule),
            ({"webhookId", "deliveryId", "replayId"}, self._webhook),
        ):
            if names & wanted:
                made |= make()
        return {name: id for name, id in made.items() if name in wanted}

    def _role(self) -> dict[str, str]:
        self._number += 1
        return {"roleId": self.organization.created("roles", {"name": f"Role {self._number}"})["id"]}

    def _location(self) -> dict[str, str]:
        return {
            "locationId": self.organization.created("locations", {"name": "Somewhere", "type": "Site"})["id"]
        }

    def _asset(self) -> dict[str, str]:
        self._number += 1
        path = f"/v2{self.organization.path}/asset-types"
        kind = data_of(self.organization.api.post(path, json={"name": f"Type {self._number}"}))["id"]
        asset = self.organization.created("assets", {"name": "Something", "assetTypeId": kind})["id"]
        return {"assetTypeId": kind, "assetId": asset}

    def _alert(self) -> dict[str, str]:
        made = self._asset()
        conditions = [{"key": "T", "operator": "gt", "value": 0}]
        body = {
            "name": "Something",
            "severity": "Warning",
            "assetTypeId": made["assetTypeId"],
            "conditions": conditions,
        }
        rule = self.organization.created("alert-rules", body)["id"]
        asset = f"{self.organization.path}/assets/{made['assetId']}"
        self.organization.api.post(f"{asset}/telemetry", json={"values": {"T": 1}})
        (alert,) = data_of(
            self.organization.api.get(f"{self.organization.path}/alerts", params={"ruleId": rule})
        )
        return {"alertRuleId": rule, "alertId": alert["id"]}

    def _work_order(self) -> dict[str, str]:
        order = self.organization.created("work-orders", {"title": "Something"})["id"]
        comment = self.organization.created(f"work-orders/{order}/comments", {"text": "Hm"})["id"]
        return {"workOrderId": order, "commentId": comment}

    def _form(self) -> dict[str, str]:
        fields = [{"key": "a", "label": "A", "type": "text"}]
        form = self.organization.created("forms", {"name": "Something", "fields": fields})["id"]
        self.organization.api.post(f"{self.organization.path}/forms/{form}/publish")
        submission = self.organization.created(f"forms/{form}/submissions", {"answers": {"a": "b"}})["id"]
        return {"formId": form, "submissionId": submission}

    def _deck(self) -> dict[str, str]:
        return {"deckId": self.organization.created("decks", {"title": "Something"})["id"]}

    def _booking(self) -> dict[str, str]:
        resource = self.organization.created("resources", {"name": "Something", "type": "Room"})["id"]
        times = {"startTime": 4102444800, "endTime": 4102448400}
        booking = self.organization.created("bookings", {"resourceId": resource, **times})["id"]
        return {"resourceId": resource, "bookingId": booking}

    def _visitor(self) -> dict[str, str]:
        return {"visitorId": self.organization.created("visitors", {"name": "Ada"})["id"]}

    def _webhook(self) -> dict[str, str]:
        """An organization has room for fifty: those that are there go first."""
        path = f"/v2{self.organization.path}/webhooks"
        for old in data_of(self.organization.api.get(path, params={"limit": 100})):
            self.organization.api.delete(f"{path}/{old['webhookId']}")
        # Allowed to this API process and not to the worker: nothing is ever sent there, and there is no name to resolve.
        body = {"url": "https://127.0.0.1:9/", "events": ["sor.schedule.published"]}
        webhook = data_of(self.organization.api.post(path, json=body))["webhookId"]
        sent = data_of(self.organization.api.post(f"{path}/{webhook}/test"))
        now = int(time.time())
        span = {"since": now - 60, "until": now, "only": "failed"}
        replay = data_of(self.organization.api.post(f"{path}/{webhook}/replays", json=span))["id"]
        return {"webhookId": webhook, "deliveryId": sent["deliveryId"], "replayId": replay}

    def _schedule(self) -> dict[str, str]:
        schedule = self.organization.created("sor/schedules", {"name": "Something"})["id"]
        item = {"code": "A", "description": "Valve", "unit": "each", "rateCents": 100}
        return {
            "scheduleId": schedule,
            "itemId": self.organization.created(f"sor/schedules/{schedule}/items", item)["id"],
        }


@pytest.fixture(scope="module")
def target(running_service: Service) -> Iterator[Target]:
    yield Target(running_service)
    close_clients()
    running_service.stop_others()


def _call(case: schemathesis.Case, target: Target, ids: dict[str, str]) -> schemathesis.Response:
    case.path_parameters = (
        {**case.path_parameters, **ids, "orgId": target.organization.id} if case.path_parameters else {}
    )
    headers = {"X-API-Key": target.organization.secret, "X-Forwarded-For": new_address()}
    return case.call_and_validate(base_url=target.base_url, headers=headers, checks=CHECKS)


@AT_RANDOM.include(path_regex=r"\{orgId\}.*\{").parametrize()
@EXAMPLES
def test_answers_to_made_up_identifiers_are_documented(case: schemathesis.Case, target: Target) -> None:
    _call(case, target, {})


@SCHEMA.exclude(method="DELETE", path_regex="api-keys").parametrize()
@EXAMPLES
def test_answers_to_real_identifiers_are_documented(case: schemathesis.Case, target: Target) -> None:
    named = frozenset(case.path_parameters or {})
    answer = _call(case, target, target.real_ids(named))
    if case.method != "GET" and answer.status_code < 300:
        target.used_up(named)


def test_the_document_is_served(service: Service) -> None:
    assert httpx.get(f"{service.base_url}/openapi.json", timeout=limit(60)).json() == api_document()
