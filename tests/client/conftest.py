from collections.abc import AsyncIterator

import httpx
import pytest
from tests.client.clients import client_of
from tests.support.organizations import Organization, new_address
from tests.support.waiting import limit

from steward_client import AsyncSteward, Steward


@pytest.fixture
def steward(organization: Organization) -> Steward:
    return client_of(organization)


@pytest.fixture
async def async_steward(organization: Organization) -> AsyncIterator[AsyncSteward]:
    async with httpx.AsyncClient(headers={"X-Forwarded-For": new_address()}, timeout=limit(60)) as http:
        yield AsyncSteward(organization.base_url, organization.secret, organization.id, http_client=http)
