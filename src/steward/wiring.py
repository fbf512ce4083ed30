"""Opens pools and clients and puts the parts together; the only module that knows everything."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from steward.access.gate import Gate
from steward.access.memory import Memory
from steward.api_keys import api as api_keys_api
from steward.api_keys.usage import UsageCounter
from steward.kit.bus import Bus
from steward.kit.constraints import Constraints
from steward.kit.db import Pool
from steward.kit.http.app import Api
from steward.kit.http.route import Route
from steward.kit.http.router import Router
from steward.kit.idempotency import Idempotency
from steward.kit.limiter import Limiter
from steward.kit.page import Cursors
from steward.kit.vault import Vault
from steward.kit.worker import Job, run_jobs
from steward.organizations import api as organizations_api
from steward.roles import api as roles_api
from steward.roles import model as roles_model
from steward.settings import Settings
from steward.tokens import api as tokens_api
from steward.tokens.actions import Desk
from steward.tokens.signing import load_signer
from steward.upkeep import health, jobs
from steward.users import api as users_api
from steward.users import model as users_model
from steward.work_orders import api as work_orders_api
from steward.work_orders import model as work_orders_model

CONSTRAINTS: Constraints = {
    **users_model.CONSTRAINTS,
    **roles_model.CONSTRAINTS,
    **work_orders_model.CONSTRAINTS,
}


class Parts(msgspec.Struct):
    """Everything that routes and pages are made of."""

    settings: Settings
    pool: Pool
    bus: Bus
    limiter: Limiter
    usage: UsageCounter
    desk: Desk
    memory: Memory
    vault: Vault


def all_routes(parts: Parts) -> tuple[Route, ...]:
    return (
        *organizations_api.ROUTES,
        *users_api.routes(parts.bus),
        *roles_api.routes(parts.bus),
        *api_keys_api.routes(parts.bus, parts.limiter, parts.usage),
        *tokens_api.routes(parts.desk),
        *work_orders_api.ROUTES,
        *health.routes(parts.settings.worker_stale_seconds),
    )


async def open_parts(settings: Settings, secret_key: bytes, url: str) -> Parts:
    pool = Pool(url, settings.database_connections)
    vault = Vault(secret_key)
    limiter = Limiter(pool)
    memory = Memory(pool)
    bus = Bus(url, pool, memory)
    memory.trusted = bus.trusted
    desk = Desk(pool, await load_signer(pool, vault), limiter, settings.legacy_jwt)
    return Parts(settings, pool, bus, limiter, UsageCounter(pool), desk, memory, vault)


def build_api(parts: Parts) -> Api:
    gate = Gate(parts.settings, parts.memory, parts.limiter, parts.desk.signer, parts.usage)
    return Api(
        Router(all_routes(parts)),
        gate=gate,
        db=parts.pool,
        cursors=Cursors(parts.vault),
        idempotency=Idempotency(parts.vault),
        constraints=CONSTRAINTS,
        trusted_proxies=parts.settings.trusted_proxies,
    )


@asynccontextmanager
async def running_api(settings: Settings, secret_key: bytes, url: str) -> AsyncIterator[Api]:
    """The application with what it does beside answering; on leaving, nothing that it counted is lost."""
    parts = await open_parts(settings, secret_key, url)
    await parts.bus.start()
    stop = asyncio.Event()
    beside = asyncio.create_task(
        run_jobs(
            [
                Job("write usage", 1, parts.usage.write),
                Job("return allowances", 1, parts.limiter.return_idle),
            ],
            stop,
        )
    )
    try:
        yield build_api(parts)
    finally:
        stop.set()
        await beside
        await parts.usage.write()
        await parts.limiter.return_all()
        await parts.bus.stop()
        await parts.pool.close()


async def run_worker(settings: Settings, url: str, stop: asyncio.Event) -> None:
    pool = Pool(url, settings.database_connections)
    try:
        await run_jobs(jobs.all_jobs(pool), stop)
    finally:
        await pool.close()
