"""Webhooks as their owner uses them, over a service whose deliveries nobody sends: they stay as they were written."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
from tests.support.organizations import Organization

from steward.kit.db.pool import Pool
from steward.webhooks.replays.jobs import run_replays

# An address that needs no resolving; nothing is ever sent to it.
URL = "https://93.184.215.14/steward"


class Desk:
    def __init__(self, org: Organization) -> None:
        self.org = org
        self.api = org.api
        self.path = f"/v2{org.path}/webhooks"

    def make(self, *events: str, **more: Any) -> dict[str, Any]:
        body = {"url": URL, "events": list(events or ("*",)), **more}
        answer = self.api.post(self.path, json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()["data"]

    def at(self, webhook: dict[str, Any], rest: str = "") -> str:
        return f"{self.path}/{webhook['webhookId']}{rest}"

    def read(self, webhook: dict[str, Any]) -> dict[str, Any]:
        return self.api.get(self.at(webhook)).json()["data"]

    def change(self, webhook: dict[str, Any], **changes: Any) -> dict[str, Any]:
        answer = self.api.patch(self.at(webhook), json=changes)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def deliveries(self, webhook: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
        """Oldest first."""
        answer = self.api.get(self.at(webhook, "/deliveries"), params={"limit": 100, **query})
        assert answer.status_code == 200, answer.text
        return answer.json()["data"][::-1]

    def heard(self, webhook: dict[str, Any]) -> list[str]:
        """The types of the events that were queued for it."""
        return [delivery["eventType"] for delivery in self.deliveries(webhook)]

    def events(self, **query: Any) -> list[dict[str, Any]]:
        """Oldest first."""
        answer = self.api.get(f"/v2{self.org.path}/events", params={"limit": 100, **query})
        return answer.json()["data"][::-1]

    def order(self, title: str = "Lift is stuck", **more: Any) -> dict[str, Any]:
        return self.org.created("work-orders", {"title": title, **more})

    def move(self, order: dict[str, Any], *verbs: str) -> None:
        for verb in verbs:
            answer = self.api.post(f"{self.org.path}/work-orders/{order['id']}/{verb}")
            assert answer.status_code == 200, answer.text

    def sql(self, statement: str, *args: Any) -> list[Any]:
        """What an operator, or a worker, would do to the rows."""

        async def run() -> list[Any]:
            connection = await asyncpg.connect(self.org.database_url)
            try:
                return await connection.fetch(statement, *args)
            finally:
                await connection.close()

        return asyncio.run(run())

    def end(self, delivery: dict[str, Any], status: str, attempts: int = 1) -> None:
        """As a worker leaves it."""
        self.sql(
            """UPDATE deliveries SET status = $3, reason = 'exhausted', attempts = $4, due = NULL, lease_until = NULL,
                                     finished = created * 1000
               WHERE organization_id = $1 AND id = $2""",
            self.org.id,
            delivery["id"],
            status,
            attempts,
        )

    def in_worker(self, work: Callable[[Pool], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            pool = Pool(self.org.database_url, 2)
            try:
                return await work(pool)
            finally:
                await pool.close()

        return asyncio.run(run())

    def run_replays(self, now: int, **more: Any) -> int:
        return self.in_worker(lambda pool: run_replays(pool, now, **more))
