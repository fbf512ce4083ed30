"""`steward org export` and `steward org delete`: everything of one organization, and nothing of another's."""

import asyncio
import json
import signal
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from tests.operations.command import done, refused
from tests.operations.house import House
from tests.support.answers import data_of
from tests.support.databases import fetch, run_commands
from tests.support.locks import waiting_backends
from tests.support.organizations import Organization
from tests.support.processes import StewardProcess
from tests.support.secrets import SECRETS
from tests.support.waiting import limit, wait_for

from steward.kit.db.sharding import tenant_number
from steward.kit.db.table_kinds import TableKind, distribution_column
from steward.kit.security.caller import TenantId
from steward.operations.tenants.model import NOT_EXPORTED, OWNED
from steward.slices import TABLE_KINDS

pytestmark = pytest.mark.long

_SHARED = """INSERT INTO memberships (organization_id, user_id, name, status, created, updated, account_id, email, made_account)
             SELECT '{second}', user_id, name, status, created, updated, account_id, email, false FROM memberships
             WHERE organization_id = '{first}' AND user_id = '{user}'"""


async def _rows_of(url: str, organization: str) -> dict[str, list[str]]:
    """Every row of the organization, by the register: in tables of tenants, of the history, and of keys."""
    connection = await asyncpg.connect(url)
    try:
        found = {}
        for table, kind in TABLE_KINDS.items():
            if table in OWNED:
                column = "organization_id" if table == "api_keys" else distribution_column(table, kind)
                owner: str | int = organization
            elif kind is TableKind.HISTORY:
                column, owner = distribution_column(table, kind), tenant_number(TenantId(organization))
            else:
                continue
            rows = await connection.fetch(f"SELECT t::text FROM {table} t WHERE {column} = $1", owner)
            found[table] = sorted(row[0] for row in rows)
        people = await connection.fetch(
            """SELECT a.id FROM accounts a WHERE a.id IN (SELECT account_id FROM memberships WHERE organization_id = $1)""",
            organization,
        )
        found["accounts"] = sorted(row[0] for row in people)
        return found
    finally:
        await connection.close()


def rows_of(url: str, organization: Organization) -> dict[str, list[str]]:
    return asyncio.run(_rows_of(url, organization.id))


def name_of(house: House) -> str:
    [row] = fetch(house.url, "SELECT name FROM organizations WHERE id = $1", house.first.id)
    return str(row[0])


def status_of_keys(house: House) -> set[str]:
    rows = fetch(house.url, "SELECT status FROM api_keys WHERE organization_id = $1", house.first.id)
    return {row[0] for row in rows}


def process_runs(process: StewardProcess) -> bool:
    assert process.process.poll() is None, process.said
    return True


@contextmanager
def locked(url: str, table: str) -> Iterator[None]:
    """Nobody changes the table meanwhile; reading goes on."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(url))
        try:
            runner.run(connection.execute(f"BEGIN; LOCK TABLE {table} IN SHARE MODE"))
            yield
        finally:
            runner.run(connection.close())


def test_an_export_holds_every_record_and_no_secret(house: House, tmp_path: Path) -> None:
    path = tmp_path / "first.zip"
    words = ("org", "export", house.first.id, "-o", path, "--database-url", house.url)
    done(*words)
    assert path.stat().st_mode & 0o777 == 0o600
    stored = rows_of(house.url, house.first)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        manifest = json.loads(archive.read("manifest.json"))
        everything = b"".join(archive.read(name) for name in archive.namelist())
        lines = {
            name: archive.read(name).splitlines() for name in archive.namelist() if name.startswith("data/")
        }
    assert manifest["organizationId"] == house.first.id
    assert {file["name"]: file["rows"] for file in manifest["files"]} == {
        name: len(found) for name, found in lines.items()
    }
    for table in set(OWNED) - NOT_EXPORTED.keys():
        assert len(lines[f"data/{table}.ndjson"]) == len(stored[table]), table
    assert [json.loads(line)["values"] for line in lines["data/readings.ndjson"]] == [{"Temperature": 95.0}]
    [order] = [json.loads(line) for line in lines["data/work_orders.ndjson"]]
    assert order["title"] == "Lift is stuck"
    assert json.loads(lines["data/events.ndjson"][0])["body"]["organizationId"] == house.first.id
    assert house.second.id.encode() not in everything
    assert b"argon2" not in everything
    assert [secret for secret in SECRETS.known if secret.encode() in everything] == []
    assert "exists already" in refused(*words)
    nobody = ("org", "export", "org_none", "-o", tmp_path / "none.zip", "--database-url", house.url)
    assert "There is no organization org_none" in refused(*nobody)
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_of_a_deleted_organization_is_left_and_the_others_are_untouched(house: House) -> None:
    first, second = house.first, house.second
    asyncio.run(
        run_commands(
            house.url, _SHARED.format(first=first.id, second=second.id, user=first.user_id), "SELECT 1"
        )
    )
    before = rows_of(house.url, first)
    assert all(
        before[table] for table in ("work_orders", "events", "deliveries", "telemetry_recent", "api_keys")
    )
    others = rows_of(house.url, second)
    words = ("org", "delete", first.id, "--database-url", house.url)
    assert "give --yes-delete NAME" in refused(*words)
    assert "that is not the name" in refused(*words, "--yes-delete", "Somebody")
    assert rows_of(house.url, first) == before
    assert "is deleted" in done(*words, "--yes-delete", name_of(house))
    assert {table: rows for table, rows in rows_of(house.url, first).items() if rows} == {}
    assert rows_of(house.url, second) == others
    # Of the accounts of its people that is left which another organization has, too.
    gone = sorted(set(before["accounts"]) - set(others["accounts"]))
    left = fetch(house.url, "SELECT id FROM accounts ORDER BY id")
    assert [row[0] for row in left] == others["accounts"]
    assert gone
    assert "there is no organization" in refused(*words, "--yes-delete", "x")
    assert "FAIL" not in done("doctor", "--database-url", house.url)


@pytest.mark.parametrize("table", ["telemetry_recent", "work_orders", "accounts"])
def test_a_killed_deletion_can_be_resumed(house: House, table: str, tmp_path: Path) -> None:
    """By `kill -9` in the history, among the tables, or in the transaction that takes the organization itself."""
    first, name = house.first, name_of(house)
    before, others = rows_of(house.url, first), rows_of(house.url, house.second)
    words = ("org", "delete", first.id, "--yes-delete", name)
    with locked(house.url, table):
        process = StewardProcess(tmp_path / "delete.log", *words, STEWARD_DATABASE_URL=house.url)
        try:
            waiting = partial(waiting_backends, house.url, f"DELETE FROM {table}%")
            wait_for(f"the wait for {table}", lambda: process_runs(process) and asyncio.run(waiting()))
        finally:
            process.kill()
        assert process.process.returncode == -signal.SIGKILL
        killed = rows_of(house.url, first)
        # It was in the middle: something is gone, what it waited for is there, and the organization is found again.
        assert killed != before
        assert killed[table] == before[table]
        assert name_of(house) == name
        assert status_of_keys(house) <= {"revoked"}
    assert "is deleted" in done(*words, "--database-url", house.url)
    assert {each: rows for each, rows in rows_of(house.url, first).items() if rows} == {}
    assert rows_of(house.url, house.second) == others
    left = fetch(house.url, "SELECT id FROM accounts ORDER BY id")
    assert [row[0] for row in left] == others["accounts"]


def write_reading(house: House) -> None:
    """A reading of the first organization, as by a process that had taken it in before: one like the second's."""
    first, second = (tenant_number(TenantId(each.id)) for each in (house.first, house.second))
    command = f"""INSERT INTO telemetry_recent
                  SELECT (jsonb_populate_record(t, jsonb_build_object('tenant', {first}))).*
                  FROM telemetry_recent t WHERE tenant = {second} LIMIT 1"""
    asyncio.run(run_commands(house.url, command, "SELECT 1"))
    assert rows_of(house.url, house.first)["telemetry_recent"]


def test_a_late_reading_is_stored_with_the_others(house: House, tmp_path: Path) -> None:
    words = ("org", "delete", house.first.id, "--yes-delete", name_of(house))
    with locked(house.url, "accounts"):
        process = StewardProcess(tmp_path / "delete.log", *words, STEWARD_DATABASE_URL=house.url)
        waiting = partial(waiting_backends, house.url, "DELETE FROM accounts%")
        try:
            wait_for("the last step", lambda: process_runs(process) and asyncio.run(waiting()))
            write_reading(house)
        except BaseException:
            process.kill()
            raise
    assert process.process.wait(limit(60)) == 0, process.said
    assert {table: rows for table, rows in rows_of(house.url, house.first).items() if rows} == {}


def test_leftovers_of_a_deleted_organization_are_deleted(house: House) -> None:
    words = ("org", "delete", house.first.id, "--yes-delete", name_of(house), "--database-url", house.url)
    done(*words)
    write_reading(house)
    others = rows_of(house.url, house.second)
    assert f"what was left of it ({house.first.id}) is deleted" in done(*words)
    assert {table: rows for table, rows in rows_of(house.url, house.first).items() if rows} == {}
    assert rows_of(house.url, house.second) == others
    assert "there is no organization" in refused(*words)


def test_its_keys_stop_at_once(organization: Organization) -> None:
    assert organization.api.get(organization.path).status_code == 200
    name = data_of(organization.api.get(organization.path))["name"]
    done("org", "delete", organization.id, "--database-url", organization.database_url, "--yes-delete", name)
    assert organization.api.get(organization.path).status_code == 401


def test_usage_of_other_keys_is_counted_after_a_deletion(
    organization: Organization, other_organization: Organization
) -> None:
    """The refused call of a deleted organization's key waits to be counted beside everybody's."""
    other = other_organization
    [key] = data_of(other.api.get(f"{other.path}/api-keys"))

    def calls() -> int:
        shown = other.api.get(f"{other.path}/api-keys/{key['keyId']}")
        assert shown.status_code == 200
        total: int = data_of(shown)["usage"]["totalCalls"]
        return total

    before = calls()
    name = data_of(organization.api.get(organization.path))["name"]
    done("org", "delete", organization.id, "--database-url", organization.database_url, "--yes-delete", name)
    assert organization.api.get(organization.path).status_code == 401
    assert calls() == before + 1
