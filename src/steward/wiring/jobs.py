"""Everything that the worker does by itself: the jobs of all slices."""

from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.db.pool import Database
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.web.slice import JobParts
from steward.settings import Settings
from steward.slices import SLICES


async def delete_expired(db: Database) -> None:
    now = clock.now()
    for one in SLICES:
        for delete in one.expired:
            await delete(db, now)


def all_jobs(db: Database, settings: Settings, url: str, heartbeat: Heartbeat) -> list[Job]:
    parts = JobParts(db, settings, url, heartbeat)
    jobs = [job for one in SLICES for job in one.jobs(parts)]
    return [*jobs, Job("delete_expired", 60, lambda: delete_expired(db))]
