import pytest
from tests.bookings.helpers import (
    DAY,
    HOUR,
    MINUTE,
    move,
    new_booking,
    new_resource,
    now,
    post_booking,
    tomorrow,
)
from tests.support.organizations import Organization


def availability(org: Organization, resource: dict, **window: int) -> dict:
    answer = org.api.get(
        f"{org.path}/resources/{resource['id']}/availability",
        params={name.rstrip("_"): value for name, value in window.items()},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_busy_and_free_share_the_window_and_free_keeps_the_buffer(org: Organization) -> None:
    resource, begin = new_resource(org, bufferMinutes=15), tomorrow()
    before = new_booking(org, resource, begin - HOUR, begin + 10 * MINUTE)
    inside = new_booking(org, resource, begin + 2 * HOUR, begin + 3 * HOUR)
    move(org, new_booking(org, resource, begin + 4 * HOUR, begin + 5 * HOUR), "cancel")
    new_booking(org, resource, begin + 6 * HOUR + 5 * MINUTE, begin + 7 * HOUR)
    new_booking(org, new_resource(org), begin, begin + HOUR)
    assert availability(org, resource, from_=begin, to=begin + 6 * HOUR) == {
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


def test_every_free_part_can_be_booked_and_is_then_busy(org: Organization) -> None:
    resource, begin = new_resource(org, bufferMinutes=5), tomorrow()
    for hour in (1, 3, 4):
        new_booking(org, resource, begin + hour * HOUR, begin + hour * HOUR + 30 * MINUTE)
    window = {"from_": begin, "to": begin + 6 * HOUR}
    for slot in availability(org, resource, **window)["data"]["free"]:
        assert post_booking(org, resource, slot["startTime"], slot["endTime"]).status_code == 201
    assert availability(org, resource, **window)["data"]["free"] == []


def test_a_long_booking_that_began_long_ago_is_seen(org: Organization) -> None:
    resource = new_resource(org)
    begin = tomorrow()
    booking = new_booking(org, resource, begin, begin + 31 * DAY)
    found = availability(org, resource, from_=begin + 30 * DAY, to=begin + 30 * DAY + HOUR)["data"]
    assert [slot["bookingId"] for slot in found["busy"]] == [booking["id"]]
    assert found["free"] == []
    found = availability(org, resource, from_=begin - HOUR, to=begin + 1)["data"]
    assert [slot["bookingId"] for slot in found["busy"]] == [booking["id"]]
    assert found["free"] == [{"startTime": begin - HOUR, "endTime": begin}]


def test_without_a_window_it_is_the_week_from_now(org: Organization) -> None:
    before = now()
    found = availability(org, new_resource(org))["data"]
    assert before <= found["from"] <= now()
    assert found["to"] == found["from"] + 7 * DAY
    assert found["free"] == [{"startTime": found["from"], "endTime": found["to"]}]


def test_what_is_not_active_is_never_free(org: Organization) -> None:
    assert availability(org, new_resource(org, active=False))["data"]["free"] == []


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
def test_a_wrong_window_is_named(org: Organization, query: str, field: str) -> None:
    answer = org.api.get(f"{org.path}/resources/{new_resource(org)['id']}/availability?{query}")
    assert answer.status_code == 422
    assert [detail["field"] for detail in answer.json()["details"]] == [field]
