"""Decks on a screen without login. The link is the credential: it shows its cards, and nothing else of the organization."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.decks import rules
from steward.decks.model import Deck
from steward.decks.screens import actions
from steward.decks.screens.model import OpenedScreen
from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.http.response import Response, StreamingResponse
from steward.kit.web.page import PageRequest, View, WebPage
from steward.web.decks.pages import DeckPlace, chart_of, one_card, wall
from steward.web.live.hub import LiveHub
from steward.web.live.pages import HEADERS, LiveQuery, read_asset_ids, read_topics, shown_since
from steward.web.live.stream import ReadPermissions, StreamRequest

_ONE = "/screen/{token}"


class ScreenQuery(msgspec.Struct, frozen=True):
    at: Annotated[int, Meta(ge=0)] = 0


async def _opened(request: PageRequest[Any, Any]) -> OpenedScreen:
    """From here on the request is the link's, with what its cards need."""
    opened = await actions.open_link(request.db, request.params["token"])
    request.caller = opened.caller
    return opened


async def _deck(request: PageRequest[Any, Any]) -> Deck:
    opened = await _opened(request)
    found = next((deck for deck in opened.decks if deck.id == request.params["deckId"]), None)
    if found is None:
        raise NotFound("This screen doesn't show such a deck.")
    return found


async def show(request: PageRequest[Any, ScreenQuery]) -> View:
    opened = await _opened(request)
    if not opened.decks:
        raise NotFound("The decks of this screen have been deleted.")
    itself = f"/screen/{request.params['token']}"
    return await wall(
        request,
        opened.decks,
        at=request.query.at,
        seconds=opened.screen.rotate_seconds,
        base=f"{itself}/decks/{{}}",
        itself=itself,
        live_source=f"{itself}/live",
    )


async def show_card(request: PageRequest[Any, Any]) -> View:
    deck = await _deck(request)
    place = DeckPlace(f"/screen/{request.params['token']}/decks/{deck.id}")
    return await one_card(request, deck, place, secret=True)


async def show_chart(request: PageRequest[Any, Any]) -> Response:
    return await chart_of(request, await _deck(request))


async def live(
    hub: LiveHub, read: ReadPermissions, request: PageRequest[Any, LiveQuery]
) -> StreamingResponse:
    opened = await _opened(request)
    shown = rules.asset_ids(card for deck in opened.decks for card in deck.cards)
    wanted = StreamRequest(
        tenant=opened.caller.tenant,
        permissions=opened.caller.permissions,
        read_permissions=read,
        holder=opened.holder,
        owner=opened.screen.id,
        topics=read_topics(hub.topics, request.query.topics),
        asset_ids=read_asset_ids(request.query.assets) & shown,
        since=shown_since(request.query.age),
    )
    return StreamingResponse(HEADERS, hub.subscribe(wanted), endless=True)


def pages(hub: LiveHub, db: Database) -> tuple[WebPage, ...]:
    read, page = partial(actions.permissions_of, db), partial(WebPage, public=True)
    return (
        page("GET", _ONE, show, query=ScreenQuery),
        page("GET", f"{_ONE}/decks/{{deckId}}/cards", show_card),
        page("GET", f"{_ONE}/decks/{{deckId}}/chart.json", show_chart),
        page("GET", f"{_ONE}/live", partial(live, hub, read), query=LiveQuery),
    )
