"""`steward rotate-key`: another secret key, while the service goes on."""

import asyncio
import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest
from tests.operations.command import PASSPHRASE, done, refused, steward
from tests.operations.house import House
from tests.support.databases import fetch
from tests.support.organizations import Client
from tests.support.processes import SECRET_KEY, ApiProcess

from steward.kit.security.encryption import Encryption
from steward.operations.secrets.model import SEALED

pytestmark = pytest.mark.long

NEW_KEY = base64.b64encode(b"another key for the same house!!").decode()
THIRD_KEY = base64.b64encode(b"a key that nobody knows any more").decode()
VISITOR = {"name": "Ada", "expectedArrival": 2_000_000_000}
_BYTES = """SELECT table_name || '.' || column_name FROM information_schema.columns
            WHERE table_schema = 'public' AND udt_name = 'bytea' AND table_name = ANY ($1::text[])"""
# Digests, which no key opens, and texts.
UNSEALED = {"idempotent_answers.fingerprint"}


def is_current(url: str, key: str) -> dict[str, bool]:
    """Of each table whether all its secrets are sealed by this key."""
    encryption = Encryption(base64.b64decode(key), base64.b64decode(SECRET_KEY))
    return {
        sealed.table: all(
            encryption.is_current(sealed.purpose or row["name"], row[sealed.column])
            for row in fetch(url, f"SELECT * FROM {sealed.table}")
        )
        for sealed in SEALED
    }


@contextmanager
def serving(url: str, log: Path, key: str, others: str) -> Iterator[ApiProcess]:
    api = ApiProcess(log, url, STEWARD_SECRET_KEY=key, STEWARD_OTHER_SECRET_KEYS=others)
    try:
        api.wait_until_live()
        yield api
    finally:
        api.stop()


def test_processes_that_know_both_keys_go_on_while_secrets_are_sealed_anew(
    house: House, tmp_path: Path
) -> None:
    first = house.first
    orders, visitors = f"{first.path}/visitors?limit=1", f"{first.path}/visitors"
    # One that seals by the old key and opens both, one that seals by the new: as they run side by side for a while.
    with (
        serving(house.url, tmp_path / "old.log", SECRET_KEY, NEW_KEY) as old,
        serving(house.url, tmp_path / "new.log", NEW_KEY, SECRET_KEY) as new,
    ):
        before, after = Client(old.base_url, key=first.secret), Client(new.base_url, key=first.secret)
        cursors = [one.get(orders).json()["lastEvaluatedKey"] for one in (before, after)]
        for one in (before, after):
            for cursor in cursors:
                assert one.get(orders, params={"limit": 1, "lastEvaluatedKey": cursor}).status_code == 200
        for here, there, name in ((before, after, "from old"), (after, before, "from new")):
            head = {"Idempotency-Key": name}
            made = here.post(visitors, json=VISITOR, headers=head)
            again = there.post(visitors, json=VISITOR, headers=head)
            assert (made.status_code, again.json()) == (201, made.json())
        assert is_current(house.url, NEW_KEY) == {
            "service_secrets": False,
            "webhooks": False,
            "chirpstack_servers": True,
            "idempotent_answers": False,
        }
        keys = {"secret_key": NEW_KEY, "STEWARD_OTHER_SECRET_KEYS": SECRET_KEY}
        assert "run `steward rotate-key`" in done("doctor", "--database-url", house.url, **keys)
        said = done("rotate-key", "--database-url", house.url, **keys)
        assert "webhooks                    2 sealed anew" in said
        assert set(is_current(house.url, NEW_KEY).values()) == {True}
        repeated = done("rotate-key", "--database-url", house.url, **keys)
        assert "webhooks                    0 sealed anew" in repeated
        for one in (before, after):
            assert (
                one.post(visitors, json=VISITOR, headers={"Idempotency-Key": "from old"}).status_code == 201
            )
    # The old key is taken away: what is stored is good, and a cursor that it has signed is not.
    with serving(house.url, tmp_path / "alone.log", NEW_KEY, "") as alone:
        api = Client(alone.base_url, key=first.secret)
        statuses = [
            api.get(orders, params={"limit": 1, "lastEvaluatedKey": cursor}).status_code for cursor in cursors
        ]
        assert statuses == [422, 200]
    assert "FAIL" not in done("doctor", "--database-url", house.url, secret_key=NEW_KEY)
    assert "FAIL the secret key" in steward("doctor", "--database-url", house.url).stdout


async def _add_secrets(url: str, names: list[str], key: str) -> None:
    encryption = Encryption(base64.b64decode(key))
    connection = await asyncpg.connect(url)
    try:
        await connection.executemany(
            "INSERT INTO service_secrets (name, value) VALUES ($1, $2)",
            [(name, encryption.encrypt(name, b"secret")) for name in names],
        )
    finally:
        await connection.close()


def test_the_doctor_warns_while_a_single_value_is_left(house: House) -> None:
    """A rotation that was interrupted has sealed the first anew; the last of very many may be the only old one."""
    keys = {"secret_key": NEW_KEY, "STEWARD_OTHER_SECRET_KEYS": SECRET_KEY}
    done("rotate-key", "--database-url", house.url, **keys)
    asyncio.run(_add_secrets(house.url, [f"s{number:04}" for number in range(1100)], NEW_KEY))
    asyncio.run(_add_secrets(house.url, ["z"], SECRET_KEY))
    left = "service_secrets z is sealed by another key than the present: run `steward rotate-key`"
    assert left in done("doctor", "--database-url", house.url, **keys)
    assert "service_secrets             1 sealed anew" in done(
        "rotate-key", "--database-url", house.url, **keys
    )
    assert "sealed by another key" not in done("doctor", "--database-url", house.url, **keys)


def test_an_undecryptable_value_is_found_behind_many_old_ones(house: House) -> None:
    asyncio.run(_add_secrets(house.url, [f"s{number}" for number in range(10)], SECRET_KEY))
    asyncio.run(_add_secrets(house.url, ["z"], THIRD_KEY))
    keys = {"secret_key": NEW_KEY, "STEWARD_OTHER_SECRET_KEYS": SECRET_KEY}
    result = steward("doctor", "--database-url", house.url, **keys)
    assert result.exit_code == 1
    assert "service_secrets z can't be opened" in result.stdout


def test_no_sealed_column_is_forgotten(house: House) -> None:
    tables = [sealed.table for sealed in SEALED]
    assert {row[0] for row in fetch(house.url, _BYTES, tables)} - UNSEALED == {
        f"{sealed.table}.{sealed.column}" for sealed in SEALED
    }


def test_the_key_of_a_data_directory(house: House, tmp_path: Path) -> None:
    backup, data = tmp_path / "steward.backup", tmp_path / "data"
    done("backup", backup, "--passphrase-file", "-", "--database-url", house.url, typed=PASSPHRASE)
    here = ("--data-dir", data)
    done("restore", backup, "--passphrase-file", "-", *here, typed=PASSPHRASE, secret_key=None)
    assert "STEWARD_SECRET_KEY is set" in refused("rotate-key", "--new", *here)
    assert "webhooks                    2 sealed anew" in done("rotate-key", "--new", *here, secret_key=None)
    keys = (data / "secret.key").read_text(encoding="utf-8").split()
    assert (len(keys), keys[1]) == (2, SECRET_KEY)
    assert (data / "secret.key").stat().st_mode & 0o777 == 0o600
    # In between a backup takes both along.
    second, elsewhere = tmp_path / "second.backup", tmp_path / "elsewhere"
    done("backup", second, "--passphrase-file", "-", *here, typed=PASSPHRASE, secret_key=None)
    words = ("restore", second, "--passphrase-file", "-", "--data-dir", elsewhere)
    done(*words, typed=PASSPHRASE, secret_key=None)
    assert (elsewhere / "secret.key").read_text(encoding="utf-8").split() == keys
    done("rotate-key", "--forget", *here, secret_key=None)
    assert (data / "secret.key").read_text(encoding="utf-8").split() == keys[:1]
    assert "FAIL" not in done("doctor", *here, secret_key=None)
