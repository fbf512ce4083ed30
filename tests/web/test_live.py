"""Live updates of open pages: for whom, of what, and until when."""

import signal
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from tests.support.browser import BrowserClient
from tests.support.live_events import live_events
from tests.support.organizations import Organization
from tests.support.service import Service
from tests.support.waiting import limit

from steward.kit.events import event_types
from steward.kit.events.topics import Topics
from steward.slices import SLICES
from steward.web.live.hub import MAX_PER_OWNER
from steward.wiring.routes import api_document

TOPICS = Topics({name: topic for one in SLICES for name, topic in one.topics.items()})
LogIn = Callable[[str], BrowserClient]


def test_the_event_of_a_change_contains_the_record(admin: BrowserClient, organization: Organization) -> None:
    with live_events(admin) as events:
        order = organization.work_orders.create()
        assert events.next() == ("work-orders", {"ids": [order["id"]]})
        visitor = organization.visitors.create()
        assert events.next() == ("visitors", {"ids": [visitor["id"]]})


def test_events_during_the_page_load_are_sent_first(admin: BrowserClient, organization: Organization) -> None:
    order = organization.work_orders.create()
    # The first page of an organization, and one beside another.
    with live_events(admin, "?topics=work-orders&age=8000") as events:
        assert events.next() == ("work-orders", {"ids": [order["id"]]})
        organization.visitors.create()
        with live_events(admin, "?topics=work-orders,visitors&age=8000") as others:
            assert {others.next()[0], others.next()[0]} == {"work-orders", "visitors"}


def test_a_page_gets_updates_of_its_topics_only(admin: BrowserClient, organization: Organization) -> None:
    with live_events(admin, "?topics=visitors") as events:
        organization.work_orders.create()
        visitor = organization.visitors.create()
        assert events.next() == ("visitors", {"ids": [visitor["id"]]})


def test_events_of_another_organization_do_not_arrive(
    admin: BrowserClient, organization: Organization, other_organization: Organization
) -> None:
    foreign = other_organization.devices.add()
    with live_events(admin, f"?assets={foreign}") as events:
        other_organization.work_orders.create()
        other_organization.devices.report(foreign, {"Temperature": 21})
        own = organization.devices.add()
        assert events.next() == ("assets", {"ids": [own]})
        order = organization.work_orders.create()
        assert events.next() == ("work-orders", {"ids": [order["id"]]})


def test_live_updates_need_permission_for_the_record(organization: Organization, logged_in: LogIn) -> None:
    role = organization.created("roles", {"name": "Desk", "permissions": ["visitors:read"]})
    person = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    device = organization.devices.first_id
    with live_events(person, f"?assets={device}") as events:
        organization.work_orders.create()
        organization.devices.report(device, {"Temperature": 21})
        visitor = organization.visitors.create()
        assert events.next() == ("visitors", {"ids": [visitor["id"]]})


def test_a_page_is_notified_of_readings_of_its_assets(
    admin: BrowserClient, organization: Organization
) -> None:
    shown, other = organization.devices.first_id, organization.devices.second_id
    with live_events(admin, f"?topics=&assets={shown}") as events:
        assert events.next()[1]["values"] == {}
        organization.devices.report(other, {"Temperature": 5})
        organization.devices.report(shown, {"Temperature": 21.5}, 1_767_225_600)
        told = events.wait_for("telemetry")
        assert told["assetId"] == shown
        assert (told["values"], told["timestamp"]) == ({"Temperature": 21.5}, 1_767_225_600)
        assert told["status"] == organization.devices.read(shown)["status"]
        # Another reading of the same second.
        organization.devices.report(shown, {"Temperature": 22.5}, 1_767_225_600)
        assert events.wait_for("telemetry")["values"] == {"Temperature": 22.5}


def test_raising_and_acknowledging_an_alert_write_events(
    admin: BrowserClient, organization: Organization
) -> None:
    with live_events(admin, "?topics=alerts") as events:
        alert = organization.alerts.insert()
        assert events.next() == ("alerts", {"ids": None})
        organization.alerts.post_verb(alert, "acknowledge").raise_for_status()
        assert events.next() == ("alerts", {"ids": [alert["id"]]})


def test_a_change_of_permissions_applies_to_open_streams(
    organization: Organization, logged_in: LogIn
) -> None:
    role = organization.created("roles", {"name": "Looker", "permissions": ["work-orders:read"]})
    person = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    with live_events(person) as events:
        organization.api.patch(
            f"{organization.path}/roles/{role['id']}", json={"permissions": ["visitors:read"]}
        ).raise_for_status()
        assert events.next() == ("reset", {})
        organization.work_orders.create()
        visitor = organization.visitors.create()
        assert events.next() == ("visitors", {"ids": [visitor["id"]]})


def test_logging_out_ends_the_stream(admin: BrowserClient) -> None:
    with live_events(admin) as events:
        assert admin.post("/app/logout").status_code == 303
        assert events.wait_for("end") == {"reason": "session"}
        assert events.is_over()


def test_suspended_users_get_no_live_updates(organization: Organization, logged_in: LogIn) -> None:
    user = organization.new_user("Technician")
    with live_events(logged_in(user["email"])) as events:
        answer = organization.api.patch(
            f"{organization.path}/users/{user['id']}", json={"status": "Suspended"}
        )
        assert answer.status_code == 200, answer.text
        organization.work_orders.create()
        assert events.next() == ("end", {"reason": "session"})


def test_one_page_too_many_ends_the_oldest(admin: BrowserClient) -> None:
    with live_events(admin) as oldest, ExitStack() as others:
        for _ in range(MAX_PER_OWNER):
            others.enter_context(live_events(admin))
        assert oldest.next() == ("end", {"reason": "too-many"})
        assert oldest.is_over()


def test_streams_reconnect_to_another_process(
    service: Service, organization: Organization, admin: BrowserClient
) -> None:
    first = service.another_api(STEWARD_SHUTDOWN_SECONDS="120")
    with live_events(admin, base_url=first.base_url) as events:
        first.process.send_signal(signal.SIGTERM)
        assert events.next() == ("end", {"reason": "restart"})
        assert events.is_over()
        # Requests in flight would have more than a minute.
        assert first.process.wait(limit(60)) == 0
    second = service.another_api()
    with live_events(admin, base_url=second.base_url) as events:
        order = organization.work_orders.create()
        assert events.next() == ("work-orders", {"ids": [order["id"]]})


def test_a_process_bounds_the_number_of_connections(service: Service, admin: BrowserClient) -> None:
    small = service.another_api(STEWARD_LIVE_STREAMS="1")
    with live_events(admin, base_url=small.base_url):
        answer = admin.get(f"{small.base_url}/app/live")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


def test_closing_a_page_frees_its_stream_at_once(service: Service, admin: BrowserClient) -> None:
    small = service.another_api(STEWARD_LIVE_STREAMS="1")
    for _ in range(3):
        with live_events(admin, base_url=small.base_url):
            pass
    assert admin.head(f"{small.base_url}/app/live").status_code == 200
    with live_events(admin, base_url=small.base_url):
        pass


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?topics=work-orders,nothing", "topics"),
        (f"?assets={','.join(f'ast_{n}' for n in range(201))}", "assets"),
        ("?age=-1", "age"),
    ],
)
def test_invalid_live_topics_are_refused(admin: BrowserClient, query: str, field: str) -> None:
    answer = admin.get(f"/app/live{query}")
    assert answer.status_code == 422
    assert field in answer.text


def test_every_event_has_its_topic() -> None:
    assert api_document()  # every slice is loaded, and with it what it publishes
    silent = {name for name in event_types.ALL if TOPICS.of(name) is None}
    # No page of these keeps itself up to date.
    assert {name.partition(".")[0] for name in silent - {"asset.telemetry.updated"}} == {
        *("alertrule", "apikey", "assettype", "deck", "form", "invitation", "location", "organization"),
        *("resource", "role", "slapolicy", "sor", "user", "webhook"),
    }
    assert {topic.name for name in event_types.ALL if (topic := TOPICS.of(name))} == TOPICS.names
