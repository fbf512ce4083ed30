"""What the worker does by itself costs next to nothing while nothing is due, however much there is."""

import pytest
from tests.plans.measuring import MODES, measuring

from steward.kit.runtime.heartbeat import Heartbeat
from steward.settings import Settings
from steward.upkeep.schedule import all_jobs

pytestmark = pytest.mark.long

# Over connections of their own: they make, fold and drop partitions.
_BY_THEMSELVES = {"keep partitions", "fold history"}
# Pages of the database that all statements of a run read.
_MOST_PAGES = 300
# Longer than the visitors of these tests have been gone.
_SETTINGS = Settings(visitor_retention_days=100_000)


@pytest.mark.parametrize("mode", MODES)
async def test_an_idle_job_reads_next_to_nothing(crowded_url: str, mode: str) -> None:
    read: dict[str, int] = {}
    async with measuring(crowded_url, mode) as db:
        for job in all_jobs(db, _SETTINGS, crowded_url, Heartbeat(crowded_url)):
            if job.name not in _BY_THEMSELVES:
                # After its start a worker may look at all that there is, once.
                await job.run()
                db.take()
                await job.run()
                read[job.name] = sum(reading.pages for reading in db.take())
    assert {name: pages for name, pages in read.items() if pages > _MOST_PAGES} == {}
