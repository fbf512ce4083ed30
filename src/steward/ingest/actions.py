"""Takes readings: they are stored when these come back."""

from collections.abc import Awaitable, Sequence

from steward.ingest.batch_writer import BatchWriter, Outcome
from steward.ingest.devices import queries
from steward.ingest.model import BatchResult, Reading, TelemetryItem
from steward.ingest.rules import TimeWindow, item_result, reading_of_item
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.problems import Problem
from steward.kit.security.caller import Caller


def write(writer: BatchWriter, db: Database, readings: Sequence[Reading]) -> Awaitable[list[Outcome]]:
    """With those of others, or within the caller's transaction where the effect has to share that."""
    return writer.write_within(db, readings) if isinstance(db, Transaction) else writer.write(readings)


async def take_batch(
    writer: BatchWriter,
    window: TimeWindow,
    db: Database,
    who: Caller,
    items: Sequence[TelemetryItem | Problem],
    *,
    now: int,
) -> BatchResult:
    named = [i.external_id for i in items if isinstance(i, TelemetryItem) and i.external_id is not None]
    ids = await queries.ids_by_external_id(db, who.tenant, named) if named else {}
    taken = [reading_of_item(item, who.tenant, ids, window, now) for item in items]
    readings = [reading for reading in taken if isinstance(reading, Reading)]
    outcomes = iter(await write(writer, db, readings) if readings else ())
    results = [
        item_result(reading, next(outcomes)) if isinstance(reading, Reading) else item_result(None, reading)
        for reading in taken
    ]
    accepted = sum(result.accepted for result in results)
    return BatchResult(accepted, len(results) - accepted, results)
