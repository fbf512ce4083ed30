"""The API and the web app behind one port."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from steward.access.gate import Gate
from steward.access.slice import credential_cache
from steward.api_keys.slice import usage_counter
from steward.ingest.slice import batch_writer
from steward.kit.coordination.processes import COUNT_SECONDS, count_processes
from steward.kit.db.cursors import Cursors
from steward.kit.db.idempotency import Idempotency
from steward.kit.events.notify import Notifier
from steward.kit.http.access_log import observe, write_observed
from steward.kit.http.app import Api
from steward.kit.http.cors import Cors
from steward.kit.http.openapi.answers import Json
from steward.kit.http.openapi.route import with_document
from steward.kit.http.route import Route
from steward.kit.http.router import Router
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.server.http_connection import App
from steward.kit.http.server.server import ShutdownTimes
from steward.kit.jobs.runner import Job, finish_within, run_jobs
from steward.kit.runtime.fair_turns import FairTurns
from steward.kit.web.slice import Parts
from steward.settings import Settings
from steward.slices import CONSTRAINTS
from steward.tokens.slice import login_context
from steward.web.app import WebApp
from steward.web.menu import Menu, menu_entries
from steward.web.rendering import renderer
from steward.web.slice import live_hub
from steward.web.static import StaticFiles
from steward.webhooks.deliveries.model import CHANNEL
from steward.webhooks.jobs import complete_subscriptions
from steward.wiring.figures import announce, pool_job
from steward.wiring.parts import open_parts, tune_runtime
from steward.wiring.routes import all_pages, all_panels, all_routes
from steward.wiring.tracing import UNTRACED, Tracing


def build_api(parts: Parts, routes: Sequence[Route], tracing: Tracing = UNTRACED) -> Api:
    credentials, signer = parts.once(credential_cache), parts.once(login_context).signer
    gate = Gate(parts.settings, credentials, parts.limiter, signer, parts.once(usage_counter))
    return Api(
        Router(routes),
        gate=gate,
        db=parts.pool,
        replicas=parts.replicas,
        cursors=Cursors(parts.encryption),
        idempotency=Idempotency(parts.encryption),
        constraints=CONSTRAINTS,
        trusted_proxies=parts.settings.trusted_proxies,
        cors=Cors(parts.settings.cors_origins),
        observe=tracing.observe or observe,
    )


def build_web(parts: Parts, document: Json, tracing: Tracing = UNTRACED) -> WebApp:
    static = StaticFiles()
    templates = renderer(static.url)
    pages = all_pages(parts, document, static, templates)
    return WebApp(
        router=Router(pages),
        menu=Menu(menu_entries(parts.slices), pages, templates),
        panels=all_panels(parts),
        templates=templates,
        db=parts.pool,
        replicas=parts.replicas,
        credentials=parts.once(credential_cache),
        cursors=Cursors(parts.encryption),
        constraints=CONSTRAINTS,
        trusted_proxies=parts.settings.trusted_proxies,
        observe=tracing.observe or observe,
    )


def build_site(parts: Parts, tracing: Tracing = UNTRACED) -> App:
    """The web app under the paths that are its own, the API under all others. Making them makes the caches that the bus keeps right."""
    routes, document = with_document(all_routes(parts))
    api, web = build_api(parts, routes, tracing), build_web(parts, document, tracing)
    turns = FairTurns()

    def site(exchange: Exchange) -> Awaitable[None]:
        path = exchange.path
        # Nearly all requests, so they are asked about first.
        if path.startswith("/organizations/"):
            return turns.of(api(exchange))
        return turns.of((web if web.serves(path) else api)(exchange))

    return tracing.app(site)


@asynccontextmanager
async def running_api(
    settings: Settings,
    secret_keys: Sequence[bytes],
    url: str,
    stopping: asyncio.Event,
    tracing: Tracing = UNTRACED,
) -> AsyncIterator[App]:
    """The application with what it does beside answering; on leaving, nothing that it counted is lost."""
    tune_runtime()
    announce("api")
    notifier = Notifier(url, CHANNEL, needs_session=settings.database_listen_url is None)
    parts = await open_parts(settings, secret_keys, url, notifier.notify, tracing=tracing)
    parts.stopping = stopping
    app = build_site(parts, tracing)
    live, telemetry = parts.once(live_hub), parts.once(batch_writer)
    await complete_subscriptions(parts.pool)
    await parts.replicas.start()
    await parts.bus.start()
    notifier.start()
    stop = asyncio.Event()
    streams = asyncio.create_task(live.run(stopping), name="live streams")
    farewell = _farewell_seconds(settings)
    beside = asyncio.create_task(run_jobs(_jobs(parts), stop, grace_seconds=farewell / 4))
    try:
        yield app
    finally:
        stop.set()
        streams.cancel()
        await live.close()
        await parts.hints.close()
        await beside
        # Each counts on the ones before it; a database that doesn't answer costs what they counted, and not the time to stop.
        for end in (parts.background.finish, telemetry.stop, partial(_write_counts, parts), parts.bus.stop):
            await finish_within(farewell / 4, end())
        await notifier.stop()
        await parts.replicas.close()
        await parts.pool.close()
        write_observed()


def _jobs(parts: Parts) -> list[Job]:
    return [
        Job("write_key_usage", 1, parts.once(usage_counter).write),
        Job("return_rate_allowances", 1, parts.limiter.return_idle),
        Job("count_processes", COUNT_SECONDS, lambda: count_processes(parts.pool)),
        pool_job([parts.pool, parts.once(batch_writer).pool, *parts.replicas.pools]),
    ]


async def _write_counts(parts: Parts) -> None:
    await parts.once(usage_counter).write()
    await parts.limiter.return_all()


def shutdown_times(settings: Settings) -> ShutdownTimes:
    """How the time to stop is shared out: something is kept for writing down what was counted."""
    total = settings.shutdown_seconds
    drain = min(settings.drain_seconds, total / 3)
    return ShutdownTimes(
        drain_seconds=drain, answer_seconds=max(0.5, total - 1 - drain - _farewell_seconds(settings))
    )


def _farewell_seconds(settings: Settings) -> float:
    return min(8.0, settings.shutdown_seconds / 3)
