"""The screen beside a door, for holders of its link; and the links, on the page of the resource."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from steward.bookings.grid.pages import say
from steward.bookings.resources import pages as resources
from steward.bookings.resources.queries import RESOURCES
from steward.bookings.tablets import actions
from steward.bookings.tablets.actions import TabletAccess
from steward.bookings.tablets.model import CHANGES, VIEWS, BookNow, ForBooking, NewTablet
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit

PATH = "/tablet/{token}"
_LINK = f"{resources.RECORD.one}/tablets"
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


async def _door(request: PageRequest[Any, Any], access: TabletAccess, status: int) -> View:
    values = {
        "door": await actions.show_door(request.db, access, now=request.now),
        "form": request.form,
        "page_path": PATH.format(token=request.params["token"]),
    }
    # The address is a secret, and its content is outdated within a minute.
    return View("bookings/tablet.html", values, status, fragments={"door": "bookings/door.html"}, secret=True)


async def make_link(request: PageRequest[NewTablet, Any]) -> View | Redirect:
    id = request.params["resourceId"]
    resource = await records.get(request.db, RESOURCES, request.caller.tenant, id)

    async def make(new: NewTablet) -> View:
        tablet, token = await actions.create(request.context.inside(id), new)
        values = {
            "resource": resource,
            "link": PATH.format(token=token),
            "what": f"{tablet.name}: tablet for",
            "label": "Tablet address",
            "hint": "Open it on the tablet at the door, in full screen. Anyone who has it can book, check in and end "
            "bookings of this resource, and nothing else.",
            "page_path": f"{resources.PATH}/{id}",
        }
        return View("bookings/link.html", values, 201, secret=True)

    return await submit(
        request,
        make,
        to=lambda view: view,
        again=lambda status: resources.show_one(request, status),
        name="tablet",
    )


async def revoke_link(request: PageRequest[Any, Any]) -> Redirect:
    id = request.params["resourceId"]
    await actions.revoke(request.context.on(request.params["tabletId"], within=id))
    return Redirect(f"{resources.PATH}/{id}#links")


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
        WebPage("POST", _LINK, make_link, Permission.BOOKINGS_WRITE, form=NewTablet),
        WebPage("POST", f"{_LINK}/{{tabletId}}/revoke", revoke_link, Permission.BOOKINGS_WRITE),
    )
