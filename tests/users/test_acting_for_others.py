"""A key that may name other persons: what is recorded, and what it still can't do."""

import itertools
import time
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.schedules_of_rates import STAR, new_quotation

_NUMBERS = itertools.count(1)
_FIELD = {"key": "exit", "label": "The exit is clear", "type": "passFail"}


class Place:
    """An organization in which everything stands just before somebody does something."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization

    def path(self, rest: str) -> str:
        return f"{self.organization.path}/{rest}"

    def order(self) -> str:
        order = self.organization.work_orders.create(checklist=[{"text": "Look"}])
        return f"work-orders/{self.organization.work_orders.move(order, 'start')['id']}"

    def form(self) -> str:
        form = self.organization.created("forms", {"name": "Round", "fields": [_FIELD]})
        self.organization.api.post(self.path(f"forms/{form['id']}/publish")).raise_for_status()
        return f"forms/{form['id']}"

    def booking(self) -> str:
        room, start = self.organization.resources.create(), int(time.time()) + 3600
        body = {"resourceId": room["id"], "startTime": start, "endTime": start + 60}
        return f"bookings/{self.organization.created('bookings', body)['id']}"

    def quotation(self) -> str:
        return f"sor/quotations/{new_quotation(self.organization, STAR)['id']}"


def act(place: Place, client: Client, what: str, person: str) -> tuple[httpx.Response, str]:
    """Lets somebody do something in the name of a person; answers the response and the field that records it."""
    if what == "comment":
        body: dict[str, Any] = {"text": "Done", "createdBy": person}
        return client.post(place.path(f"{place.order()}/comments"), json=body), "createdBy"
    if what == "form":
        answers = {"answers": {}, "submittedBy": person}
        return client.post(place.path(f"{place.form()}/submissions"), json=answers), "submittedBy"
    if what == "acknowledge":
        alert = place.organization.alerts.insert(rule_id=f"arl_{next(_NUMBERS)}")
        body = {"acknowledgedBy": person}
        return client.post(
            place.organization.alerts.path_of(alert, "/acknowledge"), json=body
        ), "acknowledgedBy"
    if what == "complete":
        return client.post(
            place.path(f"{place.order()}/complete"), json={"completedBy": person}
        ), "completedBy"
    if what == "complete by PATCH":
        body = {"status": "Completed", "completedBy": person}
        return client.patch(place.path(place.order()), json=body), "completedBy"
    if what == "cancel booking":
        return client.post(
            place.path(f"{place.booking()}/cancel"), json={"cancelledBy": person}
        ), "cancelledBy"
    assert what == "submit"
    return client.post(place.path(f"{place.quotation()}/submit"), json={"submittedBy": person}), "submittedBy"


WHAT = ("acknowledge", "form", "comment", "complete", "complete by PATCH", "cancel booking", "submit")
ENOUGH = (
    "work-orders:read",
    "work-orders:write",
    "bookings:write",
    "sor:write",
    "sor:approve",
    "forms:write",
    "iot:write",
)


@pytest.fixture
def place(organization: Organization) -> Place:
    return Place(organization)


def test_a_key_with_permission_can_name_the_acting_person(place: Place) -> None:
    organization = place.organization
    person = organization.new_user("Viewer")["id"]
    key = organization.client(key=organization.new_key(*ENOUGH, "users:act-as")["secret"])
    for what in WHAT:
        answer, field = act(place, key, what, person)
        assert answer.is_success, answer.text
        assert data_of(answer)[field] == person, what
        answer, field = act(place, key, what, "usr_0")
        assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, field), what


def test_a_key_without_permission_can_name_its_own_person_only(place: Place) -> None:
    organization = place.organization
    person = organization.new_user("Viewer")["id"]
    key = organization.client(key=organization.new_key(*ENOUGH)["secret"])
    for what in WHAT:
        answer, field = act(place, key, what, person)
        assert answer.status_code == 403, what
        assert (
            answer.json()["message"] == f"Naming another person in {field} needs the permission users:act-as."
        )
        answer, field = act(place, key, what, organization.user_id)
        assert data_of(answer)[field] == organization.user_id, what


def test_four_eyes_compares_the_acting_persons(place: Place) -> None:
    organization = place.organization
    first, second = (organization.new_user("Viewer")["id"] for _ in range(2))
    path = place.path(place.quotation())
    submitted = data_of(organization.api.post(f"{path}/submit", json={"submittedBy": first}))
    assert submitted["submittedBy"] == first
    same = organization.api.post(f"{path}/approve", json={"approvedBy": first})
    assert (same.status_code, same.json()["message"]) == (
        403,
        "Who submitted a quotation may not approve it.",
    )
    rejected = organization.api.post(f"{path}/reject", json={"reason": "Too dear", "rejectedBy": second})
    assert data_of(rejected)["rejectedBy"] == second
    organization.api.post(f"{path}/submit", json={"submittedBy": first})
    approved = data_of(organization.api.post(f"{path}/approve", json={"approvedBy": second}))
    assert (approved["status"], approved["approvedBy"]) == ("Approved", second)


def test_acting_for_a_person_adds_no_permissions_to_the_key(place: Place) -> None:
    """The named person might approve; the key may not, in any name."""
    organization = place.organization
    manager = organization.new_user("Manager")["id"]
    path = place.path(place.quotation())
    organization.api.post(f"{path}/submit")
    key = organization.client(key=organization.new_key("sor:write", "users:act-as")["secret"])
    answer = key.post(f"{path}/approve", json={"approvedBy": manager})
    assert answer.status_code == 403
    assert "sor:approve" in answer.json()["message"]


def test_checklist_items_record_who_and_when(place: Place) -> None:
    organization = place.organization
    person = organization.new_user("Viewer")["id"]
    path = place.path(place.order())
    items = [{"text": "Look", "done": True, "doneBy": person}]
    changed = data_of(organization.api.patch(path, json={"checklist": items}))
    assert changed["checklist"][0]["doneBy"] == person
    for wrong in (
        {"checklist": [{"text": "x", "done": True, "doneBy": "usr_0"}]},
        {"checklist": [{"text": "x", "doneBy": person}]},
        {"title": "x", "completedBy": person},
    ):
        assert organization.api.patch(path, json=wrong).status_code == 422, wrong
    key = organization.client(key=organization.new_key("work-orders:write")["secret"])
    assert key.patch(path, json={"checklist": items}).status_code == 403


def test_a_key_without_a_permission_list_has_those_of_its_creator(place: Place) -> None:
    organization = place.organization
    person = organization.new_user("Viewer")["id"]
    answer, _ = act(place, organization.api, "complete", person)
    assert data_of(answer)["completedBy"] == person
