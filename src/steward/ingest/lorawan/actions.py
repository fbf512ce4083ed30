from steward.ingest.actions import write
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.lorawan import queries
from steward.ingest.lorawan.model import Uplink, UplinkResult
from steward.ingest.lorawan.rules import spellings, with_property_keys
from steward.ingest.model import Reading
from steward.ingest.rules import TimeWindow
from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.security.caller import Caller


async def take_uplink(
    writer: BatchWriter, window: TimeWindow, db: Database, who: Caller, uplink: Uplink, *, now: int
) -> UplinkResult:
    device = await queries.device_by_eui(db, who.tenant, spellings(uplink.eui))
    if device is None:
        raise NotFound(f"No asset has the externalId {uplink.eui}.")
    at = window.moment(uplink.at, now)
    values = with_property_keys(uplink.values, [known["key"] for known in device["properties"]])
    [problem] = await write(writer, db, [Reading(who.tenant, device["id"], at, values)])
    if problem is not None:
        raise problem
    return UplinkResult(device["id"], at, values, uplink.ignored)
