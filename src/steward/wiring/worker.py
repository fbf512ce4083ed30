"""The worker: delivers events, takes readings from a broker, and runs the jobs."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache, partial

from steward.alert_rules.queries import load_rule_index
from steward.demo.seed import demo_caller
from steward.demo.simulator import play
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.downlink.sender import ChirpStackSender
from steward.ingest.mqtt.client import MqttClient
from steward.ingest.slice import new_batch_writer, time_window
from steward.ingest.store import RuleIndexes
from steward.kit.coordination.cache_invalidation import InvalidationBus
from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Notify, Pool
from steward.kit.events.notify import listen
from steward.kit.jobs.runner import Job, run_jobs
from steward.kit.runtime.log import REQUEST_LINES
from steward.kit.security.encryption import Encryption
from steward.settings import Settings
from steward.webhook_delivery.engine import Engine
from steward.webhook_delivery.model import DeliveryConfig
from steward.webhook_delivery.send import HttpSender
from steward.webhooks.deliveries.model import CHANNEL
from steward.webhooks.signing import open_secrets
from steward.wiring.figures import announce, disk_jobs, pool_job
from steward.wiring.jobs import all_jobs as slice_jobs
from steward.wiring.parts import tune_runtime
from steward.wiring.tracing import Tracing

_ENGINE_CONNECTIONS = 4
_JOB_SECONDS = 30

# The one that encrypts, and others that decrypt what they have encrypted before.
Keys = Sequence[bytes]


async def run_worker(
    settings: Settings, keys: Keys, url: str, stop: asyncio.Event, tracing: Tracing, cluster: str | None
) -> None:
    """`cluster` is where an embedded database lies."""
    tune_runtime()
    announce("worker")
    session_url = settings.database_listen_url or url
    needs_session = settings.database_listen_url is None
    new_pool = partial(Pool, url, needs_session=needs_session, connection_class=tracing.connection_class)
    # Connections of its own, so that no other job can keep deliveries waiting for one.
    engine_pool = new_pool(size=_ENGINE_CONNECTIONS, name="deliveries")
    sender, encryption = HttpSender(allow_local=settings.webhook_allow_local), Encryption(*keys)
    heartbeat = Heartbeat(session_url)
    engine = _engine(settings, engine_pool, sender, encryption, heartbeat, tracing)

    def notify(organization: str) -> None:
        engine.notify(frozenset({organization}))

    # What goes over all tenants may take its time.
    pool = new_pool(size=settings.pool_size, seconds=_JOB_SECONDS, notify=notify, name="jobs")
    hints = asyncio.create_task(listen(session_url, CHANNEL, engine.notify))
    commands = ChirpStackSender(pool, sender, encryption, allow_local=settings.webhook_allow_local)
    send_commands = Job("send_chirpstack_commands", 1, commands.send_due)
    upkeep = [*slice_jobs(pool, settings, session_url, heartbeat), send_commands, *disk_jobs(cluster)]
    all_jobs = [*tracing.jobs(upkeep), pool_job([pool, engine_pool])]
    heartbeat.start()
    try:
        await asyncio.gather(
            run_jobs(all_jobs, stop, grace_seconds=_grace(settings)),
            engine.run(stop),
            _take_mqtt(settings, url, pool, notify, stop, tracing),
            _play_demo(settings, url, pool, notify, stop, tracing),
        )
    finally:
        hints.cancel()
        for ending in (heartbeat.stop, commands.close, sender.close):
            await ending()
        await asyncio.gather(engine_pool.close(), pool.close())
        REQUEST_LINES.flush()


def _engine(
    settings: Settings,
    pool: Pool,
    sender: HttpSender,
    encryption: Encryption,
    heartbeat: Heartbeat,
    tracing: Tracing,
) -> Engine:
    config = DeliveryConfig(settings.webhook_retry_schedule, settings.webhook_allow_local, _grace(settings))
    opened = lru_cache(maxsize=1024)(partial(open_secrets, encryption))
    return Engine(pool, sender, opened, config, heartbeat, trace_attempts=tracing.attempts)


def _batch_writer(
    settings: Settings, url: str, rule_indexes: RuleIndexes, notify: Notify, tracing: Tracing
) -> BatchWriter:
    return new_batch_writer(
        settings,
        url,
        rule_indexes,
        notify,
        connection_class=tracing.connection_class,
        writer_class=tracing.batch_writer,
    )


def _grace(settings: Settings) -> float:
    """The rest is for giving back what is not done, and for those who don't end by themselves."""
    return max(0.5, settings.shutdown_seconds * 0.75 - 2)


async def _take_mqtt(
    settings: Settings, url: str, pool: Pool, notify: Notify, stop: asyncio.Event, tracing: Tracing
) -> None:
    """Readings from the broker, where there is one."""
    if settings.mqtt_url is None:
        return
    rule_indexes = TenantCache(load_rule_index)
    bus = InvalidationBus(url, pool, [rule_indexes], listen_url=settings.database_listen_url)
    rule_indexes.trusted = bus.trusted
    writer = _batch_writer(settings, url, rule_indexes, notify, tracing)
    await bus.start()
    try:
        session_url = settings.database_listen_url or url
        await MqttClient(settings.mqtt_url, session_url, pool, writer, time_window(settings)).run(stop)
    finally:
        await writer.stop()
        await bus.stop()


async def _play_demo(
    settings: Settings, url: str, pool: Pool, notify: Notify, stop: asyncio.Event, tracing: Tracing
) -> None:
    """Devices and people of the demo organization, where there is one."""
    if settings.demo_organization is None:
        return
    writer = _batch_writer(settings, url, TenantCache(load_rule_index), notify, tracing)
    try:
        who = demo_caller(settings.demo_organization)
        await play(pool, writer, time_window(settings), who, stop)
    finally:
        await writer.stop()
