"""Which events a webhook hears: by type, by group, and by what its filter asks of the record that an event is about."""

from typing import Any

import pytest
from tests.webhooks.helpers import Desk

from steward.kit.events import event_types as events
from steward.webhooks.jobs import complete_subscriptions
from steward.webhooks.subscription import expand, groups


def test_types_groups_and_everything_select_exactly_theirs(context: Desk) -> None:
    exact, group, everything, both = (
        context.make("workorder.created"),
        context.make("workorder.*"),
        context.make("*"),
        context.make("workorder.created", "workorder.*", "asset.created"),
    )
    order = context.order()
    context.move(order, "start")
    kind = context.api.post(f"/v2{context.org.path}/asset-types", json={"name": "Boiler"}).json()["data"][
        "id"
    ]
    context.org.created("assets", {"name": "Boiler 1", "assetTypeId": kind})
    assert context.heard(exact) == ["workorder.created"]
    assert context.heard(group) == ["workorder.created", "workorder.status.changed"]
    assert context.heard(both) == ["workorder.created", "workorder.status.changed", "asset.created"]
    assert context.heard(everything) == [event["type"] for event in context.events()]


def test_a_changed_subscription_holds_for_what_happens_from_then_on(context: Desk) -> None:
    made = context.make("workorder.created")
    context.order("One")
    context.change(made, events=["workorder.status.changed"])
    context.move(context.order("Two"), "start")
    assert context.heard(made) == ["workorder.created", "workorder.status.changed"]


def test_one_delivery_per_event_and_webhook_with_the_event_that_is_listed(context: Desk) -> None:
    made = context.make("*")
    context.order()
    (event,), (delivery,) = context.events(), context.deliveries(made)
    assert delivery == {
        "id": delivery["id"],
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


class Site:
    """Orders and bookings here and there, of two priorities, some without a place."""

    def __init__(self, context: Desk) -> None:
        made = context.org.created
        self.here, self.there = (
            made("locations", {"name": name, "type": "Site"})["id"] for name in ("Here", "There")
        )
        self.room = made("resources", {"name": "Room", "type": "Room", "locationId": self.here})["id"]
        self.context = context

    def happen(self) -> None:
        self.context.order("high here", locationId=self.here, priority="High")
        self.context.order("low here", locationId=self.here, priority="Low")
        self.context.order("high there", locationId=self.there, priority="High")
        self.context.order("high nowhere", priority="High")
        times = {"startTime": 4102444800, "endTime": 4102448400}
        self.context.org.created("bookings", {"resourceId": self.room, "title": "booking here", **times})


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
        ("include", {"assetId": ["ast_1"]}, []),
        (
            "exclude",
            {"assetId": ["ast_1"]},
            ["high here", "low here", "high there", "high nowhere", "booking"],
        ),
    ],
)
def test_a_filter_lets_through_what_it_names_and_nothing_else(
    context: Desk, mode: str, criteria: dict[str, list[str]], heard: list[str]
) -> None:
    site = Site(context)
    named = {"here": site.here, "there": site.there, "room": site.room}
    asked = {name: [named.get(value, value) for value in values] for name, values in criteria.items()}
    made = context.make("*", filtering={"mode": mode, "criteria": asked})
    site.happen()
    shown = {event["id"]: event["data"]["object"] for event in context.events()}
    told = [shown[delivery["eventId"]] for delivery in context.deliveries(made)]
    assert [each.get("title", "booking") for each in told] == heard


def test_a_completed_order_matches_by_its_location_though_the_payload_leaves_it_out(context: Desk) -> None:
    here = context.org.created("locations", {"name": "Here", "type": "Site"})["id"]
    filtering = {"mode": "include", "criteria": {"locationId": [here]}}
    made = context.make("workorder.completed", filtering=filtering)
    for order in (context.order(locationId=here), context.order()):
        context.move(order, "start", "complete")
    (delivery,) = context.deliveries(made)
    (event,) = (event for event in context.events() if event["id"] == delivery["eventId"])
    assert "locationId" not in event["data"]["object"]


def test_an_asset_is_matched_by_itself_its_type_and_where_it_was(context: Desk) -> None:
    kind = context.api.post(f"/v2{context.org.path}/asset-types", json={"name": "Boiler"}).json()["data"][
        "id"
    ]
    here = context.org.created("locations", {"name": "Here", "type": "Site"})["id"]

    def listening(name: str, value: Any) -> dict[str, Any]:
        return context.make("asset.*", filtering={"mode": "include", "criteria": {name: [value]}})

    by_type, by_place = listening("assetTypeId", kind), listening("locationId", here)
    asset = context.org.created("assets", {"name": "Boiler 1", "assetTypeId": kind, "locationId": here})["id"]
    by_id, by_other = listening("assetId", asset), listening("assetId", "ast_other")
    assert context.api.delete(f"{context.org.path}/assets/{asset}").status_code == 200
    assert context.heard(by_type) == context.heard(by_place) == ["asset.created", "asset.deleted"]
    assert context.heard(by_id) == ["asset.deleted"]
    assert context.heard(by_other) == []


def test_groups_pick_up_types_that_a_new_version_brings(context: Desk) -> None:
    everything, group, exact = (
        context.make("*"),
        context.make("workorder.*"),
        context.make("workorder.created"),
    )
    # As an older version would have written them: it knew no completed orders.
    context.sql(
        "UPDATE webhooks SET types = array_remove(types, 'workorder.completed') WHERE organization_id = $1",
        context.org.id,
    )
    assert context.in_worker(complete_subscriptions) >= 2
    assert context.in_worker(complete_subscriptions) == 0
    context.move(context.order(), "start", "complete")
    wanted = ["workorder.created", "workorder.status.changed", "workorder.completed"]
    assert context.heard(everything) == context.heard(group) == wanted
    assert context.heard(exact) == ["workorder.created"]


def test_an_older_process_takes_nothing_away(context: Desk) -> None:
    made = context.make("*")
    context.sql(
        "UPDATE webhooks SET types = types || 'from.the.future'::text WHERE id = $1", made["webhookId"]
    )
    context.in_worker(complete_subscriptions)
    ((types,),) = context.sql("SELECT types FROM webhooks WHERE id = $1", made["webhookId"])
    assert "from.the.future" in types


def test_every_type_falls_under_the_groups_that_its_name_tells() -> None:
    real = {name for name in events.ALL if name != "webhook.test"}
    assert set(expand(["*"])) == real
    for group in groups()[1:]:
        prefix = group.removesuffix("*")
        assert set(expand([group])) == {name for name in real if name.startswith(prefix)}
        assert prefix.endswith(".")
    assert expand(["webhook.test"]) == []
