"""Lists: newest first, page by page, with cursors that fit one list only."""

from collections.abc import Callable

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization


def get_page(organization: Organization, resource: str = "work-orders", **query: str | int) -> httpx.Response:
    return organization.api.get(f"{organization.path}/{resource}", params=query)


def make_orders(organization: Organization, count: int) -> list[str]:
    return [organization.created("work-orders", {"title": f"Order {i}"})["id"] for i in range(count)]


def refused(answer: httpx.Response) -> list[str]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    return [detail["field"] for detail in answer.json()["details"]]


def test_an_empty_list_is_a_page_without_a_cursor(shared_organization: Organization) -> None:
    assert get_page(shared_organization).json() == {"data": [], "lastEvaluatedKey": None}


def test_a_page_holds_20_unless_asked_otherwise(organization: Organization) -> None:
    made = make_orders(organization, 21)
    page = get_page(organization).json()
    assert [order["id"] for order in page["data"]] == made[:0:-1]
    rest = get_page(organization, lastEvaluatedKey=page["lastEvaluatedKey"]).json()
    assert [order["id"] for order in rest["data"]] == made[:1]
    assert rest["lastEvaluatedKey"] is None


def test_a_page_holds_100_at_most(organization: Organization) -> None:
    make_orders(organization, 101)
    page = get_page(organization, limit=100).json()
    assert len(page["data"]) == 100
    assert page["lastEvaluatedKey"]


@pytest.mark.parametrize(
    "limit",
    [
        "0",
        "101",
        "abc",
        "-1",
        "",
        "1.5",
        "1e1",
        "99999999999999999999",
        "null",
    ],
)
def test_a_limit_out_of_range_is_invalid(shared_organization: Organization, limit: str) -> None:
    assert refused(get_page(shared_organization, limit=limit)) == ["limit"]


def test_a_walk_sees_everything_once_and_ends_without_a_cursor(organization: Organization) -> None:
    made = make_orders(organization, 4)
    for limit in range(1, 6):
        seen: list[str] = []
        pages = 0
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            page = get_page(organization, limit=limit, **cursor).json()
            seen += [order["id"] for order in page["data"]]
            pages += 1
            key = page["lastEvaluatedKey"]
            cursor = None if key is None else {"lastEvaluatedKey": key}
        assert seen == made[::-1]
        assert pages == -(-4 // limit)  # no empty page at the exact end


def test_a_walk_is_stable_under_concurrent_inserts(organization: Organization) -> None:
    made = make_orders(organization, 6)
    seen: list[str] = []
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        page = get_page(organization, limit=2, **cursor).json()
        seen += [order["id"] for order in page["data"]]
        make_orders(organization, 2)
        key = page["lastEvaluatedKey"]
        cursor = None if key is None else {"lastEvaluatedKey": key}
    assert seen == made[::-1]


def test_a_filtered_walk_returns_only_matching_records(organization: Organization) -> None:
    made = make_orders(organization, 3)
    first = get_page(organization, status="Open", limit=2).json()
    rest = get_page(organization, status="Open", limit=2, lastEvaluatedKey=first["lastEvaluatedKey"]).json()
    assert [order["id"] for order in first["data"] + rest["data"]] == made[::-1]
    assert get_page(organization, status="Completed").json() == {"data": [], "lastEvaluatedKey": None}


@pytest.mark.parametrize("resource", ["work-orders", "users", "roles", "api-keys"])
def test_every_list_pages_the_same_way(organization: Organization, resource: str) -> None:
    make_orders(organization, 2)
    organization.new_user()
    organization.new_key()
    everything = data_of(get_page(organization, resource, limit=100))
    first = get_page(organization, resource, limit=1).json()
    second = get_page(organization, resource, limit=1, lastEvaluatedKey=first["lastEvaluatedKey"]).json()
    ids = [
        [item.get("id") or item["keyId"] for item in page]
        for page in (everything, first["data"] + second["data"])
    ]
    assert ids[0][:2] == ids[1]
    assert ids[0] == sorted(ids[0], reverse=True)
    times = [item["created"] for item in everything]
    assert times == sorted(times, reverse=True)


class TestACursor:
    @pytest.fixture
    def cursor(self, organization: Organization) -> str:
        make_orders(organization, 3)
        return get_page(organization, limit=1).json()["lastEvaluatedKey"]

    def test_holds_for_another_limit(self, organization: Organization, cursor: str) -> None:
        assert len(data_of(get_page(organization, limit=2, lastEvaluatedKey=cursor))) == 2

    def test_a_changed_cursor_is_refused(self, organization: Organization, cursor: str) -> None:
        for place in range(0, len(cursor) - 4, 3):
            other = "A" if cursor[place] != "A" else "B"
            changed = cursor[:place] + other + cursor[place + 1 :]
            assert refused(get_page(organization, lastEvaluatedKey=changed)) == ["lastEvaluatedKey"]

    @pytest.mark.parametrize("made_up", ["", "x", "AAAA", "wo_0006", "ä", "=" * 8, "A" * 5000])
    def test_a_made_up_cursor_is_refused(self, shared_organization: Organization, made_up: str) -> None:
        assert refused(get_page(shared_organization, lastEvaluatedKey=made_up)) == ["lastEvaluatedKey"]

    def test_a_truncated_cursor_is_refused(self, organization: Organization, cursor: str) -> None:
        for length in (4, 16, 20, len(cursor) - 4):
            assert refused(get_page(organization, lastEvaluatedKey=cursor[:length])) == ["lastEvaluatedKey"]

    def test_a_cursor_of_another_organization_is_refused(
        self, cursor: str, new_organization: Callable[..., Organization]
    ) -> None:
        assert refused(get_page(new_organization(), lastEvaluatedKey=cursor)) == ["lastEvaluatedKey"]

    def test_a_cursor_of_another_filter_is_refused(self, organization: Organization, cursor: str) -> None:
        assert refused(get_page(organization, status="Open", lastEvaluatedKey=cursor)) == ["lastEvaluatedKey"]
        filtered = get_page(organization, status="Open", limit=1).json()["lastEvaluatedKey"]
        assert refused(get_page(organization, lastEvaluatedKey=filtered)) == ["lastEvaluatedKey"]
        assert refused(get_page(organization, status="OnHold", lastEvaluatedKey=filtered)) == [
            "lastEvaluatedKey"
        ]

    def test_a_cursor_of_another_list_is_refused(self, organization: Organization, cursor: str) -> None:
        for resource in ("users", "roles", "api-keys"):
            assert refused(get_page(organization, resource, lastEvaluatedKey=cursor)) == ["lastEvaluatedKey"]
