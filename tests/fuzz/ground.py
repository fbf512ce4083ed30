"""Where requests of every operation are aimed at: an organization with one of everything, and more made as it is used up.

How something is made, and where its identifier then goes, is read from the links of the document.
"""

import time
from collections.abc import Callable
from typing import Any

import httpx
from tests.access_matrix.world import World
from tests.fuzz.believable import placeholders
from tests.support.organizations import Organization, new_address

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
    "archiveForm": ["publishForm"],
    "submitForm": ["publishForm"],
    "listFormSubmissions": ["publishForm"],
    "checkVisitorOut": ["checkVisitorIn"],
}
# What differs from the example of the document, which is written to be read, not to be sent twice.
BODIES: dict[str, Callable[["Ground"], dict[str, Any]]] = {
    "createRole": lambda ground: {"name": f"Role {ground.number}"},
    "createAssetType": lambda ground: {"name": f"Type {ground.number}"},
    "createAsset": lambda ground: {"externalId": f"made-{ground.number}"},
    "createLocation": lambda ground: {"code": f"M{ground.number}"},
    "createUser": lambda _: {"email": f"made-{time.time_ns()}@example.com", "roleIds": []},
    "createWebhook": lambda _: {"url": "https://127.0.0.1:9/", "events": ["sor.schedule.published"]},
    "createForm": lambda _: {"fields": [{"key": "exit", "label": "Clear?", "type": "passFail"}]},
    "submitForm": lambda _: {"answers": {"exit": "Pass"}},
    "createScheduleOfRates": lambda _: {
        "effectiveFrom": int(time.time()) - 100,
        "effectiveTo": int(time.time()) + 10**7,
    },
    "bookResource": lambda ground: {
        "resourceId": ground.fresh("resourceId", {"orgId": ground.org.id}),
        "startTime": int(time.time()),
        "endTime": int(time.time()) + 3600,
    },
}


class Ground:
    def __init__(self, org: Organization) -> None:
        self.org = org
        self.world = World(org)
        # Four eyes need two: one person submits, the other approves.
        self.colleague = self.org.client(
            bearer=self.org.log_in(self.org.new_user("Administrator")["email"])["token"]
        )
        self.number = 0

    def headers(self) -> dict[str, str]:
        return {"X-API-Key": self.org.secret, "X-Forwarded-For": new_address()}

    def ids(self, operation_id: str) -> dict[str, str]:
        """Identifiers for an operation's path: real ones, in a state in which the operation is possible."""
        method, path, _ = OPERATIONS[operation_id]
        names = placeholders(path)
        if "webhooks" in path:
            self._make_room_for_webhooks()
        if (method == "GET" and operation_id not in FIRST) or not MAKERS.keys() >= set(names) - {"orgId"}:
            return {name: self._known(name) for name in names}
        made = {"orgId": self.org.id}
        for name in names[1:]:
            made[name] = self.fresh(name, made)
        for earlier in FIRST.get(operation_id, ()):
            self._make(earlier, made, by_colleague=True)
        return made

    def _make_room_for_webhooks(self) -> None:
        """An organization has at most fifty."""
        path = f"/v2{self.org.path}/webhooks"
        found = self.org.api.get(path, params={"limit": 100}).json()["data"]
        if len(found) > 30:
            for webhook in found:
                if webhook["webhookId"] != self.world.ids["webhookId"]:
                    self.org.api.delete(f"{path}/{webhook['webhookId']}")

    def _known(self, name: str) -> str:
        if name == "token":
            return self._calendar_token()
        return self.org.id if name == "orgId" else self.world.ids[name]

    def _calendar_token(self) -> str:
        path = f"{self.org.path}/resources/{self.world.ids['resourceId']}/calendar-link"
        return self.org.api.post(path).json()["data"]["url"].rsplit("/", 1)[1]

    def fresh(self, name: str, within: dict[str, str]) -> str:
        maker, field = MAKERS[name]
        ids = dict(within)
        for outer in placeholders(OPERATIONS[maker][1]):
            ids.setdefault(outer, self._known(outer))
        for earlier in FIRST.get(maker, ()):
            self._make(earlier, ids)
        return self._make(maker, ids).json()["data"][field]

    def body(self, operation_id: str) -> Any:
        """One that the operation takes; None where it takes none."""
        content = OPERATIONS[operation_id][2].get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return None
        self.number += 1
        body = self.world.own(content["application/json"]["example"])
        return body | BODIES.get(operation_id, lambda _: {})(self)

    def _make(self, operation_id: str, ids: dict[str, str], *, by_colleague: bool = False) -> httpx.Response:
        method, path, _ = OPERATIONS[operation_id]
        client = self.colleague if by_colleague else self.org.api
        answer = client.request(method, path.format(**ids), json=self.body(operation_id))
        assert answer.status_code < 300, (operation_id, answer.text)
        return answer
