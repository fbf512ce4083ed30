"""An answer reports all errors of a body, whatever found them: the rules of its kind, or the database."""

import time
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

Fields = dict[str, Any]
NOWHERE = {"locationId": "loc_unknown", "assetId": "ast_unknown", "assigneeId": "usr_unknown"}


def faults(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 422, answer.text
    return {detail["field"]: detail["message"] for detail in answer.json()["details"]}


def test_every_dangling_reference_is_named(organization: Organization) -> None:
    orders = f"{organization.path}/work-orders"
    named = {
        "locationId": "names no location of this organization",
        "assetId": "names no asset of this organization",
        "assigneeId": "names no user of this organization",
    }
    assert faults(organization.api.post(orders, json={"title": "Leak", **NOWHERE})) == named
    order = organization.work_orders.create("Leak")
    assert faults(organization.api.patch(f"{orders}/{order['id']}", json=NOWHERE)) == named
    assert faults(organization.api.put(f"{orders}/by-external-id/A", json={"title": "A", **NOWHERE})) == named
    # What leads somewhere is not among them.
    location = organization.locations.create()["id"]
    assert faults(
        organization.api.post(orders, json={"title": "Leak", **NOWHERE, "locationId": location})
    ) == {
        "assetId": named["assetId"],
        "assigneeId": named["assigneeId"],
    }


@pytest.mark.parametrize("atomic", [False, True])
def test_a_failed_item_does_not_stop_the_rest_of_a_batch(organization: Organization, *, atomic: bool) -> None:
    items = [
        {"create": {"title": "Before"}},
        {"create": {"title": "Leak", **NOWHERE}},
        {"create": {"title": "After"}},
    ]
    body = {"atomic": atomic, "items": items}
    answer = data_of(organization.api.post(f"{organization.path}/work-orders/batch", json=body))
    assert [result["status"] for result in answer["results"]] == (
        [424, 422, 424] if atomic else [201, 422, 201]
    )
    details = answer["results"][1]["error"]["details"]
    assert [detail["field"] for detail in details] == ["assigneeId", "locationId", "assetId"]
    titles = {order["title"] for order in data_of(organization.api.get(f"{organization.path}/work-orders"))}
    assert titles == (set() if atomic else {"Before", "After"})


def test_an_idempotency_key_may_be_used_again_afterwards(organization: Organization) -> None:
    """The refusal rolls back what it was stored with."""
    headers = {"Idempotency-Key": "leak"}
    orders = f"{organization.path}/work-orders"
    refused = organization.api.post(orders, json={"title": "Leak", **NOWHERE}, headers=headers)
    assert len(faults(refused)) == 3
    assert organization.api.post(orders, json={"title": "Leak"}, headers=headers).status_code == 201


def test_a_booking(organization: Organization) -> None:
    room = organization.resources.create()
    start = int(time.time()) + 3600
    twice = [{"email": "ada@example.com"}, {"email": "Ada@example.com"}, {"email": "ADA@example.com"}]
    booking = {"title": "Talk", "resourceId": room["id"], "startTime": start, "endTime": start - 60}
    assert faults(
        organization.api.post(f"{organization.path}/bookings", json={**booking, "attendees": twice})
    ) == {
        "endTime": "must be later than startTime",
        "attendees[1].email": "is there more than once",
        "attendees[2].email": "is there more than once",
    }
    exceptions = {"recurrence": "FREQ=DAILY;COUNT=3", "exceptions": ["tomorrow", "2026-12-24", "never"]}
    booking["endTime"] = start + 60
    assert faults(organization.api.post(f"{organization.path}/bookings", json={**booking, **exceptions})) == {
        "exceptions[0]": "must be a date, such as 2026-12-24",
        "exceptions[2]": "must be a date, such as 2026-12-24",
    }


def test_a_checklist(organization: Organization) -> None:
    order = organization.work_orders.create("Filter", checklist=[{"text": "Open"}, {"text": "Close"}])
    item = order["checklist"][0]
    wanted = [
        {"id": item["id"], "text": "Open"},
        {"id": item["id"], "text": "Open"},
        {"id": "chk_unknown", "text": "Close", "doneBy": organization.user_id},
    ]
    address = f"{organization.path}/work-orders/{order['id']}"
    assert faults(organization.api.patch(address, json={"checklist": wanted})) == {
        "checklist[1].id": "names an item twice",
        "checklist[2].id": "names no item of this checklist",
        "checklist[2].doneBy": "is only for an item that is done",
    }


def test_a_change_of_status(organization: Organization) -> None:
    order = organization.work_orders.create("Filter")
    wrong = {"status": "InProgress", "holdReason": "why not", "completedBy": organization.user_id}
    answer = organization.api.patch(f"{organization.path}/work-orders/{order['id']}", json=wrong)
    assert set(faults(answer)) == {"holdReason", "completedBy"}


def test_an_alert_rule(organization: Organization) -> None:
    answer = organization.api.post(
        f"{organization.path}/alert-rules", json={"name": "Hot", "severity": "Critical", "conditions": []}
    )
    assert set(faults(answer)) == {"assetId", "conditions"}


def test_a_command(organization: Organization) -> None:
    asset = organization.assets.create()
    wrong = {"name": "open", "data": "???", "via": "chirpstack", "expiresAt": 1, "payload": {}}
    answer = organization.api.post(f"{organization.path}/assets/{asset['id']}/commands", json=wrong)
    assert set(faults(answer)) == {"data", "via", "expiresAt"}


def test_types_references_and_rules_of_one_body(organization: Organization) -> None:
    """Each stage has something against it, and none hides the others."""
    start = int(time.time()) + 3600
    booking = {
        "title": 5,
        "resourceId": "rsc_unknown",
        "startTime": start,
        "endTime": start - 60,
        "nothing": 1,
    }
    bookings = f"{organization.path}/bookings"
    assert faults(organization.api.post(bookings, json=booking)) == {
        "nothing": "is not a field that this takes",
        "title": "must be a text or null",
        "endTime": "must be later than startTime",
        "resourceId": "names no bookable resource of this organization",
    }
    assert data_of(organization.api.get(bookings)) == []
    assert organization.events() == [
        event for event in organization.events() if event["type"] != "booking.created"
    ]


def test_types_and_references_of_every_way_to_write_an_order(organization: Organization) -> None:
    orders = f"{organization.path}/work-orders"
    order = organization.work_orders.create("Leak")
    wrong = {"title": 5, "priority": "Urgent", **NOWHERE}
    expected = {"title", "priority", *NOWHERE}
    assert set(faults(organization.api.post(orders, json=wrong))) == expected
    assert set(faults(organization.api.patch(f"{orders}/{order['id']}", json=wrong))) == expected
    assert set(faults(organization.api.put(f"{orders}/by-external-id/A", json=wrong))) == expected
    # The number of the order that was only rehearsed is not used up.
    assert organization.work_orders.create("Next")["number"] == order["number"] + 1


def test_rules_and_references_of_one_body(organization: Organization) -> None:
    order = organization.work_orders.create("Filter")
    wrong = {"status": "InProgress", "holdReason": "why not", "locationId": "loc_unknown"}
    answer = organization.api.patch(f"{organization.path}/work-orders/{order['id']}", json=wrong)
    assert set(faults(answer)) == {"holdReason", "locationId"}


def test_the_query_and_the_body(organization: Organization) -> None:
    room = organization.resources.create()
    start = int(time.time()) + 3600
    booking = organization.created(
        "bookings", {"resourceId": room["id"], "startTime": start, "endTime": start + 60}
    )
    answer = organization.api.patch(
        f"{organization.path}/bookings/{booking['id']}?scope=some&other=1", json={"title": 5}
    )
    assert set(faults(answer)) == {"scope", "other", "title"}


def test_all_wrong_list_parameters_are_reported(organization: Organization) -> None:
    wrong = {"sort": "colour", "limit": "0", "status": "Gone", "updatedAfter": "yesterday", "other": "1"}
    answer = organization.api.get(f"{organization.path}/work-orders", params=wrong)
    assert set(faults(answer)) == set(wrong)


def test_a_booking_whose_resource_is_unknown(organization: Organization) -> None:
    """Errors that need no resource are reported with it."""
    start = int(time.time()) + 3600
    booking = {"resourceId": "rsc_unknown", "startTime": start, "endTime": start - 60}
    bookings = f"{organization.path}/bookings"
    assert set(faults(organization.api.post(bookings, json=booking))) == {"resourceId", "endTime"}
    repeated = {**booking, "recurrence": "FREQ=NEVER", "exceptions": ["tomorrow"]}
    expected = {"resourceId", "endTime", "recurrence", "exceptions[0]"}
    assert set(faults(organization.api.post(bookings, json=repeated))) == expected
    assert set(faults(organization.api.post(bookings, json={**repeated, "title": 5}))) == {*expected, "title"}


def test_an_api_key(organization: Organization) -> None:
    keys = f"{organization.path}/api-keys"
    wrong = {"name": 5, "expiresAt": 5, "allowedAddresses": ["here"]}
    expected = {"name", "expiresAt", "allowedAddresses[0]"}
    assert set(faults(organization.api.post(keys, json=wrong))) == expected
    assert set(faults(organization.api.patch(f"{keys}/{organization.key_id}", json=wrong))) == expected


def test_a_webhook(organization: Organization) -> None:
    webhooks = organization.webhooks.path
    made = organization.webhooks.create("workorder.created")
    wrong = {"url": "ftp://example.com", "events": ["colour.changed"]}
    expected = {"url", "events[0]"}
    assert set(faults(organization.api.post(webhooks, json=wrong))) == expected
    assert set(faults(organization.api.patch(organization.webhooks.path_of(made), json=wrong))) == expected
    with_wrong_type = {**wrong, "description": 5}
    assert set(faults(organization.api.post(webhooks, json=with_wrong_type))) == {*expected, "description"}
    criteria = {"locationId": ["loc_unknown"], "assetId": ["ast_unknown"]}
    filtering = {"mode": "include", "criteria": criteria}
    unknown = {"filtering.criteria.locationId[0]", "filtering.criteria.assetId[0]"}
    filtered = {**wrong, "filtering": filtering}
    assert set(faults(organization.api.post(webhooks, json=filtered))) == {*expected, *unknown}
    address = organization.webhooks.path_of(made)
    assert set(faults(organization.api.patch(address, json=filtered))) == {*expected, *unknown}
    assert set(faults(organization.api.patch(address, json={"filtering": filtering}))) == unknown
    answer = organization.api.post(webhooks, json={**filtered, "description": 5})
    assert {*expected, "description"} <= set(faults(answer))


def test_a_quotation_whose_schedule_is_unknown(organization: Organization) -> None:
    lines = [{"quantity": 1.2345, "description": "Valve", "unit": "each", "rateCents": 5}, {"quantity": 1}]
    wrong = {"scheduleId": "sch_unknown", "workOrderId": "wo_unknown", "lineItems": lines}
    answer = organization.api.post(f"{organization.path}/sor/quotations", json=wrong)
    star = {f"lineItems[1].{name}" for name in ("description", "unit", "rateCents")}
    assert set(faults(answer)) == {"scheduleId", "workOrderId", "lineItems[0].quantity", *star}


def test_a_location(organization: Organization) -> None:
    wrong = {"name": "", "type": "Site", "timezone": "Mars/Olympus", "parentId": "loc_unknown"}
    answer = organization.api.post(f"{organization.path}/locations", json=wrong)
    assert set(faults(answer)) == {"name", "timezone", "parentId"}


def test_roles_of_a_person(organization: Organization) -> None:
    users = f"{organization.path}/users"
    wrong = {"email": "ada@example.com", "name": "", "password": "short", "roleIds": ["rol_unknown"]}
    assert set(faults(organization.api.post(users, json=wrong))) == {"name", "password", "roleIds"}
    change = {"name": "", "roleIds": ["rol_unknown"]}
    assert set(faults(organization.api.patch(f"{users}/{organization.user_id}", json=change))) == set(change)
    invited = {"email": "nobody", "name": "Ada", "roleIds": ["rol_unknown"]}
    answer = organization.api.post(f"{users}/invitations", json=invited)
    assert set(faults(answer)) == {"email", "roleIds"}


@pytest.mark.parametrize("atomic", [False, True])
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "again"}])
def test_an_item_of_a_batch_gets_the_same_result_as_the_single_operation(
    organization: Organization, headers: dict[str, str], *, atomic: bool
) -> None:
    orders = f"{organization.path}/work-orders"
    order = organization.work_orders.create("Leak")
    wrong_type, wrong_rule = {"title": 5, "priority": "Urgent", **NOWHERE}, {"title": " ", **NOWHERE}
    items = [
        {"create": wrong_type},
        {"change": wrong_type, "id": order["id"]},
        {"replace": wrong_rule, "externalId": "A"},
    ]
    answer = organization.api.post(
        f"{orders}/batch", json={"atomic": atomic, "items": items}, headers=headers
    )
    told = [
        {detail["field"] for detail in result["error"]["details"]} for result in data_of(answer)["results"]
    ]
    assert told == [{"title", "priority", *NOWHERE}] * 2 + [{"title", *NOWHERE}]


def test_details_are_given_for_the_first_of_many_refused_items(organization: Organization) -> None:
    items = [{"create": {"title": 5, **NOWHERE}}] * 25
    answer = organization.api.post(f"{organization.path}/work-orders/batch", json={"items": items})
    counts = [len(result["error"]["details"]) for result in data_of(answer)["results"]]
    assert counts == [4] * 20 + [1] * 5
