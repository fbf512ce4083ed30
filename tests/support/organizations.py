"""Organizations to test with: each test founds its own, so that tests share a service without meeting.

What an organization has (assets, bookings, webhooks …) lies in `tests/support/records`, by domain.
"""

import itertools
import os
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
import httpx
from argon2 import PasswordHasher
from tests.support import databases, event_loop
from tests.support.answers import data_of
from tests.support.records.alerts import AlertRules, Alerts
from tests.support.records.assets import Assets, AssetTypes, Devices, Locations
from tests.support.records.bookings import Bookings, Resources
from tests.support.records.visitors import Visitors
from tests.support.records.webhooks import Webhooks
from tests.support.records.work_orders import WorkOrders
from tests.support.secrets import SECRETS
from tests.support.waiting import limit, remember

from steward.access.organization_setup import create_organization
from steward.kit.coordination.cache_invalidation import InvalidationBus
from steward.kit.db.pool import Pool
from steward.kit.db.sql import sql
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.organizations.actions import set_plan
from steward.organizations.model import Plan
from steward.wiring.organization_defaults import install_organization_defaults

T = TypeVar("T")

PASSWORD = "correct horse battery staple"
# Made cheaply: every test founds an organization, and many log in.
_hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
_numbers = itertools.count(1)
_open_clients: list["Client"] = []


def new_address() -> str:
    """A client address that nobody else in this run uses."""
    number = next(_numbers)
    return f"10.{os.getpid() % 256}.{number // 256 % 256}.{number % 256}"


def close_clients() -> None:
    while _open_clients:
        _open_clients.pop().close()


class Client(httpx.Client):
    """Calls one API process from an address of its own."""

    def __init__(self, base_url: str, *, key: str | None = None, bearer: str | None = None) -> None:
        headers = {"X-Forwarded-For": new_address()}
        if key is not None:
            headers["X-API-Key"] = key
        if bearer is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        super().__init__(base_url=base_url, headers=headers, timeout=limit(60), verify=False)
        _open_clients.append(self)

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        answer = super().send(request, **options)
        if not options.get("stream"):
            SECRETS.learn_from(request, answer)
            SECRETS.refuse_echo(request, answer)
            remember(answer)
        return answer


class Organization:
    """An organization with its administrator and first key, as its owner sees it."""

    def __init__(
        self,
        base_url: str,
        database_url: str,
        plan: str,
        email: str | None = None,
        password: str = PASSWORD,
    ) -> None:
        self.base_url = base_url
        self.database_url = database_url
        self.email = email or f"admin-{os.getpid()}-{next(_numbers)}@example.com"
        self.password = password
        created = event_loop.run(self._found(Plan(plan)))
        self.id: str = created.organization_id
        self.user_id: str = created.user_id
        self.key_id: str = created.key_id
        self.secret: str = created.secret
        SECRETS.learn(self.secret, PASSWORD)
        self.path = f"/organizations/{self.id}"
        self.api = self.client(key=self.secret)
        self._open_collections()

    def _open_collections(self) -> None:
        self.locations = Locations(self)
        self.asset_types = AssetTypes(self)
        self.assets = Assets(self)
        self.devices = Devices(self)
        self.alert_rules = AlertRules(self)
        self.alerts = Alerts(self)
        self.work_orders = WorkOrders(self)
        self.resources = Resources(self)
        self.bookings = Bookings(self)
        self.visitors = Visitors(self)
        self.webhooks = Webhooks(self)

    def client(
        self, *, key: str | None = None, bearer: str | None = None, base_url: str | None = None
    ) -> Client:
        return Client(base_url or self.base_url, key=key, bearer=bearer)

    def new_key(self, *permissions: str) -> dict[str, Any]:
        body: dict[str, Any] = {"name": "Test key"}
        if permissions:
            body["permissions"] = list(permissions)
        return self.created("api-keys", body)

    def created(self, resource: str, body: dict[str, Any]) -> dict[str, Any]:
        """What a POST made; fails with the whole answer when it made nothing."""
        answer = self.api.post(f"{self.path}/{resource}", json=body)
        assert answer.status_code == 201, answer.text
        return data_of(answer)

    def new_user(self, *role_names: str, **fields: Any) -> dict[str, Any]:
        roles = {role["name"]: role["id"] for role in data_of(self.api.get(f"{self.path}/roles?limit=100"))}
        body = {
            "email": f"user-{os.getpid()}-{next(_numbers)}@example.com",
            "name": "Grace Hopper",
            "password": PASSWORD,
            "roleIds": [roles[name] for name in role_names],
            **fields,
        }
        return self.created("users", body)

    def role_ids(self, *role_names: str) -> list[str]:
        roles = data_of(self.api.get(f"{self.path}/roles?limit=100"))
        return [role["id"] for name in role_names for role in roles if role["name"] == name]

    def invite(self, email: str, *role_names: str) -> dict[str, Any]:
        body = {"email": email, "name": "Grace Hopper", "roleIds": self.role_ids(*role_names)}
        return self.created("users/invitations", body)

    def users(self) -> dict[str, dict[str, Any]]:
        """By e-mail address."""
        return {user["email"]: user for user in data_of(self.api.get(f"{self.path}/users?limit=100"))}

    def log_in(self, email: str | None = None, **more: Any) -> dict[str, str]:
        body = {"account": email or self.email, "password": self.password, **more}
        answer = Client(self.base_url).post("/authentications/tokens", json=body)
        assert answer.status_code == 200, answer.text
        return data_of(answer)

    def events(self, **query: Any) -> list[dict[str, Any]]:
        """What happened, oldest first."""
        answer = self.api.get(f"/v2{self.path}/events", params={"limit": 100, **query})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = data_of(answer)[::-1]
        return found

    def sql(self, statement: str, *args: Any) -> list[asyncpg.Record]:
        """What an operator, or a worker, would do to the rows."""
        return databases.fetch(self.database_url, statement, *args)

    def with_pool(self, work: Callable[[Pool], Awaitable[T]], size: int = 4) -> T:
        return databases.with_pool(self.database_url, work, size)

    def set_plan(self, plan: str) -> None:
        event_loop.run(self._set_plan(Plan(plan)))

    async def _set_plan(self, plan: Plan) -> None:
        pool, bus = await _connected(self.database_url)
        await set_plan(pool, bus, TenantId(self.id), plan, now=clock.now())

    async def _found(self, plan: Plan) -> Any:
        pool, bus = await _connected(self.database_url)
        return await create_organization(
            pool,
            bus,
            name="Test house",
            plan=plan,
            email=self.email,
            password_hash=_hasher.hash(self.password, salt=b"of all the tests"),
            install_defaults=install_organization_defaults,
            now=clock.now(),
        )


_connections: dict[str, tuple[Pool, InvalidationBus]] = {}
_ONE = sql("SELECT 1")


async def _connected(url: str) -> tuple[Pool, InvalidationBus]:
    """Kept from test to test: thousands of organizations are founded, nearly all of them in one database."""
    if url not in _connections or not await _answers(_connections[url][0]):
        await _disconnect()
        pool = Pool(url, 2)
        bus = InvalidationBus(url, pool)
        await bus.start()
        _connections[url] = pool, bus
    return _connections[url]


async def _answers(pool: Pool) -> bool:
    """Not if somebody has dropped the database meanwhile, or ended all its connections."""
    try:
        return bool(await pool.fetchval(_ONE))
    except (OSError, asyncpg.PostgresError):
        return False


async def _disconnect() -> None:
    while _connections:
        _, (pool, bus) = _connections.popitem()
        await bus.stop()
        await pool.close()


def disconnect() -> None:
    event_loop.run(_disconnect())
