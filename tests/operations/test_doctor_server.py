"""`steward doctor` over a server that is set up carelessly, and over transactions that others leave open."""

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest
from tests.operations.breaking import breaks
from tests.operations.command import steward
from tests.operations.findings import findings
from tests.support.databases import run_commands
from tests.support.launching import temporary_postgres
from tests.support.processes import SECRET_KEY

from steward.kit.runtime import clock
from steward.kit.security.encryption import Encryption
from steward.operations.doctor.actions import examine
from steward.operations.doctor.model import Circumstances, Finding, State
from steward.wiring.schema import migrate

pytestmark = pytest.mark.long

CARELESS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_prepared_transactions": "2",
}
PREPARED = "no transaction is left prepared"
OPEN = "transactions are short"


class CarelessServer(NamedTuple):
    data_dir: Path
    url: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CarelessServer]:
    data_dir = tmp_path_factory.mktemp("careless")
    with temporary_postgres(data_dir, **CARELESS) as running:
        asyncio.run(migrate(running.url))
        yield CarelessServer(data_dir, running.url)


async def examined(url: str, *, long_transaction_seconds: int) -> dict[str, Finding]:
    """As by the command, but for how long a transaction may be open: without a wait of a minute."""
    circumstances = Circumstances(
        now=clock.now(),
        longest_wait_seconds=1,
        connections=1,
        long_transaction_seconds=long_transaction_seconds,
    )
    encryption = Encryption(base64.b64decode(SECRET_KEY))
    found: list[Finding] = []
    await examine(url, encryption, circumstances, found.append)
    return {each.name: each for each in found}


@breaks("the server keeps confirmed writes")
def test_settings_that_lose_data_are_found(server: CarelessServer) -> None:
    code, found = findings(server.url)
    told = found["the server keeps confirmed writes"]
    assert (code, told["state"]) == (1, "FAIL")
    assert told["evidence"] == ["autovacuum is off", "fsync is off", "full_page_writes is off"]


@breaks(PREPARED)
def test_a_prepared_transaction_is_found(server: CarelessServer) -> None:
    begin = ("BEGIN", "SELECT pg_current_xact_id()", "PREPARE TRANSACTION 'left behind'", "SELECT 1")
    asyncio.run(run_commands(server.url, *begin))
    try:
        young = asyncio.run(examined(server.url, long_transaction_seconds=3600))
        old = asyncio.run(examined(server.url, long_transaction_seconds=0))
    finally:
        asyncio.run(run_commands(server.url, "ROLLBACK PREPARED 'left behind'", "SELECT 1"))
    ended = asyncio.run(examined(server.url, long_transaction_seconds=0))
    assert [found[PREPARED].state for found in (young, old, ended)] == [State.OK, State.FAIL, State.OK]
    [line] = old[PREPARED].evidence
    assert line.startswith("left behind is prepared since 20")


@breaks(OPEN)
def test_a_transaction_that_stays_open_is_found(server: CarelessServer) -> None:
    """One that has only read keeps nothing back."""

    async def states() -> tuple[int, list[Finding]]:
        connection = await asyncpg.connect(server.url, server_settings={"application_name": "somebody"})
        try:
            async with connection.transaction():
                process = await connection.fetchval("SELECT pg_backend_pid()")
                read = await examined(server.url, long_transaction_seconds=0)
                await connection.execute("SELECT pg_current_xact_id()")
                young = await examined(server.url, long_transaction_seconds=3600)
                old = await examined(server.url, long_transaction_seconds=0)
        finally:
            await connection.close()
        ended = await examined(server.url, long_transaction_seconds=0)
        return process, [found[OPEN] for found in (read, young, old, ended)]

    process, found = asyncio.run(states())
    assert [each.state for each in found] == [State.OK, State.OK, State.WARN, State.OK]
    [line] = found[2].evidence
    assert line.startswith(f"process {process} (somebody, database steward) writes since 20")


def test_the_command_gives_transactions_a_minute() -> None:
    assert Circumstances(now=0, longest_wait_seconds=0, connections=0).long_transaction_seconds == 60


def test_the_volume_of_an_embedded_database_is_checked(server: CarelessServer) -> None:
    said = steward("doctor", "--data-dir", server.data_dir).stdout
    assert "the volume of the database has room (" in said.splitlines()[0]
    assert "MiB free on the volume of " in said.splitlines()[0]
