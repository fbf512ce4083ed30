"""What both the API and the worker are made of: pools, memories and writers."""

import asyncio
import gc

import msgspec

from steward.access.memory import Memory
from steward.alert_rules.queries import rule_book
from steward.api_keys.usage import UsageCounter
from steward.ingest.readings import TimeWindow
from steward.ingest.store import RuleBooks, Store
from steward.ingest.writer import AT_ONCE, Writer
from steward.kit.bus import Bus
from steward.kit.db import Pool, Told
from steward.kit.limiter import Limiter
from steward.kit.mail import Mailer
from steward.kit.partitions import DAY_SECONDS
from steward.kit.remembered import Remembered
from steward.kit.vault import Vault
from steward.settings import Settings
from steward.tokens.actions import Desk
from steward.tokens.guessing import Guesses
from steward.tokens.signing import Signer, load_signer
from steward.users.invitation_actions import Office
from steward.work_orders import sla_queries
from steward.work_orders.sla import SlaPolicy


class Parts(msgspec.Struct):
    """Everything that routes and pages are made of."""

    settings: Settings
    pool: Pool
    bus: Bus
    limiter: Limiter
    usage: UsageCounter
    desk: Desk
    office: Office
    memory: Memory
    vault: Vault
    policies: Remembered[SlaPolicy]
    telemetry: Writer
    # Set once the process has been told to stop.
    stopping: asyncio.Event


def settle_in() -> None:
    """What lives as long as the process needs no looking at by the collector."""
    gc.freeze()


def time_window(settings: Settings) -> TimeWindow:
    return TimeWindow(settings.telemetry_retention_days * DAY_SECONDS)


def telemetry_writer(settings: Settings, url: str, rule_books: RuleBooks, told: Told) -> Writer:
    pool = Pool(url, AT_ONCE, told=told)
    return Writer(pool, Store(rule_books).take, most_waiting=settings.telemetry_queue)


def mailer(settings: Settings) -> Mailer | None:
    return None if settings.smtp_url is None else Mailer(settings.smtp_url, settings.smtp_from)


def nobody(_organization: str) -> None:
    """Hears nothing: where deliveries are left to a worker's own looking."""


def assemble(
    settings: Settings, vault: Vault, url: str, pool: Pool, signer: Signer, told: Told = nobody
) -> Parts:
    limiter = Limiter(pool)
    memory = Memory(pool)
    policies, rule_books = Remembered(sla_queries.policy), Remembered(rule_book)
    bus = Bus(url, pool, [memory, policies, rule_books])
    memory.trusted = policies.trusted = rule_books.trusted = bus.trusted
    return Parts(
        settings=settings,
        pool=pool,
        bus=bus,
        limiter=limiter,
        usage=UsageCounter(pool),
        desk=Desk(pool, signer, Guesses(limiter), settings.legacy_jwt),
        office=Office(limiter, mailer(settings), settings.public_url),
        memory=memory,
        vault=vault,
        policies=policies,
        telemetry=telemetry_writer(settings, url, rule_books, told),
        stopping=asyncio.Event(),
    )


async def open_parts(settings: Settings, secret_key: bytes, url: str, told: Told = nobody) -> Parts:
    pool = Pool(url, settings.database_connections, told=told)
    vault = Vault(secret_key)
    return assemble(settings, vault, url, pool, await load_signer(pool, vault), told)
