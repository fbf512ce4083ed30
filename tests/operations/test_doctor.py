"""`steward doctor`: what must be true of the data, each broken on purpose once."""

import asyncio
import sys
from typing import NamedTuple

import pytest
from tests.operations import test_doctor_rules, test_doctor_server
from tests.operations.breaking import breaks, broken_in
from tests.operations.command import done, refused, steward
from tests.operations.findings import findings
from tests.operations.house import House
from tests.support.databases import fetch, run_commands

from steward.operations.doctor.queries import CHECKS

pytestmark = pytest.mark.long

WORKER = """INSERT INTO processes (id, kind, seen, lease_until)
            VALUES ('a worker', 'worker', 0, now() + interval '1 hour')"""
MINUTES_AGO = "(extract(epoch FROM now()) * 1000)::bigint - 60000 *"
IN_TIME = "deliveries are made in time"


class Break(NamedTuple):
    """How a sentence becomes untrue, and what then stands before it. In the command `{first}` is an organization, `{oldest}` and
    `{newest}` are partitions of events."""

    check: str
    command: str
    state: str = "FAIL"
    # What can't but become untrue with it.
    others: frozenset[str] = frozenset()


BREAKS = (
    Break(
        "events have their deliveries",
        """DELETE FROM deliveries WHERE organization_id = '{first}' AND event_id IN
           (SELECT id FROM events WHERE organization_id = '{first}' AND type LIKE 'visitor.%')""",
    ),
    Break(
        "deliveries have an end",
        "UPDATE deliveries SET due = NULL, status = 'pending' WHERE organization_id = '{first}'",
    ),
    Break(
        "deliveries are made",
        f"UPDATE deliveries SET due = {MINUTES_AGO} 1500, status = 'retrying' WHERE organization_id = '{{first}}'",
        others=frozenset({IN_TIME}),
    ),
    Break(
        IN_TIME,
        f"UPDATE deliveries SET due = {MINUTES_AGO} 11, status = 'retrying' WHERE organization_id = '{{first}}'",
        "warn",
    ),
    Break(
        "deliveries wait no longer than retries do",
        "UPDATE deliveries SET due = 9000000000000, status = 'retrying' WHERE organization_id = '{first}'",
    ),
    Break(
        "work-order numbers have no gap",
        "UPDATE counters SET last = last + 3 WHERE organization_id = '{first}'",
    ),
    Break("work-order numbers are counted", "UPDATE counters SET last = 0 WHERE organization_id = '{first}'"),
    Break(
        "API keys have an organization",
        "UPDATE api_keys SET organization_id = 'org_gone' WHERE organization_id = '{first}'",
    ),
    Break("a worker runs", "UPDATE processes SET lease_until = now() - interval '2 minutes'", "warn"),
    Break(
        "indexes are valid",
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'accounts_by_email'::regclass",
    ),
    Break(
        "constraints are validated",
        "ALTER TABLE accounts ADD CONSTRAINT longer CHECK (length(email) > 1000) NOT VALID",
    ),
    Break("partitions are ahead", "DROP TABLE {oldest}"),
    Break("partitions are ahead", "DROP TABLE {newest}", "warn"),
    # One that no webhook wants, as by a clock that was ahead by years.
    Break(
        "partitions hold all rows",
        """INSERT INTO events SELECT (jsonb_populate_record(e, '{{"id": "evt_09000000000000aaaaaa"}}')).*
           FROM events e WHERE organization_id = '{first}' AND id NOT IN (SELECT event_id FROM deliveries) LIMIT 1""",
        "warn",
    ),
    Break(
        "secrets",
        "UPDATE webhooks SET secrets = decode('00', 'hex') || secrets WHERE organization_id = '{first}'",
    ),
    # Shorter than anything that is sealed.
    Break("secrets", "UPDATE webhooks SET secrets = decode('00', 'hex') WHERE organization_id = '{first}'"),
    Break("schema", "DELETE FROM schema_migrations WHERE number > 49"),
    Break("schema", "INSERT INTO schema_migrations VALUES (9999, '9999_later.sql')", "warn"),
    Break("schema", "UPDATE event_positions SET last = last + 1000000000000"),
)


def break_it(house: House, command: str) -> None:
    [(oldest, newest)] = fetch(
        house.url,
        "SELECT min(relname), max(relname) FROM pg_class WHERE relname ~ '^events_[0-9]+$' AND relkind = 'r'",
    )
    command = command.format(first=house.first.id, oldest=oldest, newest=newest)
    asyncio.run(run_commands(house.url, command, "SELECT 1"))


def test_doctor_is_silent_about_a_healthy_deployment(house: House) -> None:
    asyncio.run(run_commands(house.url, WORKER, "SELECT 1"))
    code, found = findings(house.url)
    assert code == 0
    assert {name for name, finding in found.items() if finding["state"] != "ok"} == set()
    said = done("doctor", "--database-url", house.url)
    assert [line[:5] for line in said.splitlines()] == ["ok   "] * len(found)


def test_every_check_has_a_failing_test(house: House) -> None:
    _, found = findings(house.url)
    assert {check.name for check in CHECKS} < found.keys()
    # The disk is looked at where the database is embedded.
    said = found.keys() | {"disk"}
    assert broken_in(test_doctor_rules, test_doctor_server, sys.modules[__name__]) == said


@breaks(*(each.check for each in BREAKS))
@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: f"{broken.check}: {broken.state}")
def test_broken_promises_are_found(house: House, broken: Break) -> None:
    asyncio.run(run_commands(house.url, WORKER, "SELECT 1"))
    break_it(house, broken.command)
    code, found = findings(house.url)
    assert code == (1 if broken.state == "FAIL" else 0)
    assert found[broken.check]["state"] == broken.state
    assert found[broken.check]["evidence"]
    untrue = {name for name, finding in found.items() if finding["state"] != "ok"}
    assert untrue == {broken.check} | broken.others


@breaks("connections are enough")
def test_too_few_connections_are_found(house: House) -> None:
    code, found = findings(house.url, STEWARD_DATABASE_CONNECTIONS="200", STEWARD_API_PROCESSES="8")
    assert (code, found["connections are enough"]["state"]) == (0, "warn")
    assert found["connections are enough"]["evidence"] == [
        "max_connections is 200, the processes of this machine may take 2073"
    ]


def test_another_key_is_found(house: House) -> None:
    result = steward("doctor", "--database-url", house.url, secret_key="b" * 43 + "=")
    assert result.exit_code == 1
    assert "FAIL the secret key opens what is sealed in the database\n" in result.stdout
    assert "service_secrets jwt signing key can't be opened" in result.stdout


def test_an_impossible_check_is_reported(empty_url: str) -> None:
    code, found = findings(empty_url)
    assert (code, found["schema"]["state"]) == (1, "FAIL")
    gone = empty_url.replace("/empty_", "/nowhere_")
    assert "the database can't be reached" in refused("doctor", "--database-url", gone, code=2)
