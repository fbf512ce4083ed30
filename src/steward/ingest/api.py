"""Readings over HTTP: one of one asset, or many at once. The answer is sent after the commit."""

from collections.abc import Sequence

from steward.ingest import actions
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.decoding import decode, decode_batch
from steward.ingest.model import (
    MAX_READINGS,
    BatchResult,
    ItemResult,
    Reading,
    Stored,
    Telemetry,
    TelemetryBatch,
    TelemetryItem,
)
from steward.ingest.rules import TimeWindow
from steward.kit.domain.problems import Problem
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, NoQuery, Route
from steward.kit.security.permissions import Permission

_BUSY = {
    503: "More readings arrive than can be stored; nothing of this request is. Send it again after Retry-After."
}
_ASSET = "ast_00064a1b2c3d4e5f60718293a4b5"
_VALUES: dict[str, bool | int | float] = {"Temperature": 21.4, "Humidity": 48.5}


def routes(writer: BatchWriter, window: TimeWindow) -> tuple[Route, ...]:
    async def send(call: Call[Telemetry, NoQuery]) -> Response:
        at = window.moment(call.body.timestamp, call.now)
        reading = Reading(call.caller.tenant, call.params["assetId"], at, call.body.values)
        [problem] = await actions.write(writer, call.db, [reading])
        if problem is not None:
            raise problem
        return plain(Stored(reading.asset_id, at))

    def read_many(body: bytes) -> Sequence[TelemetryItem | Problem]:
        writer.require_room(MAX_READINGS)
        return decode_batch(body)

    async def send_many(call: Call[list[TelemetryItem | Problem], NoQuery]) -> Response:
        return plain(await actions.take_batch(writer, window, call.db, call.caller, call.body, now=call.now))

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
