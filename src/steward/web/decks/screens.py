"""Decks on a screen without login. The link is the credential: it shows its cards, and nothing else of the organization."""

from collections.abc import Iterable
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
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.web.decks.pages import DeckPlace, chart_of, one_card, wall
from steward.web.live.hub import LiveHub
from steward.web.live.pages import HEADERS, LiveQuery, read_asset_ids, read_topics, shown_since
from steward.web.live.stream import StreamRequest
from steward.web.security_headers import SECRET_ADDRESS

_ONE = "/screen/{token}"


class ScreenQuery(msgspec.Struct, frozen=True):
    at: Annotated[int, Meta(ge=0)] = 0


class ScreenAccess:
    """Streams of screens, by the digests of their links."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def permissions(
        self, tenant: TenantId, holders: Iterable[bytes]
    ) -> dict[bytes, frozenset[Permission]]:
        return await actions.permissions_of(self._db, tenant, holders)


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
    values = await wall(
        request,
        opened.decks,
        at=request.query.at,
        seconds=opened.screen.rotate_seconds,
        base=f"{itself}/decks/{{}}",
        itself=itself,
    )
    values |= {"live_source": f"{itself}/live", "leave": ""}
    return View("web/deck_wall.html", values, headers=SECRET_ADDRESS, secret=True)


async def show_card(request: PageRequest[Any, Any]) -> View:
    deck = await _deck(request)
    place = DeckPlace(f"/screen/{request.params['token']}/decks/{deck.id}")
    return await one_card(request, deck, place, secret=True)


async def show_chart(request: PageRequest[Any, Any]) -> Response:
    return await chart_of(request, await _deck(request))


async def live(hub: LiveHub, access: ScreenAccess, request: PageRequest[Any, LiveQuery]) -> StreamingResponse:
    opened = await _opened(request)
    shown = rules.asset_ids(card for deck in opened.decks for card in deck.cards)
    wanted = StreamRequest(
        tenant=opened.caller.tenant,
        permissions=opened.caller.permissions,
        access=access,
        holder=opened.holder,
        owner=opened.screen.id,
        topics=read_topics(hub.topics, request.query.topics),
        asset_ids=read_asset_ids(request.query.assets) & shown,
        since=shown_since(request.query.age),
    )
    return StreamingResponse(HEADERS, hub.subscribe(wanted), endless=True)


def pages(hub: LiveHub, access: ScreenAccess) -> tuple[WebPage, ...]:
    page = partial(WebPage, method="GET", public=True)
    return (
        page(path=_ONE, handler=show, query=ScreenQuery),
        page(path=f"{_ONE}/decks/{{deckId}}/cards", handler=show_card),
        page(path=f"{_ONE}/decks/{{deckId}}/chart.json", handler=show_chart),
        page(path=f"{_ONE}/live", handler=partial(live, hub, access), query=LiveQuery),
    )
