"""Takes readings: they are stored when these come back."""

from collections.abc import Sequence

from steward.ingest.batch_writer import BatchWriter
from steward.ingest.devices import queries
from steward.ingest.model import AcceptedReading, BatchResult, Item, Reading, Telemetry, TelemetryItem
from steward.ingest.rules import TimeWindow, item_result, reading_of_item
from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.records.context import Context, Target
from steward.kit.security.caller import TenantId


async def take_one(
    writer: BatchWriter, window: TimeWindow, ctx: Target, telemetry: Telemetry
) -> AcceptedReading:
    at = window.moment(telemetry.timestamp, ctx.now)
    [problem] = await writer.write_for(ctx.db, [Reading(ctx.tenant, ctx.id, at, telemetry.values)])
    if problem is not None:
        raise problem
    return AcceptedReading(ctx.id, at)


async def id_by_external_id(db: Database, tenant: TenantId, external_id: str) -> str:
    """Of the asset that other systems call so."""
    name = (tenant, external_id)
    found = (await queries.ids_by_external_id(db, [name])).get(name)
    if found is None:
        raise NotFound("There is no asset with this externalId.")
    return found


async def take_batch(
    writer: BatchWriter, window: TimeWindow, ctx: Context, items: Sequence[Item]
) -> BatchResult:
    named = [
        (ctx.tenant, i.external_id)
        for i in items
        if isinstance(i, TelemetryItem) and i.external_id is not None
    ]
    ids = await queries.ids_by_external_id(ctx.db, named)
    taken = [reading_of_item(item, ctx.tenant, ids, window, ctx.now) for item in items]
    readings = [reading for reading in taken if isinstance(reading, Reading)]
    outcomes = iter(await writer.write_for(ctx.db, readings) if readings else ())
    results = [
        item_result(index, item, reading, next(outcomes))
        if isinstance(reading, Reading)
        else item_result(index, item, None, reading)
        for index, (item, reading) in enumerate(zip(items, taken, strict=True))
    ]
    accepted = sum(result.accepted for result in results)
    return BatchResult(accepted, len(results) - accepted, results)
