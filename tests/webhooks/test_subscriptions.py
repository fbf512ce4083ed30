"""Which events a webhook hears: by type, by group, and by what its filter asks of the record that an event is about."""

from typing import Any

import pytest
from tests.webhooks.helpers import Desk

from steward.kit import events
from steward.upkeep.subscriptions import complete_subscriptions
from steward.webhooks.subscription import expand, groups


def test_types_groups_and_everything_select_exactly_theirs(desk: Desk) -> None:
    exact, group, everything, both = (
        desk.make("workorder.created"),
        desk.make("workorder.*"),
        desk.make("*"),
        desk.make("workorder.created", "workorder.*", "asset.created"),
    )
    order = desk.order()
    desk.move(order, "start")
    kind = desk.api.post(f"/v2{desk.org.path}/asset-types", json={"name": "Boiler"}).json()["data"]["id"]
    desk.org.created("assets", {"name": "Boiler 1", "assetTypeId": kind})
    assert desk.heard(exact) == ["workorder.created"]
    assert desk.heard(group) == ["workorder.created", "workorder.status.changed"]
    assert desk.heard(both) == ["workorder.created", "workorder.status.changed", "asset.created"]
    assert desk.heard(everything) == [event["type"] for event in desk.events()]


def test_a_changed_subscription_holds_for_what_happens_from_then_on(desk: Desk) -> None:
    made = desk.make("workorder.created")
    desk.order("One")
    desk.change(made, events=["workorder.status.changed"])
    desk.move(desk.order("Two"), "start")
    assert desk.heard(made) == ["workorder.created", "workorder.status.changed"]


def test_one_delivery_per_event_and_webhook_with_the_event_that_is_listed(desk: Desk) -> None:
    made = desk.make("*")
    desk.order()
    (event,), (delivery,) = desk.events(), desk.deliveries(made)
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

    def __init__(self, desk: Desk) -> None:
        made = desk.org.created
        self.here, self.there = (
            made("locations", {"name": name, "type": "Site"})["id"] for name in ("Here", "There")
        )
        self.room = made("resources", {"name": "Room", "type": "Room", "locationId": self.here})["id"]
        self.desk = desk

    def happen(self) -> None:
        self.desk.order("high here", locationId=self.here, priority="High")
        self.desk.order("low here", locationId=self.here, priority="Low")
        self.desk.order("high there", locationId=self.there, priority="High")
        self.desk.order("high nowhere", priority="High")
        times = {"startTime": 4102444800, "endTime": 4102448400}
        self.desk.org.created("bookings", {"resourceId": self.room, "title": "booking here", **times})


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
    desk: Desk, mode: str, criteria: dict[str, list[str]], heard: list[str]
) -> None:
    site = Site(desk)
    named = {"here": site.here, "there": site.there, "room": site.room}
    asked = {name: [named.get(value, value) for value in values] for name, values in criteria.items()}
    made = desk.make("*", filtering={"mode": mode, "criteria": asked})
    site.happen()
    shown = {event["id"]: event["data"]["object"] for event in desk.events()}
    told = [shown[delivery["eventId"]] for delivery in desk.deliveries(made)]
    assert [each.get("title", "booking") for each in told] == heard


def test_a_completed_order_matches_by_its_location_though_the_payload_leaves_it_out(desk: Desk) -> None:
    here = desk.org.created("locations", {"name": "Here", "type": "Site"})["id"]
    filtering = {"mode": "include", "criteria": {"locationId": [here]}}
    made = desk.make("workorder.completed", filtering=filtering)
    for order in (desk.order(locationId=here), desk.order()):
        desk.move(order, "start", "complete")
    (delivery,) = desk.deliveries(made)
    (event,) = (event for event in desk.events() if event["id"] == delivery["eventId"])
    assert "locationId" not in event["data"]["object"]


def test_an_asset_is_matched_by_itself_its_type_and_where_it_was(desk: Desk) -> None:
    kind = desk.api.post(f"/v2{desk.org.path}/asset-types", json={"name": "Boiler"}).json()["data"]["id"]
    here = desk.org.created("locations", {"name": "Here", "type": "Site"})["id"]

    def listening(name: str, value: Any) -> dict[str, Any]:
        return desk.make("asset.*", filtering={"mode": "include", "criteria": {name: [value]}})

    by_type, by_place = listening("assetTypeId", kind), listening("locationId", here)
    asset = desk.org.created("assets", {"name": "Boiler 1", "assetTypeId": kind, "locationId": here})["id"]
    by_id, by_other = listening("assetId", asset), listening("assetId", "ast_other")
    assert desk.api.delete(f"{desk.org.path}/assets/{asset}").status_code == 200
    assert desk.heard(by_type) == desk.heard(by_place) == ["asset.created", "asset.deleted"]
    assert desk.heard(by_id) == ["asset.deleted"]
    assert desk.heard(by_other) == []


def test_groups_pick_up_types_that_a_new_version_brings(desk: Desk) -> None:
    everything, group, exact = desk.make("*"), desk.make("workorder.*"), desk.make("workorder.created")
    # As an older version would have written them: it knew no completed orders.
    desk.sql(
        "UPDATE webhooks SET types = array_remove(types, 'workorder.completed') WHERE organization_id = $1",
        desk.org.id,
    )
    assert desk.in_worker(complete_subscriptions) >= 2
    assert desk.in_worker(complete_subscriptions) == 0
    desk.move(desk.order(), "start", "complete")
    wanted = ["workorder.created", "workorder.status.changed", "workorder.completed"]
    assert desk.heard(everything) == desk.heard(group) == wanted
    assert desk.heard(exact) == ["workorder.created"]


def test_an_older_process_takes_nothing_away(desk: Desk) -> None:
    made = desk.make("*")
    desk.sql("UPDATE webhooks SET types = types || 'from.the.future'::text WHERE id = $1", made["webhookId"])
    desk.in_worker(complete_subscriptions)
    ((types,),) = desk.sql("SELECT types FROM webhooks WHERE id = $1", made["webhookId"])
    assert "from.the.future" in types


def test_every_type_falls_under_the_groups_that_its_name_tells() -> None:
    real = {name for name in events.ALL if name != "webhook.test"}
    assert set(expand(["*"])) == real
    for group in groups()[1:]:
        prefix = group.removesuffix("*")
        assert set(expand([group])) == {name for name in real if name.startswith(prefix)}
        assert prefix.endswith(".")
    assert expand(["webhook.test"]) == []
