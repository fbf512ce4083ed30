"""What a worker does: deliver, take readings from a broker, and look after everything that has a time."""

import asyncio
from functools import lru_cache, partial

from steward.alert_rules.queries import load_rule_index
from steward.demo.seed import demo_caller
from steward.demo.simulator import play
from steward.ingest.downlink.sender import ChirpStackSender
from steward.ingest.mqtt.service import run_mqtt
from steward.kit.db.pool import Notify, Pool
from steward.kit.events.notify import listen
from steward.kit.runtime.cache_invalidation import InvalidationBus
from steward.kit.runtime.heartbeat import Heartbeat
from steward.kit.runtime.jobs import Job, run_jobs
from steward.kit.runtime.log import REQUEST_LINES
from steward.kit.runtime.tenant_cache import TenantCache
from steward.kit.security.encryption import Encryption
from steward.settings import Settings
from steward.upkeep import schedule as jobs
from steward.webhook_delivery.engine import Engine
from steward.webhook_delivery.model import DeliveryConfig
from steward.webhook_delivery.send import HttpSender
from steward.webhooks.deliveries.model import CHANNEL
from steward.webhooks.signing import open_secrets
from steward.wiring.parts import telemetry_writer, time_window, tune_runtime

_ENGINE_CONNECTIONS = 4
_JOB_SECONDS = 30


async def run_worker(settings: Settings, secret_key: bytes, url: str, stop: asyncio.Event) -> None:
    tune_runtime()
    # The rest is for giving back what is not done, and for those who don't end by themselves.
    grace = max(0.5, settings.shutdown_seconds * 0.75 - 2)
    # Connections of its own, so that no other job can keep deliveries waiting for one.
    needs_session = settings.database_listen_url is None
    session_url = settings.database_listen_url or url
    engine_pool = Pool(url, _ENGINE_CONNECTIONS, needs_session=needs_session)
    sender = HttpSender(allow_local=settings.webhook_allow_local)
    encryption = Encryption(secret_key)
    opened = lru_cache(maxsize=1024)(partial(open_secrets, encryption))
    config = DeliveryConfig(settings.webhook_retry_schedule, settings.webhook_allow_local, grace)
    heartbeat = Heartbeat(session_url)
    engine = Engine(engine_pool, sender, opened, config, heartbeat)

    def notify(organization: str) -> None:
        engine.notify(frozenset({organization}))

    # What goes over all tenants may take its time.
    pool = Pool(url, settings.pool_size, seconds=_JOB_SECONDS, needs_session=needs_session, notify=notify)
    hints = asyncio.create_task(listen(session_url, CHANNEL, engine.notify))
    commands = ChirpStackSender(pool, sender, encryption, allow_local=settings.webhook_allow_local)
    send_commands = Job("send commands through ChirpStack", 1, commands.send_due)
    upkeep = [*jobs.all_jobs(pool, settings, session_url, heartbeat), send_commands]
    heartbeat.start()
    try:
        await asyncio.gather(
            run_jobs(upkeep, stop, grace_seconds=grace),
            engine.run(stop),
            _take_mqtt(settings, url, pool, notify, stop),
            _play_demo(settings, url, pool, notify, stop),
        )
    finally:
        hints.cancel()
        await heartbeat.stop()
        await commands.close()
        await sender.close()
        await asyncio.gather(engine_pool.close(), pool.close())
        REQUEST_LINES.flush()


async def _take_mqtt(settings: Settings, url: str, pool: Pool, notify: Notify, stop: asyncio.Event) -> None:
    """Readings from the broker, where there is one."""
    if settings.mqtt_url is None:
        return
    rule_indexes = TenantCache(load_rule_index)
    bus = InvalidationBus(url, pool, [rule_indexes], listen_url=settings.database_listen_url)
    rule_indexes.trusted = bus.trusted
    writer = telemetry_writer(settings, url, rule_indexes, notify)
    await bus.start()
    try:
        session_url = settings.database_listen_url or url
        await run_mqtt(settings.mqtt_url, session_url, pool, writer, time_window(settings), stop)
    finally:
        await writer.stop()
        await bus.stop()


async def _play_demo(settings: Settings, url: str, pool: Pool, notify: Notify, stop: asyncio.Event) -> None:
    """Devices and people of the demo organization, where there is one."""
    if settings.demo_organization is None:
        return
    writer = telemetry_writer(settings, url, TenantCache(load_rule_index), notify)
    try:
        who = demo_caller(settings.demo_organization)
        await play(pool, writer, time_window(settings), who, stop)
    finally:
        await writer.stop()
