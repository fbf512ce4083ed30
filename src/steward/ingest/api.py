"""Readings over HTTP: one of one asset, or many at once. The answer is sent after the commit."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from steward.ingest.batch_writer import Outcome, Writer
from steward.ingest.devices import ids_by_external_id
from steward.ingest.readings import (
    MAX_READINGS,
    Reading,
    Telemetry,
    TelemetryBatch,
    TelemetryItem,
    TimeWindow,
    decode,
    decode_batch,
)
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.fields import Record, Seconds
from steward.kit.domain.problems import Detail, Invalid, NotFound, Problem
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, NoQuery, Route
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission

_BUSY = {
    503: "More readings arrive than can be stored; nothing of this request is. Send it again after Retry-After."
}
_ASSET = "ast_00064a1b2c3d4e5f60718293a4b5"
_VALUES: dict[str, bool | int | float] = {"Temperature": 21.4, "Humidity": 48.5}


class Stored(Record, frozen=True):
    asset_id: str
    timestamp: Seconds


class ItemResult(Record, frozen=True, omit_defaults=True):
    """What became of one of several readings, in the order in which they were sent."""

    accepted: bool
    asset_id: str | None = None
    timestamp: Seconds | None = None
    error: Annotated[
        str | None, Meta(description="The code that a single reading would be refused with.")
    ] = None
    message: str | None = None
    details: list[Detail] = []


class BatchResult(Record, frozen=True):
    accepted: int
    rejected: int
    results: list[ItemResult]


def routes(writer: Writer, window: TimeWindow) -> tuple[Route, ...]:
    async def send(call: Call[Telemetry, NoQuery]) -> Response:
        at = window.moment(call.body.timestamp, call.now)
        reading = Reading(call.caller.tenant, call.params["assetId"], at, call.body.values)
        [problem] = await write(writer, call.db, [reading])
        if problem is not None:
            raise problem
        return plain(Stored(reading.asset_id, at))

    def read_many(body: bytes) -> Sequence[TelemetryItem | Problem]:
        writer.require_room(MAX_READINGS)
        return decode_batch(body)

    async def send_many(call: Call[list[TelemetryItem | Problem], NoQuery]) -> Response:
        return plain(await _take_batch(writer, window, call.db, call.caller.tenant, call.body, call.now))

    return (
        Route(
            method="POST",
            path="/organizations/{orgId}/assets/{assetId}/telemetry",
            handler=send,
            tag="Telemetry",
            summary="Send a reading",
            operation_id="sendReading",
            permission=Permission.IOT_WRITE,
            gives=Stored,
            shape="plain",
            body=Telemetry,
            reads=decode,
            description="Keys may be sent together or one by one: what a reading leaves out stays as it was. A reading "
            "that is older than the newest one goes into the history and changes nothing else. The same reading sent "
            "twice, with the same timestamp, counts once.",
            refusals=_BUSY,
            example=Stored(_ASSET, 1767225600),
            body_example={"values": _VALUES, "timestamp": 1767225600},
        ),
        Route(
            method="POST",
            path="/organizations/{orgId}/telemetry",
            handler=send_many,
            tag="Telemetry",
            summary="Send readings of several assets",
            operation_id="sendReadingsOfSeveralAssets",
            permission=Permission.IOT_WRITE,
            gives=BatchResult,
            shape="plain",
            body=TelemetryBatch,
            reads=read_many,
            description=f"Up to {MAX_READINGS:,} readings. Each is taken or refused by itself; `results` tells which, in "
            "the order of the readings.",
            refusals=_BUSY,
            example=BatchResult(1, 0, [ItemResult(True, _ASSET, 1767225600)]),
            body_example={"readings": [{"assetId": _ASSET, "values": _VALUES, "timestamp": 1767225600}]},
        ),
    )


def write(writer: Writer, db: Database, readings: Sequence[Reading]) -> Awaitable[list[Outcome]]:
    """With those of others, or within the caller's transaction where the effect has to share that."""
    return writer.write_within(db, readings) if isinstance(db, Transaction) else writer.write(readings)


async def _take_batch(
    writer: Writer,
    window: TimeWindow,
    db: Database,
    tenant: TenantId,
    items: Sequence[TelemetryItem | Problem],
    now: int,
) -> BatchResult:
    named = [i.external_id for i in items if isinstance(i, TelemetryItem) and i.external_id is not None]
    ids = await ids_by_external_id(db, tenant, named) if named else {}
    taken = [_reading(item, tenant, ids, window, now) for item in items]
    readings = [reading for reading in taken if isinstance(reading, Reading)]
    outcomes = iter(await write(writer, db, readings) if readings else ())
    results = [
        _result(reading, next(outcomes)) if isinstance(reading, Reading) else _result(None, reading)
        for reading in taken
    ]
    accepted = sum(result.accepted for result in results)
    return BatchResult(accepted, len(results) - accepted, results)


def _reading(
    item: TelemetryItem | Problem, tenant: TenantId, ids: Mapping[str, str], window: TimeWindow, now: int
) -> Reading | Problem:
    if isinstance(item, Problem):
        return item
    if (item.asset_id is None) == (item.external_id is None):
        return Invalid("assetId", "give either assetId or externalId")
    asset_id = item.asset_id if item.external_id is None else ids.get(item.external_id)
    if asset_id is None:
        return NotFound("There is no asset with this externalId.")
    try:
        return Reading(tenant, asset_id, window.moment(item.timestamp, now), item.values)
    except Invalid as problem:
        return problem


def _result(reading: Reading | None, problem: Problem | None) -> ItemResult:
    asset_id, at = (None, None) if reading is None else (reading.asset_id, reading.at)
    if problem is None:
        return ItemResult(True, asset_id, at)
    return ItemResult(False, asset_id, at, problem.code, problem.message, list(problem.details))
