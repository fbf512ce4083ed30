import asyncio
import os
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.support.databases import database_named
from tests.webhook_delivery.certificates import Certificate, make_certificate
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver

from steward.wiring.schema import migrate

_TEMPLATE = f"delivery_template_{os.getpid()}"


async def _make_template(url: str) -> None:
    admin = await asyncpg.connect(url)
    await admin.execute(f"CREATE DATABASE {_TEMPLATE}")
    await admin.close()
    await migrate(database_named(url, _TEMPLATE))


@pytest.fixture(scope="session")
def template_url(database_url: str) -> str:
    asyncio.run(_make_template(database_url))
    return database_url


@pytest.fixture
async def database(template_url: str) -> AsyncIterator[DeliveryDatabase]:
    """A database that no other test and no worker uses."""
    admin = await asyncpg.connect(template_url)
    name = f"delivery_{os.getpid()}"
    await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
    database = DeliveryDatabase(database_named(template_url, name))
    yield database
    await database.close()
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver().listening() as receiver:
        yield receiver


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificates"))
