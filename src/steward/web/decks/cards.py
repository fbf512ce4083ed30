"""What the cards of a deck show: one function for each type, given all cards of that type at once."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from steward.decks.model import (
    AlertSettings,
    BookingSettings,
    Card,
    CardType,
    ChartSettings,
    GaugeSettings,
    SlaSettings,
    StatusSettings,
    TextSettings,
    ValueSettings,
    WorkOrderSettings,
)
from steward.decks.pages import CARD_TITLES
from steward.decks.rules import PERMISSIONS, settings_of
from steward.kit.db.sql import Row
from steward.kit.web.page import PageRequest
from steward.web.decks import queries
from steward.web.today.rules import day_of

_DAY = 86_400
_SLA_DAYS = 30
_CHART_HOURS = 24

# Topics that refresh a card; values arrive with the stream.
TOPICS = {
    CardType.STATUS: "assets alerts",
    CardType.WORK_ORDERS: "work-orders",
    CardType.SLA: "work-orders",
    CardType.ALERTS: "alerts",
    CardType.BOOKINGS: "bookings",
}


class CardContent(msgspec.Struct, frozen=True):
    """`state` is empty where there is something to show; otherwise `hidden` or `unset`."""

    card: Card
    values: dict[str, Any]
    state: str = ""
    topics: str = ""

    @property
    def title(self) -> str:
        return self.card.title or CARD_TITLES[self.card.type]


async def contents(request: PageRequest[Any, Any], cards: Sequence[Card]) -> list[CardContent]:
    """In the order of the cards. The number of statements depends on the types that occur, not on how many cards there are."""
    found: dict[str, CardContent] = {}
    assets = await _assets(request, cards)
    for kind in CardType:
        of_kind = [card for card in cards if card.type == kind]
        if not of_kind:
            continue
        if not request.caller.permissions >= PERMISSIONS[kind]:
            found |= {card.id: CardContent(card, {}, "hidden") for card in of_kind}
            continue
        shown = await _BY_TYPE[kind](request, of_kind, assets)
        for card, values in zip(of_kind, shown, strict=True):
            state = "unset" if values is None else ""
            found[card.id] = CardContent(card, values or {}, state, TOPICS.get(kind, ""))
    return [found[card.id] for card in cards]


Assets = dict[str, Row]
Shown = list[dict[str, Any] | None]


async def _assets(request: PageRequest[Any, Any], cards: Sequence[Card]) -> Assets:
    """Those whose values any of the cards shows."""
    if not request.caller.permissions >= PERMISSIONS[CardType.VALUE]:
        return {}
    shown = [card for card in cards if PERMISSIONS[card.type] == PERMISSIONS[CardType.VALUE]]
    ids = {settings_of(card, ValueSettings).asset_id for card in shown} - {None}
    return await queries.values(request.db, request.caller.tenant, sorted(filter(None, ids))) if ids else {}


def reading(settings: ValueSettings, assets: Assets) -> dict[str, Any] | None:
    """The newest value of a key, with what people call it; None where the card names nothing that there is."""
    found = assets.get(settings.asset_id or "")
    if found is None or settings.key is None:
        return None
    known: dict[str, Any] = next((one for one in found["properties"] if one["key"] == settings.key), {})
    return {
        "asset": found,
        "key": settings.key,
        "name": known.get("name") or settings.key,
        "unit": known.get("unit", ""),
        "value": (value := (found["last_telemetry"] or {}).get(settings.key)),
        "text": value_text(value),
    }


def value_text(value: Any) -> str:
    """As the page's script writes it when the value changes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:,.2f}".rstrip("0").rstrip(".")
    return "\u2013" if value is None else str(value)


async def values(_request: PageRequest[Any, Any], cards: Sequence[Card], assets: Assets) -> Shown:
    return [reading(settings_of(card, ValueSettings), assets) for card in cards]


async def gauges(_request: PageRequest[Any, Any], cards: Sequence[Card], assets: Assets) -> Shown:
    return [_gauge(settings_of(card, GaugeSettings), assets) for card in cards]


def _gauge(settings: GaugeSettings, assets: Assets) -> dict[str, Any] | None:
    shown = reading(settings, assets)
    if shown is None:
        return None
    value = shown["value"]
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    low = 0.0 if settings.min is None else settings.min
    high = max(100.0, low + 1) if settings.max is None else settings.max
    drawn = {"kind": "gauge", "value": number, "min": low, "max": high, "unit": shown["unit"]}
    return {**shown, "gauge": drawn}


async def charts(_request: PageRequest[Any, Any], cards: Sequence[Card], assets: Assets) -> Shown:
    found: Shown = []
    for card in cards:
        settings = settings_of(card, ChartSettings)
        shown = reading(settings, assets)
        found.append(None if shown is None else {**shown, "hours": settings.hours or _CHART_HOURS})
    return found


async def statuses(request: PageRequest[Any, Any], cards: Sequence[Card], _assets: Assets) -> Shown:
    wanted = [settings_of(card, StatusSettings) for card in cards]
    rows = _by_card(await queries.statuses(request.db, request.caller.tenant, wanted), len(cards))
    return [{"assets": of_card, "count": of_card[0][4] if of_card else 0} for of_card in rows]


async def work_orders(request: PageRequest[Any, Any], cards: Sequence[Card], _assets: Assets) -> Shown:
    wanted = [settings_of(card, WorkOrderSettings) for card in cards]
    db, tenant = request.db, request.caller.tenant
    counts = _by_card(await queries.order_counts(db, tenant, wanted), len(cards))
    due = _by_card(await queries.orders(db, tenant, wanted), len(cards))
    return [
        {"status": settings.status, "counts": dict(counted), "orders": orders, "counted": queries.COUNTED}
        for settings, counted, orders in zip(wanted, counts, due, strict=True)
    ]


async def sla(request: PageRequest[Any, Any], cards: Sequence[Card], _assets: Assets) -> Shown:
    wanted = [settings_of(card, SlaSettings) for card in cards]
    days = [settings.days or _SLA_DAYS for settings in wanted]
    since = [request.now - number * _DAY for number in days]
    rows = _by_card(await queries.sla(request.db, request.caller.tenant, wanted, since), len(cards))
    return [
        {"days": number, "completed": row[0], "responded": row[1], "resolved": row[2]}
        for number, [row] in zip(days, rows, strict=True)
    ]


async def alerts(request: PageRequest[Any, Any], cards: Sequence[Card], _assets: Assets) -> Shown:
    wanted = [settings_of(card, AlertSettings) for card in cards]
    rows = _by_card(await queries.alerts(request.db, request.caller.tenant, wanted), len(cards))
    return [{"alerts": of_card} for of_card in rows]


async def bookings(request: PageRequest[Any, Any], cards: Sequence[Card], _assets: Assets) -> Shown:
    wanted = [settings_of(card, BookingSettings) for card in cards]
    today = day_of(request.now, request.zone)
    until = [today.end + ((settings.days or 1) - 1) * _DAY for settings in wanted]
    found = await queries.bookings(
        request.db, request.caller.tenant, wanted, until, midnight=today.start, now=request.now
    )
    rows = _by_card(found, len(cards))
    return [
        {"bookings": of_card, "days": settings.days or 1, "today_ends": today.end}
        for settings, of_card in zip(wanted, rows, strict=True)
    ]


async def texts(_request: PageRequest[Any, Any], cards: Sequence[Card], _assets: Assets) -> Shown:
    found = [settings_of(card, TextSettings).text for card in cards]
    return [{"text": text} if text else None for text in found]


def _by_card(rows: Sequence[Row], count: int) -> list[list[tuple[Any, ...]]]:
    """Rows begin with the number of the card that they are for."""
    found: list[list[tuple[Any, ...]]] = [[] for _ in range(count)]
    for row in rows:
        number, *rest = row
        found[number].append(tuple(rest))
    return found


_BY_TYPE: dict[CardType, Callable[[PageRequest[Any, Any], Sequence[Card], Assets], Awaitable[Shown]]] = {
    CardType.VALUE: values,
    CardType.GAUGE: gauges,
    CardType.CHART: charts,
    CardType.STATUS: statuses,
    CardType.WORK_ORDERS: work_orders,
    CardType.SLA: sla,
    CardType.ALERTS: alerts,
    CardType.BOOKINGS: bookings,
    CardType.TEXT: texts,
}
