import csv
import json
import time
from collections.abc import Callable

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import (
    DAY,
    STAR,
    conflict,
    new_quotation,
    new_schedule,
    published_schedule,
    refused_fields,
)

from steward.wiring.routes import api_document


def listed(organization: Organization, **query: str | int) -> list[str]:
    answer = organization.api.get(f"{organization.path}/sor/quotations", params=query)
    assert answer.status_code == 200, answer.text
    return [quotation["id"] for quotation in data_of(answer)]


def refused_lines(organization: Organization, schedule_id: str, *lines: dict) -> list[str]:
    body = {"scheduleId": schedule_id, "lineItems": list(lines)}
    return refused_fields(organization.api.post(f"{organization.path}/sor/quotations", json=body))


def test_a_new_quotation_copies_rates_and_adds_up(organization: Organization) -> None:
    schedule, item = published_schedule(organization)
    order = organization.created("work-orders", {"title": "Leak"})
    answer = organization.api.post(
        f"{organization.path}/sor/quotations",
        json={
            "scheduleId": schedule["id"],
            "workOrderId": order["id"],
            "lineItems": [{"itemId": item["id"], "quantity": 0.333}, {**STAR, "code": "*1"}, STAR],
        },
    )
    assert answer.status_code == 201, answer.text
    quotation = data_of(answer)
    star = {"itemId": None, "code": None, **STAR, "amountCents": 9750}
    assert quotation == {
        "id": quotation["id"],
        "scheduleId": schedule["id"],
        "workOrderId": order["id"],
        "status": "Draft",
        "totalAmountCents": 1415 + 9750 + 9750,
        "lineItemCount": 3,
        "lineItems": [
            {
                "itemId": item["id"],
                "code": "PLB-010",
                "description": "Renew isolating valve, 15 mm",
                "unit": "each",
                "quantity": 0.333,
                "rateCents": 4250,
                "amountCents": 1415,  # 1415.25
            },
            {**star, "code": "*1"},
            star,
        ],
        "submittedBy": None,
        "submittedAt": None,
        "approvedBy": None,
        "approvedAt": None,
        "rejectedBy": None,
        "rejectedAt": None,
        "rejectedReason": None,
        "created": quotation["created"],
        "updated": quotation["created"],
    }
    assert quotation["id"].startswith("quo_")
    assert answer.headers["location"] == f"{organization.path}/sor/quotations/{quotation['id']}"
    read = organization.api.get(answer.headers["location"])
    assert (read.json(), read.headers["etag"]) == ({"data": quotation}, answer.headers["etag"])
    assert organization.api.get(f"{organization.path}/sor/quotations").json() == {
        "data": [quotation],
        "lastEvaluatedKey": None,
    }


def test_a_draft_needs_neither_lines_nor_a_work_order(organization: Organization) -> None:
    quotation = new_quotation(organization)
    assert (quotation["lineItems"], quotation["totalAmountCents"], quotation["workOrderId"]) == ([], 0, None)


def test_the_document_calls_a_quantity_a_number() -> None:
    schemas = api_document()["components"]["schemas"]
    for name in ("NewLineItem", "LineItem"):
        quantity = schemas[name]["properties"]["quantity"]
        assert (quantity["type"], quantity.get("format")) == ("number", None)


@pytest.mark.parametrize(
    ("text", "cents"),
    [("1", 1), ("0.5", 1), ("0.499", 0), ("1.5", 2), ("2.50", 3), ("1e2", 100), ("999999999.999", 10**9)],
)
def test_a_quantity_is_read_digit_by_digit(organization: Organization, text: str, cents: int) -> None:
    schedule, _ = published_schedule(organization)
    line = f'{{"description": "x", "unit": "m", "rateCents": 1, "quantity": {text}}}'
    answer = organization.api.post(
        f"{organization.path}/sor/quotations",
        content=f'{{"scheduleId": "{schedule["id"]}", "lineItems": [{line}]}}',
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 201, answer.text
    assert data_of(answer)["lineItems"][0]["amountCents"] == cents
    assert data_of(answer)["lineItems"][0]["quantity"] == float(text)


@pytest.mark.parametrize(
    "text",
    [
        *("0", "-1", "0.0001", "1.0005", "1000000000", "1e999999", "1e-999999", "null", "true", "[]"),
        *('"NaN"', '"Infinity"', '"sNaN"', '"much"', "1.00000000000000000000000000000001", "-0.0"),
    ],
)
def test_invalid_quantities_are_refused(organization: Organization, text: str) -> None:
    schedule, _ = published_schedule(organization)
    line = f'{{"description": "x", "unit": "m", "rateCents": 1, "quantity": {text}}}'
    answer = organization.api.post(
        f"{organization.path}/sor/quotations",
        content=f'{{"scheduleId": "{schedule["id"]}", "lineItems": [{line}]}}',
        headers={"Content-Type": "application/json"},
    )
    assert refused_fields(answer) == ["lineItems[0].quantity"]


def test_a_line_from_the_schedule_cannot_set_its_price(organization: Organization) -> None:
    schedule, item = published_schedule(organization)
    line = {"itemId": item["id"], "quantity": 1}
    others = {"code": "X", "description": "Cheaper", "unit": "m", "rateCents": 1}
    for field, value in others.items():
        assert refused_lines(organization, schedule["id"], {**line, field: value}) == [
            f"lineItems[0].{field}"
        ]
    assert refused_lines(organization, schedule["id"], line, {**line, **others}) == [
        f"lineItems[1].{name}" for name in others
    ]
    # What was read may be sent back.
    same = {name: item[name] for name in others}
    assert (
        new_quotation(organization, {**line, **same}, scheduleId=schedule["id"])["totalAmountCents"] == 4250
    )


def test_a_star_rate_says_what_it_is_for(organization: Organization) -> None:
    schedule, _ = published_schedule(organization)
    missing = ["lineItems[0].description", "lineItems[0].unit", "lineItems[0].rateCents"]
    assert refused_lines(organization, schedule["id"], {"quantity": 1}) == missing
    assert refused_lines(organization, schedule["id"], {**STAR, "rateCents": -1}) == [
        "lineItems[0].rateCents"
    ]
    assert refused_lines(organization, schedule["id"], {**STAR, "amountCents": 1}) == [
        "lineItems[0].amountCents"
    ]
    assert refused_lines(organization, schedule["id"], {**STAR, "quantity": 11, "rateCents": 10**12}) == [
        "lineItems[0].quantity"
    ]


def test_a_line_names_an_item_of_the_same_schedule(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    schedule, _ = published_schedule(organization)
    _, of_another = published_schedule(organization)
    _, foreign = published_schedule(new_organization())
    for item_id in (of_another["id"], foreign["id"], "soi_nothing"):
        lines = ({"itemId": item_id, "quantity": 1},)
        assert refused_lines(organization, schedule["id"], *lines) == ["lineItems[0].itemId"]


def test_a_quotation_holds_500_lines_at_most(organization: Organization) -> None:
    schedule, item = published_schedule(organization)
    line = {"itemId": item["id"], "quantity": 2}
    full = new_quotation(organization, *[line] * 500, scheduleId=schedule["id"])
    assert (full["lineItemCount"], full["totalAmountCents"]) == (500, 500 * 8500)
    assert refused_lines(organization, schedule["id"], *[line] * 501) == ["lineItems"]


def test_the_largest_total_is_kept_exactly(organization: Organization) -> None:
    line = {"description": "x", "unit": "m", "quantity": 10, "rateCents": 10**12}
    quotation = new_quotation(organization, *[line] * 500)
    assert quotation["totalAmountCents"] == 5 * 10**15
    path = f"{organization.path}/sor/quotations/{quotation['id']}"
    assert data_of(organization.api.get(path)) == quotation


def test_only_a_schedule_in_effect_can_be_quoted_from(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    now = int(time.time())
    past, _ = published_schedule(organization, effectiveFrom=now - 2 * DAY, effectiveTo=now - DAY)
    coming, _ = published_schedule(organization, effectiveFrom=now + DAY, effectiveTo=now + 2 * DAY)
    foreign, _ = published_schedule(new_organization())
    for schedule_id in (
        new_schedule(organization)["id"],
        past["id"],
        coming["id"],
        foreign["id"],
        "sch_nothing",
    ):
        answer = organization.api.post(
            f"{organization.path}/sor/quotations", json={"scheduleId": schedule_id}
        )
        assert refused_fields(answer) == ["scheduleId"]


@pytest.mark.parametrize("body", [{}, {"scheduleId": None}, {"scheduleId": ""}])
def test_a_quotation_names_its_schedule(organization: Organization, body: dict) -> None:
    assert refused_fields(organization.api.post(f"{organization.path}/sor/quotations", json=body)) == [
        "scheduleId"
    ]


def test_a_work_order_of_another_organization_is_refused(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    foreign = new_organization().created("work-orders", {"title": "Theirs"})
    quotation = new_quotation(organization)
    path = f"{organization.path}/sor/quotations"
    for work_order_id in (foreign["id"], "wo_nothing"):
        body = {"scheduleId": quotation["scheduleId"], "workOrderId": work_order_id}
        assert refused_fields(organization.api.post(path, json=body)) == ["workOrderId"]
        changed = organization.api.patch(f"{path}/{quotation['id']}", json={"workOrderId": work_order_id})
        assert refused_fields(changed) == ["workOrderId"]


def test_a_work_order_that_was_quoted_for_can_not_be_deleted(organization: Organization) -> None:
    order = organization.created("work-orders", {"title": "Leak"})
    quotation = new_quotation(organization, workOrderId=order["id"])
    path = f"{organization.path}/work-orders/{order['id']}"
    assert "quotations" in conflict(organization.api.delete(path))
    organization.api.delete(f"{organization.path}/sor/quotations/{quotation['id']}")
    assert organization.api.delete(path).status_code == 200


def test_a_draft_can_be_changed_and_deleted(organization: Organization) -> None:
    schedule, item = published_schedule(organization)
    order = organization.created("work-orders", {"title": "Leak"})
    quotation = new_quotation(organization, STAR, scheduleId=schedule["id"])
    path = f"{organization.path}/sor/quotations/{quotation['id']}"
    changed = data_of(organization.api.patch(path, json={"workOrderId": order["id"]}))
    assert changed == {**quotation, "workOrderId": order["id"], "updated": changed["updated"]}
    line = {"itemId": item["id"], "quantity": 2}
    changed = data_of(organization.api.patch(path, json={"lineItems": [line], "workOrderId": None}))
    assert changed["workOrderId"] is None
    assert [line["itemId"] for line in changed["lineItems"]] == [item["id"]]
    assert (changed["lineItemCount"], changed["totalAmountCents"]) == (1, 8500)
    assert data_of(organization.api.get(path)) == changed
    assert data_of(organization.api.patch(path, json={"lineItems": []}))["totalAmountCents"] == 0
    assert refused_fields(organization.api.patch(path, json={"scheduleId": schedule["id"]})) == ["scheduleId"]
    assert data_of(organization.api.patch(path, json={"lineItems": None}))["lineItems"] == []
    bad_line = {"itemId": "soi_nothing", "quantity": 1}
    assert refused_fields(organization.api.patch(path, json={"lineItems": [bad_line]})) == [
        "lineItems[0].itemId"
    ]
    assert organization.api.delete(path).json() == {"data": {"deleted": True}}
    assert organization.api.get(path).status_code == 404


def test_lists_are_filtered(organization: Organization) -> None:
    order = organization.created("work-orders", {"title": "Leak"})
    first = new_quotation(organization, STAR)
    second = new_quotation(organization, STAR, workOrderId=order["id"])
    organization.api.post(f"{organization.path}/sor/quotations/{first['id']}/submit")
    assert listed(organization) == [second["id"], first["id"]]
    assert listed(organization, status="Submitted") == [first["id"]]
    assert listed(organization, status="Approved") == []
    assert listed(organization, scheduleId=second["scheduleId"]) == [second["id"]]
    assert listed(organization, workOrderId=order["id"]) == [second["id"]]
    assert listed(organization, workOrderId=order["id"], status="Submitted") == []
    assert listed(organization, updatedAfter=first["created"] - 1) == [second["id"], first["id"]]
    assert listed(organization, updatedAfter=first["created"] + 3600) == []


def test_exports_hold_the_lines_as_json(organization: Organization) -> None:
    quotation = new_quotation(organization, STAR)
    (line,) = organization.api.get(f"{organization.path}/sor/quotations.ndjson").text.splitlines()
    assert json.loads(line) == quotation
    head, row = csv.reader(
        organization.api.get(f"{organization.path}/sor/quotations.csv?status=Draft").text.splitlines()
    )
    cells = dict(zip(head, row, strict=True))
    assert list(cells) == list(quotation)
    assert json.loads(cells["lineItems"]) == quotation["lineItems"]
    assert cells["totalAmountCents"] == "9750"


def test_another_organization_sees_nothing(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    quotation = new_quotation(organization, STAR)
    other = new_organization()
    path = f"{other.path}/sor/quotations/{quotation['id']}"
    for answer in (
        other.api.get(path),
        other.api.patch(path, json={"lineItems": []}),
        other.api.delete(path),
        other.api.post(f"{path}/submit"),
        other.api.post(f"{path}/approve"),
        other.api.post(f"{path}/reject", json={"reason": "Mine"}),
    ):
        assert (answer.status_code, answer.json()["message"]) == (404, "There is no such quotation.")
    assert listed(other) == []
    assert data_of(organization.api.get(f"{organization.path}/sor/quotations/{quotation['id']}")) == quotation
