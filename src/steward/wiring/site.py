"""The API and the web app behind one port."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import jinja2

from steward.access.gate import Gate
from steward.api_keys import pages as api_keys_pages
from steward.kit.http.app import Api
from steward.kit.http.document import with_document
from steward.kit.http.observing import write_observed
from steward.kit.http.openapi import Json
from steward.kit.http.route import Route
from steward.kit.http.router import Router
from steward.kit.http.server import App
from steward.kit.idempotency import Idempotency
from steward.kit.page import Cursors
from steward.kit.pages import WebPage
from steward.kit.wake import Waker
from steward.kit.worker import Job, run_jobs
from steward.settings import Settings
from steward.upkeep.subscriptions import complete_subscriptions
from steward.web import account, docs, invitations, login, overview
from steward.web.app import WebApp
from steward.web.rendering import renderer
from steward.web.static import StaticFiles
from steward.wiring.parts import Parts, open_parts, settle_in
from steward.wiring.routes import CONSTRAINTS, all_routes
from steward.work_orders import pages as work_orders_pages


def build_api(parts: Parts, routes: Sequence[Route]) -> Api:
    gate = Gate(parts.settings, parts.memory, parts.limiter, parts.desk.signer, parts.usage)
    return Api(
        Router(routes),
        gate=gate,
        db=parts.pool,
        cursors=Cursors(parts.vault),
        idempotency=Idempotency(parts.vault),
        constraints=CONSTRAINTS,
        trusted_proxies=parts.settings.trusted_proxies,
    )


def all_pages(
    parts: Parts, document: Json, static: StaticFiles, templates: jinja2.Environment
) -> tuple[WebPage, ...]:
    return (
        *login.pages(parts.desk),
        *overview.PAGES,
        *work_orders_pages.pages(parts.policies),
        *api_keys_pages.pages(parts.bus, parts.limiter),
        *account.pages(parts.desk, parts.bus),
        *invitations.pages(invitations.Host(parts.bus, parts.memory, parts.desk)),
        *docs.pages(document, templates),
        *static.pages(),
    )


def build_web(parts: Parts, document: Json) -> WebApp:
    static = StaticFiles()
    templates = renderer(static.url)
    return WebApp(
        all_pages(parts, document, static, templates),
        templates=templates,
        db=parts.pool,
        memory=parts.memory,
        cursors=Cursors(parts.vault),
        constraints=CONSTRAINTS,
        trusted_proxies=parts.settings.trusted_proxies,
    )


def build_site(parts: Parts) -> App:
    """The web app under the paths that are its own, the API under all others."""
    routes, document = with_document(all_routes(parts))
    api, web = build_api(parts, routes), build_web(parts, document)

    def site(scope: Any, protocol: Any) -> Awaitable[None]:
        path: str = scope.path
        # Nearly all requests, so they are asked about first.
        if path.startswith("/organizations/"):
            return api(scope, protocol)
        return (web if web.serves(path) else api)(scope, protocol)

    return site


@asynccontextmanager
async def running_api(settings: Settings, secret_key: bytes, url: str) -> AsyncIterator[App]:
    """The application with what it does beside answering; on leaving, nothing that it counted is lost."""
    settle_in()
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
        await parts.telemetry.stop()
        await parts.usage.write()
        await parts.limiter.return_all()
        await parts.bus.stop()
        await waker.stop()
        await parts.pool.close()
        write_observed()
