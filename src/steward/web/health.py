"""Whether this process is alive, and whether the service can do its work."""

import asyncio
import os
from functools import partial

from steward.kit.db.faults import WRITE_HEALTH, fault_kind
from steward.kit.db.pool import DATABASE_AWAY, Pool
from steward.kit.domain.problems import Unavailable
from steward.kit.http.response import Response, bare
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.web import queries

# How long deliveries may wait without a worker claiming them.
OVERDUE_SECONDS = 300

# Below the timeout of usual health checks.
_MAX_SECONDS = 1.5
_PROBE_BYTES = 65_536


async def live(_call: Call[NoBody, NoQuery]) -> Response:
    return bare({"status": "live"})


async def ready(
    pool: Pool, stale_seconds: int, stopping: asyncio.Event, _call: Call[NoBody, NoQuery]
) -> Response:
    if stopping.is_set():
        raise Unavailable("This process is about to stop.")
    async with asyncio.timeout(_MAX_SECONDS):
        if WRITE_HEALTH.fault is not None:
            await _try_writing(pool)
        alive, waited = await queries.worker_health(pool, stale_seconds)
    if not alive:
        raise Unavailable("No worker has a current heartbeat.")
    if waited is not None and waited > OVERDUE_SECONDS:
        raise Unavailable(
            f"Webhook deliveries are overdue: the oldest has waited for {waited // 60} minutes."
        )
    return bare({"status": "ready"})


async def _try_writing(pool: Pool) -> None:
    """What was written last was not taken. Enough to need new room on the disk says whether that is over."""
    try:
        await queries.write_and_forget(pool, os.urandom(_PROBE_BYTES))
    except DATABASE_AWAY as error:
        raise Unavailable(f"The database takes no changes: {fault_kind(error)}.") from error
    WRITE_HEALTH.succeeded()


def routes(pool: Pool, stale_seconds: int, stopping: asyncio.Event) -> tuple[Route, ...]:
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
            probe=True,
        ),
        Route(
            method="GET",
            path="/health/ready",
            handler=partial(ready, pool, stale_seconds, stopping),
            tag="Health",
            summary="The service can do its work",
            description="Not while the database is away, doesn't answer or takes no changes, no worker has given a sign of life, the process is about to stop, or deliveries wait that no worker takes.",
            permission=None,
            gives=dict,
            shape="bare",
            example={"status": "ready"},
            probe=True,
        ),
    )
