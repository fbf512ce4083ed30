"""Lists that are sorted by something else than their age: the cursor holds where the last page ended."""

import csv
import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.pagination.test_pages import get_page, refused
from tests.support.answers import data_of
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
def test_equal_names_are_ordered_by_age(organization: Organization, limit: int) -> None:
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
    assert _walk(organization, sort="slaResolutionDeadline", limit=1) == ["C", "A", "B", "D"]
    assert _walk(organization, sort="-slaResolutionDeadline", limit=1) == ["D", "B", "A", "C"]
    # As version 0.2 called it.
    assert _walk(organization, sort="due", limit=1) == ["C", "A", "B", "D"]


@pytest.mark.parametrize("sort", ["priority", "-priority"])
def test_concurrent_inserts_do_not_shift_pages(organization: Organization, sort: str) -> None:
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


@pytest.mark.parametrize(
    "sort", ["", "-", "title", "--number", "number;drop", "Number", "number,", "number,colour"]
)
def test_unknown_sort_fields_are_reported(shared_organization: Organization, sort: str) -> None:
    assert refused(get_page(shared_organization, sort=sort)) == ["sort"]


def test_a_list_without_sorts_refuses_sort(shared_organization: Organization) -> None:
    assert refused(get_page(shared_organization, "alert-rules", sort="name")) == ["sort"]


def test_a_cursor_is_valid_for_one_sort_only(
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


def _ranked(order: dict[str, Any], fields: list[str]) -> list[Any]:
    """What an order compares by; numbers for what descends, so that they can be turned around."""
    found = []
    for field in fields:
        value = order[field.removeprefix("-")]
        value = _PRIORITIES.index(value) if field.removeprefix("-") == "priority" else value
        found.append(-value if field.startswith("-") else value)
    return found


_FIELDS = ("priority", "updated", "slaResolutionDeadline", "created")
_SEVERAL = [
    [first_sign + first, second_sign + second]
    for first, second in itertools.permutations(_FIELDS, 2)
    for first_sign, second_sign in itertools.product(("", "-"), repeat=2)
] + [["-priority", "slaResolutionDeadline", "-updated"]]


@pytest.fixture
def several(organization: Organization) -> Organization:
    _make(organization, 12)
    # A group of equals in each, so that the next field decides; identifiers are in the order of numbers. Deadlines are far away: the
    # worker writes to orders that are overdue.
    organization.sql(
        """UPDATE work_orders SET sla_resolution_deadline = 4000000000 + number % 3, updated = 1000 + number % 5, created = 1000 + number
           WHERE organization_id = $1""",
        organization.id,
    )
    return organization


def test_by_several_fields_each_in_its_direction(several: Organization) -> None:
    for fields in _SEVERAL:
        _check_order(several, fields)


def _check_order(several: Organization, fields: list[str]) -> None:
    sort = ",".join(fields)
    orders = data_of(get_page(several, sort=sort, limit=100))
    ranks = [_ranked(order, fields) for order in orders]
    assert ranks == sorted(ranks)
    titles = [order["title"] for order in orders]
    assert _walk(several, sort=sort, limit=5) == titles
    narrowed = [order["title"] for order in orders if order["priority"] in {"High", "Low"}]
    assert _walk(several, sort=sort, limit=2, priority="High,Low") == narrowed
    assert _walk(several, sort=sort, limit=2, q="order 07") == ["Order 07"]


def test_an_export_has_the_filters_and_the_order_of_the_list(several: Organization) -> None:
    for sort in ("number", "-priority", "-priority,slaResolutionDeadline", "due"):
        listed = _walk(several, sort=sort, priority="High,Medium", limit=100)
        for suffix, titles in (
            ("ndjson", lambda text: [json.loads(line)["title"] for line in text.splitlines()]),
            ("csv", lambda text: [row["title"] for row in csv.DictReader(text.splitlines())]),
        ):
            address = f"{several.path}/work-orders.{suffix}"
            answer = several.api.get(address, params={"sort": sort, "priority": "High,Medium"})
            assert titles(answer.text) == listed, (sort, suffix)
    assert several.api.get(f"{several.path}/work-orders.csv", params={"sort": "colour"}).status_code == 422


def test_names_are_sorted_without_regard_to_case_and_accents(organization: Organization) -> None:
    names = [
        "zebra",
        "Émile",
        "eva",
        "Ägypten",
        "alt",
        "Ørsted",
        "oslo",
        "Æther",
        "Straße",
        "Strasse 2",
        "Zug",
        "emma",
    ]
    for name in names:
        organization.locations.create(name=name, type="Site")
    expected = [
        "Æther",
        "Ägypten",
        "alt",
        "Émile",
        "emma",
        "eva",
        "Ørsted",
        "oslo",
        "Straße",
        "Strasse 2",
        "zebra",
        "Zug",
    ]

    def walk(sort: str) -> list[str]:
        found, cursor = [], None
        while True:
            place: dict[str, Any] = {"lastEvaluatedKey": cursor} if cursor else {}
            page = get_page(organization, "locations", sort=sort, limit=5, **place).json()
            found += [location["name"] for location in page["data"]]
            if (cursor := page["lastEvaluatedKey"]) is None:
                return found

    assert walk("name") == expected
    assert walk("-name") == expected[::-1]
    assert walk("name,-updated") == expected
    assert walk("-name,updated") == expected[::-1]


def test_too_many_records_for_a_sort_are_refused(organization: Organization) -> None:
    organization.work_orders.create("One")
    organization.sql(
        """INSERT INTO work_orders (organization_id, id, number, title, status, priority, created, updated)
           SELECT $1, 'wo_' || n, n, 'Many', CASE WHEN n % 1000 = 0 THEN 'OnHold' ELSE 'Open' END, 'Low', n, n % 7
           FROM generate_series(10, 10100) n""",
        organization.id,
    )
    assert refused(get_page(organization, sort="priority,updated")) == ["sort"]
    assert len(data_of(get_page(organization, sort="priority,updated", status="OnHold"))) == 10
    # One that is the age of records has an index.
    assert get_page(organization, sort="-priority,-created").status_code == 200
