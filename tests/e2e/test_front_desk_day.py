"""A day at the front desk, through the public API alone, with a key that may do no more than the desk does."""

from typing import Any

import httpx
from tests.bookings.helpers import DAY, HOUR, tomorrow
from tests.support.answers import data_of
from tests.support.organizations import Organization


class Desk:
    """Whatever it asks for it gets; a refusal that belongs to the story is asked for by name."""

    def __init__(self, organization: Organization) -> None:
        permissions = ("bookings:read", "bookings:write", "visitors:read", "visitors:write")
        self._client = organization.client(key=organization.new_key(*permissions)["secret"])
        self._path = organization.path

    def send(self, method: str, path: str, status: int = 200, **options: Any) -> httpx.Response:
        answer = self._client.request(method, f"{self._path}/{path}", **options)
        assert answer.status_code == status, answer.text
        return answer

    def get(self, path: str, **params: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = data_of(self.send("GET", path, params=params))
        return found

    def make(self, path: str, **body: Any) -> dict[str, Any]:
        made: dict[str, Any] = data_of(self.send("POST", path, 201, json=body))
        return made


def test_a_day_at_the_front_desk(organization: Organization) -> None:
    site = organization.created("locations", {"name": "Site", "type": "Site", "timezone": "Europe/Berlin"})[
        "id"
    ]
    north, south = (
        organization.created("locations", {"name": name, "type": "Building", "parentId": site})["id"]
        for name in ("North", "South")
    )
    desk, start = Desk(organization), tomorrow()
    elbe = desk.make("resources", name="Elbe", type="Room", capacity=8, locationId=north, features=["screen"])
    alster = desk.make(
        "resources", name="Alster", type="Room", capacity=12, locationId=south, features=["Screen"]
    )
    wanted = {"from": start, "to": start + HOUR, "capacity": 6, "features": "screen", "locationId": site}

    # Somebody wants a room for eight with a screen, every day of a week.
    assert [room["name"] for room in desk.get("resources/free", **wanted)] == ["Alster", "Elbe"]
    desk.make("bookings", resourceId=elbe["id"], startTime=start + 2 * DAY, endTime=start + 2 * DAY + HOUR)
    series = {
        "startTime": start,
        "endTime": start + HOUR,
        "title": "Training",
        "recurrence": "FREQ=DAILY;COUNT=5",
        "attendees": [{"email": "ada@example.com", "name": "Ada Lovelace"}],
    }
    refused = desk.send("POST", "bookings", 409, json={"resourceId": elbe["id"], **series}).json()
    [conflict] = refused["conflicts"]
    assert conflict["wantedStartTime"] == start + 2 * DAY
    assert refused["nextFree"] == {"startTime": start + 2 * DAY + HOUR, "endTime": start + 2 * DAY + 2 * HOUR}
    # The other room is free on all of them.
    first = desk.make("bookings", resourceId=alster["id"], **series)
    dates = desk.get("bookings", seriesId=first["seriesId"], sort="start")
    assert [date["startTime"] for date in dates] == [start + n * DAY for n in range(5)]
    assert desk.get("resources/free", **wanted) == [elbe]
    # From the fourth day on it is an hour later and in Elbe; the last day is called off.
    later = {
        "startTime": dates[3]["startTime"] + HOUR,
        "endTime": dates[3]["endTime"] + HOUR,
        "resourceId": elbe["id"],
    }
    desk.send("PATCH", f"bookings/{dates[3]['id']}", params={"scope": "following"}, json=later)
    desk.send("POST", f"bookings/{dates[4]['id']}/cancel")
    held = [
        (date["resourceName"], date["startTime"] - start, date["status"])
        for date in desk.get("bookings", seriesId=first["seriesId"], sort="start")
    ]
    assert held == [
        ("Alster", 0, "Confirmed"),
        ("Alster", DAY, "Confirmed"),
        ("Alster", 2 * DAY, "Confirmed"),
        ("Elbe", 3 * DAY + HOUR, "Confirmed"),
        ("Elbe", 4 * DAY + HOUR, "Cancelled"),
    ]

    # One visitor is expected, one just walks in.
    expected = desk.make("visitors", name="Grace Hopper", locationId=north, expectedArrival=start)
    here = desk.make(
        "visitors",
        name="Ada Lovelace",
        phone="+44 20 1815",
        vehicle="AL 1815",
        locationId=south,
        checkIn=True,
    )
    assert (here["status"], here["checkedInAt"]) == ("CheckedIn", here["created"])
    assert [event["type"] for event in organization.events() if event["type"].startswith("visitor.")] == [
        "visitor.registered",
        "visitor.registered",
        "visitor.checked_in",
    ]
    desk.send("POST", f"visitors/{expected['id']}/check-in")

    # The alarm: everybody who is in the house, with a number to call.
    on_site = desk.get("visitors", status="CheckedIn")
    assert [(one["name"], one["phone"]) for one in on_site] == [
        ("Ada Lovelace", "+44 20 1815"),
        ("Grace Hopper", None),
    ]
    for visitor in on_site:
        desk.send("POST", f"visitors/{visitor['id']}/check-out")
    assert desk.get("visitors", status="CheckedIn") == []
    # And forgotten, with what they drove.
    desk.send("DELETE", f"visitors/{here['id']}")
    [gone] = [one for one in desk.get("visitors") if one["id"] == here["id"]]
    assert (gone["name"], gone["phone"], gone["vehicle"], gone["updated"]) == (
        None,
        None,
        None,
        gone["erasedAt"],
    )
