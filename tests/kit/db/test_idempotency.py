"""Stored answers of an Idempotency-Key with concurrent writes."""

import asyncpg
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.kit.db.idempotency import KEPT_SECONDS, Idempotency, IdempotencyKey
from steward.kit.db.pool import Database, Pool
from steward.kit.db.sql import sql
from steward.kit.domain.problems import Conflict
from steward.kit.runtime import clock
from steward.kit.security.encryption import Encryption

_RENAME = sql("UPDATE organizations SET name = 'done twice' WHERE id = $1")


async def _keep_elsewhere(url: str, key: IdempotencyKey, created: int) -> None:
    """As a process of another version does, which has another lock."""
    connection = await asyncpg.connect(url)
    await connection.execute(
        "INSERT INTO idempotent_answers VALUES ($1, $2, $3, 'fingerprint', 'answer', $4)",
        key.organization,
        key.subject,
        key.key,
        created,
    )
    await connection.close()


@pytest.mark.parametrize("age", [0, KEPT_SECONDS])
async def test_a_concurrently_stored_answer_rolls_back_the_second_attempt(
    organization: Organization, age: int
) -> None:
    url, now = organization.database_url, clock.now()
    key = IdempotencyKey(organization.id, "key", f"raced {age}")
    pool = Pool(url, 1)

    async def act(db: Database) -> bytes:
        await db.execute(_RENAME, organization.id)
        await _keep_elsewhere(url, key, now - age)
        return b"ours"

    once = Idempotency(Encryption(bytes(32))).once(pool, key, b"request", act, now=now)
    try:
        if age == 0:
            with pytest.raises(Conflict):
                await once
        else:
            # Kept so long ago that it is forgotten: it gives way.
            assert (await once).answer == b"ours"
    finally:
        await pool.close()
    changed = data_of(organization.api.get(organization.path))["name"] == "done twice"
    assert changed is (age > 0)
