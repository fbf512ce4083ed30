"""What is free from one moment to another."""

import pytest
from tests.bookings.helpers import DAY, HOUR, MINUTE, tomorrow
from tests.support.answers import data_of
from tests.support.organizations import Organization


def test_availability_equals_bookable_slots(organization: Organization) -> None:
    site = organization.created("locations", {"name": "Site", "type": "Site"})["id"]
    floor = organization.created("locations", {"name": "One", "type": "Floor", "parentId": site})["id"]
    elbe = organization.resources.create(
        name="Elbe",
        capacity=8,
        locationId=floor,
        bufferMinutes=15,
        features=["Screen", "whiteboard", "SCREEN"],
    )
    assert elbe["features"] == ["Screen", "whiteboard"]
    alster = organization.resources.create(name="Alster", capacity=4, locationId=site, features=["Screen"])
    desk = organization.resources.create(name="Desk", type="Desk")
    organization.resources.create(name="Closed", active=False)
    start = tomorrow()
    organization.bookings.book(elbe, start, start + HOUR)
    organization.bookings.book(alster, start + 2 * HOUR, start + 3 * HOUR)
    gone = organization.bookings.book(desk, start, start + DAY)
    organization.bookings.move(gone, "cancel")

    def free(begin: int, end: int, **more: str | int) -> list[str]:
        answer = organization.api.get(
            f"{organization.path}/resources/free", params={"from": start + begin, "to": start + end, **more}
        )
        assert answer.status_code == 200, answer.text
        return [resource["name"] for resource in data_of(answer)]

    assert free(0, HOUR) == ["Desk", "Alster"]
    assert free(HOUR, 2 * HOUR) == ["Desk", "Alster"]  # the buffer is not over
    assert free(75 * MINUTE, 2 * HOUR) == ["Desk", "Alster", "Elbe"]
    assert free(-HOUR, -15 * MINUTE) == ["Desk", "Alster", "Elbe"]
    assert free(-HOUR, -15 * MINUTE + 1) == ["Desk", "Alster"]
    assert free(75 * MINUTE, 2 * HOUR + 1) == ["Desk", "Elbe"]
    assert free(0, 30 * DAY) == ["Desk"]
    later = (5 * HOUR, 6 * HOUR)
    assert free(*later, capacity=5) == ["Elbe"]
    assert free(*later, locationId=site) == ["Alster", "Elbe"]
    assert free(*later, locationId=floor) == ["Elbe"]
    assert free(*later, locationId="loc_nowhere") == []
    assert free(*later, type="Desk") == ["Desk"]
    assert free(*later, features="screen") == ["Alster", "Elbe"]
    assert free(*later, features="WHITEBOARD,screen", capacity=8, type="Room", locationId=site) == ["Elbe"]
    path, query = f"{organization.path}/resources/free", {"from": start, "to": start + HOUR, "limit": 1}
    page = organization.api.get(path, params=query).json()
    assert [resource["name"] for resource in page["data"]] == ["Desk"]
    query["lastEvaluatedKey"] = page["lastEvaluatedKey"]
    page = organization.api.get(path, params=query).json()
    assert ([resource["name"] for resource in page["data"]], page["lastEvaluatedKey"]) == (["Alster"], None)
    assert organization.bookings.book(alster, start, start + HOUR)["status"] == "Confirmed"
    assert free(0, HOUR) == ["Desk"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "from"),
        ("from=5&to=5", "to"),
        (f"from=5&to={32 * DAY}", "to"),
        ("from=5&to=6&capacity=0", "capacity"),
        ("from=5&to=6&features=a,,b", "features"),
        ("from=5&to=6&colour=red", "colour"),
    ],
)
def test_an_invalid_availability_query_is_refused(organization: Organization, query: str, field: str) -> None:
    answer = organization.api.get(f"{organization.path}/resources/free?{query}")
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"][0]["field"] == field
