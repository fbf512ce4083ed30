"""API keys in the web app: the list with the form for a new one, and the page of one with its usage."""

import re
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
from steward.kit.db.listing import Page
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.domain.fields import Body, Name, Seconds, Text
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import Conflict, ErrorDetail, Forbidden, Invalid, Problem, TooManyRequests
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.security.permissions import MEANINGS, Permission, by_area
from steward.kit.web.form import SubmittedForm, empty_form
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.users import queries as users

_PATH = "/app/api-keys"
_ADDRESS = re.compile(r"allowedAddresses\[(\d+)\]")


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


async def show_list(request: PageRequest[Any, PageQuery]) -> View:
    return await _list(request, request.query, empty_form())


async def create(bus: Invalidator, limiter: Limiter, request: PageRequest[KeyForm, Any]) -> View:
    if not Plan(request.caller.plan).includes_api:
        raise Forbidden(PLAN_REQUIRED)
    form = request.form.content
    if form is not None and form.access == "chosen" and not form.permissions:
        request.form.errors["permissions"] = "Choose at least one permission."
    if form is None or request.form.errors:
        return await _list(request, PageQuery(), request.form, status=422)
    try:
        key = await actions.create(bus, limiter, request.context, _new(form))
    except Invalid as problem:
        request.form.refuse(_by_line(problem))
        return await _list(request, PageQuery(), request.form, status=422)
    except (Conflict, TooManyRequests) as problem:
        return await _list(request, PageQuery(), request.form, problem=problem, status=problem.status)
    return _show_secret(key, new=True)


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


def _show_secret(key: CreatedApiKey, *, new: bool) -> View:
    return View("api_keys/created.html", {"key": key, "new": new}, 201 if new else 200, secret=True)


async def show_one(usage: UsageCounter, request: PageRequest[Any, Any], status: int = 200) -> View:
    # Calls that this process has counted and not yet written are part of the page.
    await usage.write()
    key = await _key(request)
    caller = request.caller
    held = await queries.permissions_of_creator(request.db, caller.tenant, key.created_by)
    values = {
        "key": key,
        "over": rules.is_over(key, request.now),
        "old_secret_works": (key.old_secret_expires_at or 0) > request.now,
        "creator": await users.LOOKUP.name(request.db, caller.tenant, key.created_by),
        "meanings": MEANINGS,
        "days": USAGE_DAYS,
        "may_revoke": request.may(Permission.API_KEYS_REVOKE),
        "may_change": rules.may_change(key, caller, held) and request.may(Permission.API_KEYS_CREATE),
        "may_rotate": rules.is_holder(key, caller),
        "areas": _by_area(frozenset(key.permissions or held) & caller.permissions),
        "form": request.form,
    }
    return View("api_keys/one.html", values, status)


async def change(bus: Invalidator, usage: UsageCounter, request: PageRequest[KeyForm, Any]) -> Outcome:
    key = await _key(request)

    async def act(form: KeyForm) -> None:
        try:
            await actions.change(bus, request.context.on(key.key_id), _changes(form, key))
        except Invalid as problem:
            raise _by_line(problem) from None

    return await submit(
        request,
        act,
        to=lambda _: Redirect(f"{_PATH}/{key.key_id}"),
        again=partial(show_one, usage, request),
        name="change",
    )


async def rotate(bus: Invalidator, usage: UsageCounter, request: PageRequest[ApiKeyRotation, Any]) -> Outcome:
    async def act(rotation: ApiKeyRotation) -> CreatedApiKey:
        if not Plan(request.caller.plan).includes_api:
            raise Forbidden(PLAN_REQUIRED)
        return await actions.rotate(bus, request.context.on(request.params["keyId"]), rotation)

    return await submit(
        request,
        act,
        to=partial(_show_secret, new=False),
        again=partial(show_one, usage, request),
        name="rotate",
    )


async def usage_chart(request: PageRequest[Any, Any]) -> Response:
    key = await _key(request)
    after = request.now // DAY_SECONDS - USAGE_DAYS
    used = await queries.usage_by_day(request.db, request.caller.tenant, key.key_id, after)
    return Response(200, encode(rules.usage_chart(used, request.now)), [JSON, NOT_KEPT])


async def _key(request: PageRequest[Any, Any]) -> ApiKeyDetails:
    key = await queries.details(request.db, request.caller.tenant, request.params["keyId"])
    if key is None:
        raise rules.no_such_key()
    return key


async def revoke(bus: Invalidator, request: PageRequest[Any, Any]) -> Redirect:
    key_id = request.params["keyId"]
    await actions.revoke(bus, request.context.on(key_id))
    return Redirect(f"{_PATH}#{key_id}")


async def _list(
    request: PageRequest[Any, Any],
    query: PageQuery,
    form: SubmittedForm[KeyForm],
    *,
    problem: Problem | None = None,
    status: int = 200,
) -> View:
    may_read = request.may(Permission.API_KEYS_READ)
    found = Page([], None)
    if may_read:
        found = await queries.LISTING.page(request.db, request.cursors, request.caller.tenant, query)
    has_api = Plan(request.caller.plan).includes_api
    values = {
        "now": request.now,
        "keys": [msgspec.json.decode(item, type=ApiKey) for item in found.items],
        "next_page": found.last_evaluated_key,
        "first_page": query.last_evaluated_key is None,
        "form": form,
        "problem": problem,
        "areas": _by_area(request.caller.permissions),
        "plan_required": None if has_api else PLAN_REQUIRED,
        "may_read": may_read,
        "may_create": has_api and request.may(Permission.API_KEYS_CREATE),
        "may_revoke": request.may(Permission.API_KEYS_REVOKE),
    }
    headers = [("retry-after", problem.headers["Retry-After"])] if status == 429 and problem else []
    return View("api_keys/list.html", values, status, headers)


def _by_area(held: frozenset[Permission]) -> list[tuple[str, list[tuple[Permission, str]]]]:
    """The permissions that the person may grant, each with its meaning."""
    return [(area, [(p, MEANINGS[p]) for p in permissions]) for area, permissions in by_area(held)]


def pages(bus: Invalidator, limiter: Limiter, usage: UsageCounter) -> tuple[WebPage, ...]:
    one, reads, creates = f"{_PATH}/{{keyId}}", Permission.API_KEYS_READ, Permission.API_KEYS_CREATE
    return (
        WebPage("GET", _PATH, show_list, reads, query=PageQuery),
        WebPage("POST", _PATH, partial(create, bus, limiter), creates, form=KeyForm),
        WebPage("GET", one, partial(show_one, usage), reads),
        WebPage("POST", one, partial(change, bus, usage), creates, form=KeyForm),
        WebPage("POST", f"{one}/rotate", partial(rotate, bus, usage), creates, form=ApiKeyRotation),
        WebPage("GET", f"{one}/usage.json", usage_chart, reads),
        WebPage("POST", f"{one}/revoke", partial(revoke, bus), Permission.API_KEYS_REVOKE),
    )
