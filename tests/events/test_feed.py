"""The change feed: a reader that follows the cursor sees every event once, in one order, whatever happens at the same time."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import pytest
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.organizations import Organization
from tests.support.waiting import limit, wait_for

from steward.events.feed import rules
from steward.events.feed.jobs import continue_positions
from steward.events.feed.model import FeedEvent, FeedPlace
from steward.kit.db.listing import MAX_PAGE_LENGTH
from steward.kit.domain.ids import new_id
from steward.migrations.migrate import MigrationError
from steward.wiring.schema import migrate, require_migrated

_INSERT = """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
             VALUES ($1, $2, 'asset.deleted', 1, 'ast_1', '{}', $3, event_position())"""


def _ask(organization: Organization, **query: Any) -> Any:
    path = f"/v2{organization.path}/events"
    return organization.api.get(path, params={"order": "asc", **query}, timeout=limit(120))


def _page(organization: Organization, after: str | None = None, **query: Any) -> tuple[list[str], str]:
    """The subjects of the events of a page, and where the next one begins."""
    answer = _ask(organization, **({} if after is None else {"after": after}), **query)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return [event["data"]["object"]["id"] for event in body["data"]], body["lastEvaluatedKey"]


def _follow(organization: Organization, after: str, count: int, **query: Any) -> tuple[list[str], str]:
    """So many events at least. Whatever else runs on the server may keep the last ones back for a moment."""
    found: list[str] = []
    for _ in range(20):
        subjects, after = _page(organization, after, **{"wait": 5, **query})
        found += subjects
        if len(found) >= count:
            break
    return found, after


def _order(organization: Organization) -> str:
    return str(organization.work_orders.create("Pump leaks")["id"])


@pytest.fixture
def end(organization: Organization) -> str:
    return _page(organization, "now")[1]


def test_every_event_arrives_once_and_in_order(organization: Organization, end: str) -> None:
    orders = [_order(organization) for _ in range(5)]
    found, cursor = _follow(organization, end, 5, limit=2)
    assert found == orders
    assert _page(organization, end, limit=2)[0] == orders[:2]
    again, same = _page(organization, cursor)
    assert (again, same) == ([], cursor)
    later = _order(organization)
    assert _follow(organization, cursor, 1)[0] == [later]


def test_it_begins_with_the_oldest_event_that_is_kept(organization: Organization) -> None:
    orders = [_order(organization) for _ in range(2)]
    listed = [event["data"]["object"]["id"] for event in organization.events()]
    _follow(organization, _page(organization, limit=1)[1], len(listed) - 1)
    assert _page(organization, limit=100)[0] == listed
    assert listed[-2:] == orders


def test_the_feed_is_ordered_by_transaction_start(organization: Organization, end: str) -> None:
    async def scenario() -> tuple[list[str], list[str]]:
        connection = await asyncpg.connect(organization.database_url)
        try:
            transaction = connection.transaction()
            await transaction.start()
            body = f'{{"data": {{"object": {{"id": "{held}"}}}}}}'.encode()
            await connection.execute(_INSERT, organization.id, new_id("evt"), body)
            made.append(await asyncio.to_thread(_order, organization))
            meanwhile, cursor = await asyncio.to_thread(_page, organization, end)
            await transaction.commit()
            return meanwhile, (await asyncio.to_thread(_follow, organization, cursor, 2))[0]
        finally:
            await connection.close()

    held = "ast_held"
    made: list[str] = []
    meanwhile, then = asyncio.run(scenario())
    assert meanwhile == [], "the order is hidden until nothing can come before it"
    assert then == [held, *made]


def test_a_reader_may_wait_for_what_comes_next(organization: Organization, end: str) -> None:
    for wait in (20, 25, 30):
        made: list[str] = []
        # A waiting request leaves no mark. If none waits by then, the order is found at once.
        timer = threading.Timer(0.5, lambda: made.append(_order(organization)))  # noqa: B023
        timer.start()
        began = time.monotonic()
        found, cursor = _page(organization, end, wait=wait)
        took = time.monotonic() - began
        timer.join()
        if found == made and took < wait:
            break
        # Too slow a machine to tell an answer to the order from one to the end of the wait.
        _, end = _page(organization, "now")
    else:
        pytest.fail(f"{found} after {took:.1f} s instead of {made}")
    assert _page(organization, cursor, wait=1)[0] == []


def test_types_and_groups_narrow_it_and_the_cursor_goes_on(organization: Organization) -> None:
    counts = {
        "workorder.*": 2,
        "workorder.created": 1,
        "workorder.created,visitor.*": 2,
        "booking.*": 0,
    }
    ends = {types: _page(organization, "now", type=types)[1] for types in counts}
    order = organization.work_orders.create("Pump leaks")
    organization.work_orders.move(order, "start")
    organization.created("visitors", {"name": "Ada Lovelace"})
    for types, count in counts.items():
        found, cursor = _follow(organization, ends[types], count, type=types, wait=5 if count else 0)
        assert len(found) == count, types
        assert _page(organization, cursor, type=types)[0] == []
        assert _ask(organization, after=cursor).status_code == 422, "a cursor belongs to its types"


def test_waiting_requests_hold_no_connection(organization: Organization, end: str) -> None:
    """More of them than an API process has connections; a change still gets one."""
    clients = [organization.client(key=organization.secret) for _ in range(15)]
    path = f"/v2{organization.path}/events"
    with ThreadPoolExecutor(len(clients)) as pool:
        answers = [
            pool.submit(
                client.get, path, params={"order": "asc", "after": end, "wait": 20}, timeout=limit(120)
            )
            for client in clients
        ]
        order = _order(organization)
        found = [data_of(answer.result()) for answer in answers]
    assert [[event["data"]["object"]["id"] for event in events] for events in found] == [[order]] * 15


def test_rare_matches_are_found_on_the_first_page(organization: Organization) -> None:
    """An empty page is the end of the feed, also for those who want few of its types."""
    _, end = _page(organization, "now", type="workorder.*")
    organization.sql(
        """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
           SELECT $1, 'evt_' || lpad(n::text, 28, '0'), 'asset.deleted', 1, 'ast_1', '{}', '', event_position()
           FROM generate_series(1, 12000) n""",
        organization.id,
    )
    orders = [_order(organization) for _ in range(3)]
    found, cursor = _follow(organization, end, 3, type="workorder.*")
    assert found == orders
    first, cursor = _page(organization, end, type="workorder.*", limit=2)
    rest, cursor = _page(organization, cursor, type="workorder.*", limit=2)
    assert (first, rest) == (orders[:2], orders[2:])
    assert _page(organization, cursor, type="workorder.*") == ([], cursor)


@pytest.mark.parametrize(
    ("held", "lengths", "limit", "taken"),
    [
        ([], [], 3, 0),
        ([], [1, 1], 3, 2),
        ([], [1, 1, 1, 1], 3, 3),
        ([1, 1], [1, 1], 3, 1),
        ([1, 1, 1], [1], 3, 0),
        # One that is larger than a page is a page of its own.
        ([], [MAX_PAGE_LENGTH + 1, 1], 3, 1),
        ([1], [MAX_PAGE_LENGTH], 3, 0),
        ([1], [MAX_PAGE_LENGTH - 1, 1], 3, 1),
    ],
)
def test_a_page_is_filled_up_to_its_size_limit(
    held: list[int], lengths: list[int], limit: int, taken: int
) -> None:
    items = ["x" * length for length in held]
    events = [FeedEvent(FeedPlace(1, str(n)), "x" * length, None) for n, length in enumerate(lengths)]
    assert rules.fill(items, events, limit, with_actors=False) == taken
    assert len(items) == len(held) + taken


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"after": "x"}, "after"),
        ({"lastEvaluatedKey": "x"}, "lastEvaluatedKey"),
        ({"createdAfter": 1}, "createdAfter"),
        ({"type": "nothing.*"}, "type"),
        ({"type": "workorder.created,nothing"}, "type"),
        ({"wait": 31}, "wait"),
        ({"order": "up"}, "order"),
        ({"order": "desc", "after": "now"}, "after"),
        ({"order": "desc", "wait": 1}, "wait"),
    ],
    ids=str,
)
def test_invalid_input_is_refused(organization: Organization, query: Any, field: str) -> None:
    answer = _ask(organization, **query)
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, field), answer.text


def test_a_cursor_of_another_organization_is_refused(
    organization: Organization, other_organization: Organization
) -> None:
    _, cursor = _page(other_organization, "now")
    assert _ask(organization, after=cursor).status_code == 422


@pytest.fixture
def restored_url(empty_url: str) -> str:
    """A database whose events come from a server that had counted further."""
    asyncio.run(migrate(empty_url))
    fetch(
        empty_url,
        "INSERT INTO organizations (id, name, plan, created, updated) VALUES ('org_1', 'A', 'Enterprise', 1, 1)",
    )
    fetch(
        empty_url,
        """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
           VALUES ('org_1', 'evt_1', 'asset.deleted', 1, 'ast_1', '{}', '', 10000000)""",
    )
    fetch(empty_url, "UPDATE event_positions SET last = 9999999")
    return empty_url


async def _continue_twice(url: str) -> None:
    """Two that start at once; one of them finds nothing to do."""
    await asyncio.gather(continue_positions(url), continue_positions(url))


def test_events_after_the_last_saved_position_count_too(restored_url: str) -> None:
    """The server had counted further than ours by less than a worker notes in a minute."""
    fetch(restored_url, "UPDATE event_positions SET last = 1")
    asyncio.run(continue_positions(restored_url))
    fetch(restored_url, _INSERT, "org_1", "evt_2", b"")
    assert [row[0] for row in fetch(restored_url, "SELECT id FROM events ORDER BY position")] == [
        "evt_1",
        "evt_2",
    ]


def test_a_restored_database_continues_after_its_last_event(restored_url: str) -> None:
    with pytest.raises(MigrationError, match="restored"):
        asyncio.run(require_migrated(restored_url))
    asyncio.run(_continue_twice(restored_url))
    asyncio.run(require_migrated(restored_url))
    fetch(restored_url, _INSERT, "org_1", "evt_2", b"")
    told = "SELECT id, position > 10000000, position < event_horizon() FROM events ORDER BY position"
    # Others on the same server may have begun something before.
    wait_for(
        "the end of what others write",
        lambda: (
            [tuple(row) for row in fetch(restored_url, told)]
            == [("evt_1", False, True), ("evt_2", True, True)]
        ),
    )
    asyncio.run(continue_positions(restored_url))
    fetch(restored_url, _INSERT, "org_1", "evt_3", b"")
    assert [row[0] for row in fetch(restored_url, "SELECT id FROM events ORDER BY position")] == [
        "evt_1",
        "evt_2",
        "evt_3",
    ]
