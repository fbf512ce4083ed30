"""What a worker does: deliver, take readings from a broker, and look after everything that has a time."""

import asyncio
from functools import lru_cache, partial

from steward.alert_rules.queries import rule_book
from steward.delivery.engine import Engine
from steward.delivery.model import Rules
from steward.delivery.send import Sender
from steward.ingest.mqtt.service import run_mqtt
from steward.kit.bus import Bus
from steward.kit.db import Pool, Told
from steward.kit.heartbeat import Heartbeat
from steward.kit.log import REQUEST_LINES
from steward.kit.remembered import Remembered
from steward.kit.vault import Vault
from steward.kit.wake import listen
from steward.kit.worker import Job, run_jobs
from steward.settings import Settings
from steward.upkeep import jobs
from steward.upkeep.reconcile import reconcile
from steward.webhooks.signing import open_secrets
from steward.wiring.parts import settle_in, telemetry_writer, time_window

_ENGINE_CONNECTIONS = 4
_JOB_SECONDS = 30


async def run_worker(settings: Settings, secret_key: bytes, url: str, stop: asyncio.Event) -> None:
    settle_in()
    # The rest is for giving back what is not done, and for those who don't end by themselves.
    grace = max(0.5, settings.shutdown_seconds * 0.75 - 2)
    # Connections of its own, so that no other job can keep deliveries waiting for one.
    engine_pool = Pool(url, _ENGINE_CONNECTIONS)
    sender = Sender(allow_local=settings.webhook_allow_local)
    opened = lru_cache(maxsize=1024)(partial(open_secrets, Vault(secret_key)))
    rules = Rules(settings.webhook_retry_schedule, settings.webhook_allow_local, grace)
    heartbeat = Heartbeat(url)
    engine = Engine(engine_pool, sender, opened, rules, heartbeat)

    def told(organization: str) -> None:
        engine.heard(frozenset({organization}))

    # What goes over all tenants may take its time.
    pool = Pool(url, settings.database_connections, seconds=_JOB_SECONDS, told=told)
    hints = asyncio.create_task(listen(url, engine.heard))
    upkeep = [
        *jobs.all_jobs(pool, settings, url, heartbeat),
        Job("reconcile deliveries of late", 5, lambda: reconcile(pool, engine.take_touched())),
    ]
    heartbeat.start()
    try:
        await asyncio.gather(
            run_jobs(upkeep, stop, grace_seconds=grace),
            engine.run(stop),
            _take_mqtt(settings, url, pool, told, stop),
        )
    finally:
        hints.cancel()
        await heartbeat.stop()
        await sender.close()
        await asyncio.gather(engine_pool.close(), pool.close())
        REQUEST_LINES.flush()


async def _take_mqtt(settings: Settings, url: str, pool: Pool, told: Told, stop: asyncio.Event) -> None:
    """Readings from the broker, where there is one."""
    if settings.mqtt_url is None:
        return
    rule_books = Remembered(rule_book)
    bus = Bus(url, pool, [rule_books])
    rule_books.trusted = bus.trusted
    writer = telemetry_writer(settings, url, rule_books, told)
    await bus.start()
    try:
        await run_mqtt(settings.mqtt_url, url, writer, time_window(settings), stop)
    finally:
        await writer.stop()
        await bus.stop()
