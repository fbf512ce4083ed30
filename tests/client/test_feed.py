"""The change feed, read to and fro over restarts and outages."""

import itertools

import httpx
import pytest
from tests.client.flaky import Fault, FlakyTransport, answer_lost, answers, never_sent
from tests.support.organizations import Organization

from steward_client import AsyncSteward, Steward, Unauthorized, event_object, models
from steward_client._cursors import join, split
from steward_client.models.event_objects import WorkorderCreatedObject


def _titles(feed: object, number: int) -> list[str]:
    return [event.data.object["title"] for event in itertools.islice(feed, number)]  # type: ignore[call-overload]


def test_events_are_followed_in_order(steward: Steward) -> None:
    feed = steward.events.follow(after="now", types=["workorder.created"]).begin()
    for title in "abc":
        steward.work_orders.create(title=title)
    assert _titles(feed, 3) == ["a", "b", "c"]


def test_a_reader_resumes_within_a_page(steward: Steward) -> None:
    """A reader that stores the cursor after each event gets each of them once."""
    start = steward.events.follow(after="now", types="workorder.*").begin().cursor
    for title in "abcde":
        steward.work_orders.create(title=title)
    told, cursor = [], start
    for _restart in range(5):
        feed = steward.events.follow(after=cursor, types="workorder.*")
        told += _titles(feed, 1)
        cursor = feed.cursor
    assert told == list("abcde")
    assert "~" not in cursor, "behind a page it is the service's own"
    steward.work_orders.create(title="f")
    assert _titles(steward.events.follow(after=cursor, types="workorder.*"), 1) == ["f"]


def test_an_unconfirmed_event_is_returned_again(steward: Steward) -> None:
    feed = steward.events.follow(after="now", types="workorder.*").begin()
    steward.work_orders.create(title="a")
    stored = feed.cursor
    assert _titles(feed, 1) == ["a"]
    assert _titles(steward.events.follow(after=stored, types="workorder.*"), 1) == ["a"]


def test_without_a_cursor_it_begins_with_the_oldest(steward: Steward) -> None:
    oldest = list(steward.events.list())[::-1]
    steward.work_orders.create(title="a")
    steward.work_orders.create(title="b")
    feed = steward.events.follow()
    assert [next(feed).id for _ in oldest] == [event.id for event in oldest]
    assert _titles(feed, 1) == ["a"]
    assert _titles(steward.events.follow(after=feed.cursor), 1) == ["b"]


@pytest.mark.parametrize(
    "faults",
    [(never_sent, answer_lost), (answers(502), answers(503, Retry_After="1")), (answers(429), answers(500))],
    ids=["unreachable", "unavailable", "refused"],
)
def test_an_outage_is_waited_out(
    organization: Organization, steward: Steward, faults: tuple[Fault, ...]
) -> None:
    with httpx.Client(transport=FlakyTransport(*faults)) as http:
        flaky = Steward(organization.base_url, organization.secret, organization.id, http_client=http)
        feed = flaky.events.follow(after="now", types="workorder.*").begin()
        assert feed.outages == 0
        steward.work_orders.create(title="a")
        assert _titles(feed, 1) == ["a"]


def test_missing_read_permission_is_reported_at_once(organization: Organization) -> None:
    stranger = Steward(organization.base_url, "sk_wrong", organization.id, http_client=organization.client())
    with pytest.raises(Unauthorized):
        next(stranger.events.follow())


def test_a_wait_that_the_service_does_not_know_is_refused(steward: Steward) -> None:
    with pytest.raises(ValueError, match="0 to 30"):
        steward.events.follow(wait=31)


async def test_the_async_feed_is_the_same(async_steward: AsyncSteward) -> None:
    feed = await async_steward.events.follow(after="now", types=["workorder.*"]).begin()
    order = await async_steward.work_orders.create(title="a")
    await async_steward.work_orders.start(order.id)
    told = []
    async for event in feed:
        told.append(event.type)
        if len(told) == 2:
            break
    assert told == ["workorder.created", "workorder.status.changed"]


def test_the_subject_of_an_event_is_typed(steward: Steward) -> None:
    feed = steward.events.follow(after="now").begin()
    order = steward.work_orders.create(title="a")
    event = next(feed)
    found = event_object(event)
    assert isinstance(found, WorkorderCreatedObject)
    assert (found.id, found.status) == (order.id, models.WorkOrderStatus.OPEN)
    assert event_object({"type": "moon.landed", "data": {"object": {"id": "1"}}}) == {"id": "1"}


def test_a_cursor_within_a_page_names_the_event() -> None:
    assert split(join("abc", "evt_1")) == ("abc", "evt_1")
    assert split(join(None, "evt_1")) == (None, "evt_1")
    assert split("abc") == ("abc", None)
    assert split(None) == split("") == (None, None)
