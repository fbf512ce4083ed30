"""What `steward doctor` makes of facts, also of those that can't be brought about: old transactions, a full disk, a wrong clock."""

import asyncio
import time

import pytest
from tests.operations.breaking import breaks

from steward.kit.db.connection import DatabaseConnection, connect
from steward.operations.doctor import queries, rules
from steward.operations.doctor.model import SHOWN, State, judged

MEBIBYTE = 1 << 20
GIBIBYTE = 1 << 30
VERSION = "1.2.3"
KNOWN = {1: "0001_identity.sql", 2: "0002_manners.sql"}


@breaks("disk")
@pytest.mark.parametrize(
    ("free", "total", "state"),
    [
        (500 * GIBIBYTE, 1000 * GIBIBYTE, State.OK),
        (GIBIBYTE, 1000 * GIBIBYTE, State.OK),
        (GIBIBYTE - 1, 1000 * GIBIBYTE, State.WARN),
        # A small volume needs a tenth only.
        (200 * MEBIBYTE, 2000 * MEBIBYTE, State.OK),
        (199 * MEBIBYTE, 2000 * MEBIBYTE, State.WARN),
        (32 * MEBIBYTE, 1000 * GIBIBYTE, State.WARN),
        (32 * MEBIBYTE - 1, 1000 * GIBIBYTE, State.FAIL),
        (0, 1000 * GIBIBYTE, State.FAIL),
        # A tenth of it is less than the server needs.
        (31 * MEBIBYTE, 100 * MEBIBYTE, State.FAIL),
    ],
)
def test_free_space_of_the_volume_is_checked(free: int, total: int, state: State) -> None:
    finding = rules.judge_disk("so much is free", free, total, needed=32 * MEBIBYTE)
    assert finding.state is state
    assert finding.evidence == ([] if state is State.OK else ["so much is free"])


@breaks("clocks agree")
@pytest.mark.parametrize(
    ("database", "evidence"),
    [
        (1005.0, []),
        (990.0, []),
        (1020.0, []),
        (989.0, ["they are 11.0 s apart"]),
        (1021.5, ["they are 11.5 s apart"]),
    ],
)
def test_clocks_before_and_after(database: float, evidence: list[str]) -> None:
    """The question took from 1000 to 1010: anything between is right."""
    finding = rules.judge_clocks(1000.0, database, 1010.0)
    assert finding.state is (State.FAIL if evidence else State.OK)
    assert finding.evidence == evidence


@breaks("transaction numbers are cleaned up")
def test_old_transactions() -> None:
    assert rules.judge_transaction_age("steward", rules.OLD_TRANSACTIONS).state is State.OK
    old = rules.judge_transaction_age("steward", rules.OLD_TRANSACTIONS + 1)
    assert old.state is State.WARN
    assert old.evidence == ["steward has transactions that are 1000000001 old"]


@pytest.mark.parametrize(
    ("applied", "is_behind", "state", "evidence"),
    [
        (KNOWN, False, State.OK, []),
        ({}, False, State.FAIL, ["the database has no tables of Steward: run `steward migrate`"]),
        (
            {1: KNOWN[1]},
            False,
            State.FAIL,
            ["Steward 1.2.3 needs 0002_manners.sql: run `steward migrate`"],
        ),
        (
            {**KNOWN, 3: "0003_later.sql"},
            False,
            State.WARN,
            ["the database has 0003_later.sql, which Steward 1.2.3 doesn't know"],
        ),
        # One that is older and newer at once is of another line of versions: what is missing matters more.
        (
            {1: KNOWN[1], 3: "0003_later.sql"},
            False,
            State.FAIL,
            ["Steward 1.2.3 needs 0002_manners.sql: run `steward migrate`"],
        ),
        (
            KNOWN,
            True,
            State.FAIL,
            ["it was restored elsewhere, and its events have no order yet: run `steward migrate`"],
        ),
    ],
)
def test_schemas(applied: dict[int, str], is_behind: bool, state: State, evidence: list[str]) -> None:
    finding = rules.judge_schema(VERSION, KNOWN, applied, is_behind=is_behind)
    assert (finding.state, finding.evidence) == (state, evidence)


def test_todays_partition_is_created_before_later_ones() -> None:
    assert rules.judge_partitions([], []).state is State.OK
    ahead = rules.judge_partitions([], ["events", "events"])
    assert (ahead.state, ahead.evidence) == (State.WARN, ["events lacks some that are to come"])
    both = rules.judge_partitions(["events"], ["events", "deliveries"])
    assert both.state is State.FAIL
    assert both.evidence == [
        "events has none for the present",
        "deliveries lacks some that are to come",
    ]


def test_an_undecryptable_secret_is_reported_before_an_old_key() -> None:
    assert rules.judge_secrets([], []).state is State.OK
    assert rules.judge_secrets([], ["webhooks w"]).state is State.WARN
    lost = rules.judge_secrets(["webhooks v"], ["webhooks w"])
    assert (lost.state, lost.evidence) == (State.FAIL, ["webhooks v can't be opened"])


def test_evidence_is_limited_to_a_few_lines() -> None:
    finding = judged("name", "sentence", [str(number) for number in range(SHOWN + 1)])
    assert finding.evidence == [str(number) for number in range(SHOWN)]


def test_server_facts_are_plausible(database_url: str) -> None:
    async def facts() -> tuple[float, tuple[str, int], str]:
        connection: DatabaseConnection = await connect(database_url)
        try:
            name = await connection.fetchval("SELECT current_database()")
            return await queries.database_clock(connection), await queries.transaction_age(connection), name
        finally:
            await connection.close()

    before = time.time()
    clock, (database, age), name = asyncio.run(facts())
    # A server elsewhere has a clock of its own; what matters is that it is seconds since 1970.
    assert abs(clock - before) < 3600
    assert database == name
    assert 0 < age < rules.OLD_TRANSACTIONS
