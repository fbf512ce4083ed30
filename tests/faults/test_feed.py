"""The change feed under fire: a reader that only follows the cursor sees every event once, in the order of the database."""

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from tests.e2e.test_up import part_of
from tests.faults.feed_writers import ASSETS, Writers
from tests.support.databases import fetch
from tests.support.launching import remove_cluster
from tests.support.organizations import Organization, close_clients
from tests.support.processes import UpProcess
from tests.support.waiting import limit, wait_for

# More deaths within a minute would be taken for a process that can't live.
KILLS = 4
# So many orders are acknowledged before each kill.
_ORDERS_BETWEEN_KILLS = 40


class Deployment(UpProcess):
    """With two API processes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "up.log", folder / "data", STEWARD_API_PROCESSES="2")
        self.wait_until_ready()

    def kill_api(self, number: int) -> None:
        """One of the two, by turns, once both are there."""

        def found() -> list[psutil.Process]:
            children = psutil.Process(self.process.pid).children()
            return [child for child in children if part_of(child) == "api"]

        processes = wait_for("both API processes", lambda: apis if len(apis := found()) == 2 else [])
        processes[number % 2].kill()


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    running = Deployment(tmp_path)
    yield running
    close_clients()
    running.stop()
    remove_cluster(running.data_dir)


class Reader:
    """Knows a cursor and nothing else. One that gets no answer asks the same again."""

    def __init__(self, organization: Organization, after: str | None = None) -> None:
        self._client = organization.client(key=organization.secret)
        self._path = f"/v2{organization.path}/events"
        self.after = after
        self.seen: list[str] = []

    def step(self, wait: int = 0) -> list[str]:
        query = {"order": "asc", "limit": "100", "wait": str(wait)}
        if self.after is not None:
            query["after"] = self.after
        try:
            answer = self._client.get(self._path, params=query, timeout=limit(60))
        except httpx.TransportError:
            return []
        if answer.status_code == 503:
            return []
        assert answer.status_code == 200, answer.text
        body = answer.json()
        self.after = body["lastEvaluatedKey"]
        ids = [event["id"] for event in body["data"]]
        self.seen += ids
        return ids

    def follow(self, over: threading.Event) -> None:
        while not over.is_set():
            if not self.step(wait=10):
                # Nothing came, or nobody answered, which may be for a while.
                over.wait(0.05)

    def catch_up(self, expected: int) -> None:
        """Until so many are seen, and nothing comes after them."""

        def all_seen() -> bool:
            while self.step():
                pass
            return len(self.seen) >= expected and not self.step(wait=1)

        wait_for(f"the last of {expected} events", all_seen)


def test_a_reader_of_the_feed_sees_every_event_once_and_in_one_order(
    deployment: Deployment, record_property
) -> None:
    organization = Organization(deployment.base_url, deployment.database_url, "Enterprise")
    reader, over = Reader(organization), threading.Event()
    while reader.step():
        pass
    writers = Writers(deployment.base_url, deployment.database_url, organization.id, organization.secret)
    following = threading.Thread(target=reader.follow, args=(over,))
    following.start()
    writers.start()
    try:
        for number in range(KILLS):
            enough = len(writers.orders) + _ORDERS_BETWEEN_KILLS
            wait_for("orders between two kills", lambda: writers.failed or len(writers.orders) >= enough)  # noqa: B023
            deployment.kill_api(number)
        assert writers.imported.wait(limit(120))
        wait_for("three events that were held", lambda: writers.failed or len(writers.held) >= 3)
    finally:
        writers.stop()
        over.set()
        following.join()
    stored = fetch(
        deployment.database_url,
        "SELECT id, type, about FROM events WHERE organization_id = $1 ORDER BY position, id",
        organization.id,
    )
    reader.catch_up(len(stored))
    again = Reader(organization)
    again.catch_up(len(stored))

    order = [row["id"] for row in stored]
    assert [id for id, count in Counter(reader.seen).items() if count > 1] == [], "nothing comes twice"
    assert set(order) - set(reader.seen) == set(), "nothing is missed"
    assert reader.seen == order
    assert again.seen == order
    told = Counter((row["type"], row["about"]) for row in stored)
    assert [id for id in writers.orders if told["workorder.created", id] != 1] == []
    assert len(set(writers.orders)) == len(writers.orders)
    assert writers.assets == ASSETS == sum(row["type"] == "asset.created" for row in stored)
    assert set(writers.held) <= set(reader.seen)
    assert len(writers.held) >= 3
    record_property(
        "summary",
        f"feed: {len(order):,} events seen once and in one order by two readers: {len(writers.orders):,} orders "
        f"acknowledged, {ASSETS:,} assets imported, {len(writers.held)} held back, {KILLS} kills",
    )
