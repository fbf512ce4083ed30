"""The tenants that all scenarios share: many keys, so that no key's limit is what a scenario measures."""

import asyncio
import math

import msgspec

from bench.databases import connected, pooled
from steward.access.organization_setup import create_organization
from steward.api_keys import queries as api_keys
from steward.api_keys.model import NewApiKey
from steward.api_keys.rules import new_api_key
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Pool
from steward.kit.domain.fields import Priority
from steward.kit.records.context import Context
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.organizations.model import Plan
from steward.settings import Settings
from steward.work_orders import actions as work_orders
from steward.work_orders.model import NewWorkOrder
from steward.work_orders.sla import queries as sla_queries

ORGANIZATIONS = 20
WORK_ORDERS_EACH = 200
# Ours runs at most half of any minute (its floor has the other half), and this fast at most on the machines we know.
_MAX_REQUESTS_A_SECOND = 12_000
_SECONDS_A_MINUTE = 30
_CONNECTIONS = 10


class Tenant(msgspec.Struct, frozen=True):
    id: str
    user_id: str
    keys: list[str]
    work_orders: list[str]


class _NobodyListens:
    """Stands for the bus: no process of the service runs yet that has to be notified of new keys."""

    async def invalidate(self, *_what: object, **_more: object) -> None:
        pass


async def make_tenants(url: str) -> list[Tenant]:
    """Of so many keys that each stays below its limit, which is counted all the same."""
    a_minute = _MAX_REQUESTS_A_SECOND * _SECONDS_A_MINUTE
    keys_each = math.ceil(a_minute / Settings().key_requests_per_minute / ORGANIZATIONS)
    async with pooled(url, _CONNECTIONS) as pool:
        made = (_make_tenant(pool, number, keys_each, WORK_ORDERS_EACH) for number in range(ORGANIZATIONS))
        return await asyncio.gather(*made)


async def make_founder(url: str, work_orders: int = 0) -> Tenant:
    """One tenant with one key, for scenarios that need no more."""
    async with pooled(url) as pool:
        return await _make_tenant(pool, 0, 1, work_orders)


async def _make_tenant(pool: Pool, number: int, keys: int, work_orders: int) -> Tenant:
    created = await create_organization(
        pool,
        _NobodyListens(),
        name=f"Organization {number}",
        plan=Plan.ENTERPRISE,
        email=f"admin{number}@example.com",
        password_hash="nobody logs in",
        now=clock.now(),
    )
    secrets = [created.secret]
    async with pool.transaction() as tx:
        for count in range(1, keys):
            key, digest = new_api_key(NewApiKey(name=f"Key {count}"), created.user_id, clock.now())
            await api_keys.insert(tx, created.organization_id, key, digest)
            secrets.append(key.secret)
    orders = await _make_work_orders(pool, created.organization_id, created.user_id, work_orders)
    return Tenant(created.organization_id, created.user_id, secrets, orders)


async def _make_work_orders(pool: Pool, tenant: TenantId, user_id: str, count: int) -> list[str]:
    who = Caller(tenant=tenant, plan=Plan.ENTERPRISE, permissions=ALL_PERMISSIONS, user=user_id)
    priorities = list(Priority)
    policies = TenantCache(sla_queries.policy)
    made = []
    for number in range(count):
        new = NewWorkOrder(
            title=f"Air handler {number} is noisy",
            description=f"Grinding noise since this morning, floor {number % 30}, beside the north stairs.",
            priority=priorities[number % len(priorities)],
        )
        made.append((await work_orders.create(policies, Context(pool, who, clock.now() * 1000), new)).id)
    return made


async def multiply_work_orders(url: str, tenants: list[Tenant], rows: int) -> None:
    """So many more each, like one that is there, under identifiers of their own."""
    async with connected(url) as connection:
        listed = await connection.fetchval(
            """SELECT string_agg(attname, ', ') FROM pg_attribute WHERE attrelid = 'work_orders'::regclass AND attnum > 0
               AND NOT attisdropped AND attname NOT IN ('organization_id', 'id', 'number', 'external_id')"""
        )
        for tenant in tenants:
            await connection.execute(
                f"""INSERT INTO work_orders (organization_id, id, number, {listed})
                    SELECT organization_id, 'wo_' || to_char(n, 'FM0000000000'), 1000000 + n, {listed}
                    FROM work_orders, generate_series(1, $3) n WHERE organization_id = $1 AND id = $2""",
                tenant.id,
                tenant.work_orders[0],
                rows,
            )
        await connection.execute("ANALYZE work_orders")
