"""Whether this process is alive, and whether the service can do its work."""

from functools import partial

from steward.kit import clock
from steward.kit.http.answer import Answer, bare
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.problems import Unavailable
from steward.upkeep.jobs import NEWEST_HEARTBEAT


async def live(_call: Call[NoBody, NoQuery]) -> Answer:
    return bare({"status": "live"})


async def ready(stale_seconds: int, call: Call[NoBody, NoQuery]) -> Answer:
    newest = await call.db.fetchval(NEWEST_HEARTBEAT)
    if newest is None or newest < clock.now() - stale_seconds:
        raise Unavailable("No worker has been heard of lately.")
    return bare({"status": "ready"})


def routes(stale_seconds: int) -> tuple[Route, ...]:
    return (
        Route(
            method="GET",
            path="/health/live",
            handler=live,
            tag="Health",
            summary="This process answers",
            permission=None,
            gives=dict,
            shape="bare",
            example={"status": "live"},
        ),
        Route(
            method="GET",
            path="/health/ready",
            handler=partial(ready, stale_seconds),
            tag="Health",
            summary="The service can do its work",
            description="Not while the database is away, nor while no worker has given a sign of life.",
            permission=None,
            gives=dict,
            shape="bare",
            example={"status": "ready"},
        ),
    )
