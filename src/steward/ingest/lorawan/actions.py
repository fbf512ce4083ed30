import asyncio

from steward.assets.commands import queries as commands
from steward.ingest.actions import take_one
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.devices.queries import device_by_eui
from steward.ingest.lorawan.model import ChirpStackEvent, Uplink, UplinkResult
from steward.ingest.lorawan.rules import spellings, with_property_keys
from steward.ingest.model import Telemetry
from steward.ingest.rules import TimeWindow
from steward.kit.domain.problems import NotFound
from steward.kit.records.context import Context

# ChirpStack may report on a command before its answer, which names it, is stored.
_LOOKS, _LOOK_AGAIN_SECONDS = 5, 0.3


async def take_receipt(ctx: Context, kind: str, event: ChirpStackEvent) -> bool:
    """That a gateway has sent a command (`txack`), or that its device has it or not (`ack`); whether it is one of ours."""
    item = event.queue_item_id
    if not item:
        return False
    eui = event.device_info.dev_eui if event.device_info else None
    for _ in range(_LOOKS):
        if kind == "txack":
            found = await commands.transmitted(ctx.db, ctx.tenant, item, ctx.now)
        else:
            found = await commands.answer_item(
                ctx.db, ctx.tenant, item, ctx.now, acknowledged=event.acknowledged
            )
        if found or not await commands.being_sent(ctx.db, ctx.tenant, spellings(eui or "")):
            return found
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    return False


async def take_uplink(writer: BatchWriter, window: TimeWindow, ctx: Context, uplink: Uplink) -> UplinkResult:
    device = await device_by_eui(ctx.db, ctx.tenant, spellings(uplink.eui))
    if device is None:
        raise NotFound(f"No asset has the externalId {uplink.eui}.")
    values = with_property_keys(uplink.values, [known["key"] for known in device["properties"]])
    taken = await take_one(writer, window, ctx.on(device["id"]), Telemetry(values, uplink.at))
    return UplinkResult(taken.asset_id, taken.timestamp, values, uplink.ignored)
