"""Users against a model: who can log in, with which password, and that an organization keeps an administrator."""

import itertools
import os
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    consumes,
    initialize,
    multiple,
    precondition,
    rule,
)
from tests.fuzz.machines import BOUNDED, MANY, Json, Machine, expect, run
from tests.support.organizations import Client, Organization

_numbers = itertools.count(1)
PASSWORDS = st.sampled_from(["first horse battery staple", "second horse battery staple"])
ROLES = st.sampled_from(["Viewer", "Technician", "Administrator"])
# Wrong ones are counted, and too many shut the door for the right one, too.
MAX_FAILURES = 3


class Users(Machine):
    users = Bundle("users")

    def __init__(self, organization: Organization) -> None:
        super().__init__(organization)
        roles = expect(organization.api.get(f"{organization.path}/roles", params={"limit": 100}), 200)
        self.roles = {role["name"]: role["id"] for role in roles}

    def path(self, id: str) -> str:
        return f"{self.organization.path}/users/{id}"

    def log_in(self, model: Json, password: str) -> Any:
        body = {"account": model["email"], "password": password}
        return Client(self.organization.base_url).post("/authentications/tokens", json=body)

    @initialize(target=users, role=ROLES, password=PASSWORDS)
    def first(self, role: str, password: str) -> Any:
        user = self.create(role, password)
        self.new_password(user, password)
        return user

    @precondition(lambda self: len(self.known) < 3)
    @rule(target=users, role=ROLES, password=PASSWORDS)
    def make(self, role: str, password: str) -> Any:
        return self.create(role, password)

    def create(self, role: str, password: str) -> Any:
        email = f"machine-{os.getpid()}-{next(_numbers)}@example.com"
        body = {"email": email, "name": "Grace", "password": password, "roleIds": [self.roles[role]]}
        answer = self.organization.api.post(f"{self.organization.path}/users", json=body)
        made = expect(answer, 201)
        assert "password" not in made
        expect(self.organization.api.post(f"{self.organization.path}/users", json=body), 409)
        model = {"email": email, "role": role, "password": password, "status": "Active", "failures": 0}
        self.known[made["id"]] = {**model, "etag": answer.headers["ETag"], "tokens": None}
        return made["id"]

    @rule(user=users, status=st.sampled_from(["Active", "Suspended"]), role=ROLES, stale=st.booleans())
    def change(self, user: str, status: str, role: str, stale: bool) -> None:
        model = self.known[user]
        headers = {"If-Match": '"made-up"' if stale else model["etag"]}
        body = {"status": status, "roleIds": [self.roles[role]]}
        answer = self.organization.api.patch(self.path(user), json=body, headers=headers)
        if stale:
            expect(answer, 412)
            return
        expect(answer, 200)
        model |= {"status": status, "role": role, "etag": answer.headers["ETag"]}

    @rule(user=users, password=PASSWORDS)
    def change_password(self, user: str, password: str) -> None:
        self.new_password(user, password)

    def new_password(self, user: str, password: str) -> None:
        """Whatever the old one opened is shut by the new one, be they the same."""
        model = self.known[user]
        if model["status"] == "Active":
            model["tokens"] = expect(self.log_in(model, model["password"]), 200)
        answer = self.organization.api.patch(self.path(user), json={"password": password})
        expect(answer, 200)
        model |= {"password": password, "etag": answer.headers["ETag"]}
        if model["tokens"] is not None:
            refresh = {"refreshToken": model["tokens"]["refreshToken"]}
            expect(
                Client(self.organization.base_url).post("/authentications/tokens/refresh", json=refresh), 401
            )
            model["tokens"] = None

    @rule(user=users, password=PASSWORDS)
    def try_to_log_in(self, user: str, password: str) -> None:
        model = self.known[user]
        right = password == model["password"]
        if not right and model["failures"] >= MAX_FAILURES:
            return
        answer = self.log_in(model, password)
        if right and model["status"] == "Active":
            model["tokens"] = expect(answer, 200)
            return
        assert answer.status_code in {401, 403}, answer.text
        model["failures"] += 1

    @rule(user=users)
    def use_the_token(self, user: str) -> None:
        """Suspending and demoting act on the very next request."""
        model = self.known[user]
        if model["tokens"] is None:
            return
        client = self.organization.client(bearer=model["tokens"]["token"])
        seen = client.get(f"{self.organization.path}/work-orders").status_code
        assert seen == (200 if model["status"] == "Active" else 401) or (
            seen == 403 and model["status"] == "Suspended"
        )
        if model["status"] == "Active":
            wanted = 200 if model["role"] == "Administrator" else 403
            assert client.get(f"{self.organization.path}/api-keys").status_code == wanted
        client.close()

    @rule(target=users, user=consumes(users))
    def remove(self, user: str) -> Any:
        model = self.known[user]
        expect(self.organization.api.delete(self.path(user)), 200)
        expect(self.organization.api.get(self.path(user)), 404)
        if model["tokens"] is not None:
            client = self.organization.client(bearer=model["tokens"]["token"])
            assert client.get(f"{self.organization.path}/work-orders").status_code in {401, 403}
            client.close()
        del self.known[user]
        return multiple()

    @precondition(lambda self: not self.number)
    @rule(change=st.sampled_from([{"status": "Suspended"}, {"roleIds": []}]))
    def take_the_administrator_away(self, change: Json) -> None:
        """Refused unless another one could take over. Once in a run is enough."""
        self.number += 1
        others = [m for m in self.known.values() if m["role"] == "Administrator" and m["status"] == "Active"]
        if not others:
            expect(self.organization.api.patch(self.path(self.organization.user_id), json=change), 409)

    def teardown(self) -> None:
        for id, model in self.known.items():
            answer = self.organization.api.get(self.path(id))
            found = expect(answer, 200)
            assert (found["status"], found["roleIds"], answer.headers["ETag"]) == (
                model["status"],
                [self.roles[model["role"]]],
                model["etag"],
            )
            # So that the next run has one administrator again.
            expect(self.organization.api.delete(self.path(id)), 200)


def test_users_agree_with_the_model(unlimited_organization: Organization) -> None:
    # Passwords are hashed slowly on purpose: fewer examples take as long.
    slow = settings(BOUNDED, max_examples=MANY // 4 or 3, stateful_step_count=12)
    run(lambda: Users(unlimited_organization), slow)
