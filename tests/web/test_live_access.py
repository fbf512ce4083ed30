"""Open streams end with the access of their viewer, on every process, and leave room for others."""

from collections.abc import Callable
from contextlib import ExitStack

from tests.support.browser import BrowserClient
from tests.support.live_events import live_events
from tests.support.organizations import Organization
from tests.support.processes import ApiProcess
from tests.support.service import Service
from tests.support.waiting import wait_for


def test_a_stream_ends_after_the_logout(
    organization: Organization, admin: BrowserClient, second: ApiProcess
) -> None:
    with live_events(admin, base_url=second.base_url) as events:
        assert admin.post("/app/logout").status_code == 303
        organization.work_orders.create()
        assert events.next() == ("end", {"reason": "session"})
        assert events.is_over()


def test_a_screen_gets_no_updates_after_its_link_is_revoked(
    organization: Organization, admin: BrowserClient, second: ApiProcess
) -> None:
    cards = [
        {
            "type": "workOrders",
            "title": "Orders",
            "configuration": {},
            "layout": {"x": 0, "y": 0, "w": 4, "h": 2},
        }
    ]
    deck = organization.created("decks", {"title": "Lobby", "cards": cards})
    page = admin.post(f"/app/decks/{deck['id']}/screens", data={"name": "Lobby"})
    link = page.text.partition("/screen/")[2].partition('"')[0]
    [screen] = organization.sql("SELECT id FROM deck_screens WHERE organization_id = $1", organization.id)
    screen_browser = BrowserClient(second.base_url)
    with screen_browser.stream("GET", f"/screen/{link}/live") as answer:
        lines = answer.iter_lines()
        assert any("hello" in line for line in lines)
        revoked = admin.post(f"/app/decks/{deck['id']}/screens/{screen['id']}/revoke")
        assert revoked.status_code == 303
        organization.work_orders.create()
        told = [line for line in lines if line.startswith("event")]
        assert told == ["event: end"]


def test_one_organization_cannot_take_all_streams(
    service: Service, new_organization: Callable[..., Organization], logged_in: Callable[[str], BrowserClient]
) -> None:
    greedy, other = new_organization(), new_organization()
    small = service.another_api(STEWARD_LIVE_STREAMS="10", STEWARD_LIVE_STREAMS_PER_ORGANIZATION="3")
    people = [logged_in(greedy.new_user("Viewer")["email"]) for _ in range(2)]
    with ExitStack() as open_pages:
        for number in range(3):
            first = open_pages.enter_context(ExitStack()) if number == 0 else open_pages
            first.enter_context(live_events(people[number % 2], base_url=small.base_url))
            if number == 0:
                oldest = first
        refused = people[0].get(f"{small.base_url}/app/live")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "10")
        open_pages.enter_context(live_events(logged_in(other.email), base_url=small.base_url))
        # The place of a page that is closed is free again.
        oldest.close()
        wait_for("a free place", lambda: people[0].head(f"{small.base_url}/app/live").status_code == 200)
        open_pages.enter_context(live_events(people[0], base_url=small.base_url))
