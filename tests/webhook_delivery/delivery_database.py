"""A database of its own with webhooks in it, and engines over it."""

import asyncio
import base64
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import msgspec
from tests.support.databases import fetch_rows
from tests.support.waiting import wait_for_async

from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.db.pool import Pool
from steward.kit.domain.ids import new_id
from steward.kit.events.event_types import freeze
from steward.kit.events.publish import publish
from steward.kit.runtime import clock
from steward.kit.security import url_guard as guard
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption
from steward.settings import RETRY_SCHEDULE
from steward.webhook_delivery.engine import Engine
from steward.webhook_delivery.model import DeliveryConfig
from steward.webhook_delivery.send import HttpSender
from steward.webhooks.signing import Secret, new_secret, open_secrets, seal_secrets

ENCRYPTION = Encryption(bytes(32))
ENCRYPTION_KEY = base64.b64encode(bytes(32)).decode()
TYPE = "workorder.created"
_numbers = itertools.count(1)

_WEBHOOK = """INSERT INTO webhooks (organization_id, id, url, events, types, status, secrets, secret_last_four, created_at,
                                    updated_at)
              VALUES ($1, $2, $3, $4, $4, $5, $6, 'abcd', $7, $7)"""


class DeliveryDatabase:
    def __init__(self, url: str) -> None:
        self.url = url
        self.pool = Pool(url, 5)
        self.secrets: dict[str, str] = {}

    async def close(self) -> None:
        await self.pool.close()

    async def rows(self, statement: str, *args: Any) -> list[Any]:
        return await fetch_rows(self.url, statement, *args)

    async def new_tenant(self) -> str:
        tenant = new_id("org")
        now = clock.now()
        await self.rows(
            "INSERT INTO organizations (id, name, plan, created, updated) VALUES ($1, 'Test', 'Enterprise', $2, $2)",
            tenant,
            now,
        )
        return tenant

    async def webhook(
        self, tenant: str, url: str, *, status: str = "active", old: Secret | None = None, types: str = TYPE
    ) -> str:
        id, secret = new_id("whk"), new_secret()
        self.secrets[id] = secret
        sealed = seal_secrets(ENCRYPTION, [Secret(secret), *([old] if old else [])])
        await self.rows(_WEBHOOK, tenant, id, url, types.split(), status, sealed, clock.now_ms())
        return id

    async def publish(self, tenant: str, count: int = 1, *, type: str = TYPE) -> list[str]:
        """Events as a change would store them, with their deliveries; their identifiers in the order of making."""
        now = clock.now()
        events = [
            freeze(
                type, TenantId(tenant), {"object": {"n": next(_numbers)}}, now, about="wo_1", attributes={}
            )
            for _ in range(count)
        ]
        await publish(self.pool, TenantId(tenant), events, now)
        return [event.id for event in events]

    async def bodies(self) -> dict[str, bytes]:
        return {row[0]: row[1] for row in await self.rows("SELECT id, body FROM events")}

    async def deliveries(self, **where: Any) -> list[Any]:
        wanted = " AND ".join(f"{name} = ${i}" for i, name in enumerate(where, start=1)) or "true"
        return await self.rows(f"SELECT * FROM deliveries WHERE {wanted} ORDER BY id", *where.values())

    async def attempts(self) -> list[Any]:
        return await self.rows("SELECT * FROM delivery_attempts ORDER BY delivery_id, number")

    async def one_webhook(self, id: str) -> Any:
        return (await self.rows("SELECT * FROM webhooks WHERE id = $1", id))[0]

    async def until_all(self, *statuses: str) -> list[Any]:
        """Until every delivery is in one of these states."""

        async def reached() -> list[Any]:
            rows = await self.deliveries()
            return rows if all(row["status"] in statuses for row in rows) else []

        try:
            return await wait_for_async(f"the end of all deliveries as {' or '.join(statuses)}", reached)
        except AssertionError as error:
            error.add_note(f"states: {dict(Counter(row['status'] for row in await self.deliveries()))}")
            raise

    @contextlib.asynccontextmanager
    async def engine(
        self,
        *,
        schedule: Sequence[float] = RETRY_SCHEDULE,
        allow_local: bool = True,
        resolve: guard.Resolve = guard.resolve,
        timeout: float = 30,
        grace: float = 5,
    ) -> AsyncIterator[Engine]:
        pool = Pool(self.url, 4)
        sender = HttpSender(allow_local=allow_local, resolve=resolve, timeout=timeout)
        heartbeat = Heartbeat(self.url)
        config = DeliveryConfig(schedule, allow_local, grace)
        engine = Engine(pool, sender, partial(open_secrets, ENCRYPTION), config, heartbeat)
        heartbeat.start()
        stop = asyncio.Event()
        running = asyncio.create_task(engine.run(stop))
        try:
            yield engine
        finally:
            stop.set()
            await running
            await heartbeat.stop()
            await sender.close()
            await pool.close()


def payload(body: bytes) -> Any:
    return msgspec.json.decode(body)
