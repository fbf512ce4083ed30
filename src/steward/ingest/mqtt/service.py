"""Takes readings from an MQTT broker, as long as the worker runs.

A message is acknowledged when its reading is committed. Where the database is away or the writer is full, nothing is
acknowledged and reading stops: the broker keeps what devices send, and delivers it when we read again.
"""

import asyncio
import random
import time
from contextlib import suppress

from steward.ingest.batch_writer import BatchWriter
from steward.ingest.mqtt.broker import BrokerError, ConnectionOptions, broker_at
from steward.ingest.mqtt.client import MqttClient
from steward.ingest.mqtt.intake import Intake
from steward.ingest.mqtt.session import SessionLostError
from steward.ingest.rules import TimeWindow
from steward.kit.db.pool import Database
from steward.kit.runtime.log import log

_FIRST_PAUSE = 0.5


async def run_mqtt(
    url: str,
    database_url: str,
    db: Database,
    writer: BatchWriter,
    window: TimeWindow,
    stop: asyncio.Event,
    *,
    options: ConnectionOptions = ConnectionOptions(),  # noqa: B008 (frozen)
) -> None:
    """Until `stop` is set; whatever happens to the broker or the database meanwhile."""
    broker = broker_at(url)
    client = MqttClient(broker, database_url, db, Intake(db, writer, window), options)
    failures = 0
    while not stop.is_set():
        began = time.monotonic()
        try:
            await client.run_connection(stop)
        except (BrokerError, SessionLostError) as error:
            log.warning("no readings over MQTT at the moment", broker=str(broker), error=str(error))
        except Exception as error:  # noqa: BLE001 (whatever it was, taking readings must go on)
            log.error("no readings over MQTT at the moment", broker=str(broker), exc_info=error)
        failures = 0 if time.monotonic() - began > options.max_pause else failures + 1
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_after(failures, options.max_pause)):
                await stop.wait()


def pause_after(failures: int, longest: float) -> float:
    """Twice as long each time, and by chance shorter, so that workers don't come back in step."""
    return min(longest, _FIRST_PAUSE * 2.0 ** min(failures, 16)) * random.uniform(0.5, 1)  # noqa: S311
