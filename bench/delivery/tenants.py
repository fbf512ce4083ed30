"""Tenants with webhooks, and deliveries that wait for them."""

import contextlib

import asyncpg
import msgspec

from bench.databases import connected
from steward.kit.domain.ids import new_id
from steward.kit.runtime import clock
from steward.kit.security.encryption import Encryption
from steward.webhooks.signing import Secret, new_secret, seal_secrets

TENANTS = 20
WEBHOOKS_EACH = 5
TYPE = "workorder.created"
# As long as the body of a work order's event with everything filled in.
BODY = msgspec.json.encode({"data": {"object": {"text": "x" * 860}}, "type": TYPE})

_ORGANIZATION = (
    "INSERT INTO organizations (id, name, plan, created, updated) VALUES ($1, 'Bench', 'Enterprise', 0, 0)"
)
_WEBHOOK = """INSERT INTO webhooks (organization_id, id, url, events, types, status, secrets, secret_last_four, created_at,
                                    updated_at)
              VALUES ($1, $2, $3, $4, $4, 'active', $5, 'abcd', 0, 0)"""

_EVENTS = """INSERT INTO events (organization_id, id, type, created, about, attributes, body)
             SELECT org, 'evt_' || lpad(to_hex($3::bigint + n), 14, '0') || substr(md5(n::text || $3), 1, 14), $4, $5,
                    'wo_' || md5(n::text || org), '{}', $6
             FROM unnest($1::text[]) org, generate_series(1, $2::int) n"""
# Of each tenant's events one delivery per webhook, as the outbox makes them.
_DELIVERIES = """INSERT INTO deliveries (organization_id, id, webhook_id, event_id, status, attempts, due, created)
                 SELECT e.organization_id, 'dlv_' || substr(e.id, 5, 22) || right(w.id, 14), w.id, e.id, 'pending', 0, $3, $4
                 FROM events e JOIN webhooks w ON w.organization_id = e.organization_id
                 WHERE e.organization_id = ANY ($1::text[]) AND e.id > $2 AND $5 = ANY (w.types)"""


async def make_tenants(url: str, key: bytes | None, endpoint: str) -> list[str]:
    """Organizations whose webhooks all lead to this endpoint; returns their identifiers.

    Without a key, their secrets stand there as they are, for a peer that seals nothing.
    """
    tenants = [new_id("org") for _ in range(TENANTS)]
    async with connected(url) as connection:
        for tenant in tenants:
            await connection.execute(_ORGANIZATION, tenant)
            for number in range(WEBHOOKS_EACH):
                secret = new_secret()
                kept = secret.encode() if key is None else seal_secrets(Encryption(key), [Secret(secret)])
                await connection.execute(
                    _WEBHOOK, tenant, new_id("whk"), f"{endpoint}/{number}", [TYPE], kept
                )
    return tenants


async def queue(url: str, tenants: list[str], deliveries: int) -> None:
    """So many deliveries in all, due at once."""
    marker = new_id("evt")
    first = int(marker[4:18], 16)
    events = max(1, deliveries // (len(tenants) * WEBHOOKS_EACH))
    now = clock.now()
    async with connected(url) as connection:
        async with connection.transaction():
            await connection.execute(_EVENTS, tenants, events, first, TYPE, now, BODY)
            await connection.execute(_DELIVERIES, tenants, marker[:18], clock.now_ms(), now, TYPE)
        await connection.execute("ANALYZE events, deliveries")


async def drop_waiting(url: str) -> None:
    """What is left when the time is up."""
    async with connected(url) as connection:
        while True:
            # The worker settles what it holds at the same time, in an order of its own; on a deadlock we try again.
            with contextlib.suppress(asyncpg.DeadlockDetectedError):
                await connection.execute(
                    "DELETE FROM deliveries WHERE due IS NOT NULL AND lease_until IS NULL"
                )
                break
