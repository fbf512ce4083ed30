import csv
import io
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.decks.model import CardType

LAYOUT = {"x": 0, "y": 0, "w": 6, "h": 4}


def card(**more: Any) -> dict[str, Any]:
    return {"type": "workOrders", "layout": LAYOUT, **more}


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["message"]


def fields_refused(answer: httpx.Response) -> list[str]:
    refused(answer, 422)
    return [detail["field"] for detail in answer.json()["details"]]


def test_a_new_deck_can_be_read_and_is_listed(organization: Organization) -> None:
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    configuration = {"series": [{"key": "CO2", "assetId": "ast_1"}], "a": None}
    answer = organization.api.post(
        f"{organization.path}/decks",
        json={
            "title": "Lobby",
            "description": "By the door",
            "locationId": location["id"],
            "refreshSeconds": 5,
            "cards": [
                card(id="mine", type="chart", title="Air", configuration=configuration),
                card(layout={"x": 6, "y": 0, "w": 6, "h": 1}),
            ],
        },
    )
    assert answer.status_code == 201, answer.text
    deck = data_of(answer)
    made = deck["cards"][1]["id"]
    assert made.startswith("crd_")
    assert deck == {
        "id": deck["id"],
        "title": "Lobby",
        "description": "By the door",
        "locationId": location["id"],
        "refreshSeconds": 5,
        "cards": [
            {"id": "mine", "type": "chart", "title": "Air", "configuration": configuration, "layout": LAYOUT},
            {
                "id": made,
                "type": "workOrders",
                "title": None,
                "configuration": {},
                "layout": {"x": 6, "y": 0, "w": 6, "h": 1},
            },
        ],
        "created": deck["created"],
        "updated": deck["created"],
    }
    assert deck["id"].startswith("dck_")
    assert answer.headers["location"] == f"{organization.path}/decks/{deck['id']}"
    read = organization.api.get(answer.headers["location"])
    assert read.json() == {"data": deck}
    assert read.headers["etag"] == answer.headers["etag"]
    assert organization.api.get(f"{organization.path}/decks").json() == {
        "data": [deck],
        "lastEvaluatedKey": None,
    }


def test_a_deck_needs_a_title_only(organization: Organization) -> None:
    deck = organization.created("decks", {"title": "Empty"})
    assert (deck["refreshSeconds"], deck["cards"], deck["locationId"]) == (30, [], None)


@pytest.mark.parametrize("kind", list(CardType))
def test_every_type_of_card_can_be_shown(organization: Organization, kind: str) -> None:
    [made] = organization.created("decks", {"title": "All", "cards": [card(type=kind)]})["cards"]
    assert made["type"] == kind


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["title"]),
        ({"title": ""}, ["title"]),
        ({"title": "x", "refreshSeconds": 4}, ["refreshSeconds"]),
        ({"title": "x", "refreshSeconds": 3601}, ["refreshSeconds"]),
        ({"title": "x", "weight": 1}, ["weight"]),
        ({"title": "x", "locationId": "loc_nowhere"}, ["locationId"]),
        ({"title": "x", "cards": [card(type="map")]}, ["cards[0].type"]),
        ({"title": "x", "cards": [{"type": "text"}]}, ["cards[0].layout"]),
        ({"title": "x", "cards": [card(colour="red")]}, ["cards[0].colour"]),
        ({"title": "x", "cards": [card(configuration=[])]}, ["cards[0].configuration"]),
        ({"title": "x", "cards": [card(layout={**LAYOUT, "x": -1})]}, ["cards[0].layout.x"]),
        ({"title": "x", "cards": [card(layout={**LAYOUT, "y": -1})]}, ["cards[0].layout.y"]),
        ({"title": "x", "cards": [card(layout={**LAYOUT, "w": 0})]}, ["cards[0].layout.w"]),
        ({"title": "x", "cards": [card(layout={**LAYOUT, "h": 0})]}, ["cards[0].layout.h"]),
        ({"title": "x", "cards": [card(layout={**LAYOUT, "i": "a"})]}, ["cards[0].layout.i"]),
        ({"title": "x", "cards": [card()] * 51}, ["cards"]),
        (
            {
                "title": "x",
                "cards": [
                    card(type="chart", configuration={"hours": "24"}),
                    card(type="gauge", configuration={"assetId": "ast_1", "key": ""}),
                    card(type="gauge", configuration={"min": 5, "max": 5}),
                    card(type="sla", configuration={"days": 0}),
                    card(configuration={"status": "Completed"}),
                    card(type="text", configuration={"text": ["a"]}),
                ],
            },
            [
                "cards[0].configuration.hours",
                "cards[1].configuration.key",
                "cards[2].configuration.max",
                "cards[3].configuration.days",
                "cards[4].configuration.status",
                "cards[5].configuration.text",
            ],
        ),
        (
            {
                "title": "x",
                "cards": [
                    card(id="a"),
                    card(id="a", layout={**LAYOUT, "x": 7}, configuration={"text": "x" * 8192}),
                ],
            },
            ["cards[1].id", "cards[1].layout.w", "cards[1].configuration"],
        ),
    ],
)
def test_a_malformed_deck_is_refused_by_field(
    organization: Organization, body: dict[str, Any], fields: list[str]
) -> None:
    assert fields_refused(organization.api.post(f"{organization.path}/decks", json=body)) == fields


def test_fifty_cards_and_a_full_configuration_are_taken(organization: Organization) -> None:
    full = {"text": "x" * (8192 - len('{"text":""}'))}
    deck = organization.created("decks", {"title": "Full", "cards": [card(configuration=full)] * 50})
    assert len({made["id"] for made in deck["cards"]}) == 50


def test_a_deck_can_be_changed_and_cleared(organization: Organization) -> None:
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    deck = organization.created("decks", {"title": "Lobby", "cards": [card(title="One"), card(title="Two")]})
    path = f"{organization.path}/decks/{deck['id']}"
    fields = {"title": "Wall", "description": "Big", "locationId": location["id"], "refreshSeconds": 60}
    changed = data_of(organization.api.patch(path, json=fields))
    assert changed == {**deck, **fields, "updated": changed["updated"]}
    kept = {**deck["cards"][1], "title": "Second"}
    cards = data_of(organization.api.patch(path, json={"cards": [kept, card(title="Three")]}))["cards"]
    assert cards[0] == kept
    assert cards[1]["title"] == "Three"
    assert cards[1]["id"] not in {made["id"] for made in deck["cards"]}
    cleared = data_of(organization.api.patch(path, json={"description": None, "locationId": None}))
    assert (cleared["description"], cleared["locationId"], cleared["cards"]) == (None, None, cards)
    for wrong in ({"title": None}, {"refreshSeconds": None}, {"locationId": "loc_nowhere"}):
        assert fields_refused(organization.api.patch(path, json=wrong)) == list(wrong)
    over = [card(), card(layout={**LAYOUT, "x": 7})]
    assert fields_refused(organization.api.patch(path, json={"cards": over})) == ["cards[1].layout.w"]
    assert data_of(organization.api.get(path)) == cleared
    assert data_of(organization.api.patch(path, json={"cards": None}))["cards"] == []


def test_a_stale_change_is_refused(organization: Organization) -> None:
    path = f"{organization.path}/decks/{organization.created('decks', {'title': 'Lobby', 'cards': [card()]})['id']}"
    tag = organization.api.get(path).headers["etag"]
    assert organization.api.patch(path, json={"title": "One"}, headers={"If-Match": tag}).status_code == 200
    refused(organization.api.patch(path, json={"title": "Two"}, headers={"If-Match": tag}), 412)
    refused(organization.api.delete(path, headers={"If-Match": tag}), 412)


def test_a_deck_can_be_deleted(organization: Organization) -> None:
    path = f"{organization.path}/decks/{organization.created('decks', {'title': 'Lobby'})['id']}"
    assert organization.api.delete(path).json() == {"data": {"deleted": True}}
    refused(organization.api.get(path), 404)
    refused(organization.api.delete(path), 404)


def test_a_location_with_a_deck_cannot_be_deleted(organization: Organization) -> None:
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    deck = organization.created("decks", {"title": "Lobby", "locationId": location["id"]})
    path = f"{organization.path}/locations/{location['id']}"
    assert (
        refused(organization.api.delete(path), 409)
        == "This location can't be deleted while decks name it; archive it instead."
    )
    organization.api.delete(f"{organization.path}/decks/{deck['id']}")
    assert organization.api.delete(path).status_code == 200


def test_decks_are_filtered_and_exported(organization: Organization) -> None:
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    lobby = organization.created(
        "decks", {"title": "Lobby wall", "locationId": location["id"], "cards": [card()]}
    )
    plant = organization.created("decks", {"title": "Plant wall"})

    def new_organization(**query: Any) -> list[dict[str, Any]]:
        return data_of(organization.api.get(f"{organization.path}/decks", params=query))

    assert new_organization(locationId=location["id"]) == [lobby]
    assert new_organization(q="wall") == [plant, lobby]
    assert new_organization(q="wall lob") == [lobby]
    assert new_organization(updatedAfter=lobby["updated"] - 1) == [plant, lobby]
    assert new_organization(updatedAfter=plant["updated"] + 1000) == []
    lines = organization.api.get(f"{organization.path}/decks.ndjson").text.splitlines()
    assert [json.loads(line) for line in lines] == [plant, lobby]
    text = organization.api.get(f"{organization.path}/decks.csv", params={"q": "lobby"}).text
    [row] = csv.DictReader(io.StringIO(text))
    assert (row["title"], json.loads(row["cards"])) == ("Lobby wall", lobby["cards"])


def test_a_deck_of_another_organization_is_not_found(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    other = new_organization()
    foreign = organization.created("locations", {"name": "Ours", "type": "Site"})
    path = f"{other.path}/decks/{organization.created('decks', {'title': 'Ours'})['id']}"
    for answer in (other.api.get(path), other.api.patch(path, json={"title": "x"}), other.api.delete(path)):
        refused(answer, 404)
    body = {"title": "Theirs", "locationId": foreign["id"]}
    assert fields_refused(other.api.post(f"{other.path}/decks", json=body)) == ["locationId"]


def test_read_only_users_cannot_change_anything(organization: Organization) -> None:
    reader = organization.client(key=organization.new_key("decks:read")["secret"])
    stranger = organization.client(key=organization.new_key("forms:read")["secret"])
    path = f"{organization.path}/decks/{organization.created('decks', {'title': 'Lobby'})['id']}"
    assert reader.get(path).status_code == 200
    for answer in (
        reader.post(f"{organization.path}/decks", json={"title": "x"}),
        reader.patch(path, json={"title": "x"}),
        reader.delete(path),
        stranger.get(path),
        stranger.get(f"{organization.path}/decks.csv"),
    ):
        refused(answer, 403)
