"""What a process that serves requests is made of: pools, caches and writers."""

import asyncio
import gc
from collections.abc import Sequence
from functools import partial

from steward import slices
from steward.alert_rules.actions import ApplyChange
from steward.alert_rules.slice import apply_change as rule_application
from steward.ingest import slice as ingest
from steward.ingest.jobs import apply_change
from steward.kit.coordination.cache_invalidation import InvalidationBus
from steward.kit.coordination.invalidation import InvalidatedCache
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.coordination.rate_windows import CHANNEL as ALLOWANCES
from steward.kit.db.pool import Notify, Pool
from steward.kit.db.replicas import Replicas
from steward.kit.events.hints import EventHints
from steward.kit.jobs.background import BackgroundTasks
from steward.kit.runtime import clock
from steward.kit.runtime.mail import Mailer
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption
from steward.kit.web.slice import Parts
from steward.settings import Settings
from steward.tokens.signing import load_signing_key
from steward.webhooks.deliveries.model import CHANNEL
from steward.wiring.tracing import UNTRACED, Tracing

# Letters that are being sent; a mail server that hangs lets go of each after seconds.
_MOST_IN_BACKGROUND = 50


def tune_runtime() -> None:
    """What lives as long as the process needs no looking at by the collector."""
    gc.freeze()


def ignore(_organization: str) -> None:
    """For processes that leave it to the worker to find new deliveries."""


def assemble(
    settings: Settings,
    encryption: Encryption,
    url: str,
    pool: Pool,
    signing_key: bytes,
    notify: Notify = ignore,
    *,
    tracing: Tracing = UNTRACED,
) -> Parts:
    limiter = Limiter(pool)
    hints = EventHints(settings.database_listen_url or url, CHANNEL)
    caches: list[InvalidatedCache] = [hints]
    parts = Parts(
        slices=slices.SLICES,
        settings=settings,
        url=url,
        pool=pool,
        replicas=Replicas(pool, settings.database_replica_urls, connection_class=tracing.connection_class),
        bus=InvalidationBus(
            url,
            pool,
            caches,
            listen_url=settings.database_listen_url,
            listeners={ALLOWANCES: limiter.on_message},
        ),
        caches=caches,
        limiter=limiter,
        background=BackgroundTasks(_MOST_IN_BACKGROUND),
        mailer=None if settings.smtp_url is None else Mailer(settings.smtp_url, settings.smtp_from),
        encryption=encryption,
        signing_key=signing_key,
        hints=hints,
        notify=notify,
        stopping=asyncio.Event(),
    )
    apply: ApplyChange = partial(_apply_rules, pool)
    parts.use(rule_application, apply)
    parts.use(ingest.batch_writer, ingest.batch_writer(parts, tracing.connection_class, tracing.batch_writer))
    return parts


async def _apply_rules(pool: Pool, tenant: TenantId, change_id: str) -> None:
    await apply_change(pool, tenant, change_id, clock.now())


async def open_parts(
    settings: Settings,
    secret_keys: Sequence[bytes],
    url: str,
    notify: Notify = ignore,
    *,
    tracing: Tracing = UNTRACED,
) -> Parts:
    pool = Pool(
        url,
        settings.pool_size,
        needs_session=settings.database_listen_url is None,
        notify=notify,
        name="requests",
        connection_class=tracing.connection_class,
    )
    encryption = Encryption(*secret_keys)
    signing_key = await load_signing_key(pool, encryption)
    return assemble(settings, encryption, url, pool, signing_key, notify, tracing=tracing)
