from steward.events.feed import queries
from steward.kit.db.connection import PATIENT_SECONDS, connect
from steward.kit.runtime.log import log

# Looking for the last event of every organization takes long where there are many of them.
_SECONDS = 600


async def continue_positions(url: str) -> None:
    """Where the numbers of transactions have begun anew, positions go on after the last event all the same."""
    connection = await connect(url, seconds=_SECONDS, timeout=PATIENT_SECONDS)
    try:
        async with connection.transaction():
            await queries.lock_positions(connection)
            if (shift := await queries.needed_shift(connection)) is not None:
                await queries.shift_positions(connection, shift)
                log.warning(
                    "the database counts its transactions from the beginning; events go on after the last"
                )
    finally:
        await connection.close()
