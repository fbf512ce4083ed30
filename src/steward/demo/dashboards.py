"""Three decks: for the wall in the lobby, for the technicians, and for whoever looks after energy and air. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from steward.decks.model import NewDeck


def decks(assets: Mapping[str, str], locations: Mapping[str, str]) -> list[NewDeck]:
    """Assets by name, locations by code."""
    return [
        _deck(
            "Lobby",
            "For the screen at the main entrance.",
            locations["HC-M-001"],
            ("text", "Welcome", {"text": "Welcome to the Harbour Campus. Please sign in at the reception."}, (0, 0, 12, 2)),
            ("bookings", "Booked today", {"days": 1}, (0, 2, 6, 6)),
            ("value", "Air in the lobby", _of(assets, "Air quality, Lobby", "CO2"), (6, 2, 3, 3)),
            ("value", "Temperature", _of(assets, "Air quality, Lobby", "Temperature"), (9, 2, 3, 3)),
            ("chart", "Air over the day", _of(assets, "Air quality, Lobby", "CO2") | {"hours": 24}, (6, 5, 6, 3)),
        ),
        _deck(
            "Operations",
            "What technicians look at in the morning.",
            locations["HC"],
            ("workOrders", "Open work", {"status": "Open"}, (0, 0, 4, 5)),
            ("workOrders", "On hold", {"status": "OnHold"}, (4, 0, 4, 5)),
            ("alerts", "Alerts", {}, (8, 0, 4, 5)),
            ("status", "Cold store", {"locationId": locations["HC-L-001"]}, (0, 5, 4, 4)),
            ("status", "Server room", {"locationId": locations["HC-M-B02"]}, (4, 5, 4, 4)),
            ("chart", "Freezer 1", _of(assets, "Freezer 1", "Temperature") | {"hours": 24}, (8, 5, 4, 4)),
        ),
        _deck(
            "Energy and air",
            "A week at a glance.",
            locations["HC-M"],
            ("chart", "Charger 1", _of(assets, "Charger 1, Car park", "Power") | {"hours": 168}, (0, 0, 6, 4)),
            ("chart", "Meeting room Elbe", _of(assets, "Air quality, Meeting room Elbe", "CO2") | {"hours": 168}, (6, 0, 6, 4)),
            ("value", "Coffee, counted", _of(assets, "Coffee machine, Canteen", "Energy"), (0, 4, 3, 3)),
            ("value", "Outside pressure", _of(assets, "Air quality, Lobby", "Pressure"), (3, 4, 3, 3)),
            ("chart", "Server room", _of(assets, "Climate, Server room rack A", "Temperature") | {"hours": 168}, (6, 4, 6, 4)),
        ),
    ]  # fmt: skip


def _of(assets: Mapping[str, str], name: str, key: str) -> dict[str, Any]:
    return {"assetId": assets[name], "key": key}


def _deck(
    title: str, description: str, location_id: str, *cards: tuple[str, str, dict[str, Any], Any]
) -> NewDeck:
    made = [
        {"type": kind, "title": name, "configuration": shown, "layout": dict(zip("xywh", place, strict=True))}
        for kind, name, shown, place in cards
    ]
    body = {"title": title, "description": description, "locationId": location_id, "cards": made}
    return msgspec.convert(body, NewDeck)
