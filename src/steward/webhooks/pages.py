"""Webhooks in the web app: the list, and the page of one with its deliveries and replays.

Times of webhooks are Unix milliseconds, those of pages seconds.
"""

from functools import partial
from typing import Any
from urllib.parse import urlencode

import msgspec

from steward.asset_types import queries as asset_types
from steward.assets import queries as assets
from steward.bookings.resources import queries as resources
from steward.events.rules import visible_query
from steward.kit.db.lookup import Lookup
from steward.kit.domain.fields import Body
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import Invalid
from steward.kit.events.patterns import require_known
from steward.kit.events.visibility import may_read, readable_patterns
from steward.kit.http.decoding import convert_query
from steward.kit.records.context import Target
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.kit.security.url_guard import check_url
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import ListPart, PageRequest, Redirect, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.kit.web.time_range import moment_of
from steward.locations import queries as locations
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.webhooks import actions, queries, rules
from steward.webhooks import cells as webhook_cells
from steward.webhooks.actions import CheckUrl
from steward.webhooks.deliveries import queries as deliveries
from steward.webhooks.deliveries.model import Delivery, DeliveryQuery, DeliveryStatus
from steward.webhooks.model import (
    ChosenStatus,
    SecretRotation,
    SentTest,
    StoredWebhook,
    Webhook,
    WebhookChanges,
    WebhookWithSecret,
)
from steward.webhooks.replays import queries as replays
from steward.webhooks.replays.model import Replay
from steward.webhooks.replays.rules import progress

PATH = "/app/integrations/webhooks"
_DELIVERIES = 10
_DELIVERY_FILTERS = ("status", "type", "eventId", "from", "to", "lastEvaluatedKey")
# Fields for a day and a time, and their parameters.
_TIMES = {"from": "createdAfter", "to": "createdBefore"}
# The criteria of a filter that have names: the field, its label, and the lookup.
PICKED: tuple[tuple[str, str, Lookup], ...] = (
    ("locationId", "Locations", locations.LOOKUP),
    ("assetId", "Assets", assets.LOOKUP),
    ("assetTypeId", "Asset types", asset_types.LOOKUP),
    ("resourceId", "Bookable resources", resources.LOOKUP),
)


class ListedWebhooks(msgspec.Struct, frozen=True):
    plan_required: str | None


def plan_required(request: PageRequest[Any, Any]) -> str | None:
    """The notice for organizations whose plan has no webhooks."""
    return None if Plan(request.caller.plan).includes_api else PLAN_REQUIRED


async def _context(request: PageRequest[Any, Any], _rows: list[Any]) -> ListedWebhooks:
    return ListedWebhooks(plan_required(request))


LIST = ListPage(
    path=PATH,
    title="Webhooks",
    listing=queries.LISTING,
    record=Webhook,
    query=PageQuery,
    permission=Permission.WEBHOOKS_READ,
    write_permission=Permission.WEBHOOKS_WRITE,
    new="New webhook",
    template="webhooks/list.html",
    context=_context,
    columns=(
        Column("url", "Address", cells.link),
        Column("description", "For"),
        Column("events", "Events", webhook_cells.events),
        Column("status", "Status", cells.status),
        Column("created_at", "Created", webhook_cells.when),
    ),
    empty=EmptyState("No webhooks yet", "A webhook tells another system what happens here, as it happens."),
)


class StatusForm(Body, frozen=True):
    status: ChosenStatus


def criteria_of(webhook: Webhook | None) -> dict[str, list[str]]:
    filtering = webhook.filtering if webhook else None
    return msgspec.to_builtins(filtering.criteria) if filtering else {}


async def names_of(request: PageRequest[Any, Any], chosen: dict[str, list[str]]) -> dict[str, str]:
    """The names of all records in a filter; the identifier where the viewer may not see the record."""
    found: dict[str, str] = {}
    for name, _, lookup in PICKED:
        if request.may(lookup.permission):
            found |= await request.names(lookup, chosen.get(name, ()))
    return found


class WebhookPage(msgspec.Struct, frozen=True, kw_only=True):
    webhook: Webhook
    stored: StoredWebhook
    criteria: dict[str, list[str]]
    titles: dict[str, str]
    # Of the records in the filter.
    names: dict[str, str]
    deliveries: ListPart[Delivery]
    chosen_status: DeliveryStatus | None
    event_patterns: list[str]
    # For links that keep the filters of the deliveries.
    filters: str
    filters_besides_status: str
    # Each with how many percent it has done.
    replays: list[tuple[Replay, int]]
    replayed_types: list[str]
    path: str
    may_write: bool
    plan_required: str | None
    statuses: tuple[DeliveryStatus, ...] = tuple(DeliveryStatus)


class SecretPage(msgspec.Struct, frozen=True):
    webhook: WebhookWithSecret
    new: bool
    path: str


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    stored = await request.get(queries.WEBHOOKS, "webhookId")
    webhook = rules.public(stored)
    query = _delivery_query(request)
    visible = visible_query(request.caller, query)
    criteria = criteria_of(webhook)
    may_write = request.may(Permission.WEBHOOKS_WRITE)
    page = WebhookPage(
        webhook=webhook,
        stored=stored,
        criteria=criteria,
        titles={name: title for name, title, _ in PICKED} | {"priority": "Priority"},
        names=await names_of(request, criteria),
        deliveries=await request.part(deliveries.LISTING, Delivery, visible, within=stored.id),
        chosen_status=query.status[0] if query.status else None,
        event_patterns=readable_patterns(request.caller.permissions),
        filters=_kept_filters(request),
        filters_besides_status=_kept_filters(request, "status"),
        replays=[
            (one, progress(one, at))
            for one, at in await replays.newest(request.db, request.tenant, stored.id)
        ],
        replayed_types=[type for type in stored.types if may_read(type, request.caller.permissions)],
        path=f"{PATH}/{stored.id}",
        may_write=may_write and Plan(request.caller.plan).includes_api,
        plan_required=plan_required(request),
    )
    fragments = {"deliveries": "webhooks/deliveries.html", "replays": "webhooks/replays.html"}
    return View("webhooks/one.html", page, status, fragments=fragments)


def _delivery_query(request: PageRequest[Any, Any]) -> DeliveryQuery:
    """Blank fields don't narrow the list."""
    given = {name: value for name in _DELIVERY_FILTERS if (value := request.arguments.get(name))}
    wanted = {name: value for name, value in given.items() if name not in _TIMES}
    for name, parameter in _TIMES.items():
        if name in given:
            if (moment := moment_of(given[name], request.zone)) is None:
                raise Invalid(name, "must be a day and a time")
            wanted[parameter] = str(moment)
    query: DeliveryQuery = convert_query(DeliveryQuery, {**wanted, "limit": str(_DELIVERIES)})
    require_known(("type", pattern) for pattern in query.type or ())
    return query


def _kept_filters(request: PageRequest[Any, Any], *without: str) -> str:
    """For links that keep the list's filters."""
    names = [name for name in _DELIVERY_FILTERS if name not in ("lastEvaluatedKey", *without)]
    return urlencode({name: value for name in names if (value := request.arguments.get(name))})


def show_secret(_request: PageRequest[Any, Any], made: WebhookWithSecret, status: int) -> View:
    page = SecretPage(made, status == 201, f"{PATH}/{made.id}")
    return View("webhooks/secret.html", page, status, secret=True)


async def _rotate(encryption: Encryption, ctx: Target, rotation: SecretRotation) -> WebhookWithSecret:
    rules.require_plan(ctx.who.plan)
    return await actions.rotate_secret(encryption, ctx, rotation)


async def _test(ctx: Target) -> SentTest:
    rules.require_plan(ctx.who.plan)
    return await actions.test(ctx)


async def _set_status(check: CheckUrl, ctx: Target, form: StatusForm) -> None:
    """An organization without an API can still stop deliveries."""
    if form.status is ChosenStatus.ACTIVE:
        rules.require_plan(ctx.who.plan)
    await actions.change(check, ctx, WebhookChanges(status=form.status))


RECORD = RecordPages.of(LIST, "webhookId", show_one)


def pages(encryption: Encryption, *, allow_local: bool) -> tuple[WebPage, ...]:
    check = partial(check_url, allow_local)
    return (
        *LIST.pages(),
        RECORD.read(),
        RECORD.change(partial(_set_status, check), form=StatusForm, name="status", path="/status"),
        RECORD.delete(actions.delete),
        RECORD.move_with(
            "rotate-secret",
            partial(_rotate, encryption),
            form=SecretRotation,
            to=partial(show_secret, status=200),
        ),
        # Leads on to the page of the delivery.
        RECORD.move(
            "test",
            _test,
            to=lambda request, sent: Redirect(
                f"{PATH}/{request.params['webhookId']}/deliveries/{sent.delivery_id}"
            ),
        ),
    )
