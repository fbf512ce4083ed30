from collections.abc import Callable

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization


def _found(person: BrowserClient, q: str) -> list[tuple[str, str]]:
    answer = person.get("/app/search.json", params={"q": q})
    assert answer.status_code == 200, answer.text
    return [(found["id"], found["label"]) for found in answer.json()]


def test_everything_is_found_by_number_title_name_and_code(
    organization: Organization, admin: BrowserClient
) -> None:
    place = organization.locations.create(name="Quarzhaus <1>", type="Building")
    order = organization.work_orders.create("Quarzlampe flackert")
    asset = organization.assets.create(name="Quarzpumpe")
    visitor = organization.visitors.create(name="Quarz, Lina")
    page = admin.sees("/app/search?q=quarz")
    for path in (
        f"/app/work-orders/{order['id']}",
        f"/app/locations/{place['id']}",
        f"/app/assets/{asset['id']}",
        f"/app/visitors/{visitor['id']}",
    ):
        assert f'href="{path}"' in page
        assert admin.get(path).status_code == 200
        assert path in dict(_found(admin, "quarz"))
    assert "Quarzhaus &lt;1&gt;" in page
    assert "<1>" not in page
    for q in (str(order["number"]), f"#{order['number']}"):
        assert f"/app/work-orders/{order['id']}" in dict(_found(admin, q))
    assert _found(admin, "quarz")[-1] == ("/app/search?q=quarz", "All results for “quarz”")
    assert f'href="/app/settings/users/{organization.user_id}"' in admin.sees(
        f"/app/search?q={organization.email}"
    )


@pytest.mark.parametrize("q", ["", " ", "q", "#", "999999999999999", "9" * 40, "%", "_ _", "x" * 300, "²"])
def test_impossible_filters_match_nothing(organization: Organization, admin: BrowserClient, q: str) -> None:
    organization.work_orders.create("Lift is stuck")
    assert _found(admin, q) == []
    assert "Lift is stuck" not in admin.sees(f"/app/search?q={q.replace('%', '%25').replace('#', '%23')}")


def test_search_returns_visible_records_only(
    organization: Organization, other_organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    organization.visitors.create(name="Quarz, Lina")
    organization.work_orders.create("Quarzlampe flackert")
    other_organization.work_orders.create("Quarz of others")
    technician = logged_in(organization.new_user("Technician")["email"])
    assert [label for _, label in _found(technician, "quarz")] == [
        "Quarzlampe flackert",
        "All results for “quarz”",
    ]
    assert technician.get("/app/pick/visitor").status_code == 404
    role = organization.created("roles", {"name": "Writes", "permissions": ["work-orders:write"]})
    writer = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    assert _found(writer, "1") == []
    assert _found(writer, "quarz") == []


def test_a_picker_offers_the_newest_and_then_search_results(
    organization: Organization, admin: BrowserClient
) -> None:
    for number in range(15):
        organization.locations.create(name=f"Room {number:02}", type="Building")
    newest = admin.get("/app/pick/location").json()
    assert [found["label"] for found in newest] == [f"Room {number:02}" for number in range(14, 2, -1)]
    assert [found["label"] for found in admin.get("/app/pick/location?q=room 03").json()] == ["Room 03"]
    assert admin.get("/app/pick/location?q=nowhere").json() == []
    # One letter is not enough to search for yet.
    assert len(admin.get("/app/pick/location?q=r").json()) == 12
    assert admin.get("/app/pick/nothing").status_code == 404


@pytest.mark.parametrize("kind", ["location", "asset", "user", "asset-type", "work-order"])
def test_there_is_a_picker_of_each_kind(admin: BrowserClient, kind: str) -> None:
    assert admin.get(f"/app/pick/{kind}").status_code == 200
