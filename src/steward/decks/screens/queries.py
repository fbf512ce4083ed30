from collections.abc import Iterable, Sequence

from steward.decks.screens.model import MAX_SCREENS, Screen
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

_FIELDS = "id, name, deck_ids, rotate_seconds, permissions, created"

_INSERT = sql(
    f"""INSERT INTO deck_screens (organization_id, {_FIELDS}, token_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"""
)
_COUNT = sql("SELECT count(*) FROM deck_screens WHERE organization_id = $1")
_FIND = sql(
    f"SELECT organization_id, {_FIELDS} FROM deck_screens WHERE organization_id = $1 AND token_hash = $2"
)
_OF_HOLDERS = sql(
    f"SELECT token_hash, {_FIELDS} FROM deck_screens WHERE organization_id = $1 AND token_hash = ANY ($2::bytea[])"
)
_OF_DECK = sql(
    f"""SELECT {_FIELDS} FROM deck_screens WHERE organization_id = $1 AND $2 = ANY (deck_ids)
        ORDER BY id DESC LIMIT {MAX_SCREENS}"""
)
_DELETE = sql("DELETE FROM deck_screens WHERE organization_id = $1 AND id = $2 RETURNING id")
_LEAVE_OUT = sql(
    """UPDATE deck_screens SET deck_ids = array_remove(deck_ids, $2)
       WHERE organization_id = $1 AND $2 = ANY (deck_ids)"""
)
_DELETE_EMPTY = sql("DELETE FROM deck_screens WHERE organization_id = $1 AND deck_ids = '{}'")


async def count(db: Database, tenant: TenantId) -> int:
    return int(await db.fetchval(_COUNT, tenant))


async def insert(db: Database, tenant: TenantId, screen: Screen, token_hash: bytes) -> None:
    values = (getattr(screen, field) for field in screen.__struct_fields__)
    await db.execute(_INSERT, tenant, *values, token_hash)


async def find(db: Database, organization: str, token_hash: bytes) -> tuple[TenantId, Screen] | None:
    """The secret is the credential."""
    row = await db.fetchrow(_FIND, organization, token_hash)
    return None if row is None else (row[0], Screen(*tuple(row)[1:]))


async def of_holders(db: Database, tenant: TenantId, hashes: Iterable[bytes]) -> dict[bytes, Screen]:
    rows = await db.fetch(_OF_HOLDERS, tenant, list(hashes))
    return {row[0]: Screen(*tuple(row)[1:]) for row in rows}


async def of_deck(db: Database, tenant: TenantId, deck_id: str) -> Sequence[Screen]:
    return [Screen(*row) for row in await db.fetch(_OF_DECK, tenant, deck_id)]


async def delete(db: Database, tenant: TenantId, screen_id: str) -> bool:
    return await db.fetchval(_DELETE, tenant, screen_id) is not None


async def leave_out_deck(db: Database, tenant: TenantId, deck_id: str) -> None:
    await db.execute(_LEAVE_OUT, tenant, deck_id)
    await db.execute(_DELETE_EMPTY, tenant)
