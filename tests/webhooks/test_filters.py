"""Filters of webhooks beyond what they match at once: places within places, records that leave, and what is named."""

from typing import Any

import asyncpg
import msgspec
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.assets.connectivity.model import DeviceConnectivity
from steward.ingest.devices.model import Device
from steward.kit.domain.fields import Record
from steward.kit.events import event_types
from steward.kit.events.event_types import build_event
from steward.kit.events.outbox import outbox_ctes, parameters
from steward.kit.security.caller import TenantId
from steward.slices import SLICES
from steward.webhooks.subscription import Criteria
from steward.work_orders.events import CREATED
from steward.work_orders.model import EXAMPLE


def test_records_declare_what_filters_can_match() -> None:
    """A field that is named like a criterion must not be left out."""
    assert SLICES  # every event type is defined
    criteria = set(Criteria.__struct_fields__)
    records: set[type[Record]] = {type(kind.example) for kind in event_types.ALL.values()} | {
        Device,
        DeviceConnectivity,
    }
    declared = {record: set(record.filterable) for record in records}
    assert declared == {record: criteria & set(record.__struct_fields__) for record in declared}
    own = {name for record in declared if (name := record.filter_name)}
    names = {field.encode_name for field in msgspec.structs.fields(Criteria)}
    assert own <= names
    assert criteria <= {name for fields in declared.values() for name in fields}


class Campus:
    """A site with a building with a floor, and another site."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.site = self.add("Site")
        self.building = self.add("Building", self.site)
        self.floor = self.add("Floor", self.building)
        self.elsewhere = self.add("Site")

    def add(self, type: str, parent: str | None = None) -> str:
        return str(
            self.organization.created("locations", {"name": type, "type": type, "parentId": parent})["id"]
        )

    def change(self, location: str, **fields: Any) -> None:
        answer = self.organization.api.patch(f"{self.organization.path}/locations/{location}", json=fields)
        assert answer.status_code == 200, answer.text

    def listening(self, *events: str, mode: str = "include", **filtering: Any) -> dict[str, Any]:
        """By default for what happens at the site."""
        criteria = filtering.pop("criteria", {"locationId": [self.site]})
        return self.organization.webhooks.create(
            *events, filtering={"mode": mode, "criteria": criteria, **filtering}
        )

    def heard(self, webhook: dict[str, Any]) -> list[str]:
        """The titles or names in its events, oldest first."""
        shown = {event["id"]: event["data"]["object"] for event in self.organization.events()}
        return [
            shown[delivery["eventId"]].get("title") or shown[delivery["eventId"]].get("name", "gone")
            for delivery in self.organization.webhooks.deliveries(webhook)
        ]


def test_a_location_includes_its_descendants_by_default(organization: Organization) -> None:
    campus = Campus(organization)
    within, exactly, outside = (
        campus.listening("workorder.created"),
        campus.listening("workorder.created", includeDescendants=False),
        campus.listening("workorder.created", mode="exclude"),
    )
    places = {"site": campus.site, "floor": campus.floor, "elsewhere": campus.elsewhere, "nowhere": None}
    for title, place in places.items():
        organization.work_orders.create(title, locationId=place)
    assert campus.heard(within) == ["site", "floor"]
    assert campus.heard(exactly) == ["site"]
    assert campus.heard(outside) == ["elsewhere", "nowhere"]
    # A building that moves takes with it what lies in it, from then on.
    campus.change(campus.building, parentId=campus.elsewhere)
    organization.work_orders.create("moved", locationId=campus.floor)
    assert campus.heard(within) == ["site", "floor"]
    assert campus.heard(outside) == ["elsewhere", "nowhere", "moved"]


def test_location_filters_match_the_location_and_its_parents(organization: Organization) -> None:
    campus = Campus(organization)
    within = campus.listening("location.*")
    outside = campus.listening("location.*", mode="exclude")
    room = campus.add("Space", campus.floor)
    campus.change(campus.site, name="The site")
    campus.change(campus.elsewhere, name="Other site")
    # It moves, and both get the event; after that it is the other's.
    campus.change(room, parentId=campus.elsewhere)
    campus.change(room, name="Room")
    assert organization.api.delete(f"{organization.path}/locations/{room}").status_code == 200
    lobby = campus.add("Zone", campus.building)
    assert organization.api.delete(f"{organization.path}/locations/{lobby}").status_code == 200
    assert campus.heard(within) == ["Space", "The site", "Space", "Zone", "gone"]
    assert campus.heard(outside) == ["Other site", "Space", "Room", "gone"]


def test_a_record_that_leaves_the_filter_says_so(organization: Organization) -> None:
    campus = Campus(organization)
    here, there, high = (
        campus.listening("workorder.*"),
        campus.listening("workorder.*", mode="exclude"),
        campus.listening("workorder.*", criteria={"priority": ["High"]}),
    )
    order = organization.work_orders.create("order", locationId=campus.floor, priority="High")
    path = f"{organization.path}/work-orders/{order['id']}"
    for fields in ({"locationId": campus.elsewhere}, {"priority": "Low"}, {"locationId": None}):
        assert organization.api.patch(path, json=fields).status_code == 200
    assert organization.api.patch(path, json={"locationId": campus.building}).status_code == 200
    counts = [len(campus.heard(webhook)) for webhook in (here, there, high)]
    # Made, moved away and back; moved away, lowered, taken from its place and moved back; made, moved and lowered.
    assert counts == [3, 4, 3]
    asset = organization.assets.create(locationId=campus.floor)
    assets = campus.listening("asset.*")
    for fields in ({"name": "Pump"}, {"locationId": campus.elsewhere}, {"name": "Fan"}):
        organization.api.patch(organization.assets.path_of(asset["id"]), json=fields)
    assert organization.webhooks.queued_types(assets) == ["asset.updated"] * 2


def test_replays_match_places_like_events_that_happen(organization: Organization) -> None:
    campus = Campus(organization)
    order = organization.work_orders.create("floor", locationId=campus.floor)
    organization.work_orders.create("elsewhere", locationId=campus.elsewhere)
    late = campus.listening("workorder.created")
    span = {"since": order["created"] - 60, "until": order["created"] + 60, "only": "all"}
    started = organization.api.post(organization.webhooks.path_of(late, "/replays"), json=span)
    assert started.status_code == 201
    organization.webhooks.run_replays(order["created"] + 1)
    assert campus.heard(late) == ["floor"]


def test_records_named_by_a_filter_must_exist(
    organization: Organization, other_organization: Organization
) -> None:
    foreign = other_organization.locations.create(name="Theirs")["id"]
    ours = organization.locations.create(name="Ours")["id"]
    wrong = {
        "locationId": [ours, foreign, "loc_nothing"],
        "assetId": ["ast_nothing"],
        "assetTypeId": ["aty_nothing"],
        "resourceId": [ours],
        "priority": ["High"],
    }
    expected = [
        ("filtering.criteria.locationId[1]", "names no location of this organization"),
        ("filtering.criteria.locationId[2]", "names no location of this organization"),
        ("filtering.criteria.assetId[0]", "names no asset of this organization"),
        ("filtering.criteria.assetTypeId[0]", "names no asset type of this organization"),
        ("filtering.criteria.resourceId[0]", "names no bookable resource of this organization"),
    ]
    made = organization.webhooks.create("asset.*")
    filtering = {"mode": "include", "criteria": wrong}
    body = {"url": "https://93.184.215.14/", "events": ["*"], "filtering": filtering}
    for answer in (
        organization.api.post(organization.webhooks.path, json=body),
        organization.api.patch(organization.webhooks.path_of(made), json={"filtering": filtering}),
    ):
        assert answer.status_code == 422
        details = [(detail["field"], detail["message"]) for detail in answer.json()["details"]]
        assert details == expected
    assert len(organization.webhooks.listed()) == 1


def test_records_named_by_a_filter_cannot_be_deleted(organization: Organization) -> None:
    kind = data_of(organization.api.post(f"/v2{organization.path}/asset-types", json={"name": "Boiler"}))
    named = {
        "locationId": ("/locations/", "location", organization.locations.create(name="Here")["id"]),
        "assetId": ("/assets/", "asset", organization.assets.create()["id"]),
        "assetTypeId": ("/asset-types/", "asset type", kind["id"]),
        "resourceId": ("/resources/", "bookable resource", organization.resources.create()["id"]),
    }
    criteria = {name: [id, id] for name, (_, _, id) in named.items()}
    made = organization.webhooks.create(filtering={"mode": "exclude", "criteria": criteria})
    for name, (path, noun, id) in named.items():
        version = "/v2" if name == "assetTypeId" else ""
        place = f"{version}{organization.path}{path}{id}"
        refused = organization.api.delete(place)
        assert refused.status_code == 409
        holder = f"the filter of webhook {made['webhookId']} names it"
        instead = "" if noun == "asset type" else "; archive it instead"
        assert refused.json()["message"] == f"This {noun} can't be deleted while {holder}{instead}."
        del criteria[name]
        organization.webhooks.change(
            made, filtering={"mode": "exclude", "criteria": criteria} if criteria else None
        )
        assert organization.api.delete(place).status_code == 200


def test_filters_are_deleted_with_their_webhook(organization: Organization) -> None:
    here = organization.locations.create(name="Here")["id"]
    filtering = {"mode": "include", "criteria": {"locationId": [here]}}
    many = [organization.webhooks.create(filtering=filtering) for _ in range(5)]
    place = f"{organization.path}/locations/{here}"
    shown = ", ".join(sorted(webhook["webhookId"] for webhook in many)[:3])
    assert organization.api.delete(place).json()["message"] == (
        f"This location can't be deleted while the filters of webhooks {shown} and 2 more name it; archive it instead."
    )
    for webhook in many:
        assert organization.api.delete(organization.webhooks.path_of(webhook)).status_code == 200
    assert organization.api.delete(place).status_code == 200


@pytest.mark.usefixtures("one_server")
async def test_the_statement_that_stores_an_event_is_planned_once(database_url: str) -> None:
    """To plan it takes longer than to run it: the database has to find that one plan does for all."""
    tenant, statement = TenantId("org_1"), f"WITH {outbox_ctes(2)} SELECT count(*) FROM stored_events"
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("BEGIN")
        prepared = await connection.prepare(statement)
        for _ in range(8):
            event = build_event(CREATED, EXAMPLE, tenant=tenant, now=1)
            ids, types, about, _attributes, bodies, *times = parameters([event], 1)
            await prepared.fetch(tenant, ids, types, about, ["{}"], bodies, *times)
        plans = await connection.fetchrow(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1", statement
        )
        await connection.execute("ROLLBACK")
    finally:
        await connection.close()
    assert tuple(plans) == (3, 5)
