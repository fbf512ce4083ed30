"""A filter with several values: any of them will do, in the order of the list, with one cursor."""

from typing import Any

from tests.pagination.test_pages import get_page, refused
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.work_orders.model import WorkOrderQuery


def _walk(organization: Organization, **query: Any) -> list[str]:
    titles: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = get_page(organization, **query, **cursor).json()
        titles += [order["title"] for order in page["data"]]
        if page["lastEvaluatedKey"] is None:
            return titles
        cursor = {"lastEvaluatedKey": page["lastEvaluatedKey"]}


def test_pages_of_several_values_are_merged_in_the_order_of_the_list(organization: Organization) -> None:
    priorities = ("Low", "High", "Critical", "High", "Low", "Medium", "High", "Critical")
    for number, priority in enumerate(priorities):
        organization.work_orders.create(f"{number} {priority}", priority=priority)
    wanted = [f"{n} {p}" for n, p in enumerate(priorities) if p in {"High", "Critical"}]
    for limit in (1, 2, 100):
        assert _walk(organization, priority="High,Critical", limit=limit) == wanted[::-1]
        assert _walk(organization, priority="High,Critical", sort="created", limit=limit) == wanted
        by_rank = sorted(wanted, key=lambda title: ("High" in title, title))
        assert _walk(organization, priority="High,Critical", sort="-number", limit=limit) == wanted[::-1]
        ranked = [title for title in by_rank if "High" in title] + by_rank[: len(wanted) - 3]
        # Few walks are a union, more are joined.
        for status in ("Open,OnHold", "Open,OnHold,InProgress"):
            both = {"priority": "High,Critical", "status": status}
            assert _walk(organization, **both, sort="priority", limit=limit) == ranked
            assert _walk(organization, **both, limit=limit) == wanted[::-1]
    assert _walk(organization, priority="High,Critical", q="critical", limit=1) == [
        "7 Critical",
        "2 Critical",
    ]


def test_a_cursor_holds_for_the_same_values_in_any_order(organization: Organization) -> None:
    for number in range(3):
        organization.work_orders.create(f"Order {number}")
    for sort in ({}, {"sort": "updated"}):
        cursor = get_page(organization, status="Open,OnHold", limit=1, **sort).json()["lastEvaluatedKey"]
        for status in ("OnHold,Open", "Open,OnHold,Open"):
            answer = get_page(organization, status=status, lastEvaluatedKey=cursor, **sort)
            assert len(data_of(answer)) == 2
        for status in ("Open", "Open,Completed", "Open,OnHold,Completed"):
            assert refused(get_page(organization, status=status, lastEvaluatedKey=cursor, **sort))


def test_orders_can_be_filtered_by_assignee_or_unassigned(organization: Organization) -> None:
    for title, assignee in (
        ("Mine", organization.user_id),
        ("Hers", organization.new_user()["id"]),
        ("Free", None),
    ):
        organization.work_orders.create(title, assigneeId=assignee)
    assert _walk(organization, assigneeId="none") == ["Free"]
    assert _walk(organization, assigneeId=f"{organization.user_id},none", limit=1) == ["Free", "Mine"]
    lines = organization.api.get(f"{organization.path}/work-orders.ndjson", params={"assigneeId": "none"})
    assert lines.text.count("\n") == 1


def test_parts_of_a_list_of_values_are_not_blank(shared_organization: Organization) -> None:
    for values in ("Open,", ",", ",Open"):
        assert refused(get_page(shared_organization, status=values)) == ["status"]
    assert refused(get_page(shared_organization, locationId="a,,b")) == ["locationId"]


def test_one_value_is_the_filter_that_it_always_was() -> None:
    assert WorkOrderQuery(status=["Open", "Open"]).filters() == {"status": "Open"}  # type: ignore[list-item]
    assert WorkOrderQuery(asset_id=["b", "a"]).filters() == {"asset_id": ["a", "b"]}
