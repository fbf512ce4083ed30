"""What the worker does by itself, while nothing is due, held against what it may read."""

from tests.plans.measuring import measuring

from steward.kit.coordination.heartbeat import Heartbeat
from steward.settings import Settings
from steward.wiring.jobs import all_jobs

# Over connections of their own: they make, fold and drop partitions.
_BY_THEMSELVES = {"keep_partitions", "fold_history"}
# Pages of the database that all statements of a run read.
MOST_PAGES = 300
# Longer than the visitors of these tests have been gone.
_SETTINGS = Settings(visitor_retention_days=100_000)


async def read_by_idle_jobs(url: str, mode: str) -> dict[str, int]:
    """How many pages each of them reads."""
    read: dict[str, int] = {}
    async with measuring(url, mode) as db:
        for job in all_jobs(db, _SETTINGS, url, Heartbeat(url)):
            if job.name not in _BY_THEMSELVES:
                # After its start a worker may look at all that there is, once.
                await job.run()
                db.take()
                await job.run()
                read[job.name] = sum(reading.pages for reading in db.take())
    return read
