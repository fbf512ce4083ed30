"""Readings over HTTP: one of one asset, or many at once. The answer is sent after the commit."""

from collections.abc import Sequence

from msgspec.structs import replace

from steward.ingest import actions
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.decoding import decode, decode_batch, decode_items, decode_large, decode_large_batch
from steward.ingest.model import (
    MAX_READINGS,
    AcceptedReading,
    BatchResult,
    ItemResult,
    Telemetry,
    TelemetryBatch,
    TelemetryItem,
    UnreadableItem,
)
from steward.ingest.rules import TimeWindow
from steward.kit.http.decoding import without_repeated_keys
from steward.kit.http.response import Response, plain
from steward.kit.http.route import BodyReader, Call, Handler, NoQuery, Route
from steward.kit.security.permissions import Permission

_BUSY = {
    503: "More readings arrive than can be stored; nothing of this request is. Send it again after Retry-After."
}
_ASSET = "ast_00064a1b2c3d4e5f60718293a4b5"
_VALUES: dict[str, bool | int | float] = {"Temperature": 21.4, "Humidity": 48.5}


def routes(writer: BatchWriter, window: TimeWindow) -> tuple[Route, ...]:
    async def send(call: Call[Telemetry, NoQuery]) -> Response:
        return await stored(call, call.params["assetId"])

    async def send_by_external_id(call: Call[Telemetry, NoQuery]) -> Response:
        found = await actions.id_by_external_id(call.db, call.caller.tenant, call.params["externalId"])
        return await stored(call, found)

    async def stored(call: Call[Telemetry, NoQuery], asset_id: str) -> Response:
        return plain(await actions.take_one(writer, window, call.context.on(asset_id), call.body))

    def read_many(body: bytes) -> Sequence[TelemetryItem | bytes]:
        writer.require_room(MAX_READINGS)
        return decode_batch(body)

    async def read_many_in_pieces(body: bytes) -> Sequence[TelemetryItem | UnreadableItem]:
        writer.require_room(MAX_READINGS)
        return await decode_large_batch(body)

    async def send_many(call: Call[Sequence[TelemetryItem | UnreadableItem | bytes], NoQuery]) -> Response:
        items = await decode_items(call.body)
        return plain(await actions.take_batch(writer, window, call.context, items))

    one = _one_reading(send)
    by_external_id = replace(
        one,
        path="/organizations/{orgId}/assets/by-external-id/{externalId}/telemetry",
        handler=send_by_external_id,
        summary="Send a reading by externalId",
        operation_id="sendReadingByExternalId",
        description="The same for a sender that knows what it calls the asset, and not what we do.",
        refusals={404: "No asset has this externalId.", **_BUSY},
    )
    return (
        one,
        by_external_id,
        _many_readings(send_many, BodyReader(without_repeated_keys(read_many), read_many_in_pieces)),
    )


def _one_reading(handler: Handler) -> Route:
    return Route(
        method="POST",
        path="/organizations/{orgId}/assets/{assetId}/telemetry",
        handler=handler,
        tag="Telemetry",
        summary="Send a reading",
        operation_id="sendReading",
        permission=Permission.IOT_WRITE,
        gives=AcceptedReading,
        shape="plain",
        body=Telemetry,
        reads=BodyReader(without_repeated_keys(decode), decode_large),
        description="Keys may be sent together or one by one: what a reading leaves out stays as it was. A reading "
        "that is older than the newest one goes into the history and changes nothing else. The same reading sent "
        "twice, with the same timestamp, counts once.",
        refusals=_BUSY,
        example=AcceptedReading(_ASSET, 1767225600),
        body_example={"values": _VALUES, "timestamp": 1767225600},
    )


def _many_readings(handler: Handler, reads: BodyReader) -> Route:
    return Route(
        method="POST",
        path="/organizations/{orgId}/telemetry",
        handler=handler,
        tag="Telemetry",
        summary="Send readings of several assets",
        operation_id="sendReadingsOfSeveralAssets",
        permission=Permission.IOT_WRITE,
        gives=BatchResult,
        shape="plain",
        body=TelemetryBatch,
        reads=reads,
        description=f"Up to {MAX_READINGS:,} readings. Each is taken or refused by itself; `results` tells which, in "
        "the order of the readings, with the place and the identifier that was sent.",
        refusals=_BUSY,
        example=BatchResult(1, 0, [ItemResult(0, True, _ASSET, timestamp=1767225600)]),
        body_example={"readings": [{"assetId": _ASSET, "values": _VALUES, "timestamp": 1767225600}]},
    )
