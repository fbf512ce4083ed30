"""Readings over HTTP: one of one asset, or many at once. The answer is sent after the commit."""

from collections.abc import Sequence
from functools import partial

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
)
from steward.ingest.rules import TimeWindow
from steward.kit.http.decoding import without_repeated_keys
from steward.kit.http.response import Response, plain
from steward.kit.http.route import BodyReader, Call, NoQuery, Route
from steward.kit.security.permissions import Permission

_BUSY = {
    503: "More readings arrive than can be stored; nothing of this request is. Send it again after Retry-After."
}
_ASSET = "ast_00064a1b2c3d4e5f60718293a4b5"
# What all ways to send readings have in common.
reading_route = partial(Route, method="POST", tag="Telemetry", permission=Permission.IOT_WRITE, shape="plain")
_VALUES: dict[str, bool | int | float] = {"Temperature": 21.4, "Humidity": 48.5}


def routes(writer: BatchWriter, window: TimeWindow) -> tuple[Route, ...]:
    async def send(call: Call[Telemetry, NoQuery]) -> Response:
        return await stored(call, call.params["assetId"])

    async def send_by_external_id(call: Call[Telemetry, NoQuery]) -> Response:
        found = await actions.id_by_external_id(call.db, call.caller.tenant, call.params["externalId"])
        return await stored(call, found)

    async def stored(call: Call[Telemetry, NoQuery], asset_id: str) -> Response:
        return plain(await actions.take_one(writer, window, call.context.on(asset_id), call.body))

    def read_many(body: bytes) -> Sequence[object]:
        writer.require_room(MAX_READINGS)
        return decode_batch(body)

    async def read_many_in_pieces(body: bytes) -> Sequence[object]:
        writer.require_room(MAX_READINGS)
        return await decode_large_batch(body)

    async def send_many(call: Call[Sequence[object], NoQuery]) -> Response:
        items = await decode_items(call.body)
        return plain(await actions.take_batch(writer, window, call.context, items))

    one = reading_route(
        path="/organizations/{orgId}/assets/{assetId}/telemetry",
        handler=send,
        summary="Send a reading",
        gives=AcceptedReading,
        body=Telemetry,
        reads=BodyReader(without_repeated_keys(partial(decode, Telemetry)), decode_large),
        description="Keys may be sent together or one by one: what a reading leaves out stays as it was. A reading "
        "that is older than the newest one goes into the history and changes nothing else. The same reading sent "
        "twice, with the same timestamp, counts once.",
        refusals=_BUSY,
        example=AcceptedReading(_ASSET, 1767225600),
        body_example={"values": _VALUES, "timestamp": 1767225600},
    )
    return (
        one,
        replace(
            one,
            path="/organizations/{orgId}/assets/by-external-id/{externalId}/telemetry",
            handler=send_by_external_id,
            summary="Send a reading by externalId",
            description="The same for a sender that knows what it calls the asset, and not what we do.",
            refusals={404: "No asset has this externalId.", **_BUSY},
        ),
        replace(
            one,
            path="/organizations/{orgId}/telemetry",
            handler=send_many,
            summary="Send readings of several assets",
            gives=BatchResult,
            body=TelemetryBatch,
            reads=BodyReader(without_repeated_keys(read_many), read_many_in_pieces),
            description=f"Up to {MAX_READINGS:,} readings. Each is taken or refused by itself; `results` tells which, in "
            "the order of the readings, with the place and the identifier that was sent.",
            example=BatchResult(1, 0, [ItemResult(0, True, _ASSET, timestamp=1767225600)]),
            body_example={"readings": [{"assetId": _ASSET, "values": _VALUES, "timestamp": 1767225600}]},
        ),
    )
