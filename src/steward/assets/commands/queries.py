from collections.abc import Collection

from steward.assets.commands.model import (
    KEPT_SECONDS,
    Command,
    CommandReason,
    CommandTarget,
    SendingResult,
    Transport,
    WaitingCommand,
)
from steward.assets.commands.rules import LEASE_SECONDS, next_attempt
from steward.kit.db.listing import Filter, Listing
from steward.kit.db.query import Database, query, sql
from steward.kit.db.sharding import all_or_by_shard, among
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

COMMANDS = Table("commands", Command, "command", parent="asset_id")
LISTING = Listing(
    COMMANDS,
    filters={"status": Filter("status = {}", indexed=False)},
)

_ALL_TENANTS = "a worker sends the commands of all tenants"
_BATCH_SIZE = 1000

# Short, and committed before sending: if the worker dies, the claim expires with its lease.
_CLAIM = sql(
    f"""WITH ready AS MATERIALIZED (
           SELECT c.organization_id, c.id FROM commands c
           WHERE c.via = $1 AND c.due <= $2 AND c.status = 'queued' AND c.expires_at > $2
             AND c.organization_id <> ALL ($5::text[]) AND {among("c", 6)}
           ORDER BY c.due LIMIT $4 FOR UPDATE SKIP LOCKED
       ), taken AS (
           UPDATE commands AS cc SET due = $3, attempts = cc.attempts + 1
           FROM ready WHERE cc.organization_id = ready.organization_id AND cc.id = ready.id
                            AND {among("cc", 6)}
           RETURNING cc.*
       )
       SELECT t.organization_id, t.id, t.asset_id, a.external_id, t.name, t.payload, t.confirmed, t.f_port, t.data,
              t.attempts, t.expires_at
       FROM taken t JOIN assets a ON a.organization_id = t.organization_id AND a.id = t.asset_id
                                     AND {among("a", 6)}""",
    across=_ALL_TENANTS,
)
# The device may have answered already; then the answer stays.
_SENT = sql(
    """UPDATE commands
       SET status = CASE WHEN status = 'queued' THEN 'sent' ELSE status END, reason = NULL, message = NULL,
           due = CASE WHEN status = 'queued' AND confirmed THEN expires_at END, queue_item_id = $4, sent_at = $3, updated = $3
       WHERE organization_id = $1 AND id = $2 AND status IN ('queued', 'acknowledged')"""
)
_AGAIN = sql(
    """UPDATE commands SET due = least($4, expires_at), reason = $5, message = $6, updated = $7
       WHERE organization_id = $1 AND id = $2 AND attempts = $3 AND status = 'queued'"""
)
_GIVE_UP = sql(
    """UPDATE commands SET status = 'failed', due = NULL, reason = $4, message = $5, updated = $6
       WHERE organization_id = $1 AND id = $2 AND attempts = $3 AND status = 'queued'"""
)
# A command that was never sent fails for another reason than one without an answer.
_EXPIRE = sql(
    f"""WITH late AS MATERIALIZED (
           SELECT c.organization_id, c.id FROM commands c
           WHERE c.due <= $1 AND c.expires_at <= $1 AND c.via = ANY ($3::text[])
                 AND {among("c", 4)} LIMIT $2 FOR UPDATE SKIP LOCKED
       ), ended AS (
           UPDATE commands AS cc
           SET status = 'failed', due = NULL, updated = $1,
               reason = CASE WHEN cc.status = 'sent' THEN '{CommandReason.NOT_ACKNOWLEDGED}' ELSE '{CommandReason.EXPIRED}' END
           FROM late WHERE cc.organization_id = late.organization_id AND cc.id = late.id
                           AND {among("cc", 4)}
           RETURNING cc.id
       )
       SELECT count(*) FROM ended""",
    across=_ALL_TENANTS,
)
_FORGET = sql(
    """DELETE FROM commands WHERE (organization_id, id) IN (
           SELECT c.organization_id, c.id FROM commands c WHERE c.expires_at < $1 LIMIT $2)
       RETURNING 1""",
    across="what is old is forgotten for all tenants alike",
)


@query(
    """SELECT a.external_id,
              EXISTS (SELECT 1 FROM chirpstack_servers cs WHERE cs.organization_id = $1),
              (SELECT count(*) FROM commands c
               WHERE c.organization_id = $1 AND c.asset_id = $2 AND c.status = 'queued')
       FROM assets a WHERE a.organization_id = $1 AND a.id = $2"""
)
async def target(db: Database, tenant: TenantId, asset_id: str) -> CommandTarget | None:
    """None if there is no such asset."""


@query("UPDATE commands SET due = $3 WHERE organization_id = $1 AND id = $2")
async def set_due(db: Database, tenant: TenantId, command_id: str, due: int) -> None: ...


@query(f"{COMMANDS.of_tenant} AND asset_id = $2 ORDER BY id DESC LIMIT $3")
async def newest(db: Database, tenant: TenantId, asset_id: str, limit: int) -> list[Command]: ...


@query(
    """SELECT ty.is_iot_device FROM assets a
       JOIN asset_types ty ON ty.organization_id = $1 AND ty.id = a.asset_type_id
       WHERE a.organization_id = $1 AND a.id = $2"""
)
async def is_device(db: Database, tenant: TenantId, asset_id: str) -> bool: ...


async def claim(
    db: Database, via: Transport, now: int, *, most: int, but: Collection[str] = ()
) -> list[WaitingCommand]:
    """Claims due commands for this worker until the lease ends; none of the tenants `but`."""
    found: list[WaitingCommand] = []
    for tenants in await _due_tenants(db, [via], now, most):
        given = (via, now, now + LEASE_SECONDS, most - len(found), list(but), tenants)
        found += [WaitingCommand(*row) for row in await db.fetch(_CLAIM, *given)]
    return found


# A sharded server locks rows one shard at a time, so their tenants must be known first.
@query(
    "SELECT DISTINCT organization_id FROM commands WHERE via = ANY ($1::text[]) AND due <= $2 LIMIT $3",
    across=_ALL_TENANTS,
)
async def _tenants_with_due(db: Database, via: list[Transport], now: int, most: int) -> list[str]: ...


async def _due_tenants(db: Database, via: list[Transport], now: int, most: int) -> list[list[str] | None]:
    """The tenants whose commands may be locked together; None for all, where they are on one server."""

    return await all_or_by_shard(db, lambda: _tenants_with_due(db, via, now, most))


async def settle(
    db: Database, command: WaitingCommand, via: Transport, attempt: SendingResult, now: int
) -> None:
    """Stores the result of sending, unless the lease has ended and another worker has claimed it."""
    if attempt.reason is None:
        await db.execute(_SENT, command.tenant, command.id, now, attempt.queue_item_id)
        return
    said = (attempt.reason, attempt.message, now)
    if attempt.final:
        await db.execute(_GIVE_UP, command.tenant, command.id, command.attempts, *said)
    else:
        due = next_attempt(via, command.attempts, now)
        await db.execute(_AGAIN, command.tenant, command.id, command.attempts, due, *said)


async def expire(db: Database, now: int) -> int:
    groups = await _due_tenants(db, list(Transport), now, _BATCH_SIZE)
    return sum([await db.fetchval(_EXPIRE, now, _BATCH_SIZE, list(Transport), tenants) for tenants in groups])


async def delete_old(db: Database, now: int) -> int:
    return len(await db.fetch(_FORGET, now - KEPT_SECONDS, _BATCH_SIZE))


# The asset is named as in its topic: no device answers for another.
@query(
    f"""UPDATE commands AS c
       SET status = CASE WHEN $4::text IS NULL THEN 'acknowledged' ELSE 'failed' END, due = NULL,
           reason = CASE WHEN $4::text IS NOT NULL THEN '{CommandReason.REFUSED_BY_DEVICE}' END, message = $4,
           acknowledged_at = $5, updated = $5
       FROM assets a
       WHERE c.organization_id = $1 AND c.id = $3 AND c.status IN ('queued', 'sent')
         AND a.organization_id = $1 AND a.id = c.asset_id AND (a.id = $2 OR a.external_id = $2)
       RETURNING c.id"""
)
async def answer(
    db: Database, tenant: TenantId, asset: str, command_id: str, error: str | None, now: int
) -> bool:
    """A device's answer; `asset` is its identifier or its externalId."""


@query(
    f"""UPDATE commands
       SET status = CASE WHEN $4 THEN 'acknowledged' ELSE 'failed' END, due = NULL,
           reason = CASE WHEN NOT $4 THEN '{CommandReason.NOT_ACKNOWLEDGED}' END,
           acknowledged_at = CASE WHEN $4 THEN $3::bigint END, updated = $3
       WHERE organization_id = $1 AND queue_item_id = $2 AND status = 'sent'
       RETURNING id"""
)
async def answer_item(
    db: Database, tenant: TenantId, queue_item_id: str, now: int, *, acknowledged: bool
) -> bool: ...


@query(
    """UPDATE commands SET transmitted_at = $3, updated = $3
       WHERE organization_id = $1 AND queue_item_id = $2 RETURNING id"""
)
async def transmitted(db: Database, tenant: TenantId, queue_item_id: str, now: int) -> bool: ...


@query(
    """SELECT 1 FROM commands c JOIN assets a ON a.organization_id = $1 AND a.id = c.asset_id
       WHERE c.organization_id = $1 AND a.external_id = ANY ($2::text[]) AND c.via = 'chirpstack' AND c.status = 'queued'
         AND c.attempts > 0 LIMIT 1"""
)
async def being_sent(db: Database, tenant: TenantId, euis: Collection[str]) -> bool:
    """Whether a command to this device is on its way to ChirpStack, whose identifier for it we don't know
    yet.
    """
