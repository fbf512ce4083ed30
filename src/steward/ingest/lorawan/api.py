"""Readings from LoRaWAN network servers: they post each uplink, and it is stored before they are answered."""

from msgspec.structs import replace

from steward.ingest.api import reading_route
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.lorawan import actions
from steward.ingest.lorawan.model import ChirpStackEvent, ChirpStackQuery, TtnMessage, UplinkResult
from steward.ingest.lorawan.rules import CHIRPSTACK_HEARD, ttn_heard
from steward.ingest.rules import TimeWindow
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, NoQuery, Route

_EXAMPLE = UplinkResult(
    "ast_00064a1b2c3d4e5f60718293a4b5", 1767225600, {"Temperature": 21.4, "Humidity": 48.5}, ["model"]
)
_CHIRPSTACK_EXAMPLE = {
    "deviceInfo": {"devEui": "a84041b2c3d4e5f6", "deviceName": "Room 2.14"},
    "time": "2026-01-01T00:00:00.123456789Z",
    "fCnt": 10,
    "fPort": 2,
    "object": {"temperature": 21.4, "humidity": 48.5, "model": "LHT65"},
}
_TTN_EXAMPLE = {
    "end_device_ids": {"device_id": "room-2-14", "dev_eui": "A84041B2C3D4E5F6"},
    "received_at": "2026-01-01T00:00:00.323456789Z",
    "uplink_message": {
        "f_port": 2,
        "decoded_payload": {"temperature": 21.4, "humidity": 48.5, "model": "LHT65"},
        "received_at": "2026-01-01T00:00:00.123456789Z",
    },
}
# What becomes of a command.
_RECEIPTS = frozenset({"ack", "txack"})
_REFUSALS = {
    404: "No asset has the device's EUI as its externalId.",
    503: "More readings arrive than can be stored; this one isn't. Send it again after Retry-After.",
}


def routes(writer: BatchWriter, window: TimeWindow) -> tuple[Route, ...]:
    async def chirpstack(call: Call[ChirpStackEvent, ChirpStackQuery]) -> Response:
        if call.query.event in _RECEIPTS:
            event = call.query.event
            known = await actions.take_receipt(call.context, event, call.body)
            return _ignored(f"The command {'is' if known else 'is not'} one of ours.")
        read = CHIRPSTACK_HEARD.get(call.query.event)
        if read is None:
            return _ignored(f"Nothing follows from an event of this kind ({call.query.event}).")
        uplink = read(call.body)
        return plain(await actions.take_uplink(writer, window, call.context, uplink))

    async def ttn(call: Call[TtnMessage, NoQuery]) -> Response:
        uplink = ttn_heard(call.body)
        if uplink is None:
            return _ignored("Nothing follows from a message without uplink_message or join_accept.")
        return plain(await actions.take_uplink(writer, window, call.context, uplink))

    from_ttn = reading_route(
        path="/organizations/{orgId}/integrations/ttn",
        handler=ttn,
        summary="Take an uplink from The Things Stack",
        gives=UplinkResult,
        body=TtnMessage,
        description="For webhooks of The Things Stack 3, in JSON. The device's EUI is the asset's `externalId`, in upper "
        "or lower case; `decoded_payload`, what the payload formatter made, holds the values, and "
        "`last_battery_percentage` becomes `BatteryLevel`. A join says that the device is there, and moves `lastSeen`. "
        "Other messages are answered and ignored.",
        refusals=_REFUSALS,
        example=_EXAMPLE,
        body_example=_TTN_EXAMPLE,
    )
    from_chirpstack = replace(
        from_ttn,
        path="/organizations/{orgId}/integrations/chirpstack",
        handler=chirpstack,
        summary="Take an uplink from ChirpStack",
        body=ChirpStackEvent,
        query=ChirpStackQuery,
        description="For the HTTP integration of ChirpStack 4, in JSON. The device's EUI is the asset's `externalId`, "
        "in upper or lower case; `object`, what ChirpStack's codec decoded, holds the values. A `status` "
        "becomes a reading of `BatteryLevel` in percent, `ExternalPower` and `LinkMargin`; a `join` says that the device "
        "is there, and moves `lastSeen`; `txack` and `ack` say what became of a command. Other events are answered and "
        "ignored.",
        body_example=_CHIRPSTACK_EXAMPLE,
    )
    return (from_chirpstack, from_ttn)


def _ignored(message: str) -> Response:
    return plain(UplinkResult(None, None, {}, [], message))
