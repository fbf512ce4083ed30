"""Who looks at the pages: people with sessions, made over the API and beside it."""

import http.client
from typing import Any

import asyncpg
import msgspec

from bench.tenants import Tenant
from steward.access import sessions
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId

_GENERATIONS = """SELECT m.user_id, a.generation FROM memberships m JOIN accounts a ON a.id = m.account_id
                  WHERE m.organization_id = $1"""


def post(port: int, key: str, path: str, body: dict[str, Any]) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    connection.request("POST", path, msgspec.json.encode(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status != 201:
        raise RuntimeError(text.decode())
    return msgspec.json.decode(text)["data"]


def make_people(port: int, tenant: Tenant, count: int) -> list[str]:
    key, path = tenant.keys[0], f"/organizations/{tenant.id}"
    permissions = ["work-orders:read", "assets:read", "iot:read", "visitors:read"]
    role = post(port, key, f"{path}/roles", {"name": "Looker", "permissions": permissions})
    return [
        post(
            port,
            key,
            f"{path}/users",
            {
                "email": f"person-{number}@example.com",
                "name": "Grace Hopper",
                "password": "correct horse battery staple",
                "roleIds": [role["id"]],
            },
        )["id"]
        for number in range(count)
    ]


async def begin_sessions(url: str, tenant: Tenant, people: list[str]) -> list[str]:
    connection = await asyncpg.connect(url)
    known = dict(await connection.fetch(_GENERATIONS, tenant.id))
    await connection.close()
    pool = Pool(url, 1)
    cookies = [
        await sessions.begin(pool, TenantId(tenant.id), person, known[person], now=clock.now())
        for person in people
    ]
    await pool.close()
    return cookies
