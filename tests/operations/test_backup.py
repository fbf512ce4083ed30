"""`steward backup` and `steward restore`: everything of one moment, in one file, and back."""

import asyncio
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pyrage
import pytest
from tests.operations.backups import back_up, pg_restore, restore, unpack
from tests.operations.command import PASSPHRASE, done, refused, steward
from tests.operations.house import House
from tests.operations.receiver import receiving
from tests.support.answers import data_of
from tests.support.databases import fetch, run_commands
from tests.support.organizations import Client, Organization
from tests.support.processes import SECRET_KEY
from tests.support.servers import own_name
from tests.support.service import Service
from tests.support.waiting import wait_for

from steward import __version__
from steward.operations.backup.archive import ArchiveWriter
from steward.operations.backup.client_programs import connection_words
from steward.operations.backup.model import WITHOUT_ROWS
from steward.webhooks import verify

pytestmark = pytest.mark.long

# What is not compared: rows that a backup leaves out.
_EMPTY = dict.fromkeys(WITHOUT_ROWS, (0, ""))

_TABLES = """SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
             AND relnamespace = current_schema()::regnamespace ORDER BY 1"""
_SEQUENCES = (
    "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() ORDER BY 1"
)
_ORDERS = "SELECT number, id FROM work_orders WHERE organization_id = $1 ORDER BY number"
_TOLD = (
    """SELECT count(DISTINCT about) FROM events WHERE organization_id = $1 AND type = 'workorder.created'"""
)


async def _digests(url: str) -> dict[str, tuple[int, str]]:
    """Of every table how many rows it has, and a digest of all of them."""
    connection = await asyncpg.connect(url)
    try:
        found = {}
        for (table,) in await connection.fetch(_TABLES):
            rows = sorted(row[0] for row in await connection.fetch(f"SELECT t::text FROM {table} t"))
            found[table] = (len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest())
        return found
    finally:
        await connection.close()


@contextmanager
def writing(organization: Organization) -> Iterator[list[int]]:
    """Somebody makes work orders as fast as they can; the numbers of those that were confirmed."""
    confirmed: list[int] = []
    stop = threading.Event()

    def write() -> None:
        api = organization.client(key=organization.secret)
        while not stop.is_set():
            answer = api.post(f"{organization.path}/work-orders", json={"title": "Under load"})
            confirmed.append(data_of(answer)["number"])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        wait_for("some work orders", lambda: len(confirmed) > 5)
        yield confirmed
    finally:
        stop.set()
        thread.join()


def test_table_by_table_it_is_the_same_afterwards(house: House, empty_url: str, tmp_path: Path) -> None:
    path = tmp_path / "steward.backup"
    assert "rows of" in back_up(path, house.url)
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]
    said = restore(path, empty_url)
    assert "counted in each table" in said
    before, after = asyncio.run(_digests(house.url)), asyncio.run(_digests(empty_url))
    # What is left out is that of the processes; and the change feed goes on behind everything that anybody can have read.
    for name in {*WITHOUT_ROWS, "event_positions"}:
        del before[name], after[name]
    assert before == after
    assert before["work_orders"][0] == before["webhooks"][0] == 2
    assert fetch(house.url, _SEQUENCES) == fetch(empty_url, _SEQUENCES)
    # Nothing in it can be read without the passphrase, nor found by its words.
    raw = path.read_bytes()
    with tarfile.open(path) as archive:
        assert archive.getnames() == ["identity.age", "backup.tar.age"]
    assert house.first.id.encode() not in raw
    assert b"Lift is stuck" not in raw


def test_standard_tools_open_it(house: House, empty_url: str, tmp_path: Path) -> None:
    path = tmp_path / "steward.backup"
    back_up(path, house.url)
    folder = unpack(path, tmp_path / "unpacked")
    pg_restore(folder, empty_url)
    assert asyncio.run(_digests(house.url)) | _EMPTY == asyncio.run(_digests(empty_url)) | _EMPTY
    assert (folder / "secret.key").read_text(encoding="utf-8").split() == [SECRET_KEY]
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["steward"] == __version__
    assert manifest["rows"]["work_orders"] == 2
    assert "nothing to do" in done("migrate", "--database-url", empty_url)
    assert "FAIL" not in done("doctor", "--database-url", empty_url)


def test_age_asks_for_the_passphrase_itself(house: House, tmp_path: Path) -> None:
    if missing := [name for name in ("age", "script") if shutil.which(name) is None]:
        pytest.skip(f"not installed: apt-get install {' '.join(missing)}")
    path = tmp_path / "steward.backup"
    back_up(path, house.url)
    subprocess.run(["tar", "xf", path], cwd=tmp_path, check=True)
    # On a terminal, which `script` is.
    command = "age -d -i identity.age -o backup.tar backup.tar.age"
    subprocess.run(
        ["script", "-qec", command, "/dev/null"], cwd=tmp_path, input=f"{PASSPHRASE}\n", text=True, check=True
    )
    with tarfile.open(tmp_path / "backup.tar") as archive:
        assert archive.getnames()[:4] == ["README.txt", "manifest.json", "secret.key", "database/00000000"]


def test_a_server_that_refuses_a_statement_is_quoted(house: House, empty_url: str, tmp_path: Path) -> None:
    role = own_name("visitor")
    asyncio.run(run_commands(empty_url, f"CREATE ROLE {role} LOGIN"))
    try:
        back_up(tmp_path / "b", house.url)
        url = empty_url.replace("://steward@", f"://{role}@")
        words = ("restore", tmp_path / "b", "--passphrase-file", "-", "--database-url", url)
        said = refused(*words, typed=PASSPHRASE)
        assert "psql failed" in said
        assert "permission denied for schema public" in said
    finally:
        asyncio.run(run_commands(empty_url, f"DROP ROLE {role}"))
    assert fetch(empty_url, _TABLES) == []


def test_recipients_open_it_and_nobody_else(house: House, empty_url: str, tmp_path: Path) -> None:
    path = tmp_path / "steward.backup"
    ours, theirs, strangers = (pyrage.x25519.Identity.generate() for _ in range(3))
    recipients = ("--recipient", str(ours.to_public()), "--recipient", str(theirs.to_public()))
    done("backup", path, *recipients, "--database-url", house.url)
    words = ("restore", path, "--database-url", empty_url, "--identity-file", "-")
    said = refused(*words, typed=str(strangers))
    assert "is sealed for other recipients" in said
    assert "give --identity-file" in refused(*words[:4], "--passphrase-file", "-", typed=PASSPHRASE)
    assert "has to be one of `age-keygen`" in refused(*words, typed="nonsense")
    done(*words, typed=f"# a comment of age-keygen\n{theirs}\n")
    assert fetch(empty_url, "SELECT count(*) FROM work_orders")[0][0] == 2
    assert (unpack(path, tmp_path / "unpacked", str(ours)) / "manifest.json").exists()
    assert "a recipient is a public key of age" in refused(
        "backup", tmp_path / "b", "--recipient", "age1", "--database-url", house.url
    )


def test_tables_of_others_are_left_out(house: House, empty_url: str, tmp_path: Path) -> None:
    path = tmp_path / "steward.backup"
    asyncio.run(
        run_commands(
            house.url,
            'CREATE TABLE "Their table" (id serial PRIMARY KEY)',
            'CREATE VIEW theirs AS SELECT * FROM "Their table"',
            "CREATE SCHEMA elsewhere",
            "CREATE TABLE elsewhere.things (id text)",
        )
    )
    words = ("backup", path, "--passphrase-file", "-", "--database-url", house.url)
    assert "left out: Their table, which is not part of Steward" in steward(*words, typed=PASSPHRASE).stderr
    restore(path, empty_url)
    assert fetch(empty_url, "SELECT to_regclass('theirs') IS NULL AND to_regnamespace('elsewhere') IS NULL")[
        0
    ][0]


def test_partitions_and_their_rows_come_along(house: House, empty_url: str, tmp_path: Path) -> None:
    partitions = """SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_class c
                    WHERE c.relispartition AND c.relkind = 'r' ORDER BY 1"""
    back_up(tmp_path / "b", house.url)
    restore(tmp_path / "b", empty_url)
    assert fetch(house.url, partitions) == fetch(empty_url, partitions) != []


def test_the_password_of_a_url_is_on_no_command_line() -> None:
    words, variables = connection_words(
        "postgresql://ada:p%40ss@db.example:5433/steward?sslmode=require&search_path=a, b"
    )
    assert words == ["--no-password", "--dbname", "postgresql://ada@db.example:5433/steward?sslmode=require"]
    assert variables == {"PGPASSWORD": "p@ss", "PGOPTIONS": r"-c search_path=a,\ b"}


def test_a_backup_of_a_busy_database_is_consistent_and_restorable(
    service: Service, organization: Organization, empty_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "steward.backup"
    with receiving() as receiver:
        # Only the worker over what is restored may send to this machine.
        hook = organization.webhooks.create("visitor.*")
        organization.sql("UPDATE webhooks SET url = $2 WHERE id = $1", hook["webhookId"], receiver.url)
        with writing(organization) as confirmed:
            # On a busy machine it may be done before anybody has written.
            for _ in range(10):
                path.unlink(missing_ok=True)
                before = max(confirmed)
                back_up(path, service.database_url)
                if max(confirmed) > before:
                    break
            assert max(confirmed) > before, "nobody wrote meanwhile"
        restore(path, empty_url)
        orders = fetch(empty_url, _ORDERS, organization.id)
        numbers = [row["number"] for row in orders]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= before
        assert fetch(empty_url, _TOLD, organization.id)[0][0] == len(numbers)
        elsewhere = Service(tmp_path, empty_url, STEWARD_WEBHOOK_ALLOW_LOCAL="on")
        try:
            api = Client(elsewhere.base_url, key=organization.secret)
            shown = data_of(api.get(f"{organization.path}/work-orders/{orders[-1]['id']}"))
            assert shown["number"] == numbers[-1]
            feed = f"/v2{organization.path}/events"
            cursor = api.get(feed, params={"order": "asc", "after": "now"}).json()["lastEvaluatedKey"]
            visitor = api.post(
                f"{organization.path}/visitors", json={"name": "Ada", "expectedArrival": 2_000_000_000}
            )
            wait_for("a delivery", lambda: receiver.taken)
            [(body, headers)] = receiver.taken
            told = verify(body, headers, hook["signingSecret"])
            assert told["data"]["object"]["id"] == data_of(visitor)["id"]
            news = data_of(api.get(feed, params={"order": "asc", "after": cursor}))
            assert [event["id"] for event in news] == [told["id"]]
            said = done("doctor", "--database-url", empty_url)
            assert "FAIL" not in said
            assert "ok   a worker has a current heartbeat" in said
        finally:
            elsewhere.stop()


def test_an_embedded_database_comes_with_its_key(house: House, tmp_path: Path) -> None:
    path, data = tmp_path / "steward.backup", tmp_path / "data"
    back_up(path, house.url)
    words = ("restore", path, "--passphrase-file", "-", "--data-dir", data)
    done(*words, typed=PASSPHRASE, secret_key=None)
    key = data / "secret.key"
    assert key.read_text(encoding="utf-8").split() == [SECRET_KEY]
    assert key.stat().st_mode & 0o777 == 0o600
    assert house.first.id in done("org", "list", "--data-dir", data, secret_key=None)
    assert "FAIL" not in done("doctor", "--data-dir", data, secret_key=None)
    assert "the database is not empty" in refused(*words, typed=PASSPHRASE, secret_key=None)


def _changed(raw: bytes) -> bytes:
    middle = len(raw) // 2
    return raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]


def _without_parts(raw: bytes) -> bytes:
    """The last sealed chunks are missing, and the archive around them says so."""
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        contents = {each.name: archive.extractfile(each).read() for each in archive}  # type: ignore[union-attr]
    contents["backup.tar.age"] = contents["backup.tar.age"][:-70_000]
    out = io.BytesIO()
    writer = ArchiveWriter(out, now=0)
    for name, content in contents.items():
        writer.add(name, content)
    return out.getvalue() + bytes(1024)


HARMS: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda raw: raw[: len(raw) // 2], "is cut off"),
    (_changed, "is damaged"),
    (_without_parts, "is damaged"),
    (lambda _raw: b"PGDMP", "is no backup of Steward"),
    (lambda _raw: b"", "is no backup of Steward"),
    # One of 0.2.
    (lambda _raw: b"steward backup\n" + bytes(2000), "is no backup of Steward"),
]


def test_damaged_backups_are_refused_before_restoring(house: House, empty_url: str, tmp_path: Path) -> None:
    path, harmed = tmp_path / "steward.backup", tmp_path / "harmed.backup"
    back_up(path, house.url)
    for harm, words in HARMS:
        harmed.write_bytes(harm(path.read_bytes()))
        command = ("restore", harmed, "--passphrase-file", "-", "--database-url", empty_url)
        assert words in refused(*command, typed=PASSPHRASE)
    assert fetch(empty_url, _TABLES) == []


def test_a_database_that_a_newer_version_has_migrated_is_refused(house: House, tmp_path: Path) -> None:
    """Its new tables would be left out, and no version could restore the file."""
    later = "INSERT INTO schema_migrations VALUES (9999, '9999_widgets.sql')"
    asyncio.run(run_commands(house.url, "CREATE TABLE widgets (id text)", later))
    said = refused(
        "backup", tmp_path / "b", "--passphrase-file", "-", "--database-url", house.url, typed=PASSPHRASE
    )
    assert f"the database has 9999_widgets.sql, which Steward {__version__} doesn't know" in said
    assert "back it up with the version that migrated it" in said
    assert list(tmp_path.iterdir()) == []


def test_operator_mistakes_get_clear_errors(house: House, empty_url: str, tmp_path: Path) -> None:
    path = tmp_path / "steward.backup"
    command = ("backup", path, "--passphrase-file", "-", "--database-url")
    assert "at least 12 characters" in refused(*command, house.url, typed="short")
    assert "there is nothing to back up" in refused(*command, empty_url, typed=PASSPHRASE)
    other_key = "b" * 43 + "="
    assert "is not the one that this database was set up with" in refused(
        *command, house.url, typed=PASSPHRASE, secret_key=other_key
    )
    assert "there is no secret key" in refused(
        *command, house.url, "--data-dir", tmp_path / "none", typed=PASSPHRASE, secret_key=None
    )
    assert list(tmp_path.iterdir()) == []
    back_up(path, house.url)
    assert "exists already" in refused(*command, house.url, typed=PASSPHRASE)
    back = ("restore", path, "--passphrase-file", "-", "--database-url")
    assert "this is not the passphrase of" in refused(*back, empty_url, typed="another passphrase")
    assert "STEWARD_SECRET_KEY is another key" in refused(
        *back, empty_url, typed=PASSPHRASE, secret_key=other_key
    )
    assert "is not empty" in refused(*back, house.url, typed=PASSPHRASE)
    other = tmp_path / "secret.key"
    other.write_text(other_key, encoding="utf-8")
    other.chmod(0o600)
    assert "holds another secret key" in refused(
        *back, empty_url, "--secret-key-file", other, typed=PASSPHRASE
    )
    assert "there is no file" in refused("restore", tmp_path / "none", "--passphrase-file", "-", typed="x")
    assert fetch(empty_url, _TABLES) == []
