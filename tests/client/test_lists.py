"""Lists of several pages are one iterator."""

import httpx

from steward_client import AsyncSteward, Steward


def _orders(steward: Steward, number: int) -> list[str]:
    return [steward.work_orders.create(title=f"Order {one}").id for one in range(number)][::-1]


def test_all_pages_are_read_as_one(steward: Steward) -> None:
    made = _orders(steward, 5)
    orders = steward.work_orders.list(limit=2)
    assert [order.id for order in orders] == made
    assert [order.id for order in orders] == made, "it begins anew"
    assert [len(page.data) for page in orders.pages()] == [2, 2, 1]


def test_a_page_and_its_next_page(steward: Steward) -> None:
    made = _orders(steward, 3)
    orders = steward.work_orders.list(limit=2, status=["Open", "OnHold"])
    first = orders.page()
    assert [order.id for order in first.data] == made[:2]
    second = orders.page(first.last_evaluated_key)
    assert [order.id for order in second.data] == made[2:]
    assert second.last_evaluated_key is None
    again = steward.work_orders.list(
        limit=2, status=["Open", "OnHold"], last_evaluated_key=first.last_evaluated_key
    )
    assert [order.id for order in again] == made[2:]


def test_filters_are_sent_as_the_service_reads_them(steward: Steward) -> None:
    site = steward.locations.create(name="Site", type="Site")
    room = steward.locations.create(name="Room", type="Space", parent_id=site.id)
    steward.work_orders.create(title="Élan, with a comma", location_id=room.id, priority="Critical")
    found = steward.work_orders.list(
        location_id=site.id, include_descendants=True, priority=["Critical", "High"], q="elan,", overdue=False
    )
    assert [order.title for order in found] == ["Élan, with a comma"]
    assert list(steward.work_orders.list(location_id=[site.id])) == []


def test_an_empty_page_is_not_the_end() -> None:
    """A page that looked at as much as a page may, and found nothing, has a cursor."""
    pages = iter(
        [
            {"data": [], "lastEvaluatedKey": "a"},
            {"data": [_ROLE], "lastEvaluatedKey": "b"},
            {"data": [], "lastEvaluatedKey": None},
        ]
    )
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params.get("lastEvaluatedKey"))
        return httpx.Response(200, json=next(pages))

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        steward = Steward("http://steward.test", "key", "org_1", http_client=http)
        assert [role.name for role in steward.roles.list()] == ["Night shift"]
    assert asked == [None, "a", "b"]


async def test_the_async_client_reads_exports_too(async_steward: AsyncSteward) -> None:
    made = [(await async_steward.work_orders.create(title=f"Order {one}")).id for one in range(3)][::-1]
    orders = async_steward.work_orders.list(limit=2)
    assert [order.id async for order in orders] == made
    assert [len(page.data) async for page in orders.pages()] == [2, 1]
    assert [order.id for order in (await orders.page()).data] == made[:2]


_ROLE = {
    "id": "rol_1",
    "name": "Night shift",
    "permissions": ["moon:walk"],
    "created": 1,
    "updated": 1,
    "description": None,
    "system": False,
}
