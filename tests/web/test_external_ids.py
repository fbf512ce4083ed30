"""What other systems call a record stands on its page, and can be changed there."""

import time

import pytest
from tests.http.test_external_ids import KINDS
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

PAGES = {
    "locations": "/app/locations/{id}",
    "users": "/app/settings/users/{id}",
    "work-orders": "/app/work-orders/{id}",
    "resources": "/app/bookings/resources/{id}",
    "bookings": "/app/bookings/{id}",
    "visitors": "/app/visitors/{id}",
}


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_shows_and_changes_the_name_elsewhere(
    organization: Organization, admin: BrowserClient, kind: str
) -> None:
    fields = {**KINDS[kind](organization), "externalId": "ERP <1>", "metadata": {"plan": "3.12", "n": [1]}}
    made = organization.created(kind, fields)
    path = PAGES[kind].format(id=made["id"])
    page = admin.sees(path)
    assert "<dt>External ID</dt><dd><code>ERP &lt;1&gt;</code></dd>" in page
    assert "<dt>plan</dt><dd>3.12</dd>" in page
    assert 'name="externalId"' in page
    assert admin.post(path, data={"externalId": f"ERP-{time.time_ns()}"}).status_code in {200, 303}
    changed = data_of(organization.api.get(f"{organization.path}/{kind}/{made['id']}"))
    assert changed["externalId"].startswith("ERP-")
    assert changed["metadata"] == made["metadata"]
    admin.post(path, data={"externalId": ""})
    cleared = data_of(organization.api.get(f"{organization.path}/{kind}/{made['id']}"))
    assert (cleared["externalId"], cleared["metadata"]) == (None, made["metadata"])
