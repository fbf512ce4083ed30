import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import (
    DAY,
    STAR,
    do,
    new_item,
    new_quotation,
    new_schedule,
    publish,
    published_schedule,
)

_PATH = "/app/quotations"


def _path(quotation: dict[str, Any]) -> str:
    return f"{_PATH}/{quotation['id']}"


def _now(organization: Organization, quotation: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data_of(
        organization.api.get(f"{organization.path}/sor/quotations/{quotation['id']}")
    )
    return found


def _submitted(organization: Organization, by: BrowserClient, *lines: dict[str, Any]) -> dict[str, Any]:
    quotation = new_quotation(organization, *(lines or (STAR,)))
    assert by.post(f"{_path(quotation)}/submit").status_code == 303
    return quotation


def _form(*lines: dict[str, str]) -> dict[str, str]:
    return {
        f"lineItems.{index}.{name}": value for index, line in enumerate(lines) for name, value in line.items()
    }


def _main(page: str) -> str:
    return page[page.index("<main") : page.index("</main")]


def test_a_quotation_is_made_from_a_work_order(organization: Organization, admin: BrowserClient) -> None:
    order = organization.work_orders.create("Lift <2> is stuck")
    schedule, _ = published_schedule(organization, name="In effect")
    new_schedule(organization, name="Only a draft")
    expired = new_schedule(organization, name="Over", effectiveFrom=DAY, effectiveTo=2 * DAY)
    new_item(organization, expired)
    publish(organization, expired)
    page = admin.sees(f"/app/work-orders/{order['id']}")
    assert f"/app/quotations/new?workOrderId={order['id']}" in page
    page = admin.sees(f"{_PATH}/new?workOrderId={order['id']}")
    assert "Lift &lt;2&gt; is stuck" in page
    assert re.findall(r"<option[^>]*>([^<]+)", page) == ["In effect"]
    refused = admin.post(_PATH, data={"workOrderId": order["id"], "scheduleId": expired["id"]})
    assert refused.status_code == 422
    assert "not published and in effect" in refused.text
    answer = admin.post(_PATH, data={"workOrderId": order["id"], "scheduleId": schedule["id"]})
    assert answer.status_code == 303
    assert "Quotation for Lift &lt;2&gt; is stuck" in admin.sees(answer.headers["location"])
    assert answer.headers["location"] in admin.sees(f"/app/work-orders/{order['id']}")
    assert answer.headers["location"] in admin.sees(f"{_PATH}?workOrderId={order['id']}")
    assert "Nothing matches" in admin.sees(f"{_PATH}?status=Approved")


def test_lines_are_stored_with_the_total_that_the_server_counts(
    organization: Organization, admin: BrowserClient
) -> None:
    schedule, item = published_schedule(organization)
    quotation = new_quotation(organization, scheduleId=schedule["id"])
    lines = _form(
        {"itemId": item["id"], "quantity": "2,5"},
        {"code": "", "description": "", "unit": "", "quantity": "", "rate": ""},
        {"code": item["code"], "description": "", "unit": "", "quantity": "0.001", "rate": ""},
        {"code": "*1", "description": "Night <access>", "unit": "h", "quantity": "0.333", "rate": "65.05"},
    )
    assert admin.post(_path(quotation), data=lines).status_code == 303
    stored = _now(organization, quotation)
    assert [(line["itemId"], line["code"], line["amountCents"]) for line in stored["lineItems"]] == [
        (item["id"], "PLB-010", 10625),
        (item["id"], "PLB-010", 4),
        (None, "*1", 2166),
    ]
    page = admin.sees(_path(quotation))
    assert re.search(r"data-total>([^<]+)", page)[1] == "127.95"  # type: ignore[index]
    assert stored["totalAmountCents"] == 12795
    assert "Night &lt;access&gt;" in page
    assert 'value="0.333"' in page
    removed = {**_form({"itemId": item["id"], "quantity": "1"}), "lineItems.0.remove": "true"}
    assert admin.post(_path(quotation), data=removed).status_code == 303
    assert _now(organization, quotation)["lineItems"] == []


def test_errors_of_lines_are_shown_at_their_fields(organization: Organization, admin: BrowserClient) -> None:
    schedule, item = published_schedule(organization)
    quotation = new_quotation(organization, scheduleId=schedule["id"])
    lines = _form(
        {"description": "", "quantity": " "},
        {"itemId": item["id"], "quantity": "many"},
        {"code": "NO-1", "quantity": "1"},
        {"description": "Night access", "unit": "", "quantity": "1.5", "rate": "1,234.00"},
        {"itemId": item["id"], "quantity": ""},
    )
    answer = admin.post(_path(quotation), data=lines)
    assert answer.status_code == 422
    errors = dict(re.findall(r'id="lineItems\.(\d+\.\w+)-error">([^<]+)', answer.text))
    assert errors == {
        "0.quantity": "Use a number with at most three decimals, such as 2.5.",
        "1.code": "The schedule has no rate with this code.",
        "2.unit": "Fill this in.",
        "2.rate": "Use an amount such as 42.50.",
        "3.quantity": "Fill this in.",
    }
    for kept in ('value="many"', 'value="NO-1"', 'value="Night access"', 'value="1,234.00"', "PLB-010"):
        assert kept in answer.text
    assert _now(organization, quotation)["lineItems"] == []


@pytest.mark.parametrize("quantity", ["0", "1.0005", "1000000000"])
def test_a_quantity_refused_by_pricing_is_reported_at_its_field(
    organization: Organization, admin: BrowserClient, quantity: str
) -> None:
    schedule, item = published_schedule(organization)
    quotation = new_quotation(organization, scheduleId=schedule["id"])
    lines = _form(
        {"itemId": item["id"], "quantity": "1", "remove": "true"},
        {"itemId": item["id"], "quantity": quantity},
    )
    answer = admin.post(_path(quotation), data=lines)
    assert answer.status_code == 422
    assert 'id="lineItems.1.quantity-error">Must be over 0' in answer.text


def test_a_rate_of_another_schedule_is_not_found(
    organization: Organization, other_organization: Organization, admin: BrowserClient
) -> None:
    _, foreign = published_schedule(other_organization)
    quotation = new_quotation(organization)
    answer = admin.post(_path(quotation), data=_form({"itemId": foreign["id"], "quantity": "1"}))
    assert (answer.status_code, _now(organization, quotation)["lineItems"]) == (422, [])
    assert admin.get(_path(new_quotation(other_organization))).status_code == 404


def test_concurrent_edits_are_not_overwritten(organization: Organization, admin: BrowserClient) -> None:
    quotation = new_quotation(organization, STAR)
    action = re.search(r'action="([^"]+\?version=[^"]+)"', admin.sees(_path(quotation)))
    assert action
    organization.api.patch(f"{organization.path}/sor/quotations/{quotation['id']}", json={"lineItems": []})
    line = {"description": "Mine", "unit": "h", "quantity": "1", "rate": "1"}
    answer = admin.post(html.unescape(action[1]), data=_form(line))
    assert answer.status_code == 412
    assert 'value="Mine"' in answer.text
    assert _now(organization, quotation)["lineItems"] == []


def test_a_form_of_the_longest_quotation_is_taken(organization: Organization, admin: BrowserClient) -> None:
    quotation = new_quotation(organization)
    line = {"code": "*", "description": "Night", "unit": "h", "quantity": "1", "rate": "0.01"}
    assert admin.post(_path(quotation), data=_form(*[line] * 500)).status_code == 303
    assert _now(organization, quotation)["totalAmountCents"] == 500
    answer = admin.post(_path(quotation), data=_form(*[line] * 501))
    assert answer.status_code == 422
    assert "at most 500 lines" in answer.text


def test_saving_and_submitting_is_one_step(organization: Organization, admin: BrowserClient) -> None:
    quotation = new_quotation(organization)
    answer = admin.post(f"{_path(quotation)}/save-and-submit", data=_form())
    assert answer.status_code == 422
    assert "needs at least one line" in answer.text
    line = {"description": "Night", "unit": "h", "quantity": "1", "rate": "65"}
    assert admin.post(f"{_path(quotation)}/save-and-submit", data=_form(line)).status_code == 303
    stored = _now(organization, quotation)
    assert (stored["status"], stored["totalAmountCents"]) == ("Submitted", 6500)
    assert stored["submittedBy"] == organization.user_id


def test_a_second_person_approves(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    quotation = _submitted(organization, admin)
    own = _main(admin.sees(_path(quotation)))
    assert f'action="{_path(quotation)}/approve"' not in own
    assert "someone else must approve it" in own
    forged = admin.post(f"{_path(quotation)}/approve")
    assert forged.status_code == 403
    assert "Who submitted a quotation may not approve it." in forged.text
    assert _now(organization, quotation)["status"] == "Submitted"
    second = logged_in(organization.new_user("Manager")["email"])
    assert f'action="{_path(quotation)}/approve"' in second.sees(_path(quotation))
    assert second.post(f"{_path(quotation)}/approve").status_code == 303
    page = _main(second.sees(_path(quotation)))
    assert "Approved" in page
    assert 'method="post"' not in page
    assert second.post(f"{_path(quotation)}/reject", data={"reason": "Too late"}).status_code == 409


def test_a_quotation_is_rejected_with_a_reason(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    quotation = _submitted(organization, admin)
    second = logged_in(organization.new_user("Manager")["email"])
    answer = second.post(f"{_path(quotation)}/reject", data={"reason": " "})
    assert answer.status_code == 422
    assert 'id="reason-error">Fill this in.' in answer.text
    answer = second.post(f"{_path(quotation)}/reject", data={"reason": "Use <the> rate"})
    assert answer.status_code == 303
    page = _main(admin.sees(_path(quotation)))
    assert "Use &lt;the&gt; rate" in page
    assert "save-and-submit" in page
    assert _now(organization, quotation)["status"] == "Draft"


def test_submitted_quotations_cannot_be_changed_or_deleted(
    organization: Organization, admin: BrowserClient
) -> None:
    quotation = _submitted(organization, admin)
    assert admin.post(_path(quotation), data=_form()).status_code == 409
    assert admin.post(f"{_path(quotation)}/delete").status_code == 409
    draft = new_quotation(organization)
    answer = admin.post(f"{_path(draft)}/delete")
    assert (answer.status_code, answer.headers["location"]) == (303, _PATH)


def test_read_only_users_see_no_buttons(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    order = organization.work_orders.create()
    schedule, _ = published_schedule(organization)
    draft = new_quotation(organization, STAR, workOrderId=order["id"], scheduleId=schedule["id"])
    submitted = _submitted(organization, admin)
    viewer = logged_in(organization.new_user("Viewer")["email"])
    for quotation in (draft, submitted):
        page = _main(viewer.sees(_path(quotation)))
        assert "97.50" in page
        assert 'method="post"' not in page
    assert "New quotation" not in viewer.sees(_PATH)
    page = viewer.sees(f"/app/work-orders/{order['id']}")
    assert _path(draft) in page
    assert "New quotation" not in page
    for verb in ("", "/save-and-submit", "/submit", "/approve", "/reject", "/delete"):
        assert viewer.post(_path(draft) + verb, data={"reason": "x"}).status_code == 403
    assert viewer.get(f"{_PATH}/new").status_code == 403


def test_a_technician_sees_no_quotations(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    order = organization.work_orders.create()
    schedule, _ = published_schedule(organization)
    new_quotation(organization, STAR, workOrderId=order["id"], scheduleId=schedule["id"])
    role = organization.created(
        "roles", {"name": "Works", "permissions": ["work-orders:read", "work-orders:write"]}
    )
    technician = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    page = technician.sees(f"/app/work-orders/{order['id']}")
    assert "uotation" not in page
    assert technician.get(_PATH).status_code == 403


def test_a_form_of_another_site_does_nothing(organization: Organization, admin: BrowserClient) -> None:
    quotation = new_quotation(organization, STAR)
    answer = admin.post(f"{_path(quotation)}/submit", headers={"Origin": "https://elsewhere.example"})
    assert (answer.status_code, _now(organization, quotation)["status"]) == (403, "Draft")


def test_a_quotation_is_printed(organization: Organization, admin: BrowserClient) -> None:
    quotation = new_quotation(organization, {**STAR, "description": "Night <access>"})
    page = admin.sees(f"{_path(quotation)}/print")
    assert "Night &lt;access&gt;" in page
    assert "97.50" in page


def test_the_page_of_a_quotation_shows_its_history(organization: Organization, admin: BrowserClient) -> None:
    quotation = new_quotation(organization, STAR)
    do(organization, f"sor/quotations/{quotation['id']}", "submit")
    assert "Quotation submitted" in admin.sees(_path(quotation))
