"""Decks in the web app: the list, the form for a new one, and the editor.

`web/decks` renders the cards, as they show records of every slice.
"""

from functools import partial
from typing import Any

import msgspec

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
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Pick
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.record_pages import RecordPages, expected_version
from steward.kit.web.submit import submit
from steward.locations import queries as locations
from steward.telemetry import queries as telemetry

PATH = "/app/decks"
# Of each type of card: its title, and what it shows.
CARDS = {
    CardType.VALUE: ("Value", "The newest value of a device."),
    CardType.GAUGE: ("Gauge", "A value between two ends."),
    CardType.CHART: ("Chart", "A value over hours or days."),
    CardType.STATUS: ("Asset status", "Every asset of a place, the worst first."),
    CardType.WORK_ORDERS: ("Work orders", "How many are open, and the next that are due."),
    CardType.SLA: ("SLA", "The share of orders that met their deadline."),
    CardType.ALERTS: ("Alerts", "Open alerts, most severe first."),
    CardType.BOOKINGS: ("Bookings", "Current and upcoming bookings."),
    CardType.TEXT: ("Text", "Words of your own."),
}
CARD_TITLES = {kind: title for kind, (title, _) in CARDS.items()}

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


class NewDeckPage(msgspec.Struct, frozen=True):
    location_name: str | None


class DeckEditor(msgspec.Struct, frozen=True, kw_only=True):
    deck: Deck
    location_name: str | None
    # Of all records that the cards refer to.
    names: dict[str, str]
    types: dict[CardType, tuple[str, str]] = msgspec.field(default_factory=lambda: CARDS)


class CardLimits(msgspec.Struct, frozen=True):
    columns: int = COLUMNS
    rows: int = ROWS
    tallest: int = TALLEST


class CardPage(msgspec.Struct, frozen=True, kw_only=True):
    deck: Deck
    card: Card
    chosen: dict[str, Any]
    # Its title, and what it shows.
    type: tuple[str, str]
    names: dict[str, str]
    # The asset's keys, and their names.
    keys: list[tuple[str, str]]
    limits: CardLimits = CardLimits()


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    location = await request.name(locations.LOOKUP, request.form.value("locationId"))
    return View("decks/new.html", NewDeckPage(location), status)


async def show_editor(request: PageRequest[Any, Any], status: int) -> View:
    deck = await request.get(queries.DECKS, "deckId")
    page = DeckEditor(
        deck=deck,
        location_name=await request.name(locations.LOOKUP, deck.location_id),
        names=await _names(request, deck.cards),
    )
    return View("decks/edit.html", page, status)


async def _names(request: PageRequest[Any, Any], cards: list[Card]) -> dict[str, str]:
    """The names of all records that the cards refer to."""
    found: dict[str, str] = {}
    for lookup, field in (
        (assets.LOOKUP, "assetId"),
        (locations.LOOKUP, "locationId"),
        (asset_types.LOOKUP, "assetTypeId"),
    ):
        ids = [card.configuration.get(field) for card in cards]
        found |= await request.names(lookup, [id for id in ids if isinstance(id, str)])
    return found


async def show_card_form(request: PageRequest[Any, Any], status: int) -> View:
    """The form for the card in the address, or for a new one of the type in the address."""
    deck = await request.get(queries.DECKS, "deckId")
    card = _named_card(request, deck)
    chosen = card.configuration
    page = CardPage(
        deck=deck,
        card=card,
        chosen=chosen,
        type=CARDS[card.type],
        names=await _names(request, [_as_sent(request, card)]),
        keys=await _keys(request, request.form.value("assetId", chosen.get("assetId", ""))),
    )
    return View("decks/card.html", page, status)


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
    about = await telemetry.series_of_asset(request.db, request.tenant, asset_id)
    if about is None:
        return []
    known = {one["key"]: one["name"] for one in about["properties"]}
    return [(key, known.get(key, key)) for key in dict.fromkeys([*known, *about["keys"]])]


async def show_keys(request: PageRequest[Any, Any]) -> Response:
    found = await _keys(request, request.arguments.get("asset", ""))
    return Response(200, encode([{"key": key, "name": name} for key, name in found]), [JSON, NOT_KEPT])


async def save_card(request: PageRequest[CardForm, Any]) -> Outcome:
    deck_id = request.params["deckId"]

    async def save(form: CardForm) -> Deck:
        card = rules.card_from(form, _named_card(request, await request.get(queries.DECKS, "deckId")))
        asset_id = card.configuration.get("assetId")
        if asset_id and not await request.name(assets.LOOKUP, asset_id):
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


RECORD = RecordPages.of(LIST, "deckId", show_editor, show_new, read_permission=Permission.DECKS_WRITE)


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
