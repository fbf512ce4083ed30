import asyncio
from collections.abc import Iterator

import pytest
from tests.observability.collector import listening
from tests.observability.traced_service import TracedService
from tests.support.organizations import Organization, close_clients
from tests.support.servers import drop_database, make_database, own_name
from tests.support.service import Service

# Nobody in a test waits as long as a collector would let us.
SOON = {"OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_METRIC_EXPORT_INTERVAL": "250"}


@pytest.fixture(scope="module")
def own_database_url(database_url: str) -> Iterator[str]:
    name = own_name("traced")
    yield asyncio.run(make_database(database_url, name, migrated=True))
    asyncio.run(drop_database(database_url, name))


@pytest.fixture(scope="module")
def traced(own_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TracedService]:
    with listening() as collector, listening() as receiver:
        service = Service(
            tmp_path_factory.mktemp("traced"),
            own_database_url,
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            OTEL_EXPORTER_OTLP_HEADERS="x-tenant=observed",
            STEWARD_WEBHOOK_ALLOW_LOCAL="on",
            **SOON,
        )
        try:
            organization = Organization(service.base_url, own_database_url, "Enterprise")
            yield TracedService(collector, receiver, service, organization)
        finally:
            service.stop()
            close_clients()
