"""Decks in the web app: the list, the form for a new one, and the editor.

`web/decks` renders the cards, as they show records of every slice.
"""

from functools import partial
from typing import Any

from steward.asset_types import queries as asset_types
from steward.assets import queries as assets
from steward.decks import actions, queries, rules
from steward.decks import cells as deck_cells
from steward.decks.model import (
    COLUMNS,
    ROWS,
    TALLEST,
    Card,
    CardForm,
    CardType,
    Deck,
    DeckArrangement,
    DeckChanges,
    DeckQuery,
    NewDeck,
)
from steward.kit.domain.problems import Invalid
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import EmptyState, ListPage, Pick
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.record_pages import RecordPages, expected_version
from steward.kit.web.submit import submit
from steward.locations import queries as locations
from steward.telemetry import queries as telemetry

PATH = "/app/decks"
CARD_TITLES = {
    CardType.VALUE: "Value",
    CardType.GAUGE: "Gauge",
    CardType.CHART: "Chart",
    CardType.STATUS: "Asset status",
    CardType.WORK_ORDERS: "Work orders",
    CardType.SLA: "SLA",
    CardType.ALERTS: "Alerts",
    CardType.BOOKINGS: "Bookings",
    CardType.TEXT: "Text",
}
CARD_HINTS = {
    CardType.VALUE: "The newest value of a device.",
    CardType.GAUGE: "A value between two ends.",
    CardType.CHART: "A value over hours or days.",
    CardType.STATUS: "Every asset of a place, the worst first.",
    CardType.WORK_ORDERS: "How many are open, and the next that are due.",
    CardType.SLA: "The share of orders that met their deadline.",
    CardType.ALERTS: "Open alerts, most severe first.",
    CardType.BOOKINGS: "Current and upcoming bookings.",
    CardType.TEXT: "Words of your own.",
}

LIST = ListPage(
    path=PATH,
    title="Decks",
    listing=queries.LISTING,
    record=Deck,
    query=DeckQuery,
    permission=Permission.DECKS_READ,
    write_permission=Permission.DECKS_WRITE,
    new="New deck",
    search="Search title",
    columns=(
        Column("title", "Title", cells.link, sort="title"),
        Column("description", "Description"),
        Column("location_id", "Location", cells.reference, lookup=locations.LOOKUP),
        Column("cards", "Cards", deck_cells.cards),
        Column("updated", "Updated", cells.when, sort="updated"),
        Column("created", "Created", cells.when, sort="created", shown=False),
    ),
    filters=(Pick(name="locationId", title="Location", lookup=locations.LOOKUP, implies=locations.BELOW),),
    empty=EmptyState(
        "No decks yet",
        "A deck is a page of live cards, for a desk or for a screen on the wall: make the first one.",
    ),
)


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    location = await locations.LOOKUP.name(
        request.db, request.caller.tenant, request.form.value("locationId")
    )
    return View("decks/new.html", {"form": request.form, "location_name": location}, status)


async def show_editor(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant = request.db, request.caller.tenant
    deck = await records.get(db, queries.DECKS, tenant, request.params["deckId"])
    values = {
        "deck": deck,
        "path": f"{PATH}/{deck.id}",
        "form": request.form,
        "types": CARD_TITLES,
        "hints": CARD_HINTS,
        "location_name": await locations.LOOKUP.name(db, tenant, deck.location_id),
        "names": await _names(request, deck.cards),
    }
    return View("decks/edit.html", values, status)


async def _names(request: PageRequest[Any, Any], cards: list[Card]) -> dict[str, str]:
    """The names of all records that the cards refer to."""
    db, tenant = request.db, request.caller.tenant
    found: dict[str, str] = {}
    for lookup, field in (
        (assets.LOOKUP, "assetId"),
        (locations.LOOKUP, "locationId"),
        (asset_types.LOOKUP, "assetTypeId"),
    ):
        ids = [card.configuration.get(field) for card in cards]
        found |= await lookup.names(db, tenant, [id for id in ids if isinstance(id, str)])
    return found


async def show_card_form(request: PageRequest[Any, Any], status: int) -> View:
    """The form for the card in the address, or for a new one of the type in the address."""
    db, tenant = request.db, request.caller.tenant
    deck = await records.get(db, queries.DECKS, tenant, request.params["deckId"])
    card = _named_card(request, deck)
    form, chosen = request.form, card.configuration
    values = {
        "deck": deck,
        "card": card,
        "is_new": "card" not in request.arguments,
        "path": f"{PATH}/{deck.id}",
        "form": form,
        "chosen": chosen,
        "type_title": CARD_TITLES[card.type],
        "hint": CARD_HINTS[card.type],
        "names": await _names(request, [_as_sent(request, card)]),
        "keys": await _keys(request, form.value("assetId", chosen.get("assetId", ""))),
        "limits": {"columns": COLUMNS, "rows": ROWS, "tallest": TALLEST},
    }
    return View("decks/card.html", values, status)


def _named_card(request: PageRequest[Any, Any], deck: Deck) -> Card:
    arguments = request.arguments
    if "card" in arguments:
        return rules.find_card(deck, arguments["card"])
    try:
        kind = CardType(arguments.get("type", CardType.VALUE))
    except ValueError:
        raise Invalid("type", f"is none of {', '.join(CardType)}") from None
    return Card("", kind, None, {}, rules.free_place(deck.cards, kind))


def _as_sent(request: PageRequest[Any, Any], card: Card) -> Card:
    """The card with the values just sent, to show again."""
    sent = {name: values[-1] for name, values in request.form.sent.items()}
    return Card(card.id, card.type, card.title, {**card.configuration, **sent}, card.layout)


async def _keys(request: PageRequest[Any, Any], asset_id: str) -> list[tuple[str, str]]:
    """An asset's keys, and their names."""
    if not asset_id or not request.may(Permission.ASSETS_READ):
        return []
    about = await telemetry.series_of_asset(request.db, request.caller.tenant, asset_id)
    if about is None:
        return []
    known = {one["key"]: one["name"] for one in about["properties"]}
    return [(key, known.get(key, key)) for key in dict.fromkeys([*known, *about["keys"]])]


async def show_keys(request: PageRequest[Any, Any]) -> Response:
    found = await _keys(request, request.arguments.get("asset", ""))
    return Response(200, encode([{"key": key, "name": name} for key, name in found]), [JSON, NOT_KEPT])


async def save_card(request: PageRequest[CardForm, Any]) -> Outcome:
    db, who, deck_id = request.db, request.caller, request.params["deckId"]

    async def save(form: CardForm) -> Deck:
        deck = await records.get(db, queries.DECKS, who.tenant, deck_id)
        card = rules.card_from(form, _named_card(request, deck))
        if (asset_id := card.configuration.get("assetId")) and not await assets.LOOKUP.name(
            db, who.tenant, asset_id
        ):
            raise Invalid("assetId", "there is no such asset")
        return await actions.put_card(request.context.on(deck_id, expected_version(request)), card)

    return await submit(
        request,
        save,
        to=lambda _: Redirect(f"{PATH}/{deck_id}/edit"),
        again=lambda status: show_card_form(request, status),
    )


async def delete_card(request: PageRequest[Any, Any]) -> Outcome:
    deck_id, card_id = request.params["deckId"], request.arguments.get("card", "")
    return await submit(
        request,
        lambda _: actions.remove_card(request.context.on(deck_id, expected_version(request)), card_id),
        to=lambda _: Redirect(f"{PATH}/{deck_id}/edit"),
        again=lambda status: show_editor(request, status),
    )


RECORD = RecordPages(
    path=PATH,
    id_name="deckId",
    read_permission=Permission.DECKS_WRITE,
    write_permission=Permission.DECKS_WRITE,
    show=show_editor,
    show_new=show_new,
)


def pages() -> tuple[WebPage, ...]:
    page = partial(WebPage, permission=Permission.DECKS_WRITE)
    cards = f"{RECORD.one}/cards/edit"
    return (
        *LIST.pages(),
        RECORD.new(),
        RECORD.create(actions.create, form=NewDeck),
        page(method="GET", path=f"{RECORD.one}/edit", handler=lambda request: show_editor(request, 200)),
        RECORD.change(actions.change, form=DeckChanges),
        RECORD.change(actions.arrange, form=DeckArrangement, name="layout", path="/layout"),
        RECORD.delete(actions.delete),
        page(method="GET", path=cards, handler=lambda request: show_card_form(request, 200)),
        page(method="POST", path=cards, handler=save_card, form=CardForm),
        page(method="POST", path=f"{RECORD.one}/cards/delete", handler=delete_card),
        page(method="GET", path=f"{PATH}/keys.json", handler=show_keys),
    )
