"""A page of large records ends early: a hundred records of a megabyte each are not one answer."""

import json

from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.kit.db.listing import MAX_PAGE_LENGTH


def test_a_page_of_large_records_holds_fewer_and_goes_on(organization: Organization) -> None:
    options = [f"{n:020}" for n in range(200)]
    fields = [{"key": f"k{n}", "label": "l" * 1000, "type": "select", "options": options} for n in range(170)]
    body = json.dumps({"name": "Large", "fields": fields}, separators=(",", ":"))
    for _ in range(6):
        made = organization.api.post(
            f"{organization.path}/forms", content=body, headers={"Content-Type": "application/json"}
        )
        assert made.status_code == 201, made.text[:300]
    first = organization.api.get(f"{organization.path}/forms?limit=100")
    assert len(first.content) < MAX_PAGE_LENGTH + 1000
    shown, cursor = data_of(first), first.json()["lastEvaluatedKey"]
    assert 1 <= len(shown) < 6
    rest = organization.api.get(f"{organization.path}/forms", params={"lastEvaluatedKey": cursor}).json()
    assert rest["lastEvaluatedKey"] is None
    assert len({form["id"] for form in [*shown, *rest["data"]]}) == 6
