"""Started by root, nothing that hears strangers stays root."""

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from tests.e2e.test_up import Up, _named
from tests.supervisor.helpers import next_line, program
from tests.support.launching import remove_cluster
from tests.support.waiting import limit

from steward.settings import Settings
from steward.supervisor.cluster import find_location
from steward.supervisor.errors import UpError
from steward.supervisor.filesystem import shared_memory_folder
from steward.supervisor.postgres import EmbeddedPostgres, running_url
from steward.supervisor.run_as import database_account, service_account
from steward.supervisor.system_account import (
    SystemAccount,
    configured_account,
    parse_account,
    unnamed_account,
    unprivileged_account,
)

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can: sudo make test")
STRANGER = SystemAccount(uid=54321, gid=54322)


@pytest.fixture
def closed_folder(tmp_path: Path) -> Path:
    """As root's home: nobody else may enter, though all may read what lies in it."""
    package = tmp_path / "closed" / "code" / "late"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "part.py").write_text("WORD = 'late'")
    (tmp_path / "closed").chmod(0o700)
    return package.parent


def report_of(folder: Path, code_access: str) -> dict[str, Any]:
    with program("become.py", STRANGER.uid, STRANGER.gid, folder, code_access) as process:
        found: dict[str, Any] = json.loads(next_line(process))
        return found


@AS_ROOT
def test_dropped_privileges_cannot_be_regained(closed_folder: Path) -> None:
    found = report_of(closed_folder, "code_access")
    assert found["ids"] == [STRANGER.uid] * 3 + [STRANGER.gid] * 3
    assert found["groups"] == []
    assert "could" not in found
    assert found["HOME"] == "/"


@AS_ROOT
def test_code_in_a_closed_folder_can_be_imported_late(closed_folder: Path) -> None:
    assert report_of(closed_folder, "none")["late"] is None
    found = report_of(closed_folder, "code_access")
    assert (found["late"], found["closed"]) == ("late", [])


@AS_ROOT
def test_code_that_only_root_may_read_is_named(closed_folder: Path) -> None:
    closed_folder.chmod(0o700)
    found = report_of(closed_folder, "code_access")
    assert (found["late"], found["closed"]) == (None, [str(closed_folder)])


# Our Python may lie in a folder of root's: what it needs is imported before.
_BECOME = """import asyncio, asyncpg, asyncpg.connect_utils, os, sys
_, code, _, uid, gid = sys.argv
os.setgroups([])
os.setresgid(*[int(gid)] * 3)
os.setresuid(*[int(uid)] * 3)
os.environ["HOME"] = "/"
exec(code)"""
_READ = "import pathlib; print(len(pathlib.Path(sys.argv[2]).read_bytes()) > 0)"
_CONNECT = """async def main():
    connection = await asyncpg.connect(sys.argv[2])
    print(await connection.fetchval('SELECT true'))
asyncio.run(main())"""


def _says_true(account: SystemAccount, code: str, argument: str) -> str:
    """Whether a program prints True as this account."""
    found = subprocess.run(
        [sys.executable, "-c", _BECOME, code, argument, str(account.uid), str(account.gid)],
        capture_output=True,
        text=True,
        timeout=limit(60),
        check=False,
    )
    if "True" in found.stdout:
        return "yes"
    assert "PermissionError" in found.stderr, found.stderr
    return "no"


def _may(account: SystemAccount, path: Path) -> str:
    return _says_true(account, _READ, str(path))


def _connects(account: SystemAccount, url: str) -> str:
    return _says_true(account, _CONNECT, url)


def status_of(process: psutil.Process) -> dict[str, str]:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    remove_cluster(tmp_path / "data")


@AS_ROOT
@pytest.mark.long
def test_api_and_worker_run_as_an_account_that_owns_nothing_of_the_database(folder: Path) -> None:
    owner, own = unprivileged_account(), unnamed_account()
    assert own is not None
    assert own.uid != owner.uid
    # Of several API processes the first that is ready answers, while another may still be starting as root.
    up = Up(folder, STEWARD_API_PROCESSES="1")
    try:
        up.wait_until_ready()
        family = up.family()
        # Ready means that the API has served and that a worker has given a sign of life.
        for process in family:
            try:
                found = status_of(process)
            except (FileNotFoundError, ProcessLookupError):
                continue  # some of PostgreSQL's come and go
            account = owner if "postgres" in found["Name"] else own
            assert found["Uid"].split() == [str(account.uid)] * 4, process
            assert found["Gid"].split() == [str(account.gid)] * 4, process
            assert found["Groups"] == "", process
            assert int(found["CapPrm"], 16) == int(found["CapEff"], 16) == 0, process
        for part in (_named(family, "api"), _named(family, "worker")):
            # The key is in there; processes of the same account may not look.
            assert Path(f"/proc/{part.pid}/environ").stat().st_uid == 0
            limits = Path(f"/proc/{part.pid}/limits").read_text()
            assert int(re.findall(r"Max open files +(\d+)", limits)[0]) >= 4096
        assert stat.S_IMODE((folder / "data").stat().st_mode) & 0o066 == 0
        assert (folder / "data" / "secret.key").stat().st_uid == 0
        # What is read late: templates, and the modules that they need.
        assert httpx.get(f"{up.base_url}/app/login", verify=False, timeout=limit(60)).status_code == 200
        assert "Air handler 3 is noisy" in up.titles()
        metrics_folder = shared_memory_folder(folder / "data")
        assert {file.stat().st_uid for file in metrics_folder.iterdir()} == {own.uid}
        location = find_location(folder / "data")
        assert location is not None
        assert _may(own, location.cluster / "PG_VERSION") == "no"
        assert _may(owner, location.cluster / "PG_VERSION") == "yes"
        # Nor is anybody else let in to the socket.
        url = running_url(folder / "data") or ""
        assert [_connects(each, url) for each in (own, owner, STRANGER)] == ["yes", "yes", "no"]
    finally:
        assert up.stop() == 0
    assert not metrics_folder.exists()


@AS_ROOT
@pytest.mark.long
def test_root_stays_root_only_where_it_is_named(folder: Path) -> None:
    up = Up(folder, STEWARD_RUN_AS="root")
    try:
        up.wait_until_ready()
        parts = [_named(up.family(), part) for part in ("api", "worker")]
        assert [part.uids().effective for part in parts] == [0, 0]
    finally:
        assert up.stop() == 0


def test_without_an_account_to_run_as_the_line_says_what_to_do() -> None:
    assert configured_account(str(os.geteuid()) + ":" + str(os.getegid())) == SystemAccount.current()
    with pytest.raises(UpError, match=r"^STEWARD_RUN_AS names nosuchaccount, but there is no such account$"):
        parse_account("nosuchaccount")
    if os.geteuid() == 0:
        expected = r"none of the accounts nosuchaccount, norsuch exists: create one .* by STEWARD_RUN_AS"
        with pytest.raises(UpError, match=expected):
            unprivileged_account(("nosuchaccount", "norsuch"))
    else:
        with pytest.raises(UpError, match="only root can run as another account"):
            configured_account("0:0")


@AS_ROOT
def test_the_socket_accepts_the_account_of_the_service_only(used_data_dir: Path) -> None:
    """Also where a server is running that lets in another one, or only its owner."""
    owner, own = unprivileged_account(), unnamed_account()
    named = SystemAccount(STRANGER.uid + 1, STRANGER.gid + 1)
    for guest, expected in ((own, "yes no no yes"), (named, "no yes no yes"), (None, "no no no yes")):
        postgres = EmbeddedPostgres(used_data_dir, guest=guest)
        try:
            url = postgres.start()
            assert own is not None
            assert [_connects(each, url) for each in (own, named, STRANGER, owner)] == expected.split()
        finally:
            postgres.stop()


@AS_ROOT
def test_the_account_of_each_process_follows_from_the_settings(used_data_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_data_dir)
    postgres.start()
    postgres.stop()
    embedded = Settings(data_dir=used_data_dir)
    assert service_account(embedded) == unnamed_account()
    assert service_account(Settings(data_dir=used_data_dir, run_as=STRANGER.uid_gid)) == STRANGER
    assert service_account(Settings(data_dir=used_data_dir, run_as="root")).is_root
    elsewhere = Settings(data_dir=used_data_dir, database_url="postgresql:///elsewhere")
    assert service_account(elsewhere) == unprivileged_account()
    # Of a new database: never the account that is named for the service, where there is another.
    assert database_account(embedded) == unprivileged_account()
    named = unprivileged_account()
    assert database_account(Settings(data_dir=used_data_dir, run_as=named.uid_gid)) != named
