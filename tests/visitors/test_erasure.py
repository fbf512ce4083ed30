"""A visitor can be forgotten: everywhere at once, for good, and without losing the visit."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.records.visitors import ADA

from steward.kit.db.pool import Pool
from steward.kit.events.erasure import without
from steward.visitors.jobs import erase_late_answers
from steward.visitors.rules import BLANKS

NOTHING = dict.fromkeys(ADA)
# What events show of a person, and what stands there once that is erased.
PERSONAL: dict[str, Any] = {"name": None, "email": None, "company": None, "externalId": None, "metadata": {}}


def erase(organization: Organization, visitor: dict[str, Any]) -> None:
    answer = organization.api.delete(f"{organization.visitors.path}/{visitor['id']}")
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"data": {"deleted": True}}


def stored_text(organization: Organization) -> str:
    """Every row that the organization has, in every table."""

    async def read() -> str:
        connection = await asyncpg.connect(organization.database_url)
        tables = await connection.fetch(
            """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
               WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                 AND NOT c.relispartition AND a.attname = 'organization_id'"""
        )
        found = []
        for (table,) in tables:
            body = ", convert_from(body, 'UTF8')" if table == "events" else ""
            rows = await connection.fetch(
                f"SELECT t::text{body} FROM {table} t WHERE organization_id = $1", organization.id
            )
            found += ["\n".join(str(value) for value in row) for row in rows]
        await connection.close()
        return "\n".join(found)

    return asyncio.run(read())


@pytest.mark.parametrize("status", ["Registered", "CheckedOut", "Cancelled"])
def test_an_erased_visitor_keeps_the_visit_and_loses_the_person(
    organization: Organization, status: str
) -> None:
    visitor = organization.visitors.create_in_status(status)
    erase(organization, visitor)
    erased = organization.visitors.read(visitor)
    assert erased == {**visitor, **NOTHING, "erasedAt": erased["erasedAt"], "updated": erased["erasedAt"]}
    assert erased["erasedAt"] >= visitor["created"]
    assert organization.visitors.listed() == [erased]
    assert organization.visitors.listed(status=status) == [erased]


def test_nothing_of_the_person_is_left_in_any_table(organization: Organization) -> None:
    visitor = organization.visitors.create_in_status("CheckedOut")
    known = [value.split()[-1].lower() for value in ADA.values()]
    before = stored_text(organization).lower()
    assert all(word in before for word in known)
    erase(organization, visitor)
    after = stored_text(organization).lower()
    assert [word for word in known if word in after] == []
    assert visitor["id"] in after


def test_erasure_removes_only_the_person_from_stored_events(organization: Organization) -> None:
    visitor = organization.visitors.create_in_status("CheckedOut")
    bystander = organization.visitors.create(name="Grace Hopper")
    before = organization.events()
    erase(organization, visitor)
    *after, last = organization.events()
    assert len(after) == 4
    assert last["type"] == "visitor.erased"
    assert last["data"] == {
        "object": {
            "id": visitor["id"],
            "locationId": None,
            "status": "CheckedOut",
            "erasedAt": last["created"],
            "created": visitor["created"],
        }
    }
    for old, new in zip(before, after, strict=True):
        shown = old["data"]["object"]
        about_visitor = shown["id"] == visitor["id"]
        gone = {name: value for name, value in PERSONAL.items() if about_visitor and name in shown}
        assert new == {**old, "data": {**old["data"], "object": {**shown, **gone}}}
        assert bool(gone) == about_visitor
        assert data_of(organization.api.get(f"/v2{organization.path}/events/{new['id']}")) == new
    assert after[-1]["data"]["object"]["name"] == "Grace Hopper"
    assert organization.visitors.read(bystander) == bystander


class Receiver:
    """Receives events of visitors, and returns them in its answers."""

    def __init__(self, organization: Organization) -> None:
        self._org = organization
        body = {"url": "https://visitors.invalid/", "events": ["visitor.*"]}
        answer = self._org.api.post(f"/v2{self._org.path}/webhooks", json=body)
        self._path = f"/v2{self._org.path}/webhooks/{data_of(answer)['webhookId']}/deliveries"

    def answers(self, number: int) -> None:
        """To everything so far, as if that were the attempt with this number; a worker may have noted others meanwhile."""

        async def note() -> None:
            connection = await asyncpg.connect(self._org.database_url)
            await connection.executemany(
                "INSERT INTO delivery_attempts VALUES ($1, $2, $3, 1, 5, 500, 'http_status', 'Ada and Grace')",
                [(self._org.id, id, number) for id in self._deliveries().values()],
            )
            await connection.close()

        asyncio.run(note())

    def noted(self) -> dict[str, str | None]:
        """What stands in the log of each event as the last answer."""
        logs = {
            event_id: data_of(self._org.api.get(f"{self._path}/{id}"))["attemptLog"]
            for event_id, id in self._deliveries("visitor.erased").items()
        }
        assert {log[-1]["statusCode"] for log in logs.values()} == {500}
        return {event_id: log[-1]["response"] for event_id, log in logs.items()}

    def _deliveries(self, without: str = "") -> dict[str, str]:
        found = data_of(self._org.api.get(self._path))
        return {one["eventId"]: one["id"] for one in found if one["eventType"] != without}


@pytest.fixture
def told(organization: Organization) -> tuple[Receiver, dict[str, Any], dict[str, str | None]]:
    """A receiver, a visitor of whom it has heard, and what is to be left of its answers once that visitor is erased."""
    receiver = Receiver(organization)
    visitor, _bystander = (
        organization.visitors.create_in_status("CheckedOut"),
        organization.visitors.create(name="Grace Hopper"),
    )
    left = {
        event["id"]: None if event["data"]["object"]["id"] == visitor["id"] else "Ada and Grace"
        for event in organization.events(type="visitor.*")
    }
    assert len(set(left.values())) == 2
    return receiver, visitor, left


def test_answers_of_receivers_about_an_erased_person_are_deleted(
    organization: Organization, told: tuple[Receiver, dict[str, Any], dict[str, str | None]]
) -> None:
    receiver, visitor, left = told
    receiver.answers(98)
    erase(organization, visitor)
    assert receiver.noted() == left


def test_idempotent_answers_of_running_requests_are_erased_too(
    organization: Organization, told: tuple[Receiver, dict[str, Any], dict[str, str | None]]
) -> None:
    receiver, visitor, left = told
    erase(organization, visitor)
    receiver.answers(99)
    erased_at = organization.visitors.read(visitor)["erasedAt"]

    async def forget(now: int) -> None:
        pool = Pool(organization.database_url, 2)
        await erase_late_answers(pool, now)
        await pool.close()

    # Other answers may still come: one look, when none can come any more, is enough.
    asyncio.run(forget(erased_at + 119))
    assert set(receiver.noted().values()) == {"Ada and Grace"}
    asyncio.run(forget(erased_at + 120))
    assert receiver.noted() == left


def test_an_erased_visitor_is_not_found_by_name(organization: Organization) -> None:
    visitor = organization.visitors.create()
    assert organization.visitors.listed(q="lovelace") == [visitor]
    erase(organization, visitor)
    assert organization.visitors.listed(q="lovelace") == []
    assert organization.visitors.listed(q="engines") == []


def test_erasing_again_changes_nothing(organization: Organization) -> None:
    visitor = organization.visitors.create()
    erase(organization, visitor)
    erased = organization.visitors.read(visitor)
    erase(organization, visitor)
    assert organization.visitors.read(visitor) == erased
    assert len(organization.events(type="visitor.erased")) == 1


def test_a_visitor_on_site_is_not_erased(organization: Organization) -> None:
    visitor = organization.visitors.create_in_status("CheckedIn")
    answer = organization.api.delete(f"{organization.visitors.path}/{visitor['id']}")
    assert answer.status_code == 409
    assert answer.json()["message"] == "A visitor that is CheckedIn can't be erased; check them out first."
    assert organization.visitors.listed(status="CheckedIn") == [visitor]


def test_personal_data_cannot_be_added_to_an_erased_registration(organization: Organization) -> None:
    visitor = organization.visitors.create()
    erase(organization, visitor)
    erased = organization.visitors.read(visitor)
    path = f"{organization.visitors.path}/{visitor['id']}"
    for answer in (
        organization.api.patch(path, json={"name": "Ada Lovelace"}),
        organization.api.post(f"{path}/check-in"),
    ):
        assert answer.status_code == 409
        assert answer.json()["message"] == "This visitor has been erased; register them anew."
    cancelled = organization.visitors.move(visitor, "cancel")
    assert cancelled == {**erased, "status": "Cancelled", "updated": cancelled["updated"]}


def test_a_check_in_during_erasure_either_wins_or_loses(organization: Organization) -> None:
    api = organization.api
    for _ in range(5):
        path = f"{organization.visitors.path}/{organization.visitors.create()['id']}"
        with ThreadPoolExecutor(2) as threads:
            erasing, arriving = threads.submit(api.delete, path), threads.submit(api.post, f"{path}/check-in")
        visitor = data_of(api.get(path))
        outcome = (erasing.result().status_code, arriving.result().status_code)
        assert outcome in {(200, 409), (409, 200)}
        assert (visitor["erasedAt"] is None) == (outcome == (409, 200))
        told = [e for e in organization.events() if e["data"]["object"]["id"] == visitor["id"]]
        assert {event["data"]["object"].get("name") for event in told} == {visitor["name"]}


def test_the_tables_refuse_an_erased_visitor_with_a_name(organization: Organization) -> None:
    visitor = organization.visitors.create()
    erase(organization, visitor)

    async def write() -> None:
        connection = await asyncpg.connect(organization.database_url)
        try:
            await connection.execute(
                "UPDATE visitors SET name = 'Ada' WHERE organization_id = $1 AND id = $2",
                organization.id,
                visitor["id"],
            )
        finally:
            await connection.close()

    with pytest.raises(asyncpg.CheckViolationError):
        asyncio.run(write())


VALUES = st.none() | st.text(max_size=8) | st.integers(-(2**53), 2**53)
PARTS = st.dictionaries(st.sampled_from([*PERSONAL, "id", "status", "hostId", "created"]), VALUES)


@given(PARTS, st.none() | PARTS)
def test_erasure_keeps_the_shape_of_events(shown: dict[str, Any], previous: dict[str, Any] | None) -> None:
    data = {"object": shown} if previous is None else {"object": shown, "previousAttributes": previous}
    body = json.dumps({"id": "evt_1", "data": data, "livemode": True}).encode()
    rewritten = json.loads(without(body, BLANKS))
    assert list(rewritten) == ["id", "data", "livemode"]
    for part, values in data.items():
        assert rewritten["data"][part] == {k: PERSONAL.get(k, v) for k, v in values.items()}
        assert list(rewritten["data"][part]) == list(values)
    assert without(without(body, BLANKS), BLANKS) == without(body, BLANKS)


def test_a_repeated_request_does_not_bring_the_person_back(organization: Organization) -> None:
    """Neither in its answer nor by being done again."""
    path = organization.visitors.path
    single = {"name": "Ada Lovelace", "email": "ada@example.com"}
    batch = {"items": [{"create": single}, {"create": {"name": "Grace Hopper"}}]}

    def asks(rest: str, body: dict[str, Any], key: str) -> httpx.Response:
        return organization.api.post(f"{path}{rest}", json=body, headers={"Idempotency-Key": key})

    made = data_of(asks("", single, "one"))
    several = data_of(asks("/batch", batch, "many"))["results"]
    moved = asks(f"/{made['id']}/cancel", {}, "move")
    assert moved.status_code == 200
    bystander = data_of(asks("", {"name": "Grace Hopper"}, "other"))
    for visitor in (made, several[0]["data"]):
        erase(organization, visitor)
    before = organization.visitors.listed()
    for answer, id in (
        (asks("", single, "one"), made["id"]),
        (asks("/batch", batch, "many"), several[0]["data"]["id"]),
        (asks(f"/{made['id']}/cancel", {}, "move"), made["id"]),
    ):
        assert (answer.status_code, answer.json()["error"]) == (410, "Gone")
        assert id in answer.json()["message"]
        assert "Lovelace" not in answer.text
    again = asks("", {"name": "Grace Hopper"}, "other")
    assert (again.status_code, data_of(again)) == (201, bystander)
    assert asks("", {"name": "Somebody else"}, "one").status_code == 422
    assert organization.visitors.listed() == before
