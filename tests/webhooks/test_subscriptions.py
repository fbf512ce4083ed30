"""Which events a webhook hears: by type, by group, and by what its filter asks of the record that an event is about."""

from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.records.webhooks import URL

from steward.kit.events import event_types as events
from steward.kit.events.patterns import groups
from steward.webhooks.jobs import complete_subscriptions
from steward.webhooks.subscription import subscribed_types


def test_types_groups_and_everything_select_exactly_theirs(organization: Organization) -> None:
    exact, group, everything, both = (
        organization.webhooks.create("workorder.created"),
        organization.webhooks.create("workorder.*"),
        organization.webhooks.create("*"),
        organization.webhooks.create("workorder.created", "workorder.*", "asset.created"),
    )
    order = organization.work_orders.create()
    organization.work_orders.move(order, "start")
    kind = data_of(organization.api.post(f"/v2{organization.path}/asset-types", json={"name": "Boiler"}))[
        "id"
    ]
    organization.created("assets", {"name": "Boiler 1", "assetTypeId": kind})
    assert organization.webhooks.queued_types(exact) == ["workorder.created"]
    assert organization.webhooks.queued_types(group) == ["workorder.created", "workorder.status.changed"]
    assert organization.webhooks.queued_types(both) == [
        "workorder.created",
        "workorder.status.changed",
        "asset.created",
    ]
    # It was the third to be made.
    _, _, _, *later = organization.events()
    assert organization.webhooks.queued_types(everything) == [event["type"] for event in later]
    assert later[0]["data"]["object"]["webhookId"] == both["webhookId"]


def test_a_changed_subscription_applies_to_later_events(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create("One")
    organization.webhooks.change(made, events=["workorder.status.changed"])
    organization.work_orders.move(organization.work_orders.create("Two"), "start")
    assert organization.webhooks.queued_types(made) == ["workorder.created", "workorder.status.changed"]


def test_one_delivery_per_event_and_webhook_with_the_event_that_is_listed(organization: Organization) -> None:
    made = organization.webhooks.create("*")
    organization.work_orders.create()
    (_, event), (delivery,) = organization.events(), organization.webhooks.deliveries(made)
    assert delivery == {
        "id": delivery["id"],
        "deliveryId": delivery["id"],
        "webhookId": made["webhookId"],
        "eventId": event["id"],
        "eventType": "workorder.created",
        "status": "pending",
        "reason": None,
        "attempts": 0,
        "nextAttemptAt": event["created"],
        "created": event["created"],
        "finishedAt": None,
    }


class FilterableRecords:
    """Orders and bookings here and there, of two priorities, some without a place."""

    def __init__(self, organization: Organization) -> None:
        made = organization.created
        self.here, self.there = (
            made("locations", {"name": name, "type": "Site"})["id"] for name in ("Here", "There")
        )
        self.room = made("resources", {"name": "Room", "type": "Room", "locationId": self.here})["id"]
        self.asset = organization.assets.create()["id"]
        self.organization = organization

    def create(self) -> None:
        self.organization.work_orders.create("high here", locationId=self.here, priority="High")
        self.organization.work_orders.create("low here", locationId=self.here, priority="Low")
        self.organization.work_orders.create("high there", locationId=self.there, priority="High")
        self.organization.work_orders.create("high nowhere", priority="High")
        times = {"startTime": 4102444800, "endTime": 4102448400}
        self.organization.created("bookings", {"resourceId": self.room, "title": "booking here", **times})


@pytest.mark.parametrize(
    ("mode", "criteria", "heard"),
    [
        ("include", {"locationId": ["here"]}, ["high here", "low here", "booking"]),
        ("exclude", {"locationId": ["here"]}, ["high there", "high nowhere"]),
        ("include", {"locationId": ["here", "there"]}, ["high here", "low here", "high there", "booking"]),
        ("exclude", {"locationId": ["here", "there"]}, ["high nowhere"]),
        ("include", {"priority": ["High"]}, ["high here", "high there", "high nowhere"]),
        ("exclude", {"priority": ["High"]}, ["low here", "booking"]),
        ("include", {"locationId": ["here"], "priority": ["High"]}, ["high here"]),
        (
            "exclude",
            {"locationId": ["here"], "priority": ["High"]},
            ["low here", "high there", "high nowhere", "booking"],
        ),
        ("include", {"resourceId": ["room"]}, ["booking"]),
        ("exclude", {"resourceId": ["room"]}, ["high here", "low here", "high there", "high nowhere"]),
        ("include", {"assetId": ["asset"]}, []),
        (
            "exclude",
            {"assetId": ["asset"]},
            ["high here", "low here", "high there", "high nowhere", "booking"],
        ),
    ],
)
def test_a_filter_passes_only_matching_events(
    organization: Organization, mode: str, criteria: dict[str, list[str]], heard: list[str]
) -> None:
    records = FilterableRecords(organization)
    named = {
        "here": records.here,
        "there": records.there,
        "room": records.room,
        "asset": records.asset,
    }
    asked = {name: [named.get(value, value) for value in values] for name, values in criteria.items()}
    made = organization.webhooks.create("*", filtering={"mode": mode, "criteria": asked})
    records.create()
    shown = {event["id"]: event["data"]["object"] for event in organization.events()}
    told = [shown[delivery["eventId"]] for delivery in organization.webhooks.deliveries(made)]
    assert [each.get("title", "booking") for each in told] == heard


def test_a_completed_order_matches_location_filters_although_its_payload_has_no_location(
    organization: Organization,
) -> None:
    here = organization.created("locations", {"name": "Here", "type": "Site"})["id"]
    filtering = {"mode": "include", "criteria": {"locationId": [here]}}
    made = organization.webhooks.create("workorder.completed", filtering=filtering)
    for order in (organization.work_orders.create(locationId=here), organization.work_orders.create()):
        organization.work_orders.move(order, "start", "complete")
    (delivery,) = organization.webhooks.deliveries(made)
    (event,) = (event for event in organization.events() if event["id"] == delivery["eventId"])
    assert "locationId" not in event["data"]["object"]


def test_an_asset_is_matched_by_itself_its_type_and_where_it_was(organization: Organization) -> None:
    kind = data_of(organization.api.post(f"/v2{organization.path}/asset-types", json={"name": "Boiler"}))[
        "id"
    ]
    here = organization.created("locations", {"name": "Here", "type": "Site"})["id"]

    def listening(name: str, value: Any) -> dict[str, Any]:
        return organization.webhooks.create(
            "asset.*", filtering={"mode": "include", "criteria": {name: [value]}}
        )

    by_type, by_place = listening("assetTypeId", kind), listening("locationId", here)
    asset = organization.created("assets", {"name": "Boiler 1", "assetTypeId": kind, "locationId": here})[
        "id"
    ]
    other = organization.assets.create()["id"]
    by_id, by_other = listening("assetId", asset), listening("assetId", other)
    # What a filter names can't be deleted; one that was made before could name what is gone by now.
    organization.sql(
        "DELETE FROM webhook_filter_names WHERE organization_id = $1 AND id = $2", organization.id, asset
    )
    assert organization.api.delete(f"{organization.path}/assets/{asset}").status_code == 200
    assert (
        organization.webhooks.queued_types(by_type)
        == organization.webhooks.queued_types(by_place)
        == ["asset.created", "asset.deleted"]
    )
    assert organization.webhooks.queued_types(by_id) == ["asset.deleted"]
    assert organization.webhooks.queued_types(by_other) == []


def test_groups_pick_up_types_that_a_new_version_brings(organization: Organization) -> None:
    everything, group, exact = (
        organization.webhooks.create("*"),
        organization.webhooks.create("workorder.*"),
        organization.webhooks.create("workorder.created"),
    )
    # As an older version would have written them: it knew no completed orders.
    organization.sql(
        "UPDATE webhooks SET types = array_remove(types, 'workorder.completed') WHERE organization_id = $1",
        organization.id,
    )
    assert organization.with_pool(complete_subscriptions) >= 2
    assert organization.with_pool(complete_subscriptions) == 0
    organization.work_orders.move(organization.work_orders.create(), "start", "complete")
    wanted = ["workorder.created", "workorder.status.changed", "workorder.completed"]
    assert organization.webhooks.queued_types(everything) == ["webhook.created", "webhook.created", *wanted]
    assert organization.webhooks.queued_types(group) == wanted
    assert organization.webhooks.queued_types(exact) == ["workorder.created"]


def test_events_about_a_webhook_go_to_the_other_webhooks_only(organization: Organization) -> None:
    hearing, others = organization.webhooks.create("webhook.*"), organization.webhooks.create("*")
    organization.webhooks.change(others, description="ERP")
    organization.webhooks.change(others, description="ERP")
    organization.webhooks.change(others, status="paused")
    rotated = organization.api.post(organization.webhooks.path_of(others, "/rotate-secret"))
    assert rotated.status_code == 200
    assert organization.webhooks.deliveries(others) == []
    assert organization.api.delete(organization.webhooks.path_of(others)).status_code == 200
    organization.webhooks.change(hearing, description="Log")
    told = organization.events(type="webhook.*")
    assert [event["type"] for event in told] == [
        "webhook.created",
        "webhook.created",
        "webhook.updated",
        "webhook.updated",
        "webhook.rotated",
        "webhook.deleted",
        "webhook.updated",
    ]
    assert "whsec_" not in str(told)
    assert [one["eventId"] for one in organization.webhooks.deliveries(hearing)] == [
        event["id"] for event in told[1:-1]
    ]


def test_a_creator_without_webhook_permission_gets_no_events_of_other_webhooks(
    organization: Organization,
) -> None:
    reader = organization.client(
        key=organization.new_key("webhooks:write", "events:read", "work-orders:read")["secret"]
    )
    body = {"url": URL, "events": ["*"]}
    made = data_of(reader.post(organization.webhooks.path, json=body))
    organization.webhooks.create()
    organization.work_orders.create()
    assert organization.webhooks.queued_types(made) == ["workorder.created"]


def test_an_older_process_drops_no_columns(organization: Organization) -> None:
    made = organization.webhooks.create("*")
    organization.sql(
        "UPDATE webhooks SET types = types || 'from.the.future'::text WHERE id = $1", made["webhookId"]
    )
    organization.with_pool(complete_subscriptions)
    ((types,),) = organization.sql("SELECT types FROM webhooks WHERE id = $1", made["webhookId"])
    assert "from.the.future" in types


def test_every_type_belongs_to_the_groups_of_its_name() -> None:
    real = {name for name in events.ALL if name != "webhook.test"}
    assert set(subscribed_types(["*"])) == real
    for group in groups()[1:]:
        prefix = group.removesuffix("*")
        assert set(subscribed_types([group])) == {name for name in real if name.startswith(prefix)}
        assert prefix.endswith(".")
    assert subscribed_types(["webhook.test"]) == []
