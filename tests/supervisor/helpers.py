"""Programs of these tests, and what other processes left."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import asyncpg
from tests.support.waiting import wait_for

from steward.supervisor.binaries import SYSTEM_FOLDER
from steward.supervisor.cluster import ClusterLocation, find_location
from steward.supervisor.postmaster import Postmaster, backend_pids, postmaster_of, signal_backends
from steward.supervisor.system_account import SystemAccount

PROGRAMS = Path(__file__).parent / "programs"


def is_alive(pid: int) -> bool:
    try:
        # A zombie has ended, whether or not someone has taken note of it.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def command(*words: object, account: SystemAccount | None = None) -> Iterator[subprocess.Popen[str]]:
    """A process whose lines can be read, and which never outlives the test."""
    foreign = account is not None and not account.is_current
    with subprocess.Popen(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        user=account.uid if account and foreign else None,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def program(name: str, *arguments: object) -> AbstractContextManager[subprocess.Popen[str]]:
    """One of the scripts in `programs`."""
    return command(sys.executable, PROGRAMS / name, *arguments)


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def location_of(data_dir: Path) -> ClusterLocation:
    location = find_location(data_dir)
    assert location is not None
    return location


def possible_locations(data_dir: Path) -> list[Path]:
    """Where a cluster of this directory is or was begun, also when nothing says so yet."""
    digest = hashlib.sha256(os.fsencode(data_dir.resolve())).hexdigest()[:12]
    candidates = [data_dir / "postgres", *(SYSTEM_FOLDER / "clusters").glob(f"*-{digest}*")]
    return [candidate for candidate in candidates if candidate.is_dir()]


def server_of(data_dir: Path) -> Postmaster | None:
    return postmaster_of(location_of(data_dir).cluster)


async def run_sql(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def modes_of_parents(path: Path) -> dict[Path, tuple[int, int, int]]:
    found = ((parent, parent.stat()) for parent in path.parents)
    return {parent: (stat.st_mode, stat.st_uid, stat.st_gid) for parent, stat in found}


def _is_down(cluster: Path) -> bool:
    return postmaster_of(cluster) is None


def _has_no_backends(cluster: Path) -> bool:
    return not backend_pids(cluster)


def clean_up(data_dir: Path) -> None:
    for location in possible_locations(data_dir):
        cluster = location / "cluster"
        if running := postmaster_of(cluster):
            os.kill(running.pid, signal.SIGKILL)
            wait_for("the end of the server", partial(_is_down, cluster))
        signal_backends(cluster, signal.SIGKILL)
        wait_for("the end of all backends", partial(_has_no_backends, cluster))
        shutil.rmtree(location)
