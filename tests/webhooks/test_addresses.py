"""Where webhooks never go, row by row: when they are made and changed. tests/webhook_delivery has the same for tests and deliveries."""

from tests.support.organizations import Organization
from tests.support.records.webhooks import URL
from tests.support.service import Service
from tests.support.special_addresses import CLOUD, LOCAL


def _refuses(organization: Organization, made: dict, host: str) -> None:
    body = {"url": f"https://{host}/hook", "events": ["*"]}
    for answer in (
        organization.api.post(organization.webhooks.path, json=body),
        organization.api.patch(organization.webhooks.path_of(made), json={"url": body["url"]}),
    ):
        assert answer.status_code == 422, (host, answer.text)
        assert [detail["field"] for detail in answer.json()["details"]] == ["url"]
    assert organization.webhooks.read(made)["url"] == URL


def test_forbidden_addresses_are_refused(organization: Organization) -> None:
    made = organization.webhooks.create()
    for host in [*CLOUD, *LOCAL]:
        _refuses(organization, made, host)


def test_cloud_metadata_is_refused_even_with_local_addresses_allowed(service: Service) -> None:
    api = service.another_api(STEWARD_WEBHOOK_ALLOW_LOCAL="on")
    organization = Organization(api.base_url, service.database_url, "Enterprise")
    made = organization.webhooks.create()
    for host in CLOUD:
        _refuses(organization, made, host)
    for host in LOCAL:
        body = {"url": f"https://{host}/hook", "events": ["sor.schedule.published"]}
        assert organization.api.post(organization.webhooks.path, json=body).status_code == 201, host
