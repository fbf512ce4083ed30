"""Seals everything anew by the key of the present, beside a service that knows both."""

from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.security.encryption import Encryption
from steward.operations.secrets import queries
from steward.operations.secrets.model import SEALED, SealedColumn


async def reseal(url: str, encryption: Encryption) -> dict[str, int]:
    """By table, how many values were sealed anew. One that no key opens is an error, and those before it are done."""
    async with await connect(url) as connection:
        return {sealed.table: await _reseal_column(connection, sealed, encryption) for sealed in SEALED}


async def _reseal_column(connection: DatabaseConnection, sealed: SealedColumn, encryption: Encryption) -> int:
    count = 0
    async for value in queries.sealed_values(connection, sealed):
        if not encryption.is_current(value.purpose, value.sealed):
            plain = encryption.decrypt(value.purpose, value.sealed)
            await queries.replace(connection, sealed, value, encryption.encrypt(value.purpose, plain))
            count += 1
    return count
