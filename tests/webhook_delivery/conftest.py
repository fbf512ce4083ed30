import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.support.servers import copy_database, drop_database, make_database, own_name, seal
from tests.webhook_delivery.certificates import Certificate, make_certificate
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver

_TEMPLATE = own_name("delivery_template")


@pytest.fixture(scope="session")
def template_url(database_url: str) -> str:
    asyncio.run(make_database(database_url, _TEMPLATE, migrated=True))
    asyncio.run(seal(database_url, _TEMPLATE))
    return database_url


@pytest.fixture
async def database(template_url: str) -> AsyncIterator[DeliveryDatabase]:
    """A database that no other test and no worker uses."""
    name = own_name("delivery")
    database = DeliveryDatabase(await copy_database(template_url, _TEMPLATE, name))
    yield database
    await database.close()
    await drop_database(template_url, name)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver().listening() as receiver:
        yield receiver


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificates"))
