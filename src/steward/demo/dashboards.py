"""Three decks: for the wall in the lobby, for the technicians, and for energy and air. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from steward.decks.model import NewDeck
from steward.demo.fixed_rows import document


def decks(assets: Mapping[str, str], locations: Mapping[str, str]) -> list[NewDeck]:
    """Assets by name, locations by code, which is how the fixed rows name them."""
    rows = document("decks", list[dict[str, Any]])
    for row in rows:
        row["locationId"] = locations[row.pop("place")]
        for card in row["cards"]:
            shown = card["configuration"]
            if "asset" in shown:
                shown["assetId"] = assets[shown.pop("asset")]
            if "place" in shown:
                shown["locationId"] = locations[shown.pop("place")]
    return msgspec.convert(rows, list[NewDeck])
