"""What both the API and the worker are made of: pools, memories and writers."""

import asyncio
import gc
from collections.abc import Sequence

import msgspec

from steward.access.credential_cache import CredentialCache
from steward.alert_rules.queries import load_rule_index
from steward.api_keys.usage import UsageCounter
from steward.ingest.batch_writer import CONCURRENT_BATCHES, BatchWriter
from steward.ingest.rules import TimeWindow
from steward.ingest.store import RuleIndexes, Store
from steward.kit.coordination.cache_invalidation import InvalidationBus
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.coordination.rate_windows import CHANNEL as ALLOWANCES
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.db.pool import Notify, Pool
from steward.kit.db.replicas import Replicas
from steward.kit.events.hints import EventHints
from steward.kit.jobs.background import BackgroundTasks
from steward.kit.runtime.mail import Mailer
from steward.kit.security.encryption import Encryption
from steward.settings import Settings
from steward.tokens.actions import LoginContext
from steward.tokens.login_limits import LoginLimits
from steward.tokens.signing import Signer, load_signer
from steward.users.invitations.actions import InvitationContext
from steward.users.password_resets.actions import ResetMail
from steward.web.live.hub import LiveHub
from steward.webhooks.deliveries.model import CHANNEL
from steward.wiring.tracing import UNTRACED, Tracing
from steward.work_orders.sla import queries as sla_queries
from steward.work_orders.sla.model import SlaPolicy

# Letters that are being sent; a mail server that hangs lets go of each after seconds.
_MOST_IN_BACKGROUND = 50


class Parts(msgspec.Struct):
    """Everything that routes and pages are made of."""

    settings: Settings
    pool: Pool
    replicas: Replicas
    bus: InvalidationBus
    limiter: Limiter
    usage: UsageCounter
    login_context: LoginContext
    invitation_context: InvitationContext
    reset_mail: ResetMail
    background: BackgroundTasks
    credentials: CredentialCache
    encryption: Encryption
    policies: TenantCache[SlaPolicy]
    telemetry: BatchWriter
    hints: EventHints
    live: LiveHub
    # Set once the process has been told to stop.
    stopping: asyncio.Event = msgspec.field(default_factory=asyncio.Event)


def tune_runtime() -> None:
    """What lives as long as the process needs no looking at by the collector."""
    gc.freeze()


def time_window(settings: Settings) -> TimeWindow:
    return TimeWindow(settings.telemetry_retention_days * DAY_SECONDS)


def telemetry_writer(
    settings: Settings, url: str, rule_indexes: RuleIndexes, notify: Notify, *, tracing: Tracing = UNTRACED
) -> BatchWriter:
    pool = Pool(
        url,
        CONCURRENT_BATCHES,
        needs_session=settings.database_listen_url is None,
        notify=notify,
        name="readings",
        connection_class=tracing.connection_class,
    )
    return tracing.batch_writer(pool, Store(rule_indexes).take, max_waiting=settings.telemetry_queue)


def mailer(settings: Settings) -> Mailer | None:
    return None if settings.smtp_url is None else Mailer(settings.smtp_url, settings.smtp_from)


def live_hub(settings: Settings, pool: Pool, hints: EventHints) -> LiveHub:
    per_organization = settings.live_streams_per_organization
    return LiveHub(pool, hints, max_streams=settings.live_streams, max_per_organization=per_organization)


def nobody(_organization: str) -> None:
    """Hears nothing: where deliveries are left to a worker's own looking."""


def assemble(
    settings: Settings,
    encryption: Encryption,
    url: str,
    pool: Pool,
    signer: Signer,
    notify: Notify = nobody,
    *,
    tracing: Tracing = UNTRACED,
) -> Parts:
    limiter, background = Limiter(pool), BackgroundTasks(_MOST_IN_BACKGROUND)
    credentials, hints = CredentialCache(pool), EventHints(settings.database_listen_url or url, CHANNEL)
    policies, rule_indexes = TenantCache(sla_queries.policy), TenantCache(load_rule_index)
    live = live_hub(settings, pool, hints)
    bus = InvalidationBus(
        url,
        pool,
        [credentials, policies, rule_indexes, live, hints],
        listen_url=settings.database_listen_url,
        listeners={ALLOWANCES: limiter.on_message},
    )
    credentials.trusted = policies.trusted = rule_indexes.trusted = bus.trusted
    return Parts(
        settings=settings,
        pool=pool,
        replicas=Replicas(pool, settings.database_replica_urls, connection_class=tracing.connection_class),
        bus=bus,
        limiter=limiter,
        usage=UsageCounter(pool),
        login_context=LoginContext(pool, signer, LoginLimits(limiter), settings.legacy_jwt),
        invitation_context=InvitationContext(limiter, mailer(settings), settings.public_url),
        reset_mail=ResetMail(limiter, background, mailer(settings), settings.public_url),
        background=background,
        credentials=credentials,
        encryption=encryption,
        policies=policies,
        telemetry=telemetry_writer(settings, url, rule_indexes, notify, tracing=tracing),
        hints=hints,
        live=live,
    )


async def open_parts(
    settings: Settings,
    secret_keys: Sequence[bytes],
    url: str,
    notify: Notify = nobody,
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
    signer = await load_signer(pool, encryption)
    return assemble(settings, encryption, url, pool, signer, notify, tracing=tracing)
