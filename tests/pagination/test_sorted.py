"""Lists that are sorted by something else than their age: the cursor holds where the last page ended."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.pagination.test_pages import get_page, refused
from tests.support.organizations import Organization

_PRIORITIES = ("Low", "Medium", "High", "Critical")


def _walk(organization: Organization, **query: Any) -> list[str]:
    titles: list[str] = []
    cursor: str | None = None
    while True:
        place: dict[str, Any] = {"lastEvaluatedKey": cursor} if cursor else {}
        page = get_page(organization, **query, **place).json()
        titles += [order["title"] for order in page["data"]]
        cursor = page["lastEvaluatedKey"]
        if cursor is None:
            return titles


def _make(organization: Organization, count: int) -> list[tuple[int, str]]:
    """(rank, title) of orders with priorities of which many are equal."""
    made = []
    for number in range(count):
        rank = number * 7 % 4
        organization.work_orders.create(f"Order {number:02}", priority=_PRIORITIES[rank])
        made.append((rank, f"Order {number:02}"))
    return made


@pytest.mark.parametrize("limit", [1, 3, 5, 100])
def test_equal_ones_are_told_apart_by_their_age(organization: Organization, limit: int) -> None:
    made = sorted(_make(organization, 11))
    assert _walk(organization, sort="priority", limit=limit) == [title for _, title in made]
    assert _walk(organization, sort="-priority", limit=limit) == [title for _, title in made[::-1]]


def test_orders_without_a_deadline_come_last(organization: Organization) -> None:
    for title in ("A", "B", "C", "D"):
        organization.work_orders.create(title)
    organization.sql(
        """UPDATE work_orders SET sla_resolution_deadline = CASE WHEN title = 'A' THEN 300 WHEN title = 'C' THEN 100 END
           WHERE organization_id = $1""",
        organization.id,
    )
    assert _walk(organization, sort="due", limit=1) == ["C", "A", "B", "D"]
    assert _walk(organization, sort="-due", limit=1) == ["D", "B", "A", "C"]


@pytest.mark.parametrize("sort", ["priority", "-priority"])
def test_what_is_made_meanwhile_shifts_nothing(organization: Organization, sort: str) -> None:
    _make(organization, 8)
    before = _walk(organization, sort=sort)
    seen: list[str] = []
    cursor: str | None = None
    for number in range(100):
        more = {"lastEvaluatedKey": cursor} if cursor else {}
        page = get_page(organization, sort=sort, limit=2, **more).json()
        seen += [order["title"] for order in page["data"]]
        cursor = page["lastEvaluatedKey"]
        if cursor is None:
            break
        if number < 3:
            for priority in _PRIORITIES:
                organization.work_orders.create(f"New {number} {priority}", priority=priority)
    assert [title for title in seen if title.startswith("Order")] == before
    assert len(set(seen)) == len(seen)


def test_filters_and_sort_go_together(organization: Organization) -> None:
    _make(organization, 8)
    found = _walk(organization, sort="-number", status="Open", priority="High", limit=1)
    assert found == ["Order 06", "Order 02"]
    assert _walk(organization, sort="number", q="order 07", limit=1) == ["Order 07"]


@pytest.mark.parametrize("sort", ["", "-", "title", "--number", "number;drop", "Number"])
def test_what_can_not_be_sorted_by_is_told(shared_organization: Organization, sort: str) -> None:
    assert refused(get_page(shared_organization, sort=sort)) == ["sort"]


def test_a_list_without_sorts_takes_none(shared_organization: Organization) -> None:
    assert refused(get_page(shared_organization, "alert-rules", sort="name")) == ["sort"]


def test_a_cursor_fits_one_sort_only(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    for number in range(3):
        organization.work_orders.create(f"Order {number}")
    sorts: tuple[dict[str, str], ...] = ({}, {"sort": "number"}, {"sort": "-number"}, {"sort": "updated"})
    for made_by in sorts:
        cursor = get_page(organization, limit=1, **made_by).json()["lastEvaluatedKey"]
        for used_by in sorts:
            answer = get_page(organization, limit=1, lastEvaluatedKey=cursor, **used_by)
            assert (answer.status_code == 200) == (made_by == used_by), (made_by, used_by)
        assert refused(get_page(organization, limit=1, lastEvaluatedKey=cursor, status="Open", **made_by))
        assert refused(get_page(new_organization(), limit=1, lastEvaluatedKey=cursor, **made_by))
