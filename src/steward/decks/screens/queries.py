from collections.abc import Collection

from steward.decks.screens.model import MAX_SCREENS, Screen
from steward.kit.db.query import Database, query, sql
from steward.kit.security.caller import TenantId

_FIELDS = "id, name, deck_ids, rotate_seconds, permissions, created"

_LEAVE_OUT = sql(
    """UPDATE deck_screens SET deck_ids = array_remove(deck_ids, $2)
       WHERE organization_id = $1 AND $2 = ANY (deck_ids)"""
)
_DELETE_EMPTY = sql("DELETE FROM deck_screens WHERE organization_id = $1 AND deck_ids = '{}'")


@query("SELECT count(*) FROM deck_screens WHERE organization_id = $1")
async def count(db: Database, tenant: TenantId) -> int: ...


@query(
    f"""INSERT INTO deck_screens (organization_id, {_FIELDS}, token_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"""
)
async def insert(db: Database, tenant: TenantId, screen: Screen, token_hash: bytes) -> None: ...


@query(f"SELECT organization_id, {_FIELDS} FROM deck_screens WHERE organization_id = $1 AND token_hash = $2")
async def find(db: Database, organization: str, token_hash: bytes) -> tuple[TenantId, Screen] | None:
    """The secret is the credential."""


@query(
    f"SELECT token_hash, {_FIELDS} FROM deck_screens WHERE organization_id = $1 AND token_hash = ANY ($2::bytea[])"
)
async def of_holders(
    db: Database, tenant: TenantId, hashes: Collection[bytes]
) -> list[tuple[bytes, Screen]]: ...


@query(
    f"""SELECT {_FIELDS} FROM deck_screens WHERE organization_id = $1 AND $2 = ANY (deck_ids)
        ORDER BY id DESC LIMIT {MAX_SCREENS}"""
)
async def of_deck(db: Database, tenant: TenantId, deck_id: str) -> list[Screen]: ...


@query("DELETE FROM deck_screens WHERE organization_id = $1 AND id = $2 RETURNING id")
async def delete(db: Database, tenant: TenantId, screen_id: str) -> bool: ...


async def leave_out_deck(db: Database, tenant: TenantId, deck_id: str) -> None:
    await db.execute(_LEAVE_OUT, tenant, deck_id)
    await db.execute(_DELETE_EMPTY, tenant)
