"""Whether this process is alive, and whether the service can do its work."""

from functools import partial

from steward.kit import clock
from steward.kit.http.answer import Answer, bare
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.problems import Unavailable
from steward.kit.sql import sql

# How long deliveries may wait with nobody taking care of them.
OVERDUE_SECONDS = 300

_WORKERS = sql(
    "SELECT max(seen), min(oldest_due) FILTER (WHERE seen >= $1) FROM processes WHERE kind = 'worker'"
)


async def live(_call: Call[NoBody, NoQuery]) -> Answer:
    return bare({"status": "live"})


async def ready(stale_seconds: int, call: Call[NoBody, NoQuery]) -> Answer:
    since = clock.now() - stale_seconds
    newest, oldest_due = (await call.db.fetch(_WORKERS, since))[0]
    if newest is None or newest < since:
        raise Unavailable("No worker has been heard of lately.")
    if oldest_due is not None and (waited := clock.now() - oldest_due // 1000) > OVERDUE_SECONDS:
        raise Unavailable(
            f"Webhook deliveries are overdue: the oldest has waited for {waited // 60} minutes."
        )
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
            description="Not while the database is away, no worker has given a sign of life, or deliveries wait that no worker takes.",
            permission=None,
            gives=dict,
            shape="bare",
            example={"status": "ready"},
        ),
    )
