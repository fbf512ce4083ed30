import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.records.visitors import ADA


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["message"]


def fields_refused(answer: httpx.Response) -> list[str]:
    refused(answer, 422)
    return [detail["field"] for detail in answer.json()["details"]]


def envelope(event: dict[str, Any], organization: Organization, kind: str, **data: Any) -> dict[str, Any]:
    """The whole event, but for what can't be known: its identifier and its second."""
    return {
        "id": event["id"],
        "type": kind,
        "organizationId": organization.id,
        "created": event["created"],
        "data": data,
        "livemode": True,
    }


def test_a_registered_visitor_is_readable_listed_and_writes_an_event(organization: Organization) -> None:
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    host = organization.new_user("Requester")
    expected = {"hostId": host["id"], "locationId": location["id"], "expectedArrival": 1900000000}
    answer = organization.api.post(organization.visitors.path, json={**ADA, **expected})
    assert answer.status_code == 201, answer.text
    visitor = data_of(answer)
    assert visitor == {
        "id": visitor["id"],
        **ADA,
        **expected,
        "status": "Registered",
        "checkedInAt": None,
        "checkedOutAt": None,
        "erasedAt": None,
        "externalId": None,
        "metadata": {},
        "created": visitor["created"],
        "updated": visitor["created"],
    }
    assert visitor["id"].startswith("vis_")
    assert answer.headers["location"] == f"{organization.visitors.path}/{visitor['id']}"
    assert organization.api.get(answer.headers["location"]).json() == {"data": visitor}
    assert organization.api.get(organization.visitors.path).json() == {
        "data": [visitor],
        "lastEvaluatedKey": None,
    }
    [event] = organization.events(type="visitor.*")
    shown = ("id", "name", "email", "company", "hostId", "locationId", "expectedArrival", "status", "created")
    assert event == envelope(
        event, organization, "visitor.registered", object={name: visitor[name] for name in shown}
    )


def test_the_host_is_the_caller_unless_the_body_names_one(organization: Organization) -> None:
    visitor = organization.created("visitors", {"name": "Walk-in"})
    assert visitor["hostId"] == organization.user_id
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
    organization: Organization, body: dict[str, Any], fields: list[str]
) -> None:
    assert fields_refused(organization.api.post(organization.visitors.path, json=body)) == fields
    assert organization.events() == []


def test_host_and_location_are_of_the_same_organization(
    organization: Organization, other_organization: Organization
) -> None:
    theirs = other_organization
    location = theirs.created("locations", {"name": "Theirs", "type": "Site"})
    visitor = organization.visitors.create()
    for field, value in (("hostId", theirs.user_id), ("locationId", location["id"])):
        api = organization.api
        assert fields_refused(api.post(organization.visitors.path, json={**ADA, field: value})) == [field]
        assert fields_refused(
            api.patch(f"{organization.visitors.path}/{visitor['id']}", json={field: value})
        ) == [field]


def test_check_in_and_check_out_write_events(organization: Organization) -> None:
    visitor = organization.visitors.create()
    arrived = organization.visitors.move(visitor, "check-in")
    seen_in = {"checkedInAt": arrived["checkedInAt"], "updated": arrived["updated"]}
    assert arrived == {**visitor, "status": "CheckedIn", **seen_in}
    assert arrived["checkedInAt"] >= visitor["created"]
    gone = organization.visitors.move(visitor, "check-out")
    seen_out = {"checkedOutAt": gone["checkedOutAt"], "updated": gone["updated"]}
    assert gone == {**arrived, "status": "CheckedOut", **seen_out}
    assert gone["checkedOutAt"] >= arrived["checkedInAt"]
    assert organization.visitors.read(visitor) == gone
    _, came, went = organization.events()
    assert came == envelope(
        came,
        organization,
        "visitor.checked_in",
        object={name: arrived[name] for name in ("id", "name", "status", "checkedInAt", "created")},
        previousAttributes={"status": "Registered"},
    )
    assert went == envelope(
        went,
        organization,
        "visitor.checked_out",
        object={name: gone[name] for name in ("id", "name", "status", "checkedOutAt", "created")},
        previousAttributes={"status": "CheckedIn"},
    )


def test_cancelling_a_visit_writes_an_event(organization: Organization) -> None:
    visitor = organization.visitors.create()
    cancelled = organization.visitors.move(visitor, "cancel")
    assert cancelled == {**visitor, "status": "Cancelled", "updated": cancelled["updated"]}
    [_, event] = organization.events()
    assert event == envelope(
        event,
        organization,
        "visitor.cancelled",
        object={
            **{name: visitor[name] for name in ("id", "name", "created")},
            "status": "Cancelled",
        },
        previousAttributes={"status": "Registered"},
    )


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
    organization: Organization, status: str, verb: str
) -> None:
    visitor = organization.visitors.create_in_status(status)
    told = len(organization.events())
    allowed = {"Registered": "check-in, cancel", "CheckedIn": "check-out"}.get(status, "none")
    message = refused(organization.api.post(f"{organization.visitors.path}/{visitor['id']}/{verb}"), 409)
    assert message == f"A visitor that is {status} can't {verb}; allowed from here: {allowed}."
    assert organization.visitors.read(visitor) == visitor
    assert len(organization.events()) == told


def test_one_of_two_concurrent_check_ins_succeeds(organization: Organization) -> None:
    path = f"{organization.visitors.path}/{organization.visitors.create()['id']}/check-in"
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: organization.api.post(path), range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert [event["type"] for event in organization.events()] == ["visitor.registered", "visitor.checked_in"]


def test_a_registration_can_be_changed_and_writes_an_event(organization: Organization) -> None:
    visitor = organization.visitors.create(expectedArrival=1900000000)
    host = organization.new_user("Requester")
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    fields = {
        "name": "Ada King",
        "email": "king@example.com",
        "company": "Countess",
        "phone": "(040) 123-45/6",
        "vehicle": "A blue van",
        "hostId": host["id"],
        "locationId": location["id"],
        "expectedArrival": 1900000001,
    }
    path = f"{organization.visitors.path}/{visitor['id']}"
    changed = data_of(organization.api.patch(path, json=fields))
    assert changed == {**visitor, **fields, "updated": changed["updated"]}
    nothing = dict.fromkeys(
        ("email", "company", "phone", "vehicle", "hostId", "locationId", "expectedArrival")
    )
    cleared = data_of(organization.api.patch(path, json=nothing))
    assert cleared == {**changed, **nothing, "updated": cleared["updated"]}
    for wrong in ({"name": None}, {"status": "CheckedIn"}, {"erasedAt": None}, {"phone": "call me"}):
        assert fields_refused(organization.api.patch(path, json=wrong)) == list(wrong)
    assert organization.visitors.read(visitor) == cleared
    told = [event["data"] for event in organization.events(type="visitor.updated")]
    # A telephone number and a vehicle stay here.
    fields, nothing = (
        {name: value for name, value in each.items() if name not in {"phone", "vehicle"}}
        for each in (fields, nothing)
    )
    names = ("id", *fields, "externalId", "metadata", "status", "created")
    shown = {name: visitor[name] for name in names}
    assert told == [
        {
            "object": {**shown, **fields},
            "previousAttributes": {name: visitor[name] for name in fields},
        },
        {
            "object": {**shown, **fields, **nothing},
            "previousAttributes": {name: fields[name] for name in nothing},
        },
    ]
    assert organization.api.patch(path, json=nothing).status_code == 200
    assert len(organization.events(type="visitor.updated")) == 2


@pytest.mark.parametrize("status", ["CheckedIn", "CheckedOut", "Cancelled"])
def test_only_a_registration_can_be_changed(organization: Organization, status: str) -> None:
    visitor = organization.visitors.create_in_status(status)
    message = refused(
        organization.api.patch(f"{organization.visitors.path}/{visitor['id']}", json={"name": "x"}), 409
    )
    assert message == f"A visitor that is {status} can't be changed any more."
    assert organization.visitors.read(visitor) == visitor


def test_a_stale_move_or_change_is_refused(organization: Organization) -> None:
    visitor = organization.visitors.create()
    path = f"{organization.visitors.path}/{visitor['id']}"
    tag = {"If-Match": organization.api.get(path).headers["etag"]}
    assert organization.api.patch(path, json={"name": "Ada King"}, headers=tag).status_code == 200
    for answer in (
        organization.api.patch(path, json={"name": "x"}, headers=tag),
        organization.api.post(f"{path}/check-in", headers=tag),
        organization.api.delete(path, headers=tag),
    ):
        refused(answer, 412)
    kept = organization.visitors.read(visitor)
    assert kept == {**visitor, "name": "Ada King", "updated": kept["updated"]}


def test_the_evacuation_list_is_everybody_on_site(organization: Organization) -> None:
    others = [organization.visitors.create_in_status(s) for s in ("Registered", "CheckedOut", "Cancelled")]
    on_site = [organization.visitors.create_in_status("CheckedIn") for _ in range(3)]
    assert organization.visitors.listed(status="CheckedIn") == on_site[::-1]
    assert organization.visitors.listed() == (others + on_site)[::-1]
    lines = organization.api.get(f"{organization.visitors.path}.ndjson?status=CheckedIn").text.splitlines()
    assert [json.loads(line) for line in lines] == on_site[::-1]
    text = organization.api.get(f"{organization.visitors.path}.csv?status=CheckedIn").text
    assert [row["id"] for row in csv.DictReader(io.StringIO(text))] == [v["id"] for v in on_site[::-1]]


def test_visitors_are_filtered(organization: Organization) -> None:
    host = organization.new_user("Requester")
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    ada = organization.visitors.create(expectedArrival=1900000000)
    grace = organization.visitors.create(
        name="Grace Hopper", company=None, hostId=host["id"], expectedArrival=1900000100
    )
    alan = organization.visitors.create(name="Alan Turing", company="Bletchley", locationId=location["id"])
    for query, found in (
        ({"hostId": host["id"]}, [grace]),
        ({"hostId": organization.user_id}, [alan, ada]),
        ({"locationId": location["id"]}, [alan]),
        ({"expectedAfter": 1900000000}, [grace]),
        ({"expectedAfter": 1899999999}, [grace, ada]),
        ({"expectedBefore": 1900000100}, [ada]),
        ({"expectedAfter": 1900000000, "expectedBefore": 1900000100}, []),
        ({"q": "analytical ada"}, [ada]),
        ({"q": "BLETCH"}, [alan]),
        ({"q": "nobody"}, []),
        ({"status": "Registered", "hostId": organization.user_id}, [alan, ada]),
        ({"status": "CheckedOut"}, []),
    ):
        assert organization.visitors.listed(**query) == found, query
    assert fields_refused(organization.api.get(organization.visitors.path, params={"status": "OnSite"})) == [
        "status"
    ]


def test_hosts_of_visitors_cannot_be_deleted(organization: Organization) -> None:
    host = organization.new_user("Requester")
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    organization.visitors.create(hostId=host["id"], locationId=location["id"])
    for path, noun in ((f"users/{host['id']}", "user"), (f"locations/{location['id']}", "location")):
        message = refused(organization.api.delete(f"{organization.path}/{path}"), 409)
        assert message == f"This {noun} can't be deleted while visitors name it; archive it instead."


def test_a_visitor_of_another_organization_is_not_found(
    organization: Organization, other_organization: Organization
) -> None:
    visitor = organization.visitors.create()
    path = f"{other_organization.visitors.path}/{visitor['id']}"
    api = other_organization.api
    for answer in (
        api.get(path),
        api.patch(path, json={"name": "x"}),
        api.delete(path),
        *(api.post(f"{path}/{verb}") for verb in ("check-in", "check-out", "cancel")),
    ):
        refused(answer, 404)
    assert organization.visitors.read(visitor) == visitor


def test_read_only_users_cannot_change_anything(organization: Organization) -> None:
    reader = organization.client(key=organization.new_key("visitors:read")["secret"])
    stranger = organization.client(key=organization.new_key("bookings:read")["secret"])
    path = f"{organization.visitors.path}/{organization.visitors.create()['id']}"
    assert reader.get(path).status_code == 200
    for answer in (
        reader.post(organization.visitors.path, json=ADA),
        reader.patch(path, json={"name": "x"}),
        reader.delete(path),
        *(reader.post(f"{path}/{verb}") for verb in ("check-in", "check-out", "cancel")),
        stranger.get(path),
        stranger.get(f"{organization.visitors.path}.ndjson"),
    ):
        refused(answer, 403)
