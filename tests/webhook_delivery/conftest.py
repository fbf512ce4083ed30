from collections.abc import AsyncIterator

import pytest
from tests.support.servers import drop_database, make_database, own_name
from tests.webhook_delivery.certificates import Certificate, make_certificate
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[DeliveryDatabase]:
    """A database that no other test and no worker uses."""
    name = own_name("delivery")
    database = DeliveryDatabase(await make_database(database_url, name, migrated=True))
    yield database
    await database.close()
    await drop_database(database_url, name)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver().listening() as receiver:
        yield receiver


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificates"))
