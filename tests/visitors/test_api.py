import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.visitors.conftest import ADA, Reception


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["message"]


def fields_refused(answer: httpx.Response) -> list[str]:
    refused(answer, 422)
    return [detail["field"] for detail in answer.json()["details"]]


def envelope(event: dict[str, Any], reception: Reception, kind: str, **data: Any) -> dict[str, Any]:
    """The whole event, but for what can't be known: its identifier and its second."""
    return {
        "id": event["id"],
        "type": kind,
        "organizationId": reception.org.id,
        "created": event["created"],
        "data": data,
        "livemode": True,
    }


def test_a_registered_visitor_can_be_read_and_is_listed_and_told_of(reception: Reception) -> None:
    org = reception.org
    location = org.created("locations", {"name": "Lobby", "type": "Space"})
    host = org.new_user("Requester")
    expected = {"hostId": host["id"], "locationId": location["id"], "expectedArrival": 1900000000}
    answer = org.api.post(reception.path, json={**ADA, **expected})
    assert answer.status_code == 201, answer.text
    visitor = answer.json()["data"]
    assert visitor == {
        "id": visitor["id"],
        **ADA,
        **expected,
        "status": "Registered",
        "checkedInAt": None,
        "checkedOutAt": None,
        "erasedAt": None,
        "created": visitor["created"],
    }
    assert visitor["id"].startswith("vis_")
    assert answer.headers["location"] == f"{reception.path}/{visitor['id']}"
    assert org.api.get(answer.headers["location"]).json() == {"data": visitor}
    assert org.api.get(reception.path).json() == {"data": [visitor], "lastEvaluatedKey": None}
    [event] = reception.events()
    shown = ("id", "name", "email", "company", "hostId", "locationId", "expectedArrival", "status", "created")
    assert event == envelope(
        event, reception, "visitor.registered", object={name: visitor[name] for name in shown}
    )


def test_the_host_is_the_caller_unless_the_body_names_one(reception: Reception) -> None:
    visitor = reception.org.created("visitors", {"name": "Walk-in"})
    assert visitor["hostId"] == reception.org.user_id
    assert (visitor["email"], visitor["company"], visitor["expectedArrival"]) == (None, None, None)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["name"]),
        ({"name": ""}, ["name"]),
        ({"name": None}, ["name"]),
        ({"name": "x", "email": "nobody"}, ["email"]),
        ({"name": "x", "company": ""}, ["company"]),
        ({"name": "x", "status": "CheckedIn"}, ["status"]),
        ({"name": "x", "erasedAt": 1}, ["erasedAt"]),
        ({"name": "x", "expectedArrival": -1}, ["expectedArrival"]),
        ({"name": "x", "expectedArrival": 1767225600000}, ["expectedArrival"]),
        ({"name": "x", "hostId": "usr_nobody"}, ["hostId"]),
        ({"name": "x", "locationId": "loc_nowhere"}, ["locationId"]),
    ],
)
def test_a_malformed_registration_is_refused_by_field(
    reception: Reception, body: dict[str, Any], fields: list[str]
) -> None:
    assert fields_refused(reception.org.api.post(reception.path, json=body)) == fields
    assert reception.events() == []


def test_host_and_location_are_of_the_same_organization(
    reception: Reception, other_reception: Reception
) -> None:
    theirs = other_reception.org
    location = theirs.created("locations", {"name": "Theirs", "type": "Site"})
    visitor = reception.register()
    for field, value in (("hostId", theirs.user_id), ("locationId", location["id"])):
        api = reception.org.api
        assert fields_refused(api.post(reception.path, json={**ADA, field: value})) == [field]
        assert fields_refused(api.patch(f"{reception.path}/{visitor['id']}", json={field: value})) == [field]


def test_a_visit_is_checked_in_and_out_and_each_is_told(reception: Reception) -> None:
    visitor = reception.register()
    arrived = reception.move(visitor, "check-in")
    assert arrived == {**visitor, "status": "CheckedIn", "checkedInAt": arrived["checkedInAt"]}
    assert arrived["checkedInAt"] >= visitor["created"]
    gone = reception.move(visitor, "check-out")
    assert gone == {**arrived, "status": "CheckedOut", "checkedOutAt": gone["checkedOutAt"]}
    assert gone["checkedOutAt"] >= arrived["checkedInAt"]
    assert reception.read(visitor) == gone
    _, came, went = reception.events()
    assert came == envelope(
        came,
        reception,
        "visitor.checked_in",
        object={name: arrived[name] for name in ("id", "name", "status", "checkedInAt", "created")},
        previousAttributes={"status": "Registered"},
    )
    assert went == envelope(
        went,
        reception,
        "visitor.checked_out",
        object={name: gone[name] for name in ("id", "name", "status", "checkedOutAt", "created")},
        previousAttributes={"status": "CheckedIn"},
    )


def test_a_cancelled_visit_is_not_told(reception: Reception) -> None:
    visitor = reception.register()
    assert reception.move(visitor, "cancel") == {**visitor, "status": "Cancelled"}
    assert [event["type"] for event in reception.events()] == ["visitor.registered"]


ALLOWED = {
    "Registered": {"check-in", "cancel"},
    "CheckedIn": {"check-out"},
    "CheckedOut": set(),
    "Cancelled": set(),
}


@pytest.mark.parametrize(
    ("status", "verb"),
    [
        (s, v)
        for s, allowed in ALLOWED.items()
        for v in ("check-in", "check-out", "cancel")
        if v not in allowed
    ],
)
def test_an_illegal_move_names_the_state_and_what_is_allowed(
    reception: Reception, status: str, verb: str
) -> None:
    visitor = reception.visitor_that_is(status)
    told = len(reception.events())
    allowed = {"Registered": "check-in, cancel", "CheckedIn": "check-out"}.get(status, "none")
    message = refused(reception.org.api.post(f"{reception.path}/{visitor['id']}/{verb}"), 409)
    assert message == f"A visitor that is {status} can't {verb}; allowed from here: {allowed}."
    assert reception.read(visitor) == visitor
    assert len(reception.events()) == told


def test_of_two_who_check_a_visitor_in_one_wins(reception: Reception) -> None:
    path = f"{reception.path}/{reception.register()['id']}/check-in"
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: reception.org.api.post(path), range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert [event["type"] for event in reception.events()] == ["visitor.registered", "visitor.checked_in"]


def test_a_registration_can_be_changed_and_cleared_and_is_not_told(reception: Reception) -> None:
    org = reception.org
    visitor = reception.register(expectedArrival=1900000000)
    host = org.new_user("Requester")
    location = org.created("locations", {"name": "Lobby", "type": "Space"})
    fields = {
        "name": "Ada King",
        "email": "king@example.com",
        "company": "Countess",
        "hostId": host["id"],
        "locationId": location["id"],
        "expectedArrival": 1900000001,
    }
    path = f"{reception.path}/{visitor['id']}"
    assert org.api.patch(path, json=fields).json() == {"data": {**visitor, **fields}}
    nothing = dict.fromkeys(("email", "company", "hostId", "locationId", "expectedArrival"))
    cleared = org.api.patch(path, json=nothing).json()["data"]
    assert cleared == {**visitor, **fields, **nothing}
    for wrong in ({"name": None}, {"status": "CheckedIn"}, {"erasedAt": None}):
        assert fields_refused(org.api.patch(path, json=wrong)) == list(wrong)
    assert reception.read(visitor) == cleared
    assert [event["type"] for event in reception.events()] == ["visitor.registered"]


@pytest.mark.parametrize("status", ["CheckedIn", "CheckedOut", "Cancelled"])
def test_only_a_registration_can_be_changed(reception: Reception, status: str) -> None:
    visitor = reception.visitor_that_is(status)
    message = refused(reception.org.api.patch(f"{reception.path}/{visitor['id']}", json={"name": "x"}), 409)
    assert message == f"A visitor that is {status} can't be changed any more."
    assert reception.read(visitor) == visitor


def test_a_stale_move_or_change_is_refused(reception: Reception) -> None:
    visitor = reception.register()
    path = f"{reception.path}/{visitor['id']}"
    tag = {"If-Match": reception.org.api.get(path).headers["etag"]}
    assert reception.org.api.patch(path, json={"name": "Ada King"}, headers=tag).status_code == 200
    for answer in (
        reception.org.api.patch(path, json={"name": "x"}, headers=tag),
        reception.org.api.post(f"{path}/check-in", headers=tag),
        reception.org.api.delete(path, headers=tag),
    ):
        refused(answer, 412)
    assert reception.read(visitor) == {**visitor, "name": "Ada King"}


def test_the_evacuation_list_is_everybody_on_site(reception: Reception) -> None:
    others = [reception.visitor_that_is(s) for s in ("Registered", "CheckedOut", "Cancelled")]
    on_site = [reception.visitor_that_is("CheckedIn") for _ in range(3)]
    assert reception.listed(status="CheckedIn") == on_site[::-1]
    assert reception.listed() == (others + on_site)[::-1]
    lines = reception.org.api.get(f"{reception.path}.ndjson?status=CheckedIn").text.splitlines()
    assert [json.loads(line) for line in lines] == on_site[::-1]
    text = reception.org.api.get(f"{reception.path}.csv?status=CheckedIn").text
    assert [row["id"] for row in csv.DictReader(io.StringIO(text))] == [v["id"] for v in on_site[::-1]]


def test_visitors_are_filtered(reception: Reception) -> None:
    org = reception.org
    host = org.new_user("Requester")
    location = org.created("locations", {"name": "Lobby", "type": "Space"})
    ada = reception.register(expectedArrival=1900000000)
    grace = reception.register(
        name="Grace Hopper", company=None, hostId=host["id"], expectedArrival=1900000100
    )
    alan = reception.register(name="Alan Turing", company="Bletchley", locationId=location["id"])
    for query, found in (
        ({"hostId": host["id"]}, [grace]),
        ({"hostId": org.user_id}, [alan, ada]),
        ({"locationId": location["id"]}, [alan]),
        ({"expectedAfter": 1900000000}, [grace]),
        ({"expectedAfter": 1899999999}, [grace, ada]),
        ({"expectedBefore": 1900000100}, [ada]),
        ({"expectedAfter": 1900000000, "expectedBefore": 1900000100}, []),
        ({"q": "analytical ada"}, [ada]),
        ({"q": "BLETCH"}, [alan]),
        ({"q": "nobody"}, []),
        ({"status": "Registered", "hostId": org.user_id}, [alan, ada]),
        ({"status": "CheckedOut"}, []),
    ):
        assert reception.listed(**query) == found, query
    assert fields_refused(org.api.get(reception.path, params={"status": "OnSite"})) == ["status"]


def test_whom_visitors_name_stays(reception: Reception) -> None:
    org = reception.org
    host = org.new_user("Requester")
    location = org.created("locations", {"name": "Lobby", "type": "Space"})
    reception.register(hostId=host["id"], locationId=location["id"])
    for path, noun in ((f"users/{host['id']}", "user"), (f"locations/{location['id']}", "location")):
        message = refused(org.api.delete(f"{org.path}/{path}"), 409)
        assert message == f"This {noun} can't be deleted while visitors name it."


def test_a_visitor_of_another_organization_is_not_found(
    reception: Reception, other_reception: Reception
) -> None:
    visitor = reception.register()
    path = f"{other_reception.path}/{visitor['id']}"
    api = other_reception.org.api
    for answer in (
        api.get(path),
        api.patch(path, json={"name": "x"}),
        api.delete(path),
        *(api.post(f"{path}/{verb}") for verb in ("check-in", "check-out", "cancel")),
    ):
        refused(answer, 404)
    assert reception.read(visitor) == visitor


def test_who_may_only_read_changes_nothing(reception: Reception) -> None:
    org = reception.org
    reader = org.client(key=org.new_key("visitors:read")["secret"])
    stranger = org.client(key=org.new_key("bookings:read")["secret"])
    path = f"{reception.path}/{reception.register()['id']}"
    assert reader.get(path).status_code == 200
    for answer in (
        reader.post(reception.path, json=ADA),
        reader.patch(path, json={"name": "x"}),
        reader.delete(path),
        *(reader.post(f"{path}/{verb}") for verb in ("check-in", "check-out", "cancel")),
        stranger.get(path),
        stranger.get(f"{reception.path}.ndjson"),
    ):
        refused(answer, 403)
