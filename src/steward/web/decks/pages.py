"""The pages of decks with what their cards show, for people who are logged in."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.decks import queries, rules
from steward.decks.model import CardType, ChartSettings, Deck
from steward.decks.pages import PATH
from steward.decks.screens import actions as screens
from steward.decks.screens import queries as screen_queries
from steward.decks.screens.model import MAX_DECKS, NewScreen, RotateSeconds, Screen
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.lookup import Found
from steward.kit.domain.problems import Forbidden, NotFound
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit
from steward.telemetry.actions import read_history
from steward.telemetry.model import HistoryQuery
from steward.users.invitations.rules import own_url
from steward.web.decks.cards import CardContent, contents
from steward.web.security_headers import SECRET_ADDRESS

# Points of a chart: as many as a card has room for.
_POINTS = 240
_CHART_HOURS = 24
# A wall with one deck reloads the page after this long.
_RELOAD_SECONDS = 600
_ONE = PATH + "/{}"


class WallQuery(msgspec.Struct, frozen=True):
    """Decks with commas between them, for how long each is shown, and which one it is now."""

    decks: str = ""
    seconds: RotateSeconds = 30
    at: Annotated[int, Meta(ge=0)] = 0


class DeckPlace(msgspec.Struct, frozen=True):
    """Where a deck is shown: the address below which its cards are fetched, and whether they lead on to other pages."""

    base: str
    links: bool = False


class ShownCard(msgspec.Struct, frozen=True):
    """One card, to be put in the place of what it was."""

    deck: Deck
    place: DeckPlace
    content: CardContent


class ShownDeck(msgspec.Struct, frozen=True, kw_only=True):
    deck: Deck
    place: DeckPlace
    contents: list[CardContent]


class DeckPage(ShownDeck, frozen=True, kw_only=True):
    path: str
    may_write: bool
    others: list[Found]
    screens: Sequence[Screen]


class WallPage(ShownDeck, frozen=True, kw_only=True):
    """`number` of `several` decks, which is 0 where there is one only; where the browser goes next, and when."""

    number: int
    several: int
    next_address: str
    seconds: int
    live_source: str
    # Where the page for people who are logged in leads back to.
    leave: str


class ScreenPage(msgspec.Struct, frozen=True):
    url: str
    path: str


async def card_contents(request: PageRequest[Any, Any], deck: Deck) -> list[CardContent]:
    """In the order in which they are read: by rows."""
    ordered = sorted(deck.cards, key=lambda card: (card.layout.y, card.layout.x))
    return await contents(request, ordered)


async def one_card(
    request: PageRequest[Any, Any], deck: Deck, place: DeckPlace, *, secret: bool = False
) -> View:
    card = rules.find_card(deck, request.arguments.get("card", ""))
    [content] = await contents(request, [card])
    return View("web/deck_card.html", ShownCard(deck, place, content), secret=secret)


async def chart_of(request: PageRequest[Any, Any], deck: Deck) -> Response:
    card = rules.find_card(deck, request.arguments.get("card", ""))
    settings = rules.settings_of(card, ChartSettings)
    if card.type != CardType.CHART or settings.asset_id is None or settings.key is None:
        raise NotFound("This card is no chart.")
    if not request.caller.permissions >= rules.PERMISSIONS[card.type]:
        raise Forbidden("The values of assets are not for everybody.")
    start = request.now - (settings.hours or _CHART_HOURS) * 3600
    query = HistoryQuery(key=settings.key, from_=start, resolution=_POINTS)
    history = await read_history(request.db, request.caller.tenant, settings.asset_id, query, request.now)
    shown = history.series[0]
    points = [[point.timestamp, point.average] for point in shown.points]
    chart = {
        "kind": "line",
        "x": "time",
        "unit": shown.unit,
        "series": [{"name": shown.name, "points": points}],
    }
    return Response(200, encode(chart), [JSON, NOT_KEPT])


async def wall(
    request: PageRequest[Any, Any],
    decks: Sequence[Deck],
    *,
    at: int,
    seconds: int,
    base: str,
    itself: str,
    live_source: str = "/app/live",
    leave: str = "",
) -> View:
    """What a wall shows now, and where it goes on. `base` has a place for the deck's identifier."""
    deck = decks[at % len(decks)]
    joint = "&" if "?" in itself else "?"
    several = len(decks) > 1
    page = WallPage(
        deck=deck,
        place=DeckPlace(base.format(deck.id)),
        contents=await card_contents(request, deck),
        number=at % len(decks) + 1,
        several=len(decks) if several else 0,
        next_address=f"{itself}{joint}at={(at + 1) % len(decks)}" if several else itself,
        seconds=seconds if several else _RELOAD_SECONDS,
        live_source=live_source,
        leave=leave,
    )
    # Only a link's wall has no way back, and its address is a secret.
    headers = [] if leave else SECRET_ADDRESS
    return View("web/deck_wall.html", page, headers=headers, secret=not leave)


async def _deck(request: PageRequest[Any, Any]) -> Deck:
    return await records.get(request.db, queries.DECKS, request.caller.tenant, request.params["deckId"])


async def show_deck(request: PageRequest[Any, Any], status: int = 200) -> View:
    db, tenant, deck = request.db, request.caller.tenant, await _deck(request)
    path = f"{PATH}/{deck.id}"
    others = await queries.LOOKUP.find(db, tenant, "", MAX_DECKS)
    may_write = request.may(Permission.DECKS_WRITE)
    page = DeckPage(
        deck=deck,
        place=DeckPlace(path, links=True),
        contents=await card_contents(request, deck),
        path=path,
        may_write=may_write,
        others=[other for other in others if other.id != deck.id],
        screens=await screen_queries.of_deck(db, tenant, deck.id) if may_write else [],
    )
    return View("web/deck.html", page, status)


async def show_card(request: PageRequest[Any, Any]) -> View:
    deck = await _deck(request)
    # The wall's cards are those of the deck's page without links.
    links = request.arguments.get("wall") is None
    return await one_card(request, deck, DeckPlace(f"{PATH}/{deck.id}", links=links))


async def show_chart(request: PageRequest[Any, Any]) -> Response:
    return await chart_of(request, await _deck(request))


async def show_wall(request: PageRequest[Any, Any]) -> View:
    deck = await _deck(request)
    one = f"{PATH}/{deck.id}"
    return await wall(request, [deck], at=0, seconds=0, base=_ONE, itself=f"{one}/wall", leave=one)


async def show_walls(request: PageRequest[Any, WallQuery]) -> View:
    query = request.query
    ids = [id for id in query.decks.split(",") if id][:MAX_DECKS]
    decks = await queries.by_ids(request.db, request.caller.tenant, ids)
    if not decks:
        raise NotFound("None of these decks is there: choose some on the page of a deck.")
    itself = f"{PATH}/wall?decks={','.join(deck.id for deck in decks)}&seconds={query.seconds}"
    return await wall(
        request, decks, at=query.at, seconds=query.seconds, base=_ONE, itself=itself, leave=PATH
    )


async def make_screen(public_url: str | None, request: PageRequest[NewScreen, Any]) -> Outcome:
    deck_id = request.params["deckId"]

    def made(token: str) -> View:
        url = f"{public_url or own_url(request.host, https=request.https)}/screen/{token}"
        return View("web/deck_screen.html", ScreenPage(url, f"{PATH}/{deck_id}"), 201, secret=True)

    return await submit(
        request,
        lambda new: screens.create(request.context.inside(deck_id), new),
        to=made,
        again=lambda status: show_deck(request, status),
        name="screen",
    )


async def revoke_screen(bus: Invalidator, request: PageRequest[Any, Any]) -> Redirect:
    await screens.revoke(bus, request.context.on(request.params["screenId"]))
    return Redirect(f"{PATH}/{request.params['deckId']}#screens")


def pages(bus: Invalidator, public_url: str | None) -> tuple[WebPage, ...]:
    reads = partial(WebPage, method="GET", permission=Permission.DECKS_READ)
    writes = partial(WebPage, method="POST", permission=Permission.DECKS_WRITE)
    one = f"{PATH}/{{deckId}}"
    return (
        reads(path=one, handler=show_deck),
        reads(path=f"{one}/cards", handler=show_card),
        reads(path=f"{one}/chart.json", handler=show_chart),
        reads(path=f"{one}/wall", handler=show_wall),
        reads(path=f"{PATH}/wall", handler=show_walls, query=WallQuery),
        writes(path=f"{one}/screens", handler=partial(make_screen, public_url), form=NewScreen),
        writes(path=f"{one}/screens/{{screenId}}/revoke", handler=partial(revoke_screen, bus)),
    )
