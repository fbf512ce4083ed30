"""Bookings and visitors by day: `from` and `to`, of which the last second is not part."""

import time
from typing import Any

from tests.support.answers import data_of
from tests.support.organizations import Organization

DAY = 86400


def test_bookings_that_overlap_a_day(organization: Organization) -> None:
    midnight = (int(time.time()) // DAY + 3) * DAY
    room = organization.resources.create()
    spans = {
        "before": (-7200, -3600),
        "until midnight": (-3600, 0),
        "over midnight": (3 * DAY - 1800, 3 * DAY + 1800),
        "in the morning": (28800, 32400),
        "at night": (DAY - 1800, DAY),
        "the next day": (DAY, DAY + 3600),
    }
    for title, (start, end) in spans.items():
        organization.bookings.book(room, midnight + start, midnight + end, title=title)

    def titles(**query: Any) -> list[str]:
        answer = organization.api.get(f"{organization.path}/bookings", params={"sort": "start", **query})
        return [booking["title"] for booking in data_of(answer)]

    assert titles(**{"from": midnight, "to": midnight + DAY}) == ["in the morning", "at night"]
    third = midnight + 3 * DAY
    assert titles(**{"from": third, "to": third + DAY}) == ["over midnight"]
    assert titles(**{"from": third - DAY, "to": third}) == ["over midnight"]
    assert titles(**{"from": midnight + DAY}) == ["the next day", "over midnight"]
    assert titles(to=midnight) == ["before", "until midnight"]


def test_visitors_of_a_day(organization: Organization) -> None:
    now = int(time.time())
    for name, hours in (("Early", 24), ("Late", 48), ("Later", 72)):
        organization.visitors.create(name=name, expectedArrival=now + hours * 3600)
    organization.visitors.create(name="At once")

    def names(**query: Any) -> list[str]:
        answer = organization.api.get(
            f"{organization.path}/visitors", params={"sort": "expectedArrival", **query}
        )
        return [visitor["name"] for visitor in data_of(answer)]

    assert names(**{"from": now + 24 * 3600, "to": now + 72 * 3600}) == ["Early", "Late"]
    assert names(**{"from": now - 60, "to": now + 3600}) == ["At once"]
    lines = organization.api.get(
        f"{organization.path}/visitors.ndjson", params={"from": now + 72 * 3600}
    ).text
    assert lines.count("\n") == 1


def test_records_changed_in_the_same_second_are_included(organization: Organization) -> None:
    order = organization.work_orders.create()
    found = {
        moment: len(
            data_of(organization.api.get(f"{organization.path}/work-orders", params={"updatedAfter": moment}))
        )
        for moment in (order["updated"], order["updated"] + 1)
    }
    assert found == {order["updated"]: 1, order["updated"] + 1: 0}
