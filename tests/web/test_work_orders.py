import html
import re
from collections.abc import Callable

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.work_order_moves import ALLOWED, REASONS, WAYS


def test_a_work_order_is_created_shown_and_listed(organization: Organization, admin: BrowserClient) -> None:
    answer = admin.post(
        "/app/work-orders",
        data={"title": "Lift <2> is stuck", "priority": "High", "description": "Floor 2\r\nDoor open"},
    )
    assert answer.status_code == 303
    page = admin.sees(answer.headers["location"])
    assert "Lift &lt;2&gt; is stuck" in page
    assert "Floor 2\nDoor open" in page
    assert answer.headers["location"] in admin.sees("/app/work-orders")
    (order,) = data_of(organization.api.get(f"{organization.path}/work-orders"))
    assert (order["title"], order["priority"], order["reportedBy"]) == (
        "Lift <2> is stuck",
        "High",
        organization.user_id,
    )


def test_errors_are_shown_at_their_fields_and_input_is_kept(
    organization: Organization, admin: BrowserClient
) -> None:
    answer = admin.post(
        "/app/work-orders", data={"title": "  ", "priority": "Critical", "description": "Smells of gas"}
    )
    assert answer.status_code == 422
    assert 'id="title-error">Fill this in.' in answer.text
    assert 'aria-invalid="true" aria-describedby="title-error"' in answer.text
    assert '<option value="Critical" selected>Critical' in answer.text
    assert "Smells of gas</textarea>" in answer.text
    assert data_of(organization.api.get(f"{organization.path}/work-orders")) == []


def test_every_wrong_field_is_reported_at_once(admin: BrowserClient) -> None:
    answer = admin.post(
        "/app/work-orders", data={"title": "x" * 201, "priority": "Now", "description": "y" * 10_001}
    )
    assert answer.status_code == 422
    for words in (
        'id="title-error">Use at most 200 characters.',
        'id="priority-error">Choose one of the values',
        'id="description-error">Use at most 10000 characters.',
    ):
        assert words in answer.text


def test_the_list_is_filtered_by_status_and_paged(organization: Organization, admin: BrowserClient) -> None:
    for number in range(25):
        organization.created("work-orders", {"title": f"Order number {number:02}"})
    first = admin.sees("/app/work-orders?status=Open")
    assert first.count('class="row-link"') == 20
    assert first.index("Order number 24") < first.index("Order number 05")
    link = html.unescape(first.split('rel="next" href="')[1].split('"')[0])
    second = admin.sees(link)
    assert second.count('class="row-link"') == 5
    assert "Order number 04" in second
    assert 'rel="next"' not in second
    assert "Nothing matches" in admin.sees("/app/work-orders?status=Completed")
    assert admin.get("/app/work-orders?status=Nonsense").status_code == 422
    assert admin.get("/app/work-orders?lastEvaluatedKey=forged").status_code == 422


def test_a_new_organization_sees_first_steps(admin: BrowserClient) -> None:
    assert "No work orders yet" in admin.sees("/app/work-orders")


def test_another_tenants_work_order_is_not_found(
    new_organization: Callable[..., Organization], admin: BrowserClient
) -> None:
    foreign = new_organization().created("work-orders", {"title": "Foreign"})
    assert admin.get(f"/app/work-orders/{foreign['id']}").status_code == 404
    assert "Foreign" not in admin.sees("/app/work-orders")


def test_read_only_users_see_no_form(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    viewer = logged_in(organization.new_user("Viewer")["email"])
    assert "New work order" not in viewer.sees("/app/work-orders")
    answer = viewer.post("/app/work-orders", data={"title": "x"})
    assert answer.status_code == 403
    assert "work-orders:write" in answer.text


@pytest.mark.parametrize("title", ["", "Broken tap"])
def test_requesters_see_no_orders_of_others(
    organization: Organization, logged_in: Callable[[str], BrowserClient], title: str
) -> None:
    organization.created("work-orders", {"title": "Somebody else's"})
    role = organization.created("roles", {"name": "Reporter", "permissions": ["work-orders:write"]})
    reporter = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    assert "Somebody else" not in reporter.sees("/app/work-orders/new")
    answer = reporter.post("/app/work-orders", data={"title": title})
    assert "Somebody else" not in answer.text
    assert answer.status_code == (303 if title else 422)
    assert answer.headers.get("location") in {None, "/app"}


def _order_in(organization: Organization, state: str) -> str:
    id: str = organization.created("work-orders", {"title": "Lift is stuck"})["id"]
    for verb in WAYS[state]:
        assert (
            organization.api.post(
                f"{organization.path}/work-orders/{id}/{verb}", json=REASONS.get(verb)
            ).status_code
            == 200
        )
    return id


def _read(organization: Organization, id: str) -> dict[str, str]:
    order: dict[str, str] = data_of(organization.api.get(f"{organization.path}/work-orders/{id}"))
    return order


_VERBS = {verb for moves in ALLOWED.values() for verb in moves}


def _buttons(page: str, id: str) -> list[str]:
    return re.findall(rf'action="/app/work-orders/{id}/({"|".join(_VERBS)})"', page)


@pytest.mark.parametrize("state", WAYS)
def test_an_order_has_a_button_for_each_move_that_its_state_allows(
    organization: Organization, admin: BrowserClient, state: str
) -> None:
    for verb, target in ALLOWED[state].items():
        id = _order_in(organization, state)
        assert _buttons(admin.sees(f"/app/work-orders/{id}"), id) == list(ALLOWED[state])
        answer = admin.post(f"/app/work-orders/{id}/{verb}", data=REASONS.get(verb, {}))
        assert (answer.status_code, answer.headers["location"]) == (303, f"/app/work-orders/{id}")
        assert _read(organization, id)["status"] == target
    id = _order_in(organization, state)
    assert _buttons(admin.sees(f"/app/work-orders/{id}"), id) == list(ALLOWED[state])


def test_the_reason_of_a_move_is_stored_with_the_order(
    organization: Organization, admin: BrowserClient
) -> None:
    id = _order_in(organization, "InProgress")
    admin.post(f"/app/work-orders/{id}/hold", data={"reason": "Waiting for a part"})
    assert _read(organization, id)["holdReason"] == "Waiting for a part"


@pytest.mark.parametrize(
    ("reason", "message"), [(" ", "Fill this in."), ("x" * 1001, "Use at most 1000 characters.")]
)
def test_an_invalid_reason_is_reported_at_its_field(
    organization: Organization, admin: BrowserClient, reason: str, message: str
) -> None:
    id = _order_in(organization, "InProgress")
    answer = admin.post(f"/app/work-orders/{id}/hold", data={"reason": reason})
    assert answer.status_code == 422
    assert f'id="reason-error">{message}' in answer.text
    assert f">{reason}</textarea>" in answer.text
    assert answer.text.count("aria-invalid") == 1
    assert answer.text.count('<details class="drop" open>') == 1
    assert _read(organization, id)["status"] == "InProgress"


def test_a_stale_button_shows_the_moves_that_are_possible_now(
    organization: Organization, admin: BrowserClient
) -> None:
    id = _order_in(organization, "Completed")
    answer = admin.post(f"/app/work-orders/{id}/complete")
    assert answer.status_code == 409
    told = "A work order that is Completed can't complete; allowed from here: reopen."
    assert told in html.unescape(answer.text)
    assert _buttons(answer.text, id) == ["reopen"]
    answer = admin.post(f"/app/work-orders/{id}/hold", data=REASONS["hold"])
    assert (answer.status_code, _read(organization, id)["status"]) == (409, "Completed")


def test_unknown_moves_are_not_found(organization: Organization, admin: BrowserClient) -> None:
    id = _order_in(organization, "Open")
    assert admin.post(f"/app/work-orders/{id}/release").status_code == 404
    assert admin.post("/app/work-orders/wo_unknown/start").status_code == 404


def test_another_tenants_work_order_has_no_buttons(
    other_organization: Organization, admin: BrowserClient
) -> None:
    id = _order_in(other_organization, "Open")
    assert admin.post(f"/app/work-orders/{id}/start").status_code == 404
    assert _read(other_organization, id)["status"] == "Open"


def test_a_button_works_only_from_our_own_page(organization: Organization, admin: BrowserClient) -> None:
    id = _order_in(organization, "Open")
    answer = admin.post(f"/app/work-orders/{id}/start", headers={"Origin": "https://elsewhere.example"})
    assert (answer.status_code, _read(organization, id)["status"]) == (403, "Open")


def test_read_only_users_get_no_buttons(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    id = _order_in(organization, "InProgress")
    viewer = logged_in(organization.new_user("Viewer")["email"])
    page = viewer.sees(f"/app/work-orders/{id}")
    assert "Lift is stuck" in page
    assert _buttons(page, id) == []
    answer = viewer.post(f"/app/work-orders/{id}/complete")
    assert answer.status_code == 403
    assert "work-orders:write" in answer.text
    assert _read(organization, id)["status"] == "InProgress"


def test_requesters_see_no_orders_on_other_pages(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    id = _order_in(organization, "Completed")
    role = organization.created("roles", {"name": "Reporter", "permissions": ["work-orders:write"]})
    reporter = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    for verb in ("complete", "hold"):
        answer = reporter.post(f"/app/work-orders/{id}/{verb}")
        assert answer.status_code in {409, 422}
        assert "Lift is stuck" not in answer.text
    answer = reporter.post(f"/app/work-orders/{id}/reopen")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
