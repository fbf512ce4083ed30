"""`GET /app/live`: the stream of a person who is logged in."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.access import queries, sessions
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Invalid
from steward.kit.events.topics import Topics
from steward.kit.http.response import Headers, StreamingResponse
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, WebPage
from steward.web.live.hub import LiveHub
from steward.web.live.stream import ReadPermissions, StreamRequest

MAX_ASSETS = 200
# Proxies must neither cache nor buffer a stream.
HEADERS: Headers = [
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-store"),
    ("x-accel-buffering", "no"),
]


class LiveQuery(msgspec.Struct, frozen=True):
    """Topics and assets are comma-separated; no topics means all."""

    topics: str | None = None
    assets: str = ""
    # Milliseconds since the page was requested.
    age: Annotated[int, Meta(ge=0, le=60_000)] | None = None


def read_topics(topics: Topics, text: str | None) -> frozenset[str]:
    return topics.names if text is None else topics.require_known(_names(text))


def read_asset_ids(text: str) -> frozenset[str]:
    asset_ids = _names(text)
    if len(asset_ids) > MAX_ASSETS:
        raise Invalid("assets", f"may name {MAX_ASSETS} assets")
    return asset_ids


def shown_since(age: int | None) -> float | None:
    return None if age is None else (clock.now_ms() - age) / 1000


def _names(text: str) -> frozenset[str]:
    return frozenset(name for part in text.split(",") if (name := part.strip()))


async def live(
    hub: LiveHub, read: ReadPermissions, request: PageRequest[Any, LiveQuery]
) -> StreamingResponse:
    caller = request.caller
    wanted = StreamRequest(
        tenant=caller.tenant,
        permissions=caller.permissions,
        read_permissions=read,
        holder=sessions.holder(request.cookie or ""),
        owner=caller.subject,
        topics=read_topics(hub.topics, request.query.topics),
        asset_ids=read_asset_ids(request.query.assets),
        since=shown_since(request.query.age),
    )
    return StreamingResponse(HEADERS, hub.subscribe(wanted), endless=True)


def pages(hub: LiveHub, db: Database) -> tuple[WebPage, ...]:
    async def read(tenant: TenantId, holders: Iterable[bytes]) -> dict[bytes, frozenset[Permission]]:
        return await queries.session_permissions(db, tenant, holders, clock.now())

    return (WebPage("GET", "/app/live", partial(live, hub, read), query=LiveQuery),)
