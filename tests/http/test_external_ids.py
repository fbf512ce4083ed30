"""Records by what other systems call them, whatever kind they are."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import PASSWORD, Organization

NOW = int(time.time())
Fields = dict[str, Any]

# What a record of each kind is made from.
KINDS: dict[str, Callable[[Organization], Fields]] = {
    "locations": lambda _: {"name": "Third floor", "type": "Floor", "latitude": 53.5},
    "assets": lambda organization: {"name": "Pump", "assetTypeId": organization.assets.type_id},
    "users": lambda _: {"email": f"ada-{time.time_ns()}@example.com", "name": "Ada", "password": PASSWORD},
    "work-orders": lambda _: {"title": "Lift is stuck", "checklist": [{"text": "Call"}, {"text": "Wait"}]},
    "resources": lambda _: {"name": "Elbe", "type": "Room", "capacity": 8},
    "bookings": lambda organization: {
        "resourceId": organization.created("resources", {"name": "Room", "type": "Room"})["id"],
        "startTime": NOW + 86_400,
        "endTime": NOW + 90_000,
    },
    "visitors": lambda _: {"name": "Ada", "expectedArrival": NOW + 3600},
}
# A field that people call it by, where it may be changed.
NAMES = {"work-orders": "title", "bookings": "title"}
every_kind = pytest.mark.parametrize("kind", KINDS)


def put(
    organization: Organization, kind: str, external_id: str, body: Fields, **headers: str
) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    path = f"{organization.path}/{kind}/by-external-id/{external_id}"
    return organization.api.put(path, json=body, headers=names)


def data(answer: httpx.Response, status: int) -> Fields:
    assert answer.status_code == status, answer.text
    found: Fields = data_of(answer)
    return found


@every_kind
def test_a_name_and_metadata_can_be_set_searched_changed_and_cleared(
    organization: Organization, kind: str
) -> None:
    fields = KINDS[kind](organization)
    path = f"{organization.path}/{kind}"
    metadata = {"costCentre": "4711", "nested": {"a": [1, 2.5, None]}}
    made = organization.created(kind, {**fields, "externalId": "ERP/1 ü", "metadata": metadata})
    assert (made["externalId"], made["metadata"]) == ("ERP/1 ü", metadata)
    read = organization.api.get(f"{path}/{made['id']}")
    assert data(read, 200) == made
    assert data_of(organization.api.get(path, params={"externalId": "ERP/1 ü"})) == [made]
    assert data_of(organization.api.get(path, params={"externalId": "ERP/2"})) == []
    by_name = organization.api.get(f"{path}/by-external-id/ERP/1%20%C3%BC")
    assert data(by_name, 200) == made
    assert by_name.headers["etag"] == read.headers["etag"]
    changed = data(organization.api.patch(f"{path}/{made['id']}", json={"metadata": {"a": 1}}), 200)
    assert (changed["externalId"], changed["metadata"]) == ("ERP/1 ü", {"a": 1})
    cleared = {"externalId": None, "metadata": None}
    changed = data(organization.api.patch(f"{path}/{made['id']}", json=cleared), 200)
    assert (changed["externalId"], changed["metadata"]) == (None, {})
    assert organization.api.get(f"{path}/by-external-id/ERP/1%20%C3%BC").status_code == 404


@every_kind
def test_a_name_belongs_to_one_record_of_a_kind_and_organization(
    organization: Organization, other_organization: Organization, kind: str
) -> None:
    organization.created(kind, {**KINDS[kind](organization), "externalId": "ERP-1"})
    other_organization.created(kind, {**KINDS[kind](other_organization), "externalId": "ERP-1"})
    body = {**KINDS[kind](organization), "externalId": "ERP-1"}
    clash = organization.api.post(f"{organization.path}/{kind}", json=body)
    assert clash.status_code == 409
    assert "with this externalId exists already" in clash.json()["message"]


@every_kind
def test_putting_makes_and_then_replaces_and_repeating_it_changes_nothing(
    organization: Organization, kind: str
) -> None:
    fields = KINDS[kind](organization)
    answer = put(organization, kind, "ERP-1", {**fields, "metadata": {"a": 1}})
    made = data(answer, 201)
    assert (made["externalId"], made["metadata"]) == ("ERP-1", {"a": 1})
    assert answer.headers["location"].endswith(f"/{kind}/{made['id']}")
    told = len(organization.events())
    again = put(organization, kind, "ERP-1", {**fields, "metadata": {"a": 1}, "externalId": "ERP-1"})
    assert data(again, 200) == made
    assert again.headers["etag"] == answer.headers["etag"]
    assert len(organization.events()) == told
    name = NAMES.get(kind, "name")
    replaced = data(put(organization, kind, "ERP-1", {**fields, name: "Another"}), 200)
    assert (replaced["id"], replaced[name], replaced["metadata"]) == (made["id"], "Another", {})
    elsewhere = put(organization, kind, "ERP-1", {**fields, "externalId": "ERP-2"})
    assert elsewhere.status_code == 422
    assert elsewhere.json()["details"][0]["field"] == "externalId"
    assert put(organization, kind, "x" * 201, fields).status_code == 422


def test_preconditions_choose_between_create_and_replace(organization: Organization) -> None:
    site = {"name": "Site", "type": "Site"}
    assert put(organization, "locations", "A", site, If_Match="*").status_code == 412
    assert put(organization, "locations", "A", site, If_Match='"x"').status_code == 412
    made = put(organization, "locations", "A", site, If_None_Match="*")
    assert made.status_code == 201
    assert put(organization, "locations", "A", site, If_None_Match="*").status_code == 412
    tag = made.headers["etag"]
    other = {**site, "name": "Other"}
    assert put(organization, "locations", "A", other, If_None_Match=tag).status_code == 412
    assert put(organization, "locations", "A", other, If_Match='"x"').status_code == 412
    assert put(organization, "locations", "A", other, If_Match=tag).status_code == 200
    assert put(organization, "locations", "A", site, If_Match=tag).status_code == 412
    assert put(organization, "locations", "A", site, If_Match="*").status_code == 200


def test_concurrent_puts_make_one_record_with_one_of_their_values(organization: Organization) -> None:
    bodies = [
        {"name": f"Site {number}", "type": "Site", "code": f"C{number}", "metadata": {"by": number}}
        for number in range(12)
    ]
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda body: put(organization, "locations", "A", body), bodies))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] * 11 + [201], [answer.text for answer in answers]
    (left,) = organization.locations.listed()
    number = left["metadata"]["by"]
    assert (left["name"], left["code"]) == (f"Site {number}", f"C{number}")


@every_kind
def test_many_at_once_with_the_same_body_make_one_record(organization: Organization, kind: str) -> None:
    body = KINDS[kind](organization)
    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(lambda _: put(organization, kind, "ERP-1", body), range(12)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] * 11 + [201], [answer.text for answer in answers]
    assert len({data_of(answer)["id"] for answer in answers}) == 1


def test_replacing_leaves_states_and_what_is_done_alone(organization: Organization) -> None:
    fields = KINDS["work-orders"](organization)
    order = data(put(organization, "work-orders", "ERP-1", fields), 201)
    started = organization.work_orders.move(order, "start")
    ticked = [{**started["checklist"][0], "done": True}, started["checklist"][1]]
    wanted = [{name: item[name] for name in ("id", "text", "done")} for item in ticked]
    order = organization.work_orders.change(started, checklist=wanted)
    assert data(put(organization, "work-orders", "ERP-1", fields), 200) == order
    fields["checklist"] = [{"text": "Wait"}, {"text": "Call"}, {"text": "Go"}]
    replaced = data(put(organization, "work-orders", "ERP-1", fields), 200)
    assert replaced["status"] == "InProgress"
    shown = [(item["text"], item["done"]) for item in replaced["checklist"]]
    assert shown == [("Wait", False), ("Call", True), ("Go", False)]
    assert replaced["checklist"][1] == order["checklist"][0]
    completed = organization.work_orders.move(replaced, "complete")
    assert data(put(organization, "work-orders", "ERP-1", fields), 200) == completed
    assert put(organization, "work-orders", "ERP-1", {"title": "Other"}).status_code == 409


def test_immutable_fields_are_named(organization: Organization) -> None:
    fields = KINDS["work-orders"](organization)
    data(put(organization, "work-orders", "ERP-1", {**fields, "reportedBy": organization.user_id}), 201)
    other = organization.new_user()["id"]
    answer = put(organization, "work-orders", "ERP-1", {**fields, "reportedBy": other})
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "reportedBy"


def test_an_asset_with_inherited_keep_alive_keeps_inheriting(organization: Organization) -> None:
    fields = KINDS["assets"](organization)
    made = data(put(organization, "assets", "ERP-1", fields), 201)
    assert data(put(organization, "assets", "ERP-1", fields), 200) == made
    own = data(put(organization, "assets", "ERP-1", {**fields, "keepAlive": 60}), 200)
    assert own["keepAlive"] == 60
    assert data(put(organization, "assets", "ERP-1", fields), 200)["keepAlive"] == made["keepAlive"]


def test_a_person_who_is_there_keeps_the_password(organization: Organization) -> None:
    fields = KINDS["users"](organization)
    email, name = fields["email"], fields["name"]
    missing = put(organization, "users", "HR-1", {"email": email, "name": name})
    assert missing.json()["details"][0]["field"] == "password"
    user = data(put(organization, "users", "HR-1", fields), 201)
    other = {"email": email, "name": "Ada Byron", "password": "another password"}
    assert data(put(organization, "users", "HR-1", other), 200)["id"] == user["id"]
    assert organization.log_in(email)["token"]
    (found,) = data_of(organization.api.get(f"{organization.path}/users", params={"email": email.upper()}))
    assert (found["name"], found["externalId"]) == ("Ada Byron", "HR-1")


def test_an_order_is_found_by_its_number(organization: Organization) -> None:
    orders = [organization.work_orders.create() for _ in range(3)]
    assert organization.work_orders.listed(number=2) == [orders[1]]
    assert organization.work_orders.listed(number=9) == []


def test_renaming_writes_events_and_keeps_earlier_ones(organization: Organization) -> None:
    order = organization.work_orders.create()
    organization.work_orders.change(order, externalId="ERP-1")
    made, changed = organization.events(type="workorder.created,workorder.updated")
    assert "externalId" not in made["data"]["object"]
    assert "externalId" not in changed["data"]["object"]
    assert changed["data"]["previousAttributes"] == {"externalId": None}


def test_an_erased_visitor_has_no_name_in_any_answer(organization: Organization) -> None:
    visitor = organization.visitors.create(externalId="GATE-1", metadata={"plate": "HH AB 12"})
    organization.visitors.change(visitor, externalId="GATE-2", metadata={"plate": "HH CD 34"})
    assert organization.api.delete(organization.visitors.path_of(visitor)).status_code == 200
    erased = organization.visitors.read(visitor)
    assert (erased["name"], erased["externalId"], erased["metadata"]) == (None, None, {})
    told = str(organization.events())
    assert "GATE" not in told
    assert "HH AB" not in told
    assert "HH CD" not in told
