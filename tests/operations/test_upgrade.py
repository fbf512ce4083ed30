"""A database that version 0.1.0 has made goes on with this one."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.operations.command import done, steward
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Client
from tests.support.processes import ApiProcess

pytestmark = pytest.mark.long

FIXTURES = Path(__file__).parent / "fixtures"
FACTS: dict[str, Any] = json.loads((FIXTURES / "database-0.1.0.json").read_text(encoding="utf-8"))
KEY: str = FACTS["secret_key"]


async def _load(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(gzip.decompress((FIXTURES / "database-0.1.0.sql.gz").read_bytes()).decode())
    finally:
        await connection.close()


@pytest.fixture
def old_url(empty_url: str) -> str:
    asyncio.run(_load(empty_url))
    return empty_url


@pytest.fixture
def upgraded(old_url: str, tmp_path: Path) -> Iterator[ApiProcess]:
    before = steward("doctor", "--database-url", old_url, secret_key=KEY)
    assert before.exit_code == 1
    assert "needs 0022_plain_names.sql" in before.stdout
    assert "0050_history_by_tenant.sql" in done("migrate", "--database-url", old_url)
    api = ApiProcess(tmp_path / "api.log", old_url, STEWARD_SECRET_KEY=KEY)
    try:
        api.wait_until_live()
        yield api
    finally:
        api.stop()


def test_all_data_of_0_1_0_survives_migrating(old_url: str, upgraded: ApiProcess) -> None:
    said = done("doctor", "--database-url", old_url, secret_key=KEY)
    assert "FAIL" not in said
    assert "ok   the secret key opens what is sealed in the database" in said

    api = Client(upgraded.base_url, key=FACTS["api_key"])
    path = f"/organizations/{FACTS['organization']}"
    orders = data_of(api.get(f"{path}/work-orders", params={"limit": 100}))
    assert [[order["number"], order["title"], order["status"]] for order in orders] == FACTS["orders"]
    [comment] = data_of(api.get(f"{path}/work-orders/{FACTS['order_with_comment']}/comments"))
    assert comment["text"] == "Hm"
    events = data_of(api.get(f"/v2{path}/events", params={"limit": 100}))
    assert [event["id"] for event in events] == FACTS["events"]
    span = {"from": FACTS["taken_at"] - 86_400, "to": FACTS["taken_at"] + 600, "key": "Temperature"}
    history = data_of(api.get(f"{path}/assets/{FACTS['asset']}/telemetry", params=span))
    assert [point["max"] for point in history["series"][0]["points"]] == FACTS["temperature"]

    # Lists and numbers continue where they ended.
    rest = api.get(f"{path}/work-orders", params={"limit": 100, "lastEvaluatedKey": FACTS["cursor"]})
    assert [order["number"] for order in data_of(rest)] == [5, 4, 3, 2, 1]
    assert data_of(api.post(f"{path}/work-orders", json={"title": "After the upgrade"}))["number"] == 7

    # People and keys get in as before.
    for email, password in (
        (FACTS["email"], FACTS["password"]),
        (FACTS["viewer"], FACTS["viewer_password"]),
    ):
        assert BrowserClient(upgraded.base_url).log_in(email, password).status_code == 303
    second = Client(upgraded.base_url, key=FACTS["second_key"])
    assert data_of(second.get(f"/organizations/{FACTS['second_organization']}"))["name"] == "Second house"
    assert second.get(f"/organizations/{FACTS['organization']}").status_code in {401, 403, 404}
