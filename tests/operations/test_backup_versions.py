"""Backups between PostgreSQL of several versions."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.backups import back_up, restore
from tests.operations.command import PASSPHRASE, refused
from tests.operations.house import House
from tests.plans.servers import programs_of, running_server
from tests.support.databases import fetch
from tests.support.servers import make_database

from steward.operations.backup.client_programs import client_programs
from steward.operations.backup.model import BackupError
from steward.wiring.schema import migrate

pytestmark = pytest.mark.long

_OLDER = 15


@pytest.fixture(scope="module")
def older_url() -> Iterator[str]:
    programs = programs_of(_OLDER)
    if programs is None:
        pytest.skip(f"PostgreSQL {_OLDER} is not installed: make server")
    with running_server(programs) as url:
        yield url


def _folder(tmp_path: Path, major: int) -> Path:
    """With programs that say they are of this version."""
    folder = tmp_path / str(major)
    folder.mkdir()
    for name in ("pg_dump", "pg_restore", "psql"):
        (folder / name).write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {major}.4'\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def test_a_dump_goes_up_and_never_down(house: House, older_url: str, empty_url: str, tmp_path: Path) -> None:
    source = asyncio.run(make_database(older_url, "source"))
    same = asyncio.run(make_database(older_url, "same"))
    asyncio.run(migrate(source))
    back_up(tmp_path / "older", source)
    migrations = "SELECT name FROM schema_migrations ORDER BY number"
    for target in (same, empty_url):
        restore(tmp_path / "older", target)
        assert fetch(target, migrations) == fetch(source, migrations)
    back_up(tmp_path / "newer", house.url)
    words = ("restore", tmp_path / "newer", "--passphrase-file", "-", "--database-url")
    said = refused(*words, asyncio.run(make_database(older_url, "below")), typed=PASSPHRASE)
    assert (
        f"this server is PostgreSQL {_OLDER}: a dump can only be restored into the same major version" in said
    )


def test_the_programs_fit_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Higher than any that is installed here.
    folders = [_folder(tmp_path, major) for major in (93, 91, 95)]
    assert client_programs(folders, 91).major == 91
    assert client_programs(folders, 92).major == 93
    assert client_programs(folders, 91, 91).major == 91
    # What a newer pg_dump wrote, older programs can't read.
    assert client_programs(folders, 91, 94).major == 95
    with pytest.raises(BackupError, match=r"the server is PostgreSQL 96.*\(Debian: postgresql-client-96\)"):
        client_programs(folders, 96)
    # They set what PostgreSQL 16 and before don't know.
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupError, match="no pg_dump, pg_restore, psql of this machine fit it"):
        client_programs(folders, 14, 14)
