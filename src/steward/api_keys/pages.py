"""API keys in the web app: the list with the form for a new one, and the page of one with its usage."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from steward.api_keys import actions, queries, rules
from steward.api_keys.model import (
    USAGE_DAYS,
    ApiKey,
    ApiKeyChanges,
    ApiKeyDetails,
    ApiKeyRotation,
    CreatedApiKey,
    NewApiKey,
)
from steward.api_keys.usage import UsageCounter
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.domain.fields import Body, Name, Seconds, Text
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import Conflict, ErrorDetail, Forbidden, Invalid, Problem, TooManyRequests
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.records.context import Context, Target
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import MEANINGS, Permission, by_area
from steward.kit.web.page import ListPart, PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.users import queries as users

_PATH = "/app/api-keys"
_ADDRESS = re.compile(r"allowedAddresses\[(\d+)\]")
# The permissions that the person may grant, each with its meaning, by area.
Areas = list[tuple[str, list[tuple[Permission, str]]]]


class KeyForm(Body, frozen=True):
    """The form for a new key, and for a changed one."""

    name: Name
    access: Literal["everything", "chosen"] = "everything"
    permissions: list[Permission] = []
    expires_at: Seconds | None = None
    # One on each line.
    allowed_addresses: Text | None = None

    @property
    def addresses(self) -> list[str]:
        return [line.strip() for line in (self.allowed_addresses or "").splitlines() if line.strip()]


class KeyListPage(msgspec.Struct, frozen=True, kw_only=True):
    keys: ListPart[ApiKey]
    problem: Problem | None
    areas: Areas
    plan_required: str | None
    may_create: bool


class KeyPage(msgspec.Struct, frozen=True, kw_only=True):
    key: ApiKeyDetails
    over: bool
    creator: str | None
    may_change: bool
    may_rotate: bool
    areas: Areas
    meanings: Mapping[Permission, str] = msgspec.field(default_factory=lambda: MEANINGS)
    days: int = USAGE_DAYS


class KeySecretPage(msgspec.Struct, frozen=True):
    key: CreatedApiKey
    new: bool


async def create(bus: Invalidator, limiter: Limiter, request: PageRequest[KeyForm, Any]) -> View:
    _require_plan(request.caller)
    form = request.form.content
    if form is not None and form.access == "chosen" and not form.permissions:
        request.form.errors["permissions"] = "Choose at least one permission."
    if form is None or request.form.errors:
        return await show_list(request, status=422)
    try:
        key = await actions.create(bus, limiter, request.context, _new(form))
    except Invalid as problem:
        request.form.refuse(_by_line(problem))
        return await show_list(request, status=422)
    except (Conflict, TooManyRequests) as problem:
        return await show_list(request, problem=problem, status=problem.status)
    return _show_secret(request, key, 201)


def _require_plan(caller: Caller) -> None:
    if not Plan(caller.plan).includes_api:
        raise Forbidden(PLAN_REQUIRED)


def _new(form: KeyForm) -> NewApiKey:
    return NewApiKey(
        name=form.name,
        permissions=form.permissions if form.access == "chosen" else None,
        expires_at=form.expires_at,
        allowed_addresses=form.addresses,
    )


def _changes(form: KeyForm, key: ApiKey) -> ApiKeyChanges:
    """The fields that differ from the key. The form shows minutes: an untouched time keeps its seconds."""
    same_end = form.expires_at is not None and form.expires_at // 60 == (key.expires_at or 0) // 60
    return ApiKeyChanges(
        name=form.name,
        permissions=form.permissions if form.access == "chosen" else UNSET,
        expires_at=UNSET if same_end else form.expires_at,
        allowed_addresses=form.addresses,
    )


def _by_line(problem: Invalid) -> Invalid:
    """The form has all addresses in one field, one a line."""
    return Invalid.of(
        ErrorDetail("allowedAddresses", f"Line {int(place[1]) + 1} {detail.message}")
        if (place := _ADDRESS.fullmatch(detail.field))
        else detail
        for detail in problem.details
    )


def _show_secret(_request: PageRequest[Any, Any], key: CreatedApiKey, status: int) -> View:
    return View("api_keys/created.html", KeySecretPage(key, new=status == 201), status, secret=True)


async def show_one(usage: UsageCounter, request: PageRequest[Any, Any], status: int) -> View:
    # Calls that this process has counted and not yet written are part of the page.
    await usage.write()
    key = await _details(request.context, request.params["keyId"])
    held = await queries.permissions_of_creator(request.db, request.tenant, key.created_by)
    page = KeyPage(
        key=key,
        over=rules.is_over(key, request.now),
        creator=await request.name(users.LOOKUP, key.created_by),
        may_change=rules.may_change(key, request.caller, held) and request.may(Permission.API_KEYS_CREATE),
        may_rotate=rules.is_holder(key, request.caller),
        areas=_by_area(frozenset(key.permissions or held) & request.caller.permissions),
    )
    return View("api_keys/one.html", page, status)


async def _details(ctx: Context, id: str) -> ApiKeyDetails:
    key = await queries.details(ctx.db, ctx.tenant, id)
    if key is None:
        raise rules.no_such_key()
    return key


async def _change(bus: Invalidator, ctx: Target, form: KeyForm) -> None:
    changes = _changes(form, await _details(ctx, ctx.id))
    try:
        await actions.change(bus, ctx, changes)
    except Invalid as problem:
        raise _by_line(problem) from None


async def _rotate(bus: Invalidator, ctx: Target, rotation: ApiKeyRotation) -> CreatedApiKey:
    _require_plan(ctx.who)
    return await actions.rotate(bus, ctx, rotation)


async def usage_chart(request: PageRequest[Any, Any]) -> Response:
    key = await _details(request.context, request.params["keyId"])
    after = request.now // DAY_SECONDS - USAGE_DAYS
    used = await queries.usage_by_day(request.db, request.tenant, key.key_id, after)
    return Response(200, encode(rules.usage_chart(used, request.now)), [JSON, NOT_KEPT])


async def show_list(
    request: PageRequest[Any, Any], *, problem: Problem | None = None, status: int = 200
) -> View:
    """With the form for a new one, also after it was refused."""
    query = request.query if isinstance(request.query, PageQuery) else PageQuery()
    keys: ListPart[ApiKey] = ListPart([], None)
    if request.may(Permission.API_KEYS_READ):
        keys = await request.part(queries.LISTING, ApiKey, query)
    has_api = Plan(request.caller.plan).includes_api
    page = KeyListPage(
        keys=keys,
        problem=problem,
        areas=_by_area(request.caller.permissions),
        plan_required=None if has_api else PLAN_REQUIRED,
        may_create=has_api and request.may(Permission.API_KEYS_CREATE),
    )
    limited = isinstance(problem, TooManyRequests)
    headers = [("retry-after", problem.headers["Retry-After"])] if problem and limited else []
    return View("api_keys/list.html", page, status, headers)


def _by_area(held: frozenset[Permission]) -> Areas:
    return [(area, [(p, MEANINGS[p]) for p in permissions]) for area, permissions in by_area(held)]


def pages(bus: Invalidator, limiter: Limiter, usage: UsageCounter) -> tuple[WebPage, ...]:
    reads, creates = Permission.API_KEYS_READ, Permission.API_KEYS_CREATE
    revokes = Permission.API_KEYS_REVOKE
    record = RecordPages(_PATH, "keyId", reads, creates, partial(show_one, usage))
    return (
        WebPage("GET", _PATH, show_list, reads, query=PageQuery),
        WebPage("POST", _PATH, partial(create, bus, limiter), creates, form=KeyForm),
        record.read(),
        record.change(partial(_change, bus), form=KeyForm),
        record.move_with(
            "rotate", partial(_rotate, bus), form=ApiKeyRotation, to=partial(_show_secret, status=200)
        ),
        WebPage("GET", f"{record.one}/usage.json", usage_chart, reads),
        record.move("revoke", partial(actions.revoke, bus), permission=revokes, to=f"{_PATH}#{{keyId}}"),
    )
