from tests.support.organizations import Organization

from steward_client import Steward


def client_of(organization: Organization) -> Steward:
    """As the owner of the organization; its HTTP client is closed with the test."""
    return Steward(
        organization.base_url, organization.secret, organization.id, http_client=organization.client()
    )
