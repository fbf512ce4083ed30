"""Opens pools and clients and puts the parts together; the only module that knows everything."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from typing import Any

import jinja2
import msgspec

from steward.access.gate import Gate
from steward.access.memory import Memory
from steward.api_keys import api as api_keys_api
from steward.api_keys import pages as api_keys_pages
from steward.api_keys.usage import UsageCounter
from steward.asset_types import actions as asset_types_actions
from steward.asset_types import api as asset_types_api
from steward.asset_types import model as asset_types_model
from steward.assets import api as assets_api
from steward.assets import model as assets_model
from steward.bookings import api as bookings_api
from steward.bookings import model as bookings_model
from steward.decks import api as decks_api
from steward.decks import model as decks_model
from steward.delivery.engine import Engine, Rules
from steward.delivery.send import Sender
from steward.events import api as events_api
from steward.forms import api as forms_api
from steward.forms import model as forms_model
from steward.kit import clock
from steward.kit.bus import Bus
from steward.kit.caller import TenantId
from steward.kit.constraints import Constraints
from steward.kit.db import Pool, Told, Transaction
from steward.kit.http.app import Api
from steward.kit.http.document import with_document
from steward.kit.http.openapi import Json
from steward.kit.http.route import Route
from steward.kit.http.router import Router
from steward.kit.http.server import App
from steward.kit.idempotency import Idempotency
from steward.kit.limiter import Limiter
from steward.kit.log import REQUEST_LINES
from steward.kit.page import Cursors
from steward.kit.pages import WebPage
from steward.kit.partitions import keep_partitions
from steward.kit.remembered import Remembered
from steward.kit.vault import Vault
from steward.kit.wake import Waker, listen
from steward.kit.worker import Job, run_jobs
from steward.locations import api as locations_api
from steward.locations import model as locations_model
from steward.organizations import api as organizations_api
from steward.roles import api as roles_api
from steward.roles import model as roles_model
from steward.settings import Settings
from steward.sor_quotations import api as sor_quotations_api
from steward.sor_quotations import model as sor_quotations_model
from steward.sor_schedules import api as sor_schedules_api
from steward.sor_schedules import model as sor_schedules_model
from steward.tokens import api as tokens_api
from steward.tokens.actions import Desk, Turns
from steward.tokens.signing import Signer, load_signer, new_signing_key
from steward.upkeep import health, jobs
from steward.upkeep.reconcile import reconcile
from steward.upkeep.subscriptions import complete_subscriptions
from steward.users import api as users_api
from steward.users import model as users_model
from steward.visitors import api as visitors_api
from steward.visitors import model as visitors_model
from steward.web import account, docs, login, overview
from steward.web.app import WebApp
from steward.web.rendering import renderer
from steward.web.static import StaticFiles
from steward.webhooks import api as webhooks_api
from steward.webhooks import delivery_api, replay_api
from steward.webhooks.signing import open_secrets
from steward.work_orders import api as work_orders_api
from steward.work_orders import model as work_orders_model
from steward.work_orders import pages as work_orders_pages
from steward.work_orders import sla_api, sla_queries
from steward.work_orders.sla import SlaPolicy

_ENGINE_CONNECTIONS = 4

CONSTRAINTS: Constraints = {
    **users_model.CONSTRAINTS,
    **roles_model.CONSTRAINTS,
    **locations_model.CONSTRAINTS,
    **asset_types_model.CONSTRAINTS,
    **assets_model.CONSTRAINTS,
    **sor_schedules_model.CONSTRAINTS,
    **forms_model.CONSTRAINTS,
    **decks_model.CONSTRAINTS,
    **work_orders_model.CONSTRAINTS,
    **bookings_model.CONSTRAINTS,
    **visitors_model.CONSTRAINTS,
    **sor_quotations_model.CONSTRAINTS,
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
    policies: Remembered[SlaPolicy]


def all_routes(parts: Parts) -> tuple[Route, ...]:
    return (
        *organizations_api.ROUTES,
        *users_api.routes(parts.bus),
        *roles_api.routes(parts.bus),
        *api_keys_api.routes(parts.bus, parts.limiter, parts.usage),
        *tokens_api.routes(parts.desk),
        *locations_api.ROUTES,
        *asset_types_api.ROUTES,
        *assets_api.ROUTES,
        *sor_schedules_api.ROUTES,
        *forms_api.ROUTES,
        *decks_api.ROUTES,
        *work_orders_api.routes(parts.policies),
        *sla_api.routes(parts.bus, parts.policies),
        *sor_quotations_api.ROUTES,
        *bookings_api.ROUTES,
        *visitors_api.ROUTES,
        *events_api.ROUTES,
        *webhooks_api.routes(parts.vault, allow_local=parts.settings.webhook_allow_local),
        *delivery_api.ROUTES,
        *replay_api.ROUTES,
        *health.routes(parts.settings.worker_stale_seconds),
    )


async def furnish_organization(tx: Transaction, tenant: TenantId) -> None:
    """What a new organization begins with, beside its first people."""
    await asset_types_actions.install_sensor_types(tx, tenant)


def assemble(settings: Settings, vault: Vault, url: str, pool: Pool, signer: Signer) -> Parts:
    limiter = Limiter(pool)
    memory = Memory(pool)
    policies = Remembered(sla_queries.policy)
    bus = Bus(url, pool, [memory, policies])
    memory.trusted = policies.trusted = bus.trusted
    desk = Desk(pool, signer, limiter, settings.legacy_jwt, Turns())
    return Parts(settings, pool, bus, limiter, UsageCounter(pool), desk, memory, vault, policies)


async def open_parts(
    settings: Settings, secret_key: bytes, url: str, told: Told = lambda _organization: None
) -> Parts:
    pool = Pool(url, settings.database_connections, told=told)
    vault = Vault(secret_key)
    return assemble(settings, vault, url, pool, await load_signer(pool, vault))


def api_document() -> Json:
    """The OpenAPI document, without a database to serve it from."""
    url = "postgresql://"
    parts = assemble(Settings(), Vault(bytes(32)), url, Pool(url, 1), Signer(new_signing_key()))
    return with_document(all_routes(parts))[1]


def build_api(parts: Parts) -> Api:
    gate = Gate(parts.settings, parts.memory, parts.limiter, parts.desk.signer, parts.usage)
    routes, _ = with_document(all_routes(parts))
    return Api(
        Router(routes),
        gate=gate,
        db=parts.pool,
        cursors=Cursors(parts.vault),
        idempotency=Idempotency(parts.vault),
        constraints=CONSTRAINTS,
        trusted_proxies=parts.settings.trusted_proxies,
    )


def all_pages(parts: Parts, static: StaticFiles, templates: jinja2.Environment) -> tuple[WebPage, ...]:
    return (
        *login.pages(parts.desk),
        *overview.PAGES,
        *work_orders_pages.pages(parts.policies),
        *api_keys_pages.pages(parts.bus, parts.limiter),
        *account.pages(parts.desk),
        *docs.pages(with_document(all_routes(parts))[1], templates),
        *static.pages(),
    )


def build_web(parts: Parts) -> WebApp:
    static = StaticFiles()
    templates = renderer(static.url)
    return WebApp(
        all_pages(parts, static, templates),
        templates=templates,
        db=parts.pool,
        memory=parts.memory,
        cursors=Cursors(parts.vault),
        constraints=CONSTRAINTS,
        trusted_proxies=parts.settings.trusted_proxies,
    )


def build_site(parts: Parts) -> App:
    """The web app under the paths that are its own, the API under all others."""
    api, web = build_api(parts), build_web(parts)

    def site(scope: Any, protocol: Any) -> Awaitable[None]:
        return (web if web.serves(scope.path) else api)(scope, protocol)

    return site


@asynccontextmanager
async def running_api(settings: Settings, secret_key: bytes, url: str) -> AsyncIterator[App]:
    """The application with what it does beside answering; on leaving, nothing that it counted is lost."""
    waker = Waker(url)
    parts = await open_parts(settings, secret_key, url, waker.told)
    await complete_subscriptions(parts.pool)
    await parts.bus.start()
    waker.start()
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
        yield build_site(parts)
    finally:
        stop.set()
        await beside
        await parts.usage.write()
        await parts.limiter.return_all()
        await parts.bus.stop()
        await waker.stop()
        await parts.pool.close()
        REQUEST_LINES.flush()


async def run_worker(settings: Settings, secret_key: bytes, url: str, stop: asyncio.Event) -> None:
    # What lives as long as the process needs no looking at, and deliveries leave little behind that does.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    # Connections of its own, so that no other job can keep deliveries waiting for one.
    engine_pool = Pool(url, _ENGINE_CONNECTIONS)
    sender = Sender(allow_local=settings.webhook_allow_local)
    opened = lru_cache(maxsize=1024)(partial(open_secrets, Vault(secret_key)))
    rules = Rules(
        settings.webhook_retry_schedule, settings.webhook_allow_local, settings.shutdown_seconds - 5
    )
    engine = Engine(engine_pool, sender, opened, rules)
    pool = Pool(url, settings.database_connections, told=lambda tenant: engine.heard(frozenset({tenant})))
    hints = asyncio.create_task(listen(url, engine.heard))
    upkeep = [
        *jobs.all_jobs(pool, settings),
        Job("keep partitions", 3600, lambda: keep_partitions(url, clock.now(), jobs.EVENTS_KEPT_SECONDS)),
        Job("reconcile deliveries of late", 5, lambda: reconcile(pool, engine.take_touched())),
    ]
    try:
        await asyncio.gather(run_jobs(upkeep, stop), engine.run(stop))
    finally:
        hints.cancel()
        await sender.close()
        await engine_pool.close()
        await pool.close()
        REQUEST_LINES.flush()
