"""The screen beside a door, for holders of its link; and the links, on the page of the resource."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from steward.bookings.grid.pages import say
from steward.bookings.resources import pages as resources
from steward.bookings.resources.queries import RESOURCES
from steward.bookings.tablets import actions
from steward.bookings.tablets.actions import TabletAccess
from steward.bookings.tablets.model import CHANGES, VIEWS, BookNow, Door, ForBooking, NewTablet
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit

PATH = "/tablet/{token}"
Act = Callable[..., Awaitable[Any]]


async def show(limiter: Limiter, request: PageRequest[Any, Any]) -> View:
    access = await actions.find(request.db, request.params["token"], now=request.now)
    await limiter.require(VIEWS, access.subject)
    return await _door(request, access, 200)


async def act(limiter: Limiter, action: Act, request: PageRequest[Any, Any]) -> Outcome:
    access = await actions.find(request.db, request.params["token"], now=request.now)
    await limiter.require(CHANGES, access.subject)
    return await submit(
        request,
        lambda body: say(request, action(request.db, access, body, now=request.now)),
        to=lambda _: Redirect(PATH.format(token=request.params["token"])),
        again=lambda status: _door(request, access, status),
    )


class DoorPage(msgspec.Struct, frozen=True):
    door: Door
    page_path: str


async def _door(request: PageRequest[Any, Any], access: TabletAccess, status: int) -> View:
    door = await actions.show_door(request.db, access, now=request.now)
    page = DoorPage(door, PATH.format(token=request.params["token"]))
    # The address is a secret, and its content is outdated within a minute.
    return View("bookings/tablet.html", page, status, fragments={"door": "bookings/door.html"}, secret=True)


async def _make_link(ctx: Target, new: NewTablet) -> resources.LinkPage:
    resource = await records.get(ctx.db, RESOURCES, ctx.tenant, ctx.id)
    tablet, token = await actions.create(ctx.inside(ctx.id), new)
    return resources.LinkPage(
        resource=resource,
        link=PATH.format(token=token),
        what=f"{tablet.name}: tablet for",
        label="Tablet address",
        hint="Open it on the tablet at the door, in full screen. Anyone who has it can book, check in and end "
        "bookings of this resource, and nothing else.",
        page_path=f"{resources.PATH}/{ctx.id}",
    )


def pages(limiter: Limiter) -> tuple[WebPage, ...]:
    acts: tuple[tuple[str, Act, type[Any]], ...] = (
        ("book", actions.book_now, BookNow),
        ("check-in", actions.check_in, ForBooking),
        ("end", actions.end_early, ForBooking),
    )
    return (
        WebPage("GET", PATH, partial(show, limiter), public=True),
        *(
            WebPage("POST", f"{PATH}/{verb}", partial(act, limiter, action), public=True, form=form)
            for verb, action, form in acts
        ),
        resources.RECORD.change(
            _make_link, form=NewTablet, name="tablet", path="/tablets", to=resources.show_link
        ),
        resources.RECORD.below("tablets", "tabletId", resources.show_one, leads_to=resources.LINKS).move(
            "revoke", actions.revoke
        ),
    )
