"""Organizations from before there were narrow permissions come to the built-in roles of today; their own roles stay."""

import asyncio
from collections.abc import Set as AbstractSet

from tests.support.databases import migrate_until, run_commands

from steward.roles.model import BUILT_IN
from steward.wiring.schema import migrate

# What the roles held that the migration changes, and one that somebody made.
NEW = {"bookings:book", "forms:submit", "users:act-as", "work-orders:request"}
DESK = {"bookings:read", "bookings:write", "locations:read", "work-orders:read", "work-orders:write"}
BEFORE = {
    "Administrator": BUILT_IN["Administrator"][1] - NEW,
    "Manager": BUILT_IN["Manager"][1] - NEW,
    "Requester": DESK,
    "Viewer": BUILT_IN["Viewer"][1],
}


def _role(name: str, permissions: AbstractSet[str], *, system: bool) -> str:
    return f"""INSERT INTO roles (organization_id, id, name, permissions, system, created, updated)
               VALUES ('org_1', 'rol_{name}', '{name}', '{{{",".join(sorted(permissions))}}}', {system}, 1, 1)"""


def test_built_in_roles_become_those_of_today(empty_url: str) -> None:
    asyncio.run(migrate_until(empty_url, 44))
    made = [_role(name, held, system=True) for name, held in BEFORE.items()]
    asyncio.run(
        run_commands(
            empty_url,
            """INSERT INTO organizations (id, name, plan, created, updated)
               VALUES ('org_1', 'House', 'Enterprise', 1, 1)""",
            *made,
            _role("requester of ours", DESK, system=False),
        )
    )
    asyncio.run(migrate(empty_url))
    rows = asyncio.run(run_commands(empty_url, "SELECT name, description, permissions FROM roles"))
    found = {row["name"]: row for row in rows}
    for name in BEFORE:
        assert found[name]["permissions"] == sorted(BUILT_IN[name][1]), name
    assert found["Requester"]["description"] == BUILT_IN["Requester"][0]
    assert set(found["requester of ours"]["permissions"]) == DESK
