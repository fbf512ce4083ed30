"""Board, calendar and paper; and the same done to many orders at once."""

import html
from collections.abc import Callable
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

from steward.work_orders.model import EXAMPLE
from steward.work_orders.views import rules

BERLIN = ZoneInfo("Europe/Berlin")


def _due(organization: Organization, title: str, deadline: int | None) -> str:
    id: str = organization.work_orders.create(title)["id"]
    organization.sql(
        "UPDATE work_orders SET sla_resolution_deadline = $3 WHERE organization_id = $1 AND id = $2",
        organization.id,
        id,
        deadline,
    )
    return id


def _at(text: str, zone: ZoneInfo = BERLIN) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())


@pytest.mark.parametrize(
    ("month", "first", "last", "seconds"),
    [
        # The clocks change on 29 March and on 25 October: an hour less, and an hour more.
        (date(2026, 3, 1), "2026-02-23", "2026-04-06", 42 * 86_400 - 3600),
        (date(2026, 10, 1), "2026-09-28", "2026-11-02", 35 * 86_400 + 3600),
        (date(2026, 2, 1), "2026-01-26", "2026-03-02", 35 * 86_400),
    ],
)
def test_a_month_begins_and_ends_with_the_days_of_the_viewer(
    month: date, first: str, last: str, seconds: int
) -> None:
    start, end = rules.span(month, BERLIN)
    assert (start, end) == (_at(first), _at(last))
    assert end - start == seconds


def test_an_order_is_shown_on_its_due_day() -> None:
    moments = {
        "2026-03-28 23:59": date(2026, 3, 28),
        "2026-03-29 00:00": date(2026, 3, 29),
        "2026-03-29 23:59": date(2026, 3, 29),
        "2026-03-30 00:00": date(2026, 3, 30),
    }
    orders = [replace(EXAMPLE, id=text, sla_resolution_deadline=_at(text)) for text in moments]
    weeks = rules.weeks(date(2026, 3, 1), orders, BERLIN)
    found = {order.id: day.date for week in weeks for day in week for order in day.orders}
    assert found == moments
    assert {len(week) for week in weeks} == {7}
    assert [day.date.weekday() for day in weeks[0]] == list(range(7))


@pytest.mark.parametrize(
    ("text", "month"),
    [
        (None, date(2026, 11, 1)),
        ("2027-02", date(2027, 2, 1)),
        *[
            (text, date(2026, 11, 1))
            for text in ("", "2027", "2027-13", "0001-01", "9999-12", "x-y", "9" * 30 + "-1")
        ],
    ],
)
def test_nonsense_is_the_month_of_today(text: str | None, month: date) -> None:
    found = rules.first_of_month(text, date(2026, 11, 16))
    assert found == month
    before, after = rules.neighbours(found)
    assert (before < found < after, before.day, after.day) == (True, 1, 1)


def test_the_calendar_is_in_the_viewers_time_zone(organization: Organization, admin: BrowserClient) -> None:
    _due(organization, "Late in the evening", int(datetime(2026, 10, 31, 23, 30, tzinfo=UTC).timestamp()))
    _due(organization, "Elsewhere", int(datetime(2027, 1, 15, tzinfo=UTC).timestamp()))
    _due(organization, "Never <due>", None)
    page = admin.sees("/app/work-orders/calendar?month=2026-10")
    assert "Late in the evening" in page
    for absent in ("Elsewhere", "Never", "<due>"):
        assert absent not in page
    cell = page.split("Late in the evening")[0].rpartition('class="day-name"')[2]
    assert "Saturday" in cell
    admin.cookies.set("steward_zone", "Europe%2FBerlin")
    cell = admin.sees("/app/work-orders/calendar?month=2026-10").split("Late in the evening")[0]
    assert "Sunday" in cell.rpartition('class="day-name"')[2]
    for month in ("0001-01", "9999-12", "nonsense"):
        assert admin.get(f"/app/work-orders/calendar?month={month}").status_code == 200


def test_the_board_shows_what_is_in_each_state_and_what_can_be_done(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    orders = {name: organization.work_orders.create(f"{name} <one>") for name in ("Waits", "Goes", "Gone")}
    organization.work_orders.move(orders["Goes"], "start")
    path = organization.work_orders.path_of(orders["Gone"], "/cancel")
    assert organization.api.post(path, json={"reason": "Not needed"}).status_code == 200
    page = admin.sees("/app/work-orders/board")
    lanes = {part.split('"')[0]: part for part in page.split('data-status="')[1:]}
    assert "Waits &lt;one&gt;" in lanes["Open"]
    assert "Goes &lt;one&gt;" in lanes["InProgress"]
    assert "Gone" not in page
    assert "<one>" not in page
    assert f'action="/app/work-orders/{orders["Waits"]["id"]}/start?next=/app/work-orders/board"' in page
    assert f"/app/work-orders/{orders['Waits']['id']}/reopen" not in page
    viewer = logged_in(organization.new_user("Viewer")["email"])
    page = viewer.sees("/app/work-orders/board")
    assert "Waits &lt;one&gt;" in page
    for absent in ("data-board", "/start", "New work order"):
        assert absent not in page
    assert (
        viewer.post(
            f"/app/work-orders/{orders['Waits']['id']}/drop", data={"status": "InProgress"}
        ).status_code
        == 403
    )


def test_the_board_and_the_calendar_can_be_filtered(organization: Organization, admin: BrowserClient) -> None:
    place = organization.locations.create(name="House", type="Building")["id"]
    month = "2027-03"
    for title, fields in (
        ("Mine", {"assigneeId": organization.user_id}),
        ("There", {"locationId": place}),
        ("Urgent", {"priority": "Critical"}),
    ):
        id = organization.work_orders.create(title, **fields)["id"]
        organization.sql(
            "UPDATE work_orders SET sla_resolution_deadline = $3 WHERE organization_id = $1 AND id = $2",
            organization.id,
            id,
            _at("2027-03-10 10:00"),
        )
    for query, seen in (
        ("assigneeId=me", "Mine"),
        (f"assigneeId={organization.user_id}", "Mine"),
        (f"locationId={place}", "There"),
        ("priority=Critical", "Urgent"),
        (f"locationId={place}&priority=Critical", None),
    ):
        for path in ("board", "calendar"):
            page = admin.sees(f"/app/work-orders/{path}?{query}&month={month}")
            found = {title for title in ("Mine", "There", "Urgent") if f">{title}</a>" in page}
            assert found == ({seen} if seen else set()), (path, query)
    assert admin.get("/app/work-orders/board?priority=Soon").status_code == 422


@pytest.mark.parametrize(
    ("status", "data", "code", "words"),
    [
        ("Open", {"status": "InProgress"}, 204, ""),
        ("Open", {"status": "Open"}, 204, ""),
        ("Open", {"status": "Completed"}, 409, "A work order that is Open can't become Completed"),
        ("Open", {"status": "Elsewhere"}, 422, "Choose one of the values"),
        ("InProgress", {"status": "OnHold"}, 422, "holdReason"),
        ("InProgress", {"status": "OnHold", "reason": "Waits for a part"}, 204, ""),
    ],
)
def test_a_card_can_be_dropped_only_on_allowed_states(
    organization: Organization,
    admin: BrowserClient,
    status: str,
    data: dict[str, str],
    code: int,
    words: str,
) -> None:
    order = organization.work_orders.create()
    if status == "InProgress":
        organization.work_orders.move(order, "start")
    answer = admin.post(f"/app/work-orders/{order['id']}/drop", data=data)
    assert answer.status_code == code, answer.text
    assert words in answer.text
    after = organization.work_orders.read(order)
    assert after["status"] == (data["status"] if code == 204 else status)
    if "reason" in data:
        assert after["holdReason"] == data["reason"]


def test_a_forged_drop_does_not_move_the_order(organization: Organization, admin: BrowserClient) -> None:
    order = organization.work_orders.create()
    headers = {"Origin": "https://elsewhere.example"}
    for path in (f"/app/work-orders/{order['id']}/drop", "/app/work-orders/bulk"):
        answer = admin.post(
            path, data={"status": "InProgress", "action": "start", "ids": order["id"]}, headers=headers
        )
        assert answer.status_code == 403
    assert organization.work_orders.read(order)["status"] == "Open"
    assert admin.post("/app/work-orders/wo_unknown/drop", data={"status": "Open"}).status_code == 404


def test_a_refused_item_does_not_affect_the_others(
    organization: Organization, other_organization: Organization, admin: BrowserClient
) -> None:
    open_one, begun = organization.work_orders.create("Waits"), organization.work_orders.create("Begun <b>")
    organization.work_orders.move(begun, "start")
    foreign = other_organization.work_orders.create("Foreign")
    ids = [open_one["id"], begun["id"], foreign["id"], open_one["id"]]
    answer = admin.post("/app/work-orders/bulk?status=InProgress", data={"ids": ids, "action": "start"})
    assert answer.status_code == 200
    text = html.unescape(answer.text)
    assert "1 work order changed." in text
    assert "Begun &lt;b&gt;</a>" in answer.text
    assert "A work order that is InProgress can't start" in text
    assert "Unknown" in text
    assert "Foreign" not in text
    assert organization.work_orders.read(open_one)["status"] == "InProgress"
    assert other_organization.work_orders.read(foreign)["status"] == "Open"


def test_many_are_assigned_and_taken_away_again(organization: Organization, admin: BrowserClient) -> None:
    ids = [organization.work_orders.create(f"Order {number}")["id"] for number in range(3)]
    for assignee in (organization.user_id, ""):
        answer = admin.post(
            "/app/work-orders/bulk", data={"ids": ids, "action": "assign", "assigneeId": assignee}
        )
        assert "3 work orders changed." in answer.text
        assert {order["assigneeId"] for order in organization.work_orders.listed()} == {assignee or None}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"action": "start"}, "Select work orders"),
        ({"ids": "ONE", "action": "explode"}, "Select work orders"),
        ({"ids": "ONE", "action": "hold"}, "Say why."),
        ({"ids": "ONE", "action": "hold", "reason": "x" * 1001}, "Use at most 1000 characters."),
        ({"ids": "ONE", "action": "assign", "assigneeId": "usr_nobody"}, "assigneeId"),
        ({"ids": ["wo_1"] * 101, "action": "start"}, "Choose at most 100 work orders at once."),
    ],
)
def test_impossible_bulk_changes_are_reported_above_the_list(
    organization: Organization, admin: BrowserClient, data: dict[str, str], words: str
) -> None:
    order = organization.work_orders.create("Lift is stuck")
    sent = {name: order["id"] if value == "ONE" else value for name, value in data.items()}
    answer = admin.post("/app/work-orders/bulk", data=sent)
    assert answer.status_code == 422
    assert words in answer.text
    assert "Lift is stuck" in answer.text
    after = organization.work_orders.read(order)
    assert (after["status"], after["assigneeId"]) == ("Open", None)


def test_a_viewer_can_not_change_many(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    order = organization.work_orders.create()
    viewer = logged_in(organization.new_user("Viewer")["email"])
    assert "/app/work-orders/bulk" not in viewer.sees("/app/work-orders")
    assert (
        viewer.post("/app/work-orders/bulk", data={"ids": order["id"], "action": "start"}).status_code == 403
    )


def test_an_order_is_printed_and_has_a_history(
    organization: Organization, other_organization: Organization, admin: BrowserClient
) -> None:
    order = organization.work_orders.create("Lift <2>", description="Between floors")
    admin.post(f"/app/work-orders/{order['id']}/comments", data={"text": "Called <them>"})
    page = admin.sees(f"/app/work-orders/{order['id']}/print")
    for text in ("Lift &lt;2&gt;", "Between floors", "Called &lt;them&gt;", "data-print"):
        assert text in page
    assert (
        admin.get(f"/app/work-orders/{other_organization.work_orders.create()['id']}/print").status_code
        == 404
    )
    organization.work_orders.move(order, "start", "complete")
    history = admin.sees(f"/app/work-orders/{order['id']}").split('id="history"')[1]
    assert history.index("ompleted") < history.index("reated")


def test_history_says_what_changed(organization: Organization, admin: BrowserClient) -> None:
    order = organization.work_orders.create("Lift", description="Between floors")
    changes = {"title": "Goods lift", "description": "At the second floor", "priority": "Critical"}
    answer = organization.api.patch(f"{organization.path}/work-orders/{order['id']}", json=changes)
    deadline = data_of(answer)["slaResponseDeadline"]
    page = admin.sees(f"/app/work-orders/{order['id']}")
    history = " ".join(page.split('id="history"')[1].split())
    assert "Title: Lift → Goods lift" in history
    # The event shows the previous value alone.
    assert "Description: changed, before Between floors" in history
    assert "SLA response deadline: changed, before" in history
    assert str(deadline) not in history
