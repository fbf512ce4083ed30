"""A database in which one account stood behind the users of several organizations comes to one account for each."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import asyncpg
from argon2 import PasswordHasher
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.databases import migrate_until, run_commands
from tests.support.organizations import PASSWORD, Client
from tests.support.processes import ApiProcess

from steward.wiring.schema import migrate

KEYS = {organization: f"svc_live_{organization[-1] * 32}" for organization in ("org_1", "org_2", "org_3")}
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
COOKIES = {organization: f"{organization}.{'c' * 40}" for organization in KEYS}

# The shared one joined the second organization before the first, and the third at the same moment as the first.
DATA = (
    "INSERT INTO organizations SELECT 'org_' || n, 'House ' || n, 'Enterprise', 1, 1 FROM generate_series(1, 3) n",
    f"""INSERT INTO users SELECT 'usr_' || who, who || '@example.com', '{HASH}', 1, 1
        FROM unnest(ARRAY['shared', 'alone']) who""",
    """INSERT INTO memberships VALUES
           ('org_1', 'usr_shared', 'One', 'Active', 20, 20), ('org_2', 'usr_shared', 'Two', 'Active', 10, 10),
           ('org_3', 'usr_shared', 'Three', 'Suspended', 20, 20), ('org_1', 'usr_alone', 'Alone', 'Active', 5, 5)""",
    """INSERT INTO roles SELECT 'org_' || n, 'rol_1', 'Administrator', NULL,
           ARRAY['users:read', 'users:write', 'work-orders:read', 'work-orders:write'], true, 1, 1
       FROM generate_series(1, 3) n""",
    """INSERT INTO membership_roles (organization_id, user_id, role_id)
       SELECT organization_id, user_id, 'rol_1' FROM memberships""",
    """INSERT INTO work_orders (organization_id, id, number, title, status, priority, reported_by, assignee_id, created, updated)
       SELECT organization_id, 'wo_1', 1, 'Leak', 'Open', 'Low', 'usr_shared', 'usr_shared', 1, 1 FROM memberships
       WHERE user_id = 'usr_shared'""",
)


async def _fill(url: str) -> None:
    await migrate_until(url, 20)
    connection = await asyncpg.connect(url)
    for statement in DATA:
        await connection.execute(statement)
    for organization, secret in KEYS.items():
        await connection.execute(
            """INSERT INTO api_keys (organization_id, id, name, key_prefix, secret_hash, status, created, created_by)
               VALUES ($1, 'key_1', 'Key', 'svc_live_xxxx', $2, 'active', 1, 'usr_shared')""",
            organization,
            hashlib.sha256(secret.encode()).digest(),
        )
        await connection.execute(
            "INSERT INTO web_sessions (organization_id, token_hash, user_id, expires) VALUES ($1, $2, 'usr_shared', $3)",
            organization,
            hashlib.sha256(COOKIES[organization].encode()).digest(),
            2**40,
        )
    await connection.close()


def test_the_oldest_membership_keeps_the_account(empty_url: str, tmp_path: Path) -> None:
    asyncio.run(_fill(empty_url))
    assert "0020_accounts.sql" in asyncio.run(migrate(empty_url))
    found = asyncio.run(
        run_commands(
            empty_url,
            """SELECT m.organization_id, m.user_id, m.email, m.name, m.made_account, m.account_id, a.email AS login,
                      a.password_hash, a.generation, a.own_password
               FROM memberships m JOIN accounts a ON a.id = m.account_id
               WHERE m.user_id = 'usr_shared' ORDER BY m.organization_id""",
        )
    )
    assert [row["generation"] for row in found] == [1, 0, 1]
    assert [row["password_hash"] == HASH for row in found] == [False, True, False]
    assert found[1]["account_id"] == "usr_shared"
    assert len({row["account_id"] for row in found}) == 3
    assert [(r["name"], r["email"], r["login"]) for r in found] == [
        (name, "shared@example.com", "shared@example.com") for name in ("One", "Two", "Three")
    ]
    assert all(row["made_account"] and not row["own_password"] for row in found)
    _opens_what_it_should(empty_url, tmp_path)


def _opens_what_it_should(url: str, tmp_path: Path) -> None:
    process = ApiProcess(tmp_path / "api.log", url)
    try:
        process.wait_until_live()
        base = process.base_url

        def log_in(email: str, **more: Any) -> int:
            body = {"account": email, "password": PASSWORD, **more}
            return Client(base).post("/authentications/tokens", json=body).status_code

        def logged_in(organization: str) -> int:
            person = BrowserClient(base)
            person.cookies.set("steward_session", COOKIES[organization], domain="127.0.0.1")
            return person.get("/app").status_code

        assert log_in("alone@example.com") == 200
        assert log_in("shared@example.com") == 200
        assert [log_in("shared@example.com", organizationId=organization) for organization in KEYS] == [
            401,
            200,
            401,
        ]
        assert [logged_in(organization) for organization in KEYS] == [303, 200, 303]
        # What records say of people is as true as before, and keys go on.
        first = Client(base, key=KEYS["org_1"])
        order = data_of(first.get("/organizations/org_1/work-orders/wo_1"))
        assert (order["reportedBy"], order["assigneeId"]) == ("usr_shared", "usr_shared")
        user = "/organizations/org_1/users/usr_shared"
        assert data_of(first.get(user))["name"] == "One"
        # An administrator sets a password, and the organization's own account opens.
        assert first.patch(user, json={"password": "set anew by hand"}).status_code == 200
        body = {"account": "shared@example.com", "password": "set anew by hand"}
        answer = Client(base).post("/authentications/tokens", json=body)
        token = data_of(answer)["token"]
        assert Client(base, bearer=token).get(user).status_code == 200
        assert log_in("shared@example.com", organizationId="org_2") == 200
    finally:
        process.stop()
