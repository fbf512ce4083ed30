import pytest
from tests.bookings.helpers import (
    DAY,
    HOUR,
    MINUTE,
    now,
    tomorrow,
)
from tests.support.organizations import Organization


def availability(organization: Organization, resource: dict, **window: int) -> dict:
    answer = organization.api.get(
        f"{organization.path}/resources/{resource['id']}/availability",
        params={name.rstrip("_"): value for name, value in window.items()},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_busy_and_free_share_the_window_and_free_keeps_the_buffer(organization: Organization) -> None:
    resource, begin = organization.resources.create(bufferMinutes=15), tomorrow()
    before = organization.bookings.book(resource, begin - HOUR, begin + 10 * MINUTE)
    inside = organization.bookings.book(resource, begin + 2 * HOUR, begin + 3 * HOUR)
    organization.bookings.post_verb(
        organization.bookings.book(resource, begin + 4 * HOUR, begin + 5 * HOUR), "cancel"
    )
    organization.bookings.book(resource, begin + 6 * HOUR + 5 * MINUTE, begin + 7 * HOUR)
    organization.bookings.book(organization.resources.create(), begin, begin + HOUR)
    assert availability(organization, resource, from_=begin, to=begin + 6 * HOUR) == {
        "data": {
            "resourceId": resource["id"],
            "from": begin,
            "to": begin + 6 * HOUR,
            "busy": [
                {"startTime": booking["startTime"], "endTime": booking["endTime"], "bookingId": booking["id"]}
                for booking in (before, inside)
            ],
            "free": [
                {"startTime": begin + 25 * MINUTE, "endTime": begin + 105 * MINUTE},
                {"startTime": begin + 195 * MINUTE, "endTime": begin + 350 * MINUTE},
            ],
        }
    }


def test_every_free_part_can_be_booked_and_is_then_busy(organization: Organization) -> None:
    resource, begin = organization.resources.create(bufferMinutes=5), tomorrow()
    for hour in (1, 3, 4):
        organization.bookings.book(resource, begin + hour * HOUR, begin + hour * HOUR + 30 * MINUTE)
    window = {"from_": begin, "to": begin + 6 * HOUR}
    for slot in availability(organization, resource, **window)["data"]["free"]:
        assert organization.bookings.post(resource, slot["startTime"], slot["endTime"]).status_code == 201
    assert availability(organization, resource, **window)["data"]["free"] == []


def test_a_long_booking_that_began_long_ago_is_seen(organization: Organization) -> None:
    resource = organization.resources.create()
    begin = tomorrow()
    booking = organization.bookings.book(resource, begin, begin + 31 * DAY)
    found = availability(organization, resource, from_=begin + 30 * DAY, to=begin + 30 * DAY + HOUR)["data"]
    assert [slot["bookingId"] for slot in found["busy"]] == [booking["id"]]
    assert found["free"] == []
    found = availability(organization, resource, from_=begin - HOUR, to=begin + 1)["data"]
    assert [slot["bookingId"] for slot in found["busy"]] == [booking["id"]]
    assert found["free"] == [{"startTime": begin - HOUR, "endTime": begin}]


def test_without_a_window_it_is_the_week_from_now(organization: Organization) -> None:
    before = now()
    found = availability(organization, organization.resources.create())["data"]
    assert before <= found["from"] <= now()
    assert found["to"] == found["from"] + 7 * DAY
    assert found["free"] == [{"startTime": found["from"], "endTime": found["to"]}]


def test_inactive_resources_are_never_free(organization: Organization) -> None:
    assert availability(organization, organization.resources.create(active=False))["data"]["free"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=10&to=10", "to"),
        (f"from=0&to={62 * DAY + 1}", "to"),
        ("from=soon", "from"),
        ("from=-1", "from"),
        ("until=5", "until"),
    ],
)
def test_a_wrong_window_is_named(organization: Organization, query: str, field: str) -> None:
    answer = organization.api.get(
        f"{organization.path}/resources/{organization.resources.create()['id']}/availability?{query}"
    )
    assert answer.status_code == 422
    assert [detail["field"] for detail in answer.json()["details"]] == [field]
