"""Metrics of a process as a whole."""

from collections.abc import Sequence
from pathlib import Path

from steward import __version__
from steward.kit.db.pool import Pool
from steward.kit.db.pool_metrics import LOOK_SECONDS, show_pools
from steward.kit.jobs.runner import Job
from steward.kit.runtime.metrics import BUILD_INFO, PROCESS_STARTS
from steward.migrations.migrate import migration_files
from steward.supervisor.disk_space import cluster_disk_space, least_free
from steward.upkeep.metrics import DISK_FREE

_DISK_SECONDS = 30
# Read while this is loaded: later the process may be an account that can't enter the folder of our code.
_SCHEMA = f"{max(migration_files()):04}"


def announce(kind: str) -> None:
    """Once, when a process of this kind begins."""
    BUILD_INFO.labels(__version__, _SCHEMA).set(1)
    PROCESS_STARTS.labels(kind).inc()


def pool_job(pools: Sequence[Pool]) -> Job:
    return Job("measure_pools", LOOK_SECONDS, lambda: show_pools(pools))


def disk_jobs(cluster: str | None) -> list[Job]:
    """Where the database is an embedded one."""
    if cluster is None:
        return []
    return [Job("measure_disk", _DISK_SECONDS, lambda: _show_disk(Path(cluster)))]


async def _show_disk(cluster: Path) -> None:
    try:
        space = cluster_disk_space(cluster)
    except PermissionError:
        # What lies in it is another account's; the volume that it lies on is everybody's to know.
        space = least_free([cluster])
    DISK_FREE.labels("database").set(space.free)
