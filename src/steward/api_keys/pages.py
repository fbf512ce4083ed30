"""API keys in the web app: the list with the form for a new one, and the page of one with what it did."""

from functools import partial
from typing import Any, Literal

import msgspec

from steward.api_keys import actions, queries, rules
from steward.api_keys.model import USAGE_DAYS, ApiKey, ApiKeyDetails, NewApiKey
from steward.api_keys.usage import UsageCounter
from steward.kit.db.pagination import Page
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.domain.fields import Body, Name
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import Conflict, Forbidden, Problem, TooManyRequests
from steward.kit.domain.versions import UNCONDITIONAL
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.permissions import MEANINGS, Permission, by_area
from steward.kit.security.rate_limiter import Limiter
from steward.kit.web.form import SubmittedForm, empty_form
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.users import queries as users

_PATH = "/app/api-keys"


class KeyForm(Body, frozen=True):
    name: Name
    access: Literal["everything", "chosen"] = "everything"
    permissions: list[Permission] = []


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
    permissions = form.permissions if form.access == "chosen" else None
    new = NewApiKey(name=form.name, permissions=permissions)
    try:
        key = await actions.create(bus, limiter, request.db, request.caller, new, now=request.now)
    except (Conflict, TooManyRequests) as problem:
        return await _list(request, PageQuery(), request.form, problem=problem, status=problem.status)
    return View("api_keys/created.html", {"key": key}, 201, secret=True)


async def show_one(usage: UsageCounter, request: PageRequest[Any, Any]) -> View:
    # What this process has counted and not yet written belongs to the page.
    await usage.write()
    key = await _key(request)
    values = {
        "key": key,
        "creator": await users.LOOKUP.name(request.db, request.caller.tenant, key.created_by),
        "meanings": MEANINGS,
        "days": USAGE_DAYS,
        "may_revoke": request.may(Permission.API_KEYS_REVOKE),
    }
    return View("api_keys/one.html", values)


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
    await actions.revoke(bus, request.db, request.caller, key_id, precondition=UNCONDITIONAL, now=request.now)
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
    """What the person may hand on, with what each means."""
    return [(area, [(p, MEANINGS[p]) for p in permissions]) for area, permissions in by_area(held)]


def pages(bus: Invalidator, limiter: Limiter, usage: UsageCounter) -> tuple[WebPage, ...]:
    return (
        WebPage(
            method="GET",
            path=_PATH,
            handler=show_list,
            permission=Permission.API_KEYS_READ,
            query=PageQuery,
        ),
        WebPage(
            method="POST",
            path=_PATH,
            handler=partial(create, bus, limiter),
            permission=Permission.API_KEYS_CREATE,
            form=KeyForm,
        ),
        WebPage(
            method="GET",
            path=f"{_PATH}/{{keyId}}",
            handler=partial(show_one, usage),
            permission=Permission.API_KEYS_READ,
        ),
        WebPage(
            method="GET",
            path=f"{_PATH}/{{keyId}}/usage.json",
            handler=usage_chart,
            permission=Permission.API_KEYS_READ,
        ),
        WebPage(
            method="POST",
            path=f"{_PATH}/{{keyId}}/revoke",
            handler=partial(revoke, bus),
            permission=Permission.API_KEYS_REVOKE,
        ),
    )
