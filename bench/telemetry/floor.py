"""`python -m bench.telemetry.floor DATABASE_URL WORLD_FILE CONTROL_PORT`: batches of readings into the same tables, bare.

One statement per batch of 100 on one connection: the newest state into the assets, a row each into the history, durable as
ours is. No HTTP, no keys, no rules, nothing decoded or looked at: the batches are laid out before the clock runs.
`GET /SECONDS` on its control port runs it.
"""

import sys
import time
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from bench.control import serve_control
from bench.databases import prepared
from bench.load import Sample, shares
from bench.telemetry.fleet import DeviceFleet, Sent, batches
from steward.kit.db.sharding import tenant_number

_HOUR_SECONDS = 3600

# What RETURNING gives away of the batch is already paired with the series: no second join.
_STATEMENT = """
WITH r AS MATERIALIZED (
    SELECT * FROM unnest($2::text[], $3::text[], $4::float8[], $5::float8[], $6::float8[])
                  r (id, newest, temperature, humidity, co2)
), u AS (
    UPDATE assets a SET last_telemetry = a.last_telemetry || r.newest::jsonb, last_seen = $7
    FROM r WHERE a.organization_id = $1 AND a.id = r.id
    RETURNING a.series, r.temperature, r.humidity, r.co2
)
INSERT INTO telemetry_recent (tenant, series, arrived, second, vals)
SELECT $9, u.series, $8, $10::integer, ARRAY[u.temperature, u.humidity, u.co2] FROM u"""


def _columns(batch: list[Sent]) -> tuple[list[Any], ...]:
    values = [list(column) for column in zip(*(one.values for one in batch), strict=True)]
    return [one.device.id for one in batch], [one.json().decode() for one in batch], *values


class Floor:
    def __init__(self, statement: Any, fleet: DeviceFleet) -> None:
        self._statement = statement
        self._tenant = fleet.tenant
        # Another one's, so that what the service has written of the same devices is not in the way.
        self._number = tenant_number(fleet.tenant) ^ 1
        self._batches = cycle([_columns(batch) for batch in batches(fleet)])
        self._second = 0

    async def run(self, seconds: float) -> Sample:
        latencies: list[float] = []
        begin = before = time.monotonic()
        written = 0
        while before < begin + seconds:
            batch = next(self._batches)
            now = int(time.time())
            # A device has one reading in a second: each batch has one of its own.
            self._second += 1
            await self._statement.fetch(
                self._tenant, *batch, now, now // _HOUR_SECONDS, self._number, self._second
            )
            after = time.monotonic()
            latencies.append(after - before)
            written += len(batch[0])
            before = after
        return Sample(written, int((before - begin) * 1e6), **shares(latencies))


async def main(url: str, fleet_file: Path, port: int) -> None:
    fleet = msgspec.json.decode(fleet_file.read_bytes(), type=DeviceFleet)
    floor = Floor(await prepared(url, _STATEMENT), fleet)
    await serve_control(port, lambda seconds: floor.run(float(seconds)))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
