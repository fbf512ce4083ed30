"""The volume of the embedded database runs full, and is made free again, under `steward up`."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import httpx
import pytest
from tests.e2e.test_up import Up, part_of
from tests.support.processes import SECRET_KEY
from tests.support.waiting import limit, wait_for

from steward.supervisor.postgres import running_url

_SIZE = "220m"
_WAITING = "PostgreSQL is down: "


@pytest.fixture
def folder() -> Iterator[Path]:
    """One whose `data` is a small volume of its own, in memory, where the server's account may pass."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        volume = Path(name) / "data"
        volume.mkdir()
        words: list[str | Path] = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE},mode=0711", "tmpfs", volume]
        mounted = subprocess.run(words, capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            pytest.skip(f"a volume can't be mounted here: {mounted.stderr.strip()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", volume], check=True)


def fill(volume: Path) -> Path:
    """Takes all that is left, also of what others take at the same time."""
    filler = volume / "filler"
    with filler.open("wb") as file:
        while free := (found := os.statvfs(volume)).f_bavail * found.f_frsize:
            with suppress(OSError):
                os.posix_fallocate(file.fileno(), filler.stat().st_size, free)
    return filler


async def write_log_until_the_server_ends(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        while True:
            await connection.execute(
                "SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) FROM generate_series(1, 20)"
            )
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        pass
    finally:
        connection.terminate()


def status(up: Up, path: str) -> int:
    try:
        return httpx.get(f"{up.base_url}{path}", timeout=limit(60), verify=False).status_code
    except httpx.TransportError:
        return 0


def test_writes_resume_after_a_full_volume(folder: Path) -> None:
    up = Up(folder)
    try:
        up.wait_until_ready()
        before = up.titles()
        url = running_url(folder / "data")
        assert url is not None
        parts = {part_of(process): process for process in up.family()}
        filler = fill(folder / "data")
        asyncio.run(write_log_until_the_server_ends(url))
        wait_for("the line about it", lambda: _WAITING in up.said, 120)
        wait_for("unreadiness", lambda: status(up, "/health/ready") == 503, 60)
        assert status(up, "/health/live") == 200
        # What ends meanwhile couldn't start without the database, which isn't held against it.
        parts["worker"].kill()
        wait_for("a line about that", lambda: "starting it again when the database is back" in up.said)
        filler.unlink()
        wait_for("readiness", lambda: status(up, "/health/ready") == 200, 120)
        assert up.titles() == before
        assert up.said.count(_WAITING) == 1
        assert "PostgreSQL runs again" in up.said
        assert parts["api"].is_running()
        wait_for("a worker", lambda: "worker" in {part_of(process) for process in up.family()})
    finally:
        assert up.stop() == 0


def test_a_first_start_on_a_full_volume_waits_for_room(folder: Path) -> None:
    filler = fill(folder / "data")
    up = Up(folder, STEWARD_SECRET_KEY=SECRET_KEY)
    try:
        wait_for("the line about it", lambda: _WAITING in up.said, 120)
        assert up.process.poll() is None
        filler.unlink()
        up.wait_until_ready()
    finally:
        assert up.stop() == 0


def test_an_unwritable_log_does_not_stop_the_process() -> None:
    """In a process of its own, since it is about its standard error."""
    code = (
        "from steward.kit.runtime.log import configure, log\nconfigure('json')\n"
        "for _ in range(1000): log.info('x' * 100)\nprint('alive', flush=True)"
    )
    with Path("/dev/full").open("wb") as full:
        process = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=full, text=True, check=False
        )
    assert process.stdout == "alive\n"
