"""What somebody with the Requester role finds in the web app: what is their own, and no way to more."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.browser import BrowserClient
from tests.support.live_events import live_events
from tests.support.organizations import Organization

LogIn = Callable[[str], BrowserClient]


class Requester:
    def __init__(self, organization: Organization, log_in: LogIn) -> None:
        self.user = organization.new_user("Requester")
        self.page = log_in(self.user["email"])
        self.asset = organization.assets.create(name="Lamp 7")["id"]
        self.own = self.order(organization, "My lamp flickers", self.user["id"])
        self.foreign = self.order(organization, "The lamp of the boss flickers", organization.user_id)

    def order(self, organization: Organization, title: str, by: str) -> dict[str, Any]:
        return organization.work_orders.create(title, reportedBy=by, assetId=self.asset)

    def path(self, order: dict[str, Any], rest: str = "") -> str:
        return f"/app/work-orders/{order['id']}{rest}"


@pytest.fixture
def requester(organization: Organization, logged_in: LogIn) -> Requester:
    return Requester(organization, logged_in)


def test_lists_panels_searches_and_pickers_contain_own_orders_only(requester: Requester) -> None:
    page, foreign = requester.page, requester.foreign
    pages = {
        address: page.sees(address)
        for address in (
            "/app",
            "/app/work-orders",
            "/app/work-orders.csv",
            f"/app/assets/{requester.asset}",
            "/app/search?q=flickers",
            "/app/pick/work-order?q=flickers",
            "/app/pick/work-order",
        )
    }
    for address, text in pages.items():
        assert "My lamp flickers" in text, address
        assert "The lamp of the boss" not in text, address
    assert "My requests" in pages["/app/work-orders"]
    assert "The lamp of the boss" not in page.sees(f"/app/search?q={foreign['number']}")
    assert "My lamp" in page.sees(f"/app/search?q={requester.own['number']}")
    for rest in ("", "/print"):
        assert page.get(requester.path(foreign, rest)).status_code == 404


def test_own_orders_show_the_permitted_buttons_only(requester: Requester) -> None:
    page, path = requester.page, requester.path(requester.own)
    shown = page.sees(path)
    assert f'action="{path}/cancel"' in shown
    assert f'action="{path}/comments"' in shown
    for absent in ("start", "complete", "checklist", "delete"):
        assert f'action="{path}/{absent}"' not in shown
        assert page.post(f"{path}/{absent}").status_code == 403
    assert page.post(f"{path}/comments", data={"text": "The left one"}).status_code == 303
    assert page.post(f"{path}/cancel", data={"reason": "Works again"}).status_code == 303
    assert "Works again" in page.sees(path)
    assert page.post(requester.path(requester.foreign, "/cancel"), data={"reason": "x"}).status_code == 404
    for address in ("/app/work-orders/board", "/app/work-orders/calendar", "/app/reports"):
        assert page.get(address).status_code == 403
        assert address not in page.sees("/app/work-orders")


def test_an_open_page_is_notified_of_the_users_own_orders(
    organization: Organization, requester: Requester
) -> None:
    with live_events(requester.page, "?topics=work-orders") as events:
        organization.work_orders.change(requester.foreign, title="Still flickers")
        organization.work_orders.change(requester.own, title="Mine, too")
        assert events.next() == ("work-orders", {"ids": [requester.own["id"]]})


def test_the_grid_shows_bookings_of_others_and_moves_own_ones(
    organization: Organization, requester: Requester
) -> None:
    page, room = requester.page, organization.resources.create()["id"]
    start = int(time.time()) + 86_400
    foreign = organization.created(
        "bookings",
        {"resourceId": room, "startTime": start, "endTime": start + 3600, "title": "Secret merger"},
    )
    organization.bookings.change(foreign, title="Secret merger of us all")
    times = {"resourceId": room, "startTime": str(start + 3600), "endTime": str(start + 7200)}
    assert page.post("/app/bookings", data={**times, "title": "Quiet hour"}).status_code == 303
    shown = page.get("/app/bookings/events.json", params={"from": start - 60, "to": start + 7260}).json()
    assert [(b["title"], b["who"], b["movable"]) for b in shown["bookings"]] == [
        ("Booked", None, False),
        ("Quiet hour", requester.user["name"], True),
    ]
    clash = page.post("/app/bookings", data={**times, "startTime": str(start)})
    assert (clash.status_code, "Secret merger" in clash.text) == (409, False)
    for address in (
        f"/app/bookings/{foreign['id']}",
        f"/app/bookings/resources/{room}",
        "/app/bookings/list",
    ):
        text = page.sees(address)
        assert "Secret merger" not in text
        assert 'action="/app/bookings/bkg_' not in text
    assert "Quiet hour" in page.sees("/app/bookings/list")
    assert page.post(f"/app/bookings/{foreign['id']}/cancel").status_code == 403


def test_free_slots_can_be_booked(organization: Organization, requester: Requester) -> None:
    room = organization.resources.create(name="Elbe")
    assert f"/app/bookings/new?resourceId={room['id']}" in requester.page.sees("/app/bookings/free")


def test_pages_show_no_sync_metadata_of_own_records(organization: Organization, requester: Requester) -> None:
    fields = {"externalId": "ERP-7", "metadata": {"costCentre": "4711"}}
    organization.work_orders.change(requester.own, **fields)
    room, start = organization.resources.create(), int(time.time()) + 86_400
    slot = {"resourceId": room["id"], "startTime": start, "endTime": start + 3600}
    booking = organization.created("bookings", {**slot, "bookedBy": requester.user["id"]})
    organization.api.patch(f"{organization.path}/bookings/{booking['id']}", json=fields)
    page = requester.page
    for address in (
        requester.path(requester.own),
        "/app/work-orders",
        "/app/work-orders.csv",
        f"/app/bookings/{booking['id']}",
        "/app/bookings/list",
        "/app/bookings/list.csv",
    ):
        shown = page.sees(address)
        assert "ERP-7" not in shown, address
        assert "4711" not in shown, address
    assert page.get("/app/work-orders?externalId=ERP-7").status_code == 403
    assert 'name="externalId"' not in page.sees(f"/app/bookings/{booking['id']}")
    refused = page.post(f"/app/bookings/{booking['id']}", data={"title": "Nap", "externalId": "ERP-8"})
    assert refused.status_code == 403


def test_published_forms_are_opened_and_filled_in(organization: Organization, requester: Requester) -> None:
    asked = [{"key": "exit", "label": "Is the exit clear?", "type": "passFail", "required": True}]
    form, draft = (
        organization.created("forms", {"name": name, "fields": asked})["id"]
        for name in ("Exit round", "Not yet ready")
    )
    path = f"{organization.path}/forms/{form}"
    assert organization.api.post(f"{path}/publish").status_code == 200
    organization.created(f"forms/{form}/submissions", {"answers": {"exit": "Fail"}})
    organization.api.patch(path, json={"fields": [{**asked[0], "label": "Next year's question"}]})
    page = requester.page
    assert 'href="/app/forms"' in page.sees("/app")
    listed = page.sees("/app/forms")
    assert "Exit round" in listed
    assert "Not yet ready" not in listed + page.sees("/app/search?q=ready") + page.sees("/app/forms.csv")
    assert f'href="/app/forms/{form}/fill"' in listed
    assert "Exit round" in page.sees("/app/search?q=round")
    shown = page.sees(f"/app/forms/{form}")
    assert "Is the exit clear?" in shown
    assert "Next year" not in shown
    assert 'id="builder"' not in shown
    for part in ("", "/fill", "/submissions", "/submissions.csv"):
        hidden = page.get(f"/app/forms/{draft}{part}")
        assert (hidden.status_code, "Not yet ready" in hidden.text) == (404, False), part
    assert "Is the exit clear?" in page.sees(f"/app/forms/{form}/fill")
    sent = page.post(f"/app/forms/{form}/fill", data={"answers.exit": "Pass"})
    assert sent.status_code == 303
    assert "Sent." in page.sees(sent.headers["location"])
    submissions = page.sees(f"/app/forms/{form}/submissions")
    assert "Pass" in submissions
    assert "Fail" not in submissions + page.sees(f"/app/forms/{form}/submissions.csv")
    assert page.post("/app/forms", data={"name": "x"}).status_code == 403


def test_internal_comments_are_on_no_page_or_stream_of_others(
    organization: Organization, requester: Requester, logged_in: LogIn
) -> None:
    page, path = requester.page, requester.path(requester.own)
    technician = logged_in(organization.new_user("Technician")["email"])
    assert "Team only" in technician.sees(path)
    with live_events(page, "?topics=work-orders") as events:
        assert technician.post(f"{path}/comments", data={"text": "They broke it"}).status_code == 303
        said = {"text": "We come tomorrow", "visibility": "reporter"}
        assert technician.post(f"{path}/comments", data=said).status_code == 303
        assert events.next() == ("work-orders", {"ids": [requester.own["id"]]})
    shown = technician.sees(path)
    assert ("They broke it" in shown, "Reporter can see" in shown) == (True, True)
    for address in (path, f"{path}/print"):
        text = page.sees(address)
        assert "We come tomorrow" in text
        assert "They broke it" not in text
        assert "Team only" not in text
    assert page.sees(path).count("Commented") == 1
    refused = page.post(f"{path}/comments", data={"text": "Psst", "visibility": "team"})
    assert refused.status_code == 403
    assert page.post(f"{path}/comments", data={"text": "Thanks"}).status_code == 303
