"""An organization with one of everything, and the words by which requests name these things."""

import datetime as dt
import time
from typing import Any

from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.wiring.routes import api_document

# Fields of bodies that name a record, and the placeholder of paths that names the same kind.
REFERENCES = {
    "acknowledgedBy": "userId",
    "approvedBy": "userId",
    "assetId": "assetId",
    "assetTypeId": "assetTypeId",
    "assigneeId": "userId",
    "bookedBy": "userId",
    "cancelledBy": "userId",
    "completedBy": "userId",
    "createdBy": "userId",
    "hostId": "userId",
    "itemId": "itemId",
    "locationId": "locationId",
    "parentId": "locationId",
    "publishedBy": "userId",
    "rejectedBy": "userId",
    "reportedBy": "userId",
    "resourceId": "resourceId",
    "roleIds": "roleId",
    "scheduleId": "scheduleId",
    "submittedBy": "userId",
    "userId": "userId",
    "withdrawnBy": "userId",
    "workOrderId": "workOrderId",
}
# Fields that look like a reference and are none: names in and of other systems, and of things inside the same record.
NO_REFERENCES = {"externalId", "organizationId", "queueItemId"}


class SampleRecords:
    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        now = int(time.time())
        made = organization.created
        # What other systems call all of these; no two organizations have the same.
        named = {"externalId": f"ERP {organization.id}"}
        role = made("roles", {"name": "Night shift"})
        user = organization.new_user("Viewer", **named)
        invitation = made("users/invitations", {"email": "grace@example.com", "name": "Grace"})
        location = made("locations", {"name": "Site", "type": "Site", **named})
        asset_type = data_of(
            organization.api.post(f"/v2{organization.path}/asset-types", json={"name": "Boiler"})
        )
        device = {"name": "Boiler 1", "assetTypeId": asset_type["id"], "externalId": "a84041b2c3d4e5f6"}
        asset = made("assets", device)
        made("assets", {"name": "Boiler 2", "assetTypeId": asset_type["id"], **named})
        rule = made(
            "alert-rules",
            {
                "name": "Too hot",
                "assetTypeId": asset_type["id"],
                "severity": "Warning",
                "conditions": [{"key": "Temperature", "operator": "gt", "value": 90}],
            },
        )
        organization.api.post(
            f"{organization.path}/assets/{asset['id']}/telemetry", json={"values": {"Temperature": 95}}
        )
        command = made(f"assets/{asset['id']}/commands", {"name": "reboot"})
        (alert,) = data_of(organization.api.get(f"{organization.path}/alerts"))
        fields = [
            {"key": "exit", "label": "The exit is clear", "type": "passFail"},
            {"key": "pressure", "label": "Pressure", "type": "number"},
        ]
        form = made("forms", {"name": "Round", "fields": fields})
        organization.api.post(f"{organization.path}/forms/{form['id']}/publish")
        submission = made(f"forms/{form['id']}/submissions", {"answers": {"exit": "Pass"}})
        deck = made("decks", {"title": "Lobby"})
        schedule = made(
            "sor/schedules", {"name": "Rates", "effectiveFrom": now - 100, "effectiveTo": now + 10**7}
        )
        item = made(
            f"sor/schedules/{schedule['id']}/items",
            {"code": "A", "description": "Valve", "unit": "each", "rateCents": 100},
        )
        assert (
            organization.api.post(f"{organization.path}/sor/schedules/{schedule['id']}/publish").status_code
            == 200
        )
        order = made("work-orders", {"title": "Lift is stuck", **named})
        comment = made(f"work-orders/{order['id']}/comments", {"text": "Hm"})
        lines = [{"itemId": item["id"], "quantity": 1}]
        quotation = made(
            "sor/quotations", {"scheduleId": schedule["id"], "workOrderId": order["id"], "lineItems": lines}
        )
        resource = made("resources", {"name": "Room", "type": "Room", **named})
        organization.api.post(f"{organization.path}/resources/{resource['id']}/calendar-link")
        # Whatever the hour is, it ends on another day than it begins, which takes the most room on a screen.
        slot = {"startTime": now + 86400, "endTime": now + 2 * 86400}
        booking = made("bookings", {"resourceId": resource["id"], **slot, **named})
        visitor = made("visitors", {"name": "Ada", "expectedArrival": now + 3600, **named})
        webhooks = f"/v2{organization.path}/webhooks"
        # Allowed to this API process and not to the worker: nothing is ever sent there, and there is no name to resolve.
        webhook = organization.api.post(webhooks, json={"url": "https://127.0.0.1:9/", "events": ["*"]})
        webhook_id = data_of(webhook)["webhookId"]
        delivery_id = data_of(organization.api.post(f"{webhooks}/{webhook_id}/test"))["deliveryId"]
        span = {"since": now - 3600, "until": now, "only": "failed"}
        replay = data_of(organization.api.post(f"{webhooks}/{webhook_id}/replays", json=span))
        self.ids = {
            "alertId": alert["id"],
            "alertRuleId": rule["id"],
            "assetId": asset["id"],
            "assetTypeId": asset_type["id"],
            "bookingId": booking["id"],
            "commandId": command["id"],
            "commentId": comment["id"],
            "deckId": deck["id"],
            "deliveryId": delivery_id,
            "eventId": data_of(organization.api.get(f"/v2{organization.path}/events"))[0]["id"],
            "externalId": named["externalId"],
            "formId": form["id"],
            "invitationId": invitation["id"],
            "itemId": item["id"],
            "keyId": organization.key_id,
            "locationId": location["id"],
            "quotationId": quotation["id"],
            "replayId": replay["id"],
            "resourceId": resource["id"],
            "roleId": role["id"],
            "scheduleId": schedule["id"],
            "submissionId": submission["id"],
            "userId": user["id"],
            "version": "1",
            "visitorId": visitor["id"],
            "webhookId": webhook_id,
            "workOrderId": order["id"],
        }
        self._make_others()

    def _make_others(self) -> None:
        """Kinds of record that need nothing but the example of the documents."""
        paths = api_document()["paths"]
        for one in paths:
            collection, _, name = one.rpartition("/")
            placeholder = name.strip("{}")
            if name == placeholder or placeholder in self.ids or "post" not in paths.get(collection, {}):
                continue
            body = paths[collection]["post"]["requestBody"]["content"]["application/json"]["example"]
            if f"{collection}/by-external-id/{{externalId}}" in paths:
                body["externalId"] = self.ids["externalId"]
            made = self.organization.api.post(self.path(collection), json=self.adapt(body))
            self.ids[placeholder] = data_of(made)["id"]

    def path(self, template: str, ids: dict[str, str] | None = None) -> str:
        return template.format(**{"orgId": self.organization.id, **self.ids, **(ids or {})})

    def adapt(self, body: Any) -> Any:
        """A body from the documents with its references turned into ours, and its times into ones to come."""
        if isinstance(body, list):
            return [self.adapt(part) for part in body]
        if not isinstance(body, dict):
            return body
        return {name: self._value(name, value) for name, value in body.items()}

    def _value(self, name: str, value: Any) -> Any:
        if name in REFERENCES and value:
            id = self.ids[REFERENCES[name]]
            return [id] if isinstance(value, list) else id
        if name in {"startTime", "endTime", "expectedArrival"}:
            return value - 1767225600 + int(time.time()) + 10 * 86400
        if name in {"since", "until", "timestamp"}:
            return value - 1767225600 + int(time.time())
        if name in {"time", "received_at"}:
            return dt.datetime.now(dt.UTC).isoformat()
        return self.adapt(value)
