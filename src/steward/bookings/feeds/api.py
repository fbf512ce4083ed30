import hashlib
from functools import partial

from steward.bookings.feeds import actions
from steward.bookings.feeds.model import CalendarLink, CalendarLinkQuery, MadeCalendarLink
from steward.bookings.feeds.queries import LISTING
from steward.bookings.resources.api import RESOURCES
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.caller import SOME_TENANT
from steward.kit.security.permissions import Permission
from steward.users.invitations.rules import own_url

_FEED = "/calendars/{token}"
_CALENDAR = "text/calendar"


_LINKS = Resource(
    noun="calendar link",
    tag=RESOURCES.tag,
    path="/organizations/{orgId}/calendar-links",
    gives=MadeCalendarLink,
    example=MadeCalendarLink(RESOURCES.example.id, 1767225600),
    listing=LISTING,
    query=CalendarLinkQuery,
    read_permission=Permission.BOOKINGS_READ,
    write_permission=Permission.BOOKINGS_WRITE,
)


async def make_link(public_url: str | None, call: Call[NoBody, NoQuery]) -> Response:
    site = public_url or own_url(call.origin.headers.get("host", ""), https=call.origin.https)
    token = await actions.new_link(call.context.on(call.params["resourceId"]))
    return plain(CalendarLink(site + _FEED.format(token=token)))


async def read_calendar(limiter: Limiter, call: Call[NoBody, NoQuery]) -> Response:
    body = await actions.feed(limiter, call.db, call.params["token"], now=call.now)
    tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    return Response(
        200,
        body,
        [
            ("content-type", f"{_CALENDAR}; charset=utf-8"),
            ("etag", tag),
            # The link is a secret: no shared cache may store its content.
            ("cache-control", "private, no-cache"),
        ],
    )


def routes(limiter: Limiter, public_url: str | None) -> tuple[Route, ...]:
    """`public_url` is the service's address; None: as the caller reached it."""
    one = f"{RESOURCES.item}/calendar-link"
    return (
        _LINKS.list(
            description="Which resources have one, and since when; the addresses themselves are not kept.",
        ),
        *_LINKS.exports(),
        RESOURCES.route(
            "POST",
            one,
            handler=partial(make_link, public_url),
            summary="Make a calendar link",
            description="A secret address under which calendar programs read the resource's bookings. It is shown once; a new "
            "one takes its place and the old one stops working.",
            gives=CalendarLink,
            shape="plain",
            example=CalendarLink(
                f"https://steward.example.com/calendars/{SOME_TENANT}.nQ0rGmCqD8yJ1f2a9Xo5sZ3vW7uKtLbEpHiRcMdYxA4"
            ),
        ),
        RESOURCES.delete(
            actions.revoke_link,
            below=one,
            summary="Revoke a calendar link",
            description="Programs that have it can no longer read the calendar.",
        ),
        Route(
            method="GET",
            path=_FEED,
            handler=partial(read_calendar, limiter),
            tag=RESOURCES.tag,
            summary="Read a calendar",
            description="An iCalendar (RFC 5545) of the bookings that hold the resource, from 30 days back to a year ahead, with "
            "titles and without people. Answers an `ETag`, and 304 to `If-None-Match`. The address is its own credential: "
            "see the calendar link of a resource.",
            permission=None,
            shape="stream",
            media_type=_CALENDAR,
            refusals={
                404: "No calendar has this address, or no longer.",
                429: "More than 30 reads of this calendar in a minute.",
            },
        ),
    )
