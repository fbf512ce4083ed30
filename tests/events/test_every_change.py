"""Every change writes events: a day in which everything happens that the API can do, and the events of each step.

A new operation has to be in the day, or among those that tell nothing, with its reason. Records that are only made, changed and
deleted are in the day by themselves.
"""

import json
import re
import time
from typing import Any
from unittest.mock import ANY

import pytest
from tests.support.answers import data_of
from tests.support.organizations import PASSWORD, Organization

from steward.kit.events.event_types import ALL
from steward.wiring.routes import api_document

_DOCUMENT: dict[str, Any] = api_document()["paths"]
WRITING = {
    f"{method.upper()} {path}".replace("/organizations/{orgId}", "")
    for path, methods in _DOCUMENT.items()
    for method in methods
    if method != "get"
}
NOW = int(time.time())
COLD = {"Temperature": 20}
HOT = {"Temperature": 31}
VALVE = {"code": "A", "description": "Valve", "unit": "each", "rateCents": 100}

# Tokens and links are secrets, and no record shows them. So are the credentials of a connected server.
_SECRETS = {
    "POST /authentications/tokens",
    "POST /authentications/tokens/refresh",
    "POST /resources/{resourceId}/calendar-link",
    "DELETE /resources/{resourceId}/calendar-link",
    "PUT /integrations/chirpstack/settings",
}
# Sending, for the first time or again, changes nothing of a webhook, and has records of its own.
_SENDING = {
    "POST /v2/webhooks/{webhookId}/test",
    "POST /v2/webhooks/{webhookId}/deliveries/{deliveryId}/retry",
    "POST /v2/webhooks/{webhookId}/replays",
    "DELETE /v2/webhooks/{webhookId}/replays/{replayId}",
}
# The same as one reading, in another form.
_READINGS = {"POST /telemetry", "POST /integrations/chirpstack", "POST /integrations/ttn"}
# What becomes of a command is the device's to say: its record has the state.
_COMMANDS = {"POST /assets/{assetId}/commands"}
# The operations of the day by another way, through the same handlers.
_OTHER_WAYS = {
    operation for operation in WRITING if operation.endswith("/batch") or "/by-external-id/" in operation
}
TELL_NOTHING = _SECRETS | _SENDING | _READINGS | _COMMANDS | _OTHER_WAYS
# Told by readings that somebody listens for, by the clock, and by the worker.
TOLD_OTHERWISE = {
    "asset.telemetry.updated",
    "booking.no_show",
    "webhook.disabled",
    "webhook.test",
    "workorder.sla.breached",
}

Told = dict[str, Any]
# What is sent, by whom it is sent where that isn't the administrator, and the events: types with previous attributes, or None.
Step = tuple[str, Any, Told]
QUIET: Told = {}


def _day(soon: int, roles: list[str]) -> list[Step]:
    steps = _written_down(soon, roles)
    return [*steps, *_plain_records(steps)]


def _written_down(soon: int, roles: list[str]) -> list[Step]:
    """Identifiers are those that were made last."""
    rule = {
        "name": "Too warm",
        "severity": "Critical",
        "assetTypeId": "{assetTypeId}",
        "conditions": [{"key": "Temperature", "operator": "gt", "value": 30}],
    }
    lines = [{**VALVE, "quantity": 1}]
    question = {"key": "exit", "label": "The exit is clear", "type": "passFail"}
    rates = {"name": "Rates", "effectiveFrom": NOW - 100, "effectiveTo": NOW + 10**7}
    ada = {
        "email": f"ada-{time.time_ns()}@example.com",
        "name": "Ada",
        "password": PASSWORD,
        "roleIds": roles,
    }
    checked_in = {"visitor.checked_in": {"status": "Registered"}}
    quotation = {"scheduleId": "{scheduleId}", "lineItems": lines}
    grace = {"email": f"grace-{time.time_ns()}@example.com", "name": "Grace", "roleIds": roles}
    one_more = {"itemCount": 0}
    erp = {"url": "https://93.184.215.14/erp", "events": ["deck.*"]}
    urgent = {"mode": "include", "criteria": {"priority": ["Critical"]}}
    return [
        ("PATCH ", {"name": "Harbour"}, {"organization.updated": {"name": "Test house"}}),
        ("PATCH ", {"telemetryEvents": True}, {"organization.updated": {"telemetryEvents": False}}),
        ("PATCH ", {"telemetryEvents": False}, {"organization.updated": {"telemetryEvents": True}}),
        ("PUT /sla-policy", _policy(20), {"slapolicy.updated": {"targets": ANY}}),
        ("PUT /sla-policy", _policy(20), QUIET),
        ("POST /users/invitations", grace, {"invitation.created": None}),
        ("DELETE /users/invitations/{invitationId}", None, {"invitation.deleted": None}),
        ("POST /decks", {"title": "Lobby"}, {"deck.created": None}),
        ("PATCH /decks/{deckId}", {"title": "Hall"}, {"deck.updated": {"title": "Lobby"}}),
        ("DELETE /decks/{deckId}", None, {"deck.deleted": None}),
        ("POST /roles", {"name": "Night shift"}, {"role.created": None}),
        ("PATCH /roles/{roleId}", {"name": "Late shift"}, {"role.updated": {"name": "Night shift"}}),
        ("DELETE /roles/{roleId}", None, {"role.deleted": None}),
        ("POST /users", ada, {"user.created": None}),
        ("PATCH /users/{userId}", {"name": "Ada B."}, {"user.updated": {"name": "Ada"}}),
        (
            "POST /users/{userId}/archive",
            None,
            {"user.updated": {"archivedAt": None, "status": "Active"}},
        ),
        ("POST /users/{userId}/archive", None, QUIET),
        ("POST /users/{userId}/restore", None, {"user.updated": {"archivedAt": ANY}}),
        ("DELETE /users/{userId}", None, {"user.removed": None}),
        ("POST /users/{userId}/erase", None, {"user.erased": None}),
        ("POST /users/{userId}/erase", None, QUIET),
        ("POST /api-keys", {"name": "ERP"}, {"apikey.created": None}),
        ("PATCH /api-keys/{keyId}", {"name": "CAFM"}, {"apikey.updated": {"name": "ERP"}}),
        ("POST /api-keys/{keyId}/rotate", None, {"apikey.rotated": {"keyPrefix": ANY}}),
        ("DELETE /api-keys/{keyId}", None, {"apikey.revoked": {"status": "active"}}),
        ("DELETE /api-keys/{keyId}", None, QUIET),
        ("POST /v2/webhooks", erp, {"webhook.created": None}),
        ("PATCH /v2/webhooks/{webhookId}", {"filtering": urgent}, {"webhook.updated": {"filtering": None}}),
        (
            "PATCH /v2/webhooks/{webhookId}",
            {"events": ["role.created"]},
            {"webhook.updated": {"events": ["deck.*"], "types": ANY}},
        ),
        (
            "PATCH /v2/webhooks/{webhookId}",
            {"status": "paused"},
            {"webhook.updated": {"status": "active"}},
        ),
        (
            "POST /v2/webhooks/{webhookId}/rotate-secret",
            None,
            {"webhook.rotated": {"secretLastFour": ANY}},
        ),
        ("DELETE /v2/webhooks/{webhookId}", None, {"webhook.deleted": None}),
        ("POST /locations", {"name": "Site", "type": "Site"}, {"location.created": None}),
        ("PATCH /locations/{locationId}", {"code": "S1"}, {"location.updated": {"code": None}}),
        ("POST /locations/{locationId}/archive", None, {"location.updated": {"archivedAt": None}}),
        ("POST /locations/{locationId}/restore", None, {"location.updated": {"archivedAt": ANY}}),
        ("DELETE /locations/{locationId}", None, {"location.deleted": None}),
        ("POST /locations/import", "name,type\nAnnex,Building\n", {"location.created": None}),
        ("POST /v2/asset-types", {"name": "Pump"}, {"assettype.created": None}),
        ("DELETE /v2/asset-types/{assetTypeId}", None, {"assettype.deleted": None}),
        ("POST /v2/asset-types", {"name": "Boiler"}, {"assettype.created": None}),
        (
            "PATCH /v2/asset-types/{assetTypeId}",
            {"keepAlive": 600},
            {"assettype.updated": {"keepAlive": ANY}},
        ),
        ("POST /assets", {"name": "Boiler 1", "assetTypeId": "{assetTypeId}"}, {"asset.created": None}),
        ("PATCH /assets/{assetId}", {"name": "Boiler A"}, {"asset.updated": {"name": "Boiler 1"}}),
        # It judges the asset for the first time.
        (
            "POST /alert-rules",
            rule,
            {"alertrule.created": None, "asset.status.changed": {"status": "Online"}},
        ),
        (
            "PATCH /alert-rules/{alertRuleId}",
            {"name": "Hot"},
            {"alertrule.updated": {"name": "Too warm"}},
        ),
        (
            "POST /assets/{assetId}/telemetry",
            {"values": HOT},
            {"alert.raised": None, "asset.status.changed": {"status": "Normal"}},
        ),
        ("POST /alerts/{alertId}/acknowledge", None, {"alert.acknowledged": {"status": "Active"}}),
        (
            "PATCH /alert-rules/{alertRuleId}",
            {"severity": "Warning"},
            {
                "alertrule.updated": {"severity": "Critical"},
                "alert.updated": {"severity": "Critical"},
                "asset.status.changed": {"status": "Critical"},
            },
        ),
        (
            "POST /assets/{assetId}/telemetry",
            {"values": COLD},
            {"asset.status.changed": {"status": "Warning"}, "alert.cleared": {"status": "Acknowledged"}},
        ),
        ("DELETE /alert-rules/{alertRuleId}", None, {"alertrule.deleted": None}),
        ("POST /assets/{assetId}/archive", None, {"asset.updated": {"archivedAt": None}}),
        ("POST /assets/{assetId}/restore", None, {"asset.updated": {"archivedAt": ANY}}),
        ("DELETE /assets/{assetId}", None, {"asset.deleted": None}),
        ("POST /assets/import", "name,assetTypeId\nBoiler 2,{assetTypeId}\n", {"asset.created": None}),
        ("POST /forms", {"name": "Walk", "fields": [question]}, {"form.created": None}),
        ("DELETE /forms/{formId}", None, {"form.deleted": None}),
        ("POST /forms", {"name": "Walk", "fields": [question]}, {"form.created": None}),
        ("PATCH /forms/{formId}", {"name": "Round"}, {"form.updated": {"name": "Walk"}}),
        ("POST /forms/{formId}/publish", None, {"form.published": {"status": "Draft", "version": 0}}),
        ("POST /forms/{formId}/submissions", {"answers": {"exit": "Pass"}}, {"form.submitted": None}),
        ("POST /forms/{formId}/archive", None, {"form.archived": {"status": "Published"}}),
        ("POST /work-orders", {"title": "Drip"}, {"workorder.created": None}),
        ("DELETE /work-orders/{workOrderId}", None, {"workorder.deleted": None}),
        ("POST /work-orders", {"title": "Drip"}, {"workorder.created": None}),
        ("PATCH /work-orders/{workOrderId}", {"title": "Drop"}, {"workorder.updated": {"title": "Drip"}}),
        ("POST /work-orders/{workOrderId}/comments", {"text": "Hm"}, {"workorder.commented": None}),
        ("POST /work-orders/{workOrderId}/start", None, {"workorder.status.changed": {"status": "Open"}}),
        (
            "POST /work-orders/{workOrderId}/hold",
            {"reason": "Parts"},
            {"workorder.status.changed": {"status": "InProgress"}},
        ),
        ("POST /work-orders/{workOrderId}/resume", None, {"workorder.status.changed": {"status": "OnHold"}}),
        ("POST /work-orders/{workOrderId}/complete", None, {"workorder.completed": {"status": "InProgress"}}),
        (
            "POST /work-orders/{workOrderId}/reopen",
            None,
            {"workorder.status.changed": {"status": "Completed"}},
        ),
        (
            "POST /work-orders/{workOrderId}/cancel",
            {"reason": "Dry"},
            {"workorder.status.changed": {"status": "InProgress"}},
        ),
        ("POST /resources", {"name": "Cabin", "type": "Room"}, {"resource.created": None}),
        ("DELETE /resources/{resourceId}", None, {"resource.deleted": None}),
        ("POST /resources", {"name": "Cabin", "type": "Room"}, {"resource.created": None}),
        ("PATCH /resources/{resourceId}", {"name": "Room"}, {"resource.updated": {"name": "Cabin"}}),
        ("POST /resources/{resourceId}/archive", None, {"resource.updated": {"archivedAt": None}}),
        ("POST /resources/{resourceId}/restore", None, {"resource.updated": {"archivedAt": ANY}}),
        (
            "POST /bookings",
            {"resourceId": "{resourceId}", "startTime": soon, "endTime": soon + 3600},
            {"booking.created": None},
        ),
        ("PATCH /bookings/{bookingId}", {"title": "Board"}, {"booking.updated": {"title": None}}),
        ("POST /bookings/{bookingId}/check-in", None, {"booking.checked_in": {"status": "Confirmed"}}),
        (
            "POST /bookings",
            {"resourceId": "{resourceId}", "startTime": soon + 7200, "endTime": soon + 9000},
            {"booking.created": None},
        ),
        ("POST /bookings/{bookingId}/cancel", None, {"booking.cancelled": {"status": "Confirmed"}}),
        ("POST /visitors", {"name": "Grace"}, {"visitor.registered": None}),
        ("PATCH /visitors/{visitorId}", {"company": "Navy"}, {"visitor.updated": {"company": None}}),
        ("POST /visitors/{visitorId}/check-in", None, checked_in),
        ("POST /visitors/{visitorId}/check-out", None, {"visitor.checked_out": {"status": "CheckedIn"}}),
        ("DELETE /visitors/{visitorId}", None, {"visitor.erased": None}),
        ("DELETE /visitors/{visitorId}", None, QUIET),
        ("POST /visitors", {"name": "Grace"}, {"visitor.registered": None}),
        ("POST /visitors/{visitorId}/cancel", None, {"visitor.cancelled": {"status": "Registered"}}),
        ("POST /sor/schedules", rates, {"sor.schedule.created": None}),
        ("DELETE /sor/schedules/{scheduleId}", None, {"sor.schedule.deleted": None}),
        ("POST /sor/schedules", {**rates, "name": "Old"}, {"sor.schedule.created": None}),
        ("PATCH /sor/schedules/{scheduleId}", {"name": "Rates"}, {"sor.schedule.updated": {"name": "Old"}}),
        (
            "POST /sor/schedules/{scheduleId}/items",
            VALVE,
            {"sor.item.created": None, "sor.schedule.updated": one_more},
        ),
        (
            "PATCH /sor/schedules/{scheduleId}/items/{itemId}",
            {"rateCents": 110},
            {"sor.item.updated": {"rateCents": 100}},
        ),
        (
            "DELETE /sor/schedules/{scheduleId}/items/{itemId}",
            None,
            {"sor.item.deleted": None, "sor.schedule.updated": {"itemCount": 1}},
        ),
        (
            "POST /sor/schedules/{scheduleId}/items/import",
            "code,description,unit,rateCents\nB,Pipe,m,300\n",
            {"sor.item.created": None, "sor.schedule.updated": one_more},
        ),
        ("POST /sor/schedules/{scheduleId}/publish", None, {"sor.schedule.published": {"status": "Draft"}}),
        ("POST /sor/quotations", quotation, {"sor.quotation.created": None}),
        ("DELETE /sor/quotations/{quotationId}", None, {"sor.quotation.deleted": None}),
        ("POST /sor/quotations", quotation, {"sor.quotation.created": None}),
        (
            "PATCH /sor/quotations/{quotationId}",
            {"lineItems": [{**VALVE, "quantity": 2}]},
            {"sor.quotation.updated": {"lineItems": ANY, "totalAmountCents": 100}},
        ),
        ("POST /sor/quotations/{quotationId}/submit", None, {"sor.quotation.submitted": {"status": "Draft"}}),
        (
            "POST /sor/quotations/{quotationId}/reject",
            {"reason": "Dear"},
            {"sor.quotation.rejected": {"status": "Submitted"}},
        ),
        ("POST /sor/quotations/{quotationId}/submit", None, {"sor.quotation.submitted": {"status": "Draft"}}),
        (
            "POST /sor/quotations/{quotationId}/approve",
            None,
            {"sor.quotation.approved": {"status": "Submitted"}},
        ),
        (
            "POST /sor/schedules/{scheduleId}/supersede",
            {"effectiveFrom": NOW + 10**6, "effectiveTo": NOW + 10**7},
            {"sor.schedule.created": None, "sor.item.created": None},
        ),
        (
            "POST /sor/schedules/{nextScheduleId}/publish",
            None,
            {
                "sor.schedule.published": {"status": "Draft"},
                "sor.schedule.superseded": {"effectiveTo": NOW + 10**7, "supersededBy": None},
            },
        ),
        (
            "POST /sor/schedules/{nextScheduleId}/withdraw",
            {"reason": "Dear"},
            {"sor.schedule.withdrawn": {"status": "Published", "effectiveTo": ANY}},
        ),
    ]


def _policy(minutes: int) -> dict[str, Any]:
    target = {"responseMinutes": minutes, "resolutionMinutes": 240}
    return {"targets": dict.fromkeys(("Critical", "High", "Medium", "Low"), target)}


def _plain_records(day: list[Step]) -> list[Step]:
    """Records that the day above leaves out and that are only made, changed and deleted, with the examples of the documents."""
    left_out = WRITING - TELL_NOTHING - {operation for operation, _, _ in day}
    created = {
        str(getattr(kind.example, "id", ""))[:4]: name
        for name, kind in ALL.items()
        if name.endswith(".created")
    }
    steps: list[Step] = []
    for path in sorted(path for path in PLACEHOLDERS if f"POST {path}" in left_out and "{" not in path):
        one = f"{path}/{{{PLACEHOLDERS[path]}}}"
        making, changing = (_DOCUMENT[f"/organizations/{{orgId}}{at}"] for at in (path, one))
        group = created[_example(making["post"]["responses"]["201"])["data"]["id"][:4]].removesuffix(
            ".created"
        )
        changes = _example(changing["patch"]["requestBody"])
        steps += [
            (f"POST {path}", _example(making["post"]["requestBody"]), {f"{group}.created": None}),
            (f"PATCH {one}", changes, {f"{group}.updated": dict.fromkeys(changes, ANY)}),
            (f"DELETE {one}", None, {f"{group}.deleted": None}),
        ]
    return steps


def _example(content: dict[str, Any]) -> Any:
    return content["content"]["application/json"]["example"]


# Collection → how the paths of its records name one.
PLACEHOLDERS = {
    path.replace("/organizations/{orgId}", ""): found[1]
    for path in _DOCUMENT
    for one in _DOCUMENT
    if (found := re.fullmatch(rf"{re.escape(path)}/{{(\w+)}}", one))
} | {"/sor/schedules/{scheduleId}/supersede": "nextScheduleId"}


class Day:
    """Does one thing after the other, and compares the events."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.ids: dict[str, str] = {}
        self._seen: set[str] = set()
        # Four eyes: somebody else approves.
        approver = organization.new_user("Administrator")
        self._approver = organization.client(bearer=organization.log_in(approver["email"])["token"])
        self.new_events()

    def new_events(self) -> list[dict[str, Any]]:
        new = [event for event in self.organization.events() if event["id"] not in self._seen]
        self._seen |= {event["id"] for event in new}
        return new

    def send(self, operation: str, body: Any) -> dict[str, Any]:
        """The record as the answer shows it."""
        method, _, path = operation.partition(" ")
        place = (
            f"/v2{self.organization.path}{path[3:]}"
            if path.startswith("/v2")
            else self.organization.path + path
        )
        client = self._approver if path.endswith("/approve") else self.organization.api
        text = body if isinstance(body, str) else json.dumps(body)
        for name, id in self.ids.items():
            place, text = place.replace(f"{{{name}}}", id), text.replace(f"{{{name}}}", id)
        kind = "text/csv" if isinstance(body, str) else "application/json"
        content = None if body is None else text
        answer = client.request(method, place, content=content, headers={"Content-Type": kind})
        assert answer.status_code in {200, 201}, (operation, answer.text)
        data = data_of(answer)
        if answer.status_code == 201 and path in PLACEHOLDERS:
            name = PLACEHOLDERS[path]
            self.ids[name] = data.get("id") or data[name]
        found: dict[str, Any] = data
        return found


@pytest.fixture
def day(organization: Organization) -> Day:
    return Day(organization)


def test_every_operation_is_in_the_demo_or_has_a_reason_not_to_be() -> None:
    done = {operation.replace("nextSchedule", "schedule") for operation, _, _ in _day(NOW, [])}
    assert WRITING - done - TELL_NOTHING == set()
    assert set() == TELL_NOTHING - WRITING
    assert {operation for operation, _, told in _day(NOW, []) if told} & TELL_NOTHING == set()


def test_each_move_writes_one_event_with_the_previous_values(day: Day) -> None:
    organization = day.organization
    catalogue = {kind["type"]: kind for kind in data_of(organization.api.get("/v2/event-types"))}
    told_types = set(TOLD_OTHERWISE)
    for operation, body, told in _day(int(time.time()) + 60, organization.role_ids("Viewer")):
        record = day.send(operation, body)
        events = day.new_events()
        found = {event["type"]: event["data"].get("previousAttributes") for event in events}
        assert (found, len(events)) == (told, len(told)), operation
        for event in events:
            kind = catalogue[event["type"]]
            assert sorted(event["data"]["object"]) == sorted(kind["fields"]), event
            assert ("previousAttributes" in event["data"]) == kind["previousAttributes"], event
            assert PASSWORD not in json.dumps(event)
            if event["data"]["object"].keys() == record.keys():
                assert event["data"]["object"] == record, operation
            if event["type"] == "sor.schedule.superseded":
                assert event["data"]["object"]["supersededBy"] == day.ids["nextScheduleId"]
            told_types.add(event["type"])
            if event["type"] == "alert.raised":
                day.ids["alertId"] = event["data"]["object"]["id"]
        if operation.startswith("PATCH"):
            day.send(operation, body)
            assert day.new_events() == [], operation
    assert told_types == set(catalogue)
