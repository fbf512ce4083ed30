from steward.events.feed import queries
from steward.kit.db.connection import PATIENT_SECONDS, connect
from steward.kit.runtime.log import log

# Finding the last event of every organization takes long where there are many.
_SECONDS = 600


async def continue_positions(url: str) -> None:
    """Continues positions after the last event, where transaction numbers have started over."""
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
