import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.house import House
from tests.support.launching import remove_cluster
from tests.support.organizations import Organization, close_clients
from tests.support.processes import ApiProcess
from tests.support.sample_records import SampleRecords
from tests.support.servers import (
    SERVER_VARIABLE,
    copy_database,
    drop_database,
    make_database,
    own_name,
    seal,
    set_durable,
)
from tests.support.service import ADDRESS_VARIABLE

_LATER = """UPDATE events SET created = created + 10
            WHERE organization_id = $1 AND id IN (SELECT event_id FROM deliveries WHERE organization_id = $1)"""
_HOUSE, _COPY = own_name("house"), own_name("house_copy")


@pytest.fixture(scope="module", autouse=True)
def durable_server(database_url: str) -> Iterator[None]:
    """The doctor looks at the server, too, and finds fault with one that doesn't wait for its disk."""
    ours = not {SERVER_VARIABLE, ADDRESS_VARIABLE} & os.environ.keys()
    if ours:
        asyncio.run(set_durable(database_url, durable=True))
    yield
    if ours:
        asyncio.run(set_durable(database_url, durable=False))


@pytest.fixture(scope="session")
def furnished_house(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    url = asyncio.run(make_database(database_url, _HOUSE, migrated=True))
    api = ApiProcess(tmp_path_factory.mktemp("house") / "api.log", url, STEWARD_WEBHOOK_ALLOW_LOCAL="on")
    try:
        api.wait_until_live()
        made = [SampleRecords(Organization(api.base_url, url, "Enterprise")).organization for _ in range(2)]
        for each in made:
            idempotent = {"Idempotency-Key": "a visitor"}
            body = {"name": "Ada", "expectedArrival": 2_000_000_000}
            assert each.api.post(f"{each.path}/visitors", json=body, headers=idempotent).status_code == 201
            # As if some time had passed since the webhook was made.
            each.sql(_LATER, each.id)
    finally:
        close_clients()
        api.stop()
    asyncio.run(seal(database_url, _HOUSE))
    yield House(url, *made)
    asyncio.run(drop_database(database_url, _HOUSE))


@pytest.fixture
def house(database_url: str, furnished_house: House) -> Iterator[House]:
    """A copy, with which a test may do what it likes."""
    url = asyncio.run(copy_database(database_url, _HOUSE, _COPY))
    yield House(url, furnished_house.first, furnished_house.second)
    asyncio.run(drop_database(database_url, _COPY))


@pytest.fixture(autouse=True)
def remove_embedded(tmp_path: Path) -> Iterator[None]:
    """Embedded databases may lie outside of their data directories."""
    yield
    for place in tmp_path.glob("*/postgres.location"):
        remove_cluster(place.parent)
