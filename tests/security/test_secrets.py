"""Secrets stay secret: the session ends with a search for all that the suite came to know (`refuse_leaks` in
tests/conftest.py). Here: that the search would find them, and that clients learn every kind."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization
from tests.support.processes import StewardProcess
from tests.support.secrets import SECRETS, Secrets, dump_database, leaks
from tests.support.service import Service


def test_clients_learn_every_kind_of_secret(organization: Organization, service: Service) -> None:
    key = organization.new_key()["secret"]
    tokens = organization.log_in()
    person = BrowserClient(service.base_url)
    assert person.log_in(organization.email).status_code == 303
    body = {"url": "https://hooks.example.com/", "events": ["*"]}
    webhook = data_of(organization.api.post(f"/v2{organization.path}/webhooks", json=body))
    rotated = data_of(
        organization.api.post(f"/v2{organization.path}/webhooks/{webhook['webhookId']}/rotate-secret")
    )
    room = organization.created("resources", {"name": "Room", "type": "Room"})["id"]
    link = data_of(organization.api.post(f"{organization.path}/resources/{room}/calendar-link"))["url"]
    assert {
        organization.secret,
        PASSWORD,
        key,
        *tokens.values(),
        person.cookies["steward_session"],
        webhook["signingSecret"],
        rotated["signingSecret"],
        link.removesuffix(".ics").rsplit(".", 1)[1],
    } <= SECRETS.known


@pytest.mark.parametrize("written", ["{}", 'token="{}"', "{}…"])
def test_a_secret_in_a_log_is_found(tmp_path: Path, written: str) -> None:
    secrets = Secrets()
    secrets.learn("svc_live_0123456789abcdefghijklmnopqrstuv")
    log = tmp_path / "api.log"
    log.write_text("a line\n" + written.format(*secrets.known) + "\n", encoding="utf-8")
    assert leaks(secrets, [log]) == {str(log): ["svc_live_012…"]}


@pytest.mark.parametrize("value", ["'{}'::text", "convert_to('{}', 'UTF8')", "jsonb_build_object('a', '{}')"])
async def test_a_secret_in_the_database_is_found(tmp_path: Path, database_url: str, value: str) -> None:
    secrets = Secrets()
    secrets.learn("whsec_bm90IGEgc2VjcmV0IG9mIGFueWJvZHk=")
    clear = value.format(*secrets.known)
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute(f"CREATE TABLE planted AS SELECT 1 AS id, {clear} AS clear")
        tables = await dump_database(database_url, tmp_path / "dump")
    finally:
        await connection.execute("DROP TABLE IF EXISTS planted")
        await connection.close()
    assert {"planted", "api_keys", "webhooks", "refresh_tokens", "idempotent_answers"} <= set(tables)
    assert list(leaks(secrets, [tmp_path / "dump"])) == [str(tmp_path / "dump")]


def test_the_leak_check_reads_the_logs_of_the_service(organization: Organization, service: Service) -> None:
    organization.api.get(f"{organization.path}/work-orders")
    assert {service.api.log, service.worker.log} <= StewardProcess.logs
    assert "/organizations/{orgId}/work-orders" in service.metrics()


def test_the_signing_key_of_tokens_is_sealed(
    organization: Organization, service: Service, tmp_path: Path
) -> None:
    organization.log_in()
    asyncio.run(dump_database(service.database_url, tmp_path / "dump"))
    assert leaks(Secrets(), [tmp_path / "dump"]) == {}
