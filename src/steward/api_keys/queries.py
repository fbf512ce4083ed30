from collections.abc import Iterable

import msgspec

from steward.api_keys.model import (
    USAGE_DAYS,
    ApiKey,
    ApiKeyDetails,
    FoundKey,
    KeyBounds,
    UsageDay,
    UsageRow,
)
from steward.api_keys.rules import usage
from steward.kit.db.listing import Listing, json_columns
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.db.query import Database, query, sql
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS, Permission

_COLUMNS = json_columns(
    ApiKey,
    "k.",
    key_id="k.id",
    last_used="u.last_used",
    old_secret_expires_at="k.old_secret_until",  # noqa: S106 (a column)
)
_SOURCE = "api_keys k LEFT JOIN api_key_usage u ON u.organization_id = k.organization_id AND u.key_id = k.id"
_SELECT = ", ".join(_COLUMNS.values())

LISTING = Listing(_SOURCE, _COLUMNS, tenant_column="k.organization_id")

_GET = sql(
    f"""SELECT {_SELECT}, u.last_used_ip, u.last_user_agent,
               coalesce(u.total_calls, 0), coalesce(u.successful_calls, 0)
        FROM {_SOURCE} WHERE k.organization_id = $1 AND k.id = $2"""
)
_INSERT = sql(
    """INSERT INTO api_keys
           (organization_id, id, name, permissions, key_prefix, secret_hash, status, created, created_by,
            expires_at, allowed_addresses)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"""
)
_SET_STATUS = sql("UPDATE api_keys SET status = $3 WHERE organization_id = $1 AND id = $2")
_CHANGE = sql(
    """UPDATE api_keys SET name = $3, permissions = $4, expires_at = $5, allowed_addresses = $6
       WHERE organization_id = $1 AND id = $2"""
)
_ROTATE = sql(
    """UPDATE api_keys SET old_secret_hash = secret_hash, old_secret_until = $3, secret_hash = $4, key_prefix = $5
       WHERE organization_id = $1 AND id = $2"""
)
# Also of a user who is suspended now: their keys work again when they do.
_PERMISSIONS_OF_CREATOR = sql(
    """SELECT DISTINCT permission
       FROM membership_roles mr
       JOIN roles r ON r.organization_id = mr.organization_id AND r.id = mr.role_id,
       unnest(r.permissions) permission
       WHERE mr.organization_id = $1 AND mr.user_id = $2"""
)
_BOUNDS = sql("SELECT expires_at, allowed_addresses FROM api_keys WHERE organization_id = $1 AND id = $2")
_NAMES = sql("SELECT id, name FROM api_keys WHERE organization_id = $1 AND id = ANY ($2::text[])")
# Both or neither: counts that could not be written are added to the next ones. A deleted organization has
# nothing to count any more, and must not block the others' counts.
_ADD_USAGE = sql(
    """WITH counted AS (
           SELECT c.* FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
               AS c (organization_id, key_id, total, successful, last_used, ip, agent)
           JOIN organizations o ON o.id = c.organization_id
       ), summed AS (
           INSERT INTO api_key_usage AS u (organization_id, key_id, total_calls, successful_calls,
                                           last_used, last_used_ip, last_user_agent)
           SELECT organization_id, key_id, total, successful, last_used, ip, agent FROM counted
           ON CONFLICT (organization_id, key_id) DO UPDATE SET
               total_calls = u.total_calls + excluded.total_calls,
               successful_calls = u.successful_calls + excluded.successful_calls,
               last_used = greatest(u.last_used, excluded.last_used),
               last_used_ip = excluded.last_used_ip,
               last_user_agent = excluded.last_user_agent
           RETURNING u.key_id
       ), by_day AS (
           INSERT INTO api_key_usage_days AS d (organization_id, key_id, day, total_calls, successful_calls)
           SELECT organization_id, key_id, last_used / 86400, total, successful FROM counted
           ON CONFLICT (organization_id, key_id, day) DO UPDATE SET
               total_calls = d.total_calls + excluded.total_calls,
               successful_calls = d.successful_calls + excluded.successful_calls
           RETURNING d.key_id
       )
       SELECT count(*) FROM summed""",
    across="what every tenant's keys have done in a second is written at once",
)


async def details(db: Database, tenant: TenantId, key_id: str) -> ApiKeyDetails | None:
    row = await db.fetchrow(_GET, tenant, key_id)
    if row is None:
        return None
    *fields, total, successful = row
    return ApiKeyDetails(*fields, usage(total, successful))  # type: ignore[call-arg]


@query(f"SELECT {_SELECT} FROM {_SOURCE} WHERE k.organization_id = $1 AND k.id = $2 FOR UPDATE OF k")
async def lock(db: Database, tenant: TenantId, key_id: str) -> ApiKey | None: ...


async def insert(db: Database, tenant: TenantId, key: ApiKey, secret_hash: bytes) -> None:
    shown, made = (key.name, key.permissions, key.key_prefix), (key.created, key.created_by)
    bounds = (key.expires_at, key.allowed_addresses)
    await db.execute(_INSERT, tenant, key.key_id, *shown, secret_hash, key.status, *made, *bounds)


async def change(db: Database, tenant: TenantId, key: ApiKey) -> None:
    await db.execute(
        _CHANGE, tenant, key.key_id, key.name, key.permissions, key.expires_at, key.allowed_addresses
    )


async def rotate(db: Database, tenant: TenantId, key: ApiKey, secret_hash: bytes) -> None:
    """The present secret becomes the old one."""
    await db.execute(_ROTATE, tenant, key.key_id, key.old_secret_expires_at, secret_hash, key.key_prefix)


async def bounds(db: Database, tenant: TenantId, key_id: str | None) -> KeyBounds:
    """Those of the caller's key; without a key there are none."""
    row = None if key_id is None else await db.fetchrow(_BOUNDS, tenant, key_id)
    return KeyBounds() if row is None else KeyBounds(*row)


async def permissions_of_creator(db: Database, tenant: TenantId, user_id: str) -> frozenset[Permission]:
    rows = await db.fetch(_PERMISSIONS_OF_CREATOR, tenant, user_id)
    return frozenset(Permission(row[0]) for row in rows if row[0] in ALL_PERMISSIONS)


async def set_status(db: Database, tenant: TenantId, key: ApiKey) -> None:
    await db.execute(_SET_STATUS, tenant, key.key_id, key.status)


async def names(db: Database, tenant: TenantId, ids: Iterable[str]) -> dict[str, str]:
    """The names of these keys, by id."""
    wanted = list(ids)
    return dict(await db.fetch(_NAMES, tenant, wanted)) if wanted else {}


@query(
    """SELECT count(*) FROM api_keys
       WHERE organization_id = $1 AND status = 'active' AND (expires_at IS NULL OR expires_at > $2)"""
)
async def count_active(db: Database, tenant: TenantId, now: int) -> int: ...


@query(
    """SELECT organization_id, id, status, permissions, created_by, expires_at, allowed_addresses,
              CASE WHEN secret_hash = $1 THEN NULL ELSE old_secret_until END
       FROM api_keys WHERE secret_hash = $1 OR old_secret_hash = $1""",
    across="the key is what tells the organization",
)
async def find_by_secret(db: Database, secret_hash: bytes) -> FoundKey | None: ...


@query(
    """SELECT secret_hash FROM api_keys
       UNION ALL SELECT old_secret_hash FROM api_keys WHERE old_secret_hash IS NOT NULL""",
    across="every process knows which keys exist, so that unknown ones cost the database nothing",
    seconds=30,
)
async def all_hashes(db: Database) -> list[bytes]: ...


async def add_usage(db: Database, rows: Iterable[UsageRow]) -> None:
    # In one order everywhere, to avoid deadlocks between processes.
    ordered = sorted(rows, key=lambda row: (row.organization_id, row.key_id))
    columns = zip(*(msgspec.structs.astuple(row) for row in ordered), strict=True)
    await db.execute(_ADD_USAGE, *(list(column) for column in columns))


@query(
    """SELECT day, total_calls, successful_calls FROM api_key_usage_days
       WHERE organization_id = $1 AND key_id = $2 AND day > $3"""
)
async def usage_by_day(db: Database, tenant: TenantId, key_id: str, after: int) -> list[UsageDay]:
    """The days after this one on which it was used, unordered."""


@query(
    f"DELETE FROM api_key_usage_days WHERE day <= $1::bigint / {DAY_SECONDS} - {USAGE_DAYS}",
    across="housekeeping takes every tenant's old days",
)
async def delete_old_usage(db: Database, now: int) -> None: ...
