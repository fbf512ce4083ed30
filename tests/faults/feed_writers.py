"""Those who write while somebody reads the feed, and remember what was acknowledged. They know the public API; the slow one
knows the database, since no request keeps a transaction open for long."""

import asyncio
import itertools
import threading
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
from tests.support.waiting import limit, wait_for, wait_for_async

from steward.kit.domain.ids import new_id

ASSETS = 10_000
# How many orders are acknowledged while an event that began before them is not yet committed.
HELD_ORDERS = (20, 60, 40)
_INSERT = """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
             VALUES ($1, $2, 'asset.deleted', 1, 'ast_1', '{}', $3, event_position())"""


class Writers:
    """Eight of them, each in a thread; what they were promised is in the lists."""

    def __init__(self, base_url: str, database_url: str, organization: str, key: str) -> None:
        self._base_url = base_url
        self._database_url = database_url
        self._organization = organization
        self._key = key
        self._over = threading.Event()
        self.imported = threading.Event()
        # Identifiers of work orders, names of assets, identifiers of events.
        self.orders: list[str] = []
        self.assets: int = 0
        self.held: list[str] = []
        self._failures: list[BaseException] = []
        work: list[Callable[[], None]] = [*itertools.repeat(self._make_orders, 6), self._import, self._hold]
        self._threads = [threading.Thread(target=self._guarded, args=(one,)) for one in work]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Pending requests still get their answers."""
        self._over.set()
        for thread in self._threads:
            thread.join()
        assert not self._failures, self._failures

    @property
    def failed(self) -> bool:
        """Then nothing more is to be waited for."""
        return bool(self._failures)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (told by stop)
            self._failures.append(error)
            self.imported.set()

    def _client(self) -> httpx.Client:
        return httpx.Client(
            base_url=f"{self._base_url}/organizations/{self._organization}",
            headers={"X-API-Key": self._key},
            timeout=limit(60),
        )

    def _make_orders(self) -> None:
        with self._client() as client:
            while not self._over.is_set():
                made = insist(client, "work-orders", json={"title": "Pump leaks"})
                self.orders.append(made["data"]["id"])

    def _import(self) -> None:
        with self._client() as client:
            kind = insist(
                client, "../../v2/organizations/" + self._organization + "/asset-types", json={"name": "Lamp"}
            )
            rows = "\n".join(f"Lamp {number},{kind['data']['id']}" for number in range(ASSETS))
            done = insist(
                client,
                "assets/import",
                content=f"name,assetTypeId\n{rows}\n",
                headers={"Content-Type": "text/csv"},
            )
            self.assets = done["data"]["created"]
            self.imported.set()

    def _hold(self) -> None:
        asyncio.run(self._hold_transactions())

    async def _hold_transactions(self) -> None:
        """Stores an event as the service does and commits it later, when many that began after it are there."""
        connection = await asyncpg.connect(self._database_url)
        try:
            for orders in itertools.cycle(HELD_ORDERS):
                if self._over.is_set():
                    return
                event = new_id("evt")
                async with connection.transaction():
                    await connection.execute(
                        _INSERT, self._organization, event, b'{"id":"%s"}' % event.encode()
                    )
                    begun = len(self.orders)
                    await wait_for_async(
                        f"{orders} orders while one event waits",
                        lambda: self._over.is_set() or len(self.orders) >= begun + orders,  # noqa: B023
                        seconds=120,
                    )
                self.held.append(event)
        finally:
            await connection.close()


def insist(client: httpx.Client, path: str, **request: Any) -> Any:
    """Sends it until it is answered for good; once, whatever dies meanwhile, by its idempotency key."""
    headers = {"Idempotency-Key": new_id("key"), **request.pop("headers", {})}

    def send() -> httpx.Response | None:
        try:
            answer = client.post(path, headers=headers, **request)
        except httpx.TransportError:
            return None
        still_running = answer.status_code == 409 and "still running" in answer.text
        return None if answer.status_code >= 500 or still_running else answer

    answer = wait_for(f"an answer of {path}", send, seconds=120)
    assert answer is not None
    assert answer.status_code in {200, 201}, answer.text[:500]
    return answer.json()
