"""Where requests of every operation are aimed at: an organization with one of everything, and more made as it is used up.

How something is made, and where its identifier then goes, is read from the links of the document.
"""

import time
from collections.abc import Callable
from typing import Any

import httpx
from tests.fuzz.valid_values import placeholders
from tests.support.answers import data_of
from tests.support.organizations import Organization, new_address
from tests.support.sample_records import SampleRecords

from steward.wiring.routes import api_document

DOCUMENT = api_document()
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
# By placeholder: the operation that makes one, and the field of its answer that names it.
MAKERS: dict[str, tuple[str, str]] = {
    name: (maker, source.rsplit("/", 1)[1])
    for maker, (_, _, operation) in OPERATIONS.items()
    for answer in operation["responses"].values()
    for link in answer.get("links", {}).values()
    for name, source in link["parameters"].items()
    if source.startswith("$response")
}
# What has to happen to a fresh record before the operation can succeed.
FIRST = {
    "putWorkOrderOnHold": ["startWorkOrder"],
    "resumeWorkOrder": ["startWorkOrder", "putWorkOrderOnHold"],
    "completeWorkOrder": ["startWorkOrder"],
    "reopenWorkOrder": ["startWorkOrder", "completeWorkOrder"],
    "approveQuotation": ["submitQuotation"],
    "rejectQuotation": ["submitQuotation"],
    "publishScheduleOfRates": ["createScheduleItem"],
    "supersedeScheduleOfRates": ["createScheduleItem", "publishScheduleOfRates"],
    "withdrawScheduleOfRates": ["createScheduleItem", "publishScheduleOfRates"],
    "revokeCalendarLink": ["makeCalendarLink"],
    "archiveForm": ["publishForm"],
    "submitForm": ["publishForm"],
    "listFormSubmissions": ["publishForm"],
    "checkVisitorOut": ["checkVisitorIn"],
    "eraseUser": ["archiveUser"],
}
# What differs from the example of the document, which is written to be read, not to be sent twice.
BODIES: dict[str, Callable[["ValidRequests"], dict[str, Any]]] = {
    "createRole": lambda valid_requests: {"name": f"Role {valid_requests.number}"},
    "createAssetType": lambda valid_requests: {"name": f"Type {valid_requests.number}"},
    "createAsset": lambda valid_requests: {"externalId": f"made-{valid_requests.number}"},
    "createLocation": lambda valid_requests: {"code": f"M{valid_requests.number}"},
    "createUser": lambda _: {"email": f"made-{time.time_ns()}@example.com", "roleIds": []},
    "createWebhook": lambda _: {"url": "https://127.0.0.1:9/", "events": ["sor.schedule.published"]},
    "createForm": lambda _: {"fields": [{"key": "exit", "label": "Clear?", "type": "passFail"}]},
    "submitForm": lambda _: {"answers": {"exit": "Pass"}},
    "createScheduleOfRates": lambda _: {
        "effectiveFrom": int(time.time()) - 100,
        "effectiveTo": int(time.time()) + 10**7,
    },
    "bookResource": lambda valid_requests: {
        "resourceId": valid_requests.fresh("resourceId", {"orgId": valid_requests.organization.id}),
        "startTime": int(time.time()),
        "endTime": int(time.time()) + 3600,
    },
}


class ValidRequests:
    organization: Organization
    number: int

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.records = SampleRecords(organization)
        # Four eyes need two: one person submits, the other approves.
        self.colleague = self.organization.client(
            bearer=self.organization.log_in(self.organization.new_user("Administrator")["email"])["token"]
        )
        self.number = 0

    def headers(self) -> dict[str, str]:
        return {"X-API-Key": self.organization.secret, "X-Forwarded-For": new_address()}

    def ids(self, operation_id: str) -> dict[str, str]:
        """Identifiers for an operation's path: real ones, in a state in which the operation is possible."""
        method, path, _ = OPERATIONS[operation_id]
        names = placeholders(path)
        if "webhooks" in path:
            self._make_room_for_webhooks()
        if (method == "GET" and operation_id not in FIRST) or not MAKERS.keys() >= set(names) - {"orgId"}:
            return {name: self._known(name) for name in names}
        made = {"orgId": self.organization.id}
        for name in names[1:]:
            made[name] = self.fresh(name, made)
        for earlier in FIRST.get(operation_id, ()):
            self._make(earlier, made, by_colleague=True)
        return made

    def _make_room_for_webhooks(self) -> None:
        """An organization has at most fifty."""
        path = f"/v2{self.organization.path}/webhooks"
        found = data_of(self.organization.api.get(path, params={"limit": 100}))
        if len(found) > 30:
            for webhook in found:
                if webhook["webhookId"] != self.records.ids["webhookId"]:
                    self.organization.api.delete(f"{path}/{webhook['webhookId']}")

    def _known(self, name: str) -> str:
        if name == "token":
            return self._calendar_token()
        return self.organization.id if name == "orgId" else self.records.ids[name]

    def _calendar_token(self) -> str:
        path = f"{self.organization.path}/resources/{self.records.ids['resourceId']}/calendar-link"
        return data_of(self.organization.api.post(path))["url"].rsplit("/", 1)[1]

    def fresh(self, name: str, within: dict[str, str]) -> str:
        maker, field = MAKERS[name]
        ids = dict(within)
        for outer in placeholders(OPERATIONS[maker][1]):
            ids.setdefault(outer, self._known(outer))
        for earlier in FIRST.get(maker, ()):
            self._make(earlier, ids)
        return data_of(self._make(maker, ids))[field]

    def body(self, operation_id: str) -> Any:
        """One that the operation takes; None where it takes none."""
        content = OPERATIONS[operation_id][2].get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return None
        self.number += 1
        body = self.records.adapt(content["application/json"]["example"])
        return body | BODIES.get(operation_id, lambda _: {})(self)

    def _make(self, operation_id: str, ids: dict[str, str], *, by_colleague: bool = False) -> httpx.Response:
        method, path, _ = OPERATIONS[operation_id]
        client = self.colleague if by_colleague else self.organization.api
        answer = client.request(method, path.format(**ids), json=self.body(operation_id))
        assert answer.status_code < 300, (operation_id, answer.text)
        return answer
