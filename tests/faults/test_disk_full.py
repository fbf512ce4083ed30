"""A database that is there and can't store anything: its disk is full, or it is no longer the one that is written to."""

import asyncio
import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.databases import database_named, fetch
from tests.support.organizations import Organization, close_clients
from tests.support.service import Service
from tests.support.waiting import limit, wait_for

from steward.supervisor.system_account import unprivileged_account
from steward.wiring.schema import migrate

_SIZE_MB = 96
_LARGE = {"title": "Leak", "description": "water " * 600}


@contextlib.contextmanager
def small_disk() -> Iterator[Path | None]:
    """A file system of its own for PostgreSQL, where we may mount one."""
    folder = Path(tempfile.mkdtemp(prefix="steward-disk-"))
    account = unprivileged_account()
    options = f"size={_SIZE_MB}m,mode=0700,uid={account.uid},gid={account.gid}"
    mounted = (
        os.geteuid() == 0
        and subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=False).returncode
        == 0
    )
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)
        folder.rmdir()


class Filled:
    """A service over a database on a small disk."""

    def __init__(self, directory: Path, database_url: str, disk: Path | None) -> None:
        self.disk = disk
        self._server = database_url
        if disk is not None:
            fetch(database_url, f"CREATE TABLESPACE small LOCATION '{disk}'")
        fetch(database_url, f"CREATE DATABASE small {'TABLESPACE small' if disk else ''}")
        self.url = database_named(database_url, "small")
        asyncio.run(migrate(self.url))
        self.service = Service(directory, self.url)
        wait_for("readiness", lambda: self.ready().status_code == 200)

    def ready(self) -> httpx.Response:
        return httpx.get(f"{self.service.base_url}/health/ready", timeout=limit(60))

    def new_organization(self) -> Organization:
        return Organization(self.service.base_url, self.url, "Enterprise")

    def fill(self) -> None:
        assert self.disk is not None
        with (self.disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(4096))

    def make_room(self) -> None:
        assert self.disk is not None
        (self.disk / "filler").unlink(missing_ok=True)

    def stop(self) -> None:
        self.service.stop()
        fetch(self._server, "DROP DATABASE small WITH (FORCE)")
        if self.disk is not None:
            self.make_room()
            fetch(self._server, "DROP TABLESPACE small")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[Filled]:
    with small_disk() as disk:
        filled = Filled(tmp_path_factory.mktemp("filled"), database_url, disk)
        yield filled
        filled.stop()


@pytest.fixture
def filled(running: Filled) -> Iterator[Filled]:
    yield running
    close_clients()


def is_unavailable(answer: httpx.Response) -> bool:
    return answer.status_code == 503 and int(answer.headers["retry-after"]) >= 1


def test_changes_are_refused_on_a_full_disk_and_resume_with_space(filled: Filled) -> None:
    if filled.disk is None:
        pytest.skip("only root can mount a tmpfs: sudo make test-long")
    organization = filled.new_organization()
    said = len(filled.service.api.said)
    filled.fill()
    try:
        answers = [organization.api.post(f"{organization.path}/work-orders", json=_LARGE) for _ in range(120)]
        assert {answer.status_code for answer in answers} <= {201, 503}
        assert is_unavailable(answers[-1])
        assert is_unavailable(filled.ready())
        assert "disk full" in filled.ready().json()["message"]
        readings = {"assetId": "ast_none", "values": {"Temperature": 1}}
        assert organization.api.post(f"{organization.path}/telemetry", json=readings).status_code != 500
    finally:
        filled.make_room()
    wait_for("readiness", lambda: filled.ready().status_code == 200)
    assert organization.api.post(f"{organization.path}/work-orders", json=_LARGE).status_code == 201
    lines = filled.service.api.said[said:]
    assert sum(answer.status_code == 503 for answer in answers) > lines.count("disk full")
    assert lines.count('"fault":"disk full"') <= 4  # one for each part that noticed
    assert "Traceback" not in lines + filled.service.worker.said
    stored = {row["id"] for row in fetch(filled.url, "SELECT id FROM work_orders")}
    assert {data_of(answer)["id"] for answer in answers if answer.status_code == 201} <= stored


def test_a_demoted_primary_counts_as_down_until_failover(filled: Filled) -> None:
    organization = filled.new_organization()
    fetch(filled.url, "ALTER DATABASE small SET default_transaction_read_only = on")
    try:
        fetch(
            filled.url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'steward' AND datname = 'small'",
        )
        # The first refusals may come from ended connections, which is over at once.
        wait_for(
            "a refusal, and readiness that knows of it",
            lambda: (
                is_unavailable(
                    organization.api.post(f"{organization.path}/work-orders", json={"title": "Leak"})
                )
                and is_unavailable(filled.ready())
            ),
        )
    finally:
        fetch(
            filled.url.replace("/small?", "/steward?"),
            "ALTER DATABASE small RESET default_transaction_read_only",
        )
    # The connections that there are stay what they are; a request refused over one gets another.
    wait_for("readiness", lambda: filled.ready().status_code == 200)
    assert (
        organization.api.post(f"{organization.path}/work-orders", json={"title": "Leak"}).status_code == 201
    )
    assert "Traceback" not in filled.service.api.said + filled.service.worker.said
