"""Many operations in one request: each by itself, or all of them."""

import time
from typing import Any

import httpx
import pytest
from tests.http.test_external_ids import KINDS
from tests.support.answers import data_of
from tests.support.organizations import Organization

Fields = dict[str, Any]


def send(
    organization: Organization, kind: str, *items: Any, atomic: bool = False, **headers: str
) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"atomic": atomic, "items": list(items)}
    return organization.api.post(f"{organization.path}/{kind}/batch", json=body, headers=names)


def results(answer: httpx.Response) -> list[Fields]:
    assert answer.status_code == 200, answer.text
    report = data_of(answer)
    found: list[Fields] = report["results"]
    assert [result["index"] for result in found] == list(range(len(found)))
    assert report["failed"] == sum(1 for result in found if result["error"])
    assert report["succeeded"] == len(found) - report["failed"]
    for result in found:
        assert (result["error"] is not None) == (result["status"] >= 400)
        assert (result["data"] is None) == (result["etag"] is None)
    return found


def statuses(answer: httpx.Response) -> list[int]:
    return [result["status"] for result in results(answer)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_creates_changes_and_replacements(organization: Organization, kind: str) -> None:
    made, replaced = results(
        send(
            organization,
            kind,
            {"create": {**KINDS[kind](organization), "externalId": "A"}},
            {"replace": KINDS[kind](organization), "externalId": "B"},
        )
    )
    assert (made["status"], replaced["status"]) == (201, 201)
    one = organization.api.get(f"{organization.path}/{kind}/{made['data']['id']}")
    assert data_of(one) == made["data"]
    assert one.headers["etag"] == made["etag"]
    changed = results(
        send(
            organization,
            kind,
            {"change": {"metadata": {"a": 1}}, "id": made["data"]["id"], "ifMatch": made["etag"]},
            {"change": {"metadata": {"a": 2}}, "id": made["data"]["id"], "ifMatch": made["etag"]},
            {"change": {"metadata": {"b": 1}}, "externalId": "B"},
            {"change": {"metadata": {"b": 1}}, "externalId": "C"},
        )
    )
    assert [result["status"] for result in changed] == [200, 412, 200, 404]
    assert changed[0]["data"]["metadata"] == {"a": 1}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bookings"])
def test_records_are_deleted_by_either_name_and_as_last_seen(organization: Organization, kind: str) -> None:
    bodies = [{**KINDS[kind](organization), "externalId": name} for name in "AB"]
    if kind == "users":
        bodies[1]["email"] = "second@example.com"
    first, _ = results(send(organization, kind, *({"create": body} for body in bodies)))
    id = first["data"]["id"]
    assert first["etag"].startswith('"')
    found = results(
        send(
            organization,
            kind,
            {"delete": True, "id": id, "ifMatch": '"another"'},
            {"delete": True, "id": id, "ifMatch": first["etag"]},
            {"delete": True, "externalId": "B"},
            {"delete": True, "externalId": "C"},
            {"delete": False, "id": id},
            {"delete": True},
        )
    )
    assert [result["status"] for result in found] == [412, 200, 200, 404, 422, 422]
    assert found[1]["data"] is None
    left = data_of(organization.api.get(f"{organization.path}/{kind}", params={"externalId": "A,B"}))
    assert left == []


def test_references_to_deleted_records_are_reported(
    organization: Organization,
) -> None:
    parent = organization.locations.create(name="Site", type="Site")
    organization.locations.create(name="House", type="Building", parentId=parent["id"])
    assert statuses(send(organization, "locations", {"delete": True, "id": parent["id"]})) == [409]
    (refused,) = results(send(organization, "bookings", {"delete": True, "externalId": "A"}))
    assert refused["error"]["details"] == [{"field": "delete", "message": "is nothing that this kind does"}]
    made, undone = results(
        send(
            organization,
            "locations",
            {"delete": True, "id": parent["id"]},
            {"create": {"name": "Other", "type": "Site"}},
            atomic=True,
        )
    )
    assert (made["status"], undone["status"]) == (409, 424)


def test_moves_are_made_with_what_they_need(organization: Organization) -> None:
    order = organization.work_orders.create(externalId="ERP-1")
    found = results(
        send(
            organization,
            "work-orders",
            {"move": "start", "id": order["id"]},
            {"move": "hold", "externalId": "ERP-1"},
            {"move": "hold", "externalId": "ERP-1", "body": {"reason": "A part is missing."}},
            {"move": "start", "id": order["id"]},
            {"move": "fly", "id": order["id"]},
        )
    )
    assert [result["status"] for result in found] == [200, 422, 200, 409, 422]
    assert found[1]["error"]["details"] == [{"field": "reason", "message": "is required"}]
    assert found[2]["data"]["holdReason"] == "A part is missing."
    assert "allowed from here: resume, cancel" in found[3]["error"]["message"]
    assert (
        found[4]["error"]["message"] == "move must be one of start, hold, resume, complete, cancel, reopen."
    )
    told = [event["type"] for event in organization.events()]
    assert told == ["workorder.created", "workorder.status.changed", "workorder.status.changed"]


WRONG: list[tuple[Any, str]] = [
    (1, ""),
    ({}, ""),
    ({"create": {"name": "A", "type": "Site"}, "change": {}, "id": "x"}, ""),
    ({"create": {"name": "A", "type": "Site"}, "id": "loc_1"}, "create"),
    ({"create": {"name": "A"}}, "type"),
    ({"create": {"name": "A", "type": "Site", "surprise": 1}}, "surprise"),
    ({"create": {"name": "A", "type": "Site"}, "surprise": 1}, "surprise"),
    ({"change": {"name": "A"}}, "id"),
    ({"change": {"name": "A"}, "id": "loc_1", "externalId": "A"}, "id"),
    ({"change": {"name": "A"}, "id": 1}, "id"),
    ({"change": {"name": "A"}, "id": "loc_1", "body": {}}, "body"),
    ({"replace": {"name": "A", "type": "Site"}}, "externalId"),
    ({"move": "start", "id": "loc_1"}, "move"),
    ({"create": {"name": "A", "type": "Site", "parentId": "loc_1"}}, "parentId"),
]


def test_errors_of_an_item_are_in_its_result(organization: Organization) -> None:
    good = {"create": {"name": "Good", "type": "Site"}}
    items = [item for wrong, _ in WRONG for item in (wrong, good)]
    found = results(send(organization, "locations", *items))
    assert [result["status"] for result in found] == [422, 201] * len(WRONG)
    fields = [result["error"]["details"][0]["field"] for result in found[::2]]
    assert fields == [field for _, field in WRONG]
    assert len(organization.locations.listed(limit=100)) == len(WRONG)


@pytest.mark.parametrize("key", [None, "batch-1"])
def test_all_or_none(organization: Organization, key: str | None) -> None:
    headers = {} if key is None else {"Idempotency-Key": key}
    organization.locations.create(code="TAKEN", externalId="A")
    items = [
        {"create": {"name": "New", "type": "Site"}},
        {"change": {"name": "Changed"}, "externalId": "A"},
        {"create": {"name": "Clash", "type": "Site", "code": "TAKEN"}},
        {"create": {"name": "Later", "type": "Site"}},
    ]
    told = len(organization.events())
    answer = send(organization, "locations", *items, atomic=True, **headers)
    assert statuses(answer) == [424, 424, 409, 424]
    told_of = results(answer)[0]["error"]
    assert told_of == {
        "error": "FailedDependency",
        "message": "Nothing of the batch was done, since item 2 was refused.",
    }
    assert [location["name"] for location in organization.locations.listed()] == ["Cellar"]
    assert len(organization.events()) == told
    malformed = send(organization, "locations", items[0], {"create": {}}, atomic=True)
    assert statuses(malformed) == [424, 422]
    assert statuses(send(organization, "locations", items[0], items[1], atomic=True)) == [201, 200]
    assert {location["name"] for location in organization.locations.listed()} == {"New", "Changed"}
    assert len(organization.events()) == told + 2


def test_each_by_itself_with_a_key_is_done_once(organization: Organization) -> None:
    """Within one transaction, where what fails must not take the others with it."""
    items = [
        {"create": {"name": "A", "type": "Site", "code": "SAME"}},
        {"create": {"name": "B", "type": "Site", "code": "SAME"}},
        {"replace": {"name": "C", "type": "Site", "parentId": "loc_none"}, "externalId": "C"},
        {"create": {"name": "D", "type": "Site"}},
    ]
    first, second = (send(organization, "locations", *items, Idempotency_Key="key") for _ in range(2))
    assert statuses(first) == [201, 409, 422, 201]
    assert second.json() == first.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert sorted(location["name"] for location in organization.locations.listed()) == ["A", "D"]
    assert [event["type"] for event in organization.events()] == ["location.created"] * 2


def test_bookings_of_one_batch_do_not_overlap(organization: Organization) -> None:
    room = organization.created("resources", {"name": "Room", "type": "Room"})["id"]
    start = int(time.time()) + 86_400
    slots = [(start, start + 3600), (start + 1800, start + 5400), (start + 3600, start + 7200)]
    items = [{"create": {"resourceId": room, "startTime": begin, "endTime": end}} for begin, end in slots]
    assert statuses(send(organization, "bookings", *items, atomic=True)) == [424, 409, 424]
    assert statuses(send(organization, "bookings", *items)) == [201, 409, 201]


def test_five_hundred_large_items_are_one_request(organization: Organization) -> None:
    text = "x" * 4000
    items = [{"create": {"title": f"Order {number}", "description": text}} for number in range(500)]
    answer = send(organization, "work-orders", *items, atomic=True)
    assert set(statuses(answer)) == {201}
    assert [result["data"]["number"] for result in results(answer)] == list(range(1, 501))
    assert send(organization, "work-orders", *items, items[0]).status_code == 422
    assert (
        organization.api.post(f"{organization.path}/locations", content=b" " * 1_100_000).status_code == 413
    )
    too_large = b" " * (4 * 1024 * 1024 + 1)
    assert organization.api.post(f"{organization.path}/locations/batch", content=too_large).status_code == 413


def test_a_batch_needs_at_least_one_item(organization: Organization) -> None:
    answer = send(organization, "locations")
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, "items")


def test_an_item_may_be_as_large_as_the_body_of_its_operation(organization: Organization) -> None:
    large = {
        "create": {"title": "Leak", "description": "x", "metadata": {f"k{n}": "v" for n in range(9_000)}}
    }
    too_large = {"create": {"title": "Leak", "description": "x" * (1024 * 1024)}}
    right = {"create": {"title": "Leak"}}
    with_parts = {"create": {"title": "Leak", "metadata": {"values": ["x" * 100] * 11_000}}}
    answer = send(organization, "work-orders", right, large, too_large, with_parts, right)
    assert statuses(answer) == [201, 422, 413, 413, 201]
    assert statuses(send(organization, "work-orders", with_parts, right, atomic=True)) == [413, 424]
    alone = organization.api.post(f"{organization.path}/work-orders", json=large["create"])
    error = results(answer)[1]["error"]
    assert (error["message"], error["details"]) == (alone.json()["message"], alone.json()["details"])


def test_a_large_batch_is_read_as_a_small_one(organization: Organization) -> None:
    items = [{"create": {"title": f"Leak {number}", "description": "x" * 300}} for number in range(300)]
    made = results(send(organization, "work-orders", *items))
    assert [result["data"]["title"] for result in made] == [item["create"]["title"] for item in items]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"items": [{"create": {"title": "x" * 100}}] * 501}, "items"),
        ({"items": [{"create": {"title": "x" * 100}}] * 400, "more": 1}, "more"),
        ({"more": ["x" * 100] * 1000, "items": [{}]}, "more"),
        ({"items": {"a": ["x" * 100] * 1000}}, "items"),
        ({"atomic": ["x" * 100] * 1000}, "items"),
    ],
)
def test_a_large_envelope_is_refused_as_a_small_one(
    organization: Organization, body: Fields, field: str
) -> None:
    answer = organization.api.post(f"{organization.path}/work-orders/batch", json=body)
    assert answer.status_code == 422, answer.text
    assert field in {detail["field"] for detail in answer.json()["details"]}


def test_a_large_envelope_names_no_key_twice(organization: Organization) -> None:
    item = b'{"create": {"title": "%s"}}' % (b"x" * 100)
    body = b'{"atomic": true, "items": [%s], "atomic": false}' % b",".join([item] * 450)
    answer = organization.api.post(
        f"{organization.path}/work-orders/batch",
        content=body,
        headers={"content-type": "application/json"},
    )
    assert (answer.status_code, answer.json()["message"]) == (400, 'The body names the key "atomic" twice.')
