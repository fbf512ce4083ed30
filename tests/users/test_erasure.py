"""A person can be forgotten: everywhere at once, for good, and without losing what they did."""

import asyncio
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization
from tests.users.test_api import try_to_log_in, user_path
from tests.visitors.test_erasure import stored_text

from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.users.erasure.jobs import erase_late_answers

ERASED = "Erased person"


class Person:
    """Somebody with an unusual name who reported a problem, was renamed, and was archived."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.made = organization.new_user("Technician", name="Xanthippe Quux")
        self.id, self.email = self.made["id"], self.made["email"]
        self.path = user_path(organization, self.made)
        organization.api.patch(self.path, json={"metadata": {"badge": "xq-77"}, "externalId": "HR-xq"})
        self.order = organization.work_orders.create("Lamp", reportedBy=self.id)

    def archives(self) -> "Person":
        assert self.organization.api.post(f"{self.path}/archive").status_code == 200
        return self

    def erases(self) -> dict[str, Any]:
        answer = self.organization.api.post(f"{self.path}/erase")
        erased: dict[str, Any] = data_of(answer)
        return erased


@pytest.fixture
def person(organization: Organization) -> Person:
    return Person(organization)


def test_records_keep_references_to_an_erased_person(organization: Organization, person: Person) -> None:
    erased = person.archives().erases()
    assert erased == {"id": person.id, "erasedAt": erased["erasedAt"]}
    user = data_of(organization.api.get(person.path))
    assert (user["name"], user["email"]) == (ERASED, f"{person.id}@erased.invalid")
    assert (user["externalId"], user["metadata"], user["roleIds"]) == (None, {}, [])
    assert user["erasedAt"] == erased["erasedAt"]
    assert organization.work_orders.read(person.order)["reportedBy"] == person.id
    browser = BrowserClient(organization.base_url)
    browser.log_in(organization.email)
    page = browser.sees(f"/app/work-orders/{person.order['id']}")
    assert ERASED in page
    assert "Xanthippe" not in page


def test_nothing_of_the_person_is_left_in_any_table(organization: Organization, person: Person) -> None:
    assert organization.log_in(person.email)["token"]
    known = ("xanthippe", "quux", person.email.lower(), "xq-77", "hr-xq")
    before = stored_text(organization).lower()
    assert [word for word in known if word not in before] == []
    person.archives().erases()
    after = stored_text(organization).lower()
    assert [word for word in known if word in after] == []
    assert person.id in after
    accounts = organization.sql("SELECT email FROM accounts WHERE lower(email) = $1", person.email.lower())
    assert not accounts


def test_erasure_removes_the_person_from_events_and_writes_an_event(
    organization: Organization, person: Person
) -> None:
    person.archives()
    before = [event for event in organization.events() if event["data"]["object"]["id"] == person.id]
    erased = person.erases()
    *after, last = [event for event in organization.events() if event["data"]["object"]["id"] == person.id]
    assert (last["type"], last["data"]) == ("user.erased", {"object": erased})
    assert [event["type"] for event in after] == [event["type"] for event in before]
    for event in after:
        shown = event["data"]["object"]
        assert (shown["name"], shown["email"]) == (ERASED, f"{person.id}@erased.invalid")
        assert (shown["externalId"], shown["metadata"]) == (None, {})


def test_only_archived_or_removed_users_can_be_erased(organization: Organization, person: Person) -> None:
    refused = organization.api.post(f"{person.path}/erase")
    assert (refused.status_code, "archive" in refused.json()["message"]) == (409, True)
    erased = person.archives().erases()
    assert person.erases() == erased
    assert [event["type"] for event in organization.events()].count("user.erased") == 1
    for again in (
        organization.api.post(f"{person.path}/restore"),
        organization.api.patch(person.path, json={"name": "Xanthippe Quux"}),
    ):
        assert again.status_code == 409
    assert organization.api.post(f"{organization.path}/users/usr_0/erase").status_code == 404


def test_a_removed_user_is_erased_from_events(organization: Organization) -> None:
    made = organization.new_user("Viewer", name="Xanthippe Quux")
    path = user_path(organization, made)
    assert organization.api.delete(path).status_code == 200
    assert "Xanthippe" in stored_text(organization)
    erased = data_of(organization.api.post(f"{path}/erase"))
    assert erased["id"] == made["id"]
    assert "xanthippe" not in stored_text(organization).lower()
    assert data_of(organization.api.post(f"{path}/erase")) == erased


def _joined(organization: Organization, name: str) -> dict[str, Any]:
    """Somebody who accepted an invitation."""
    email = f"xq.{organization.id}@example.com"
    invitation = {"email": email, "name": name, "roleIds": []}
    invited = data_of(organization.api.post(f"{organization.path}/users/invitations", json=invitation))
    BrowserClient(organization.base_url).joins(invited["link"], PASSWORD)
    users = data_of(organization.api.get(f"{organization.path}/users", params={"email": email}))
    return next(user for user in users if user["email"] == email)


@pytest.mark.parametrize("end", ["archived", "removed"])
def test_the_invitation_of_the_person_is_erased_from_events(organization: Organization, end: str) -> None:
    person = _joined(organization, "Xanthippe Quux")
    path = user_path(organization, person)
    left = organization.api.post(f"{path}/archive") if end == "archived" else organization.api.delete(path)
    assert left.status_code == 200
    assert "xanthippe" in stored_text(organization).lower()
    data_of(organization.api.post(f"{path}/erase"))
    after = stored_text(organization).lower()
    assert [word for word in ("xanthippe", "quux", person["email"].lower()) if word in after] == []
    [told] = [event for event in organization.events() if event["type"] == "invitation.created"]
    shown = told["data"]["object"]
    assert (shown["name"], shown["email"]) == (ERASED, f"{person['id']}@erased.invalid")


def test_removing_a_user_withdraws_open_invitations_with_an_event(
    organization: Organization,
) -> None:
    made = organization.new_user("Viewer", name="Xanthippe Quux")
    assert organization.api.delete(user_path(organization, made)).status_code == 200
    body = {"email": made["email"], "name": "Xanthippe Quux", "roleIds": []}
    invited = data_of(organization.api.post(f"{organization.path}/users/invitations", json=body))
    data_of(organization.api.post(f"{user_path(organization, made)}/erase"))
    assert data_of(organization.api.get(f"{organization.path}/users/invitations")) == []
    told = [event["data"]["object"] for event in organization.events() if "invitation" in event["type"]]
    assert told[-1] == {"id": invited["id"], "deleted": True}
    assert "xanthippe" not in stored_text(organization).lower()


def test_bookings_count_the_person_among_their_attendees_without_a_name(
    organization: Organization, person: Person
) -> None:
    coming = [
        {"email": "first@example.com", "name": "First"},
        {"email": person.email.upper(), "name": "Xanthippe Quux"},
        {"email": "last@example.com", "name": None},
    ]
    start = clock.now() + 3600
    booking = organization.bookings.book(
        organization.resources.create(), start, start + 3600, attendees=coming
    )
    weser = organization.resources.create(name="Room Weser")
    other = organization.bookings.book(weser, start, start + 3600, attendees=coming[:1])
    person.archives().erases()
    erased = {"email": f"{person.id}@erased.invalid", "name": ERASED}
    assert organization.bookings.read(booking)["attendees"] == [coming[0], erased, coming[2]]
    assert organization.bookings.read(other) == other
    assert person.email.lower() not in stored_text(organization).lower()


def test_a_user_with_more_permissions_cannot_be_erased(organization: Organization) -> None:
    manager = organization.new_user("Manager")
    path = user_path(organization, manager)
    assert organization.api.post(f"{path}/archive").status_code == 200
    key = organization.client(key=organization.new_key("users:write")["secret"])
    refused = key.post(f"{path}/erase")
    assert (refused.status_code, "lack" in refused.json()["message"]) == (403, True)
    reader = organization.client(key=organization.new_key("users:read")["secret"])
    assert reader.post(f"{path}/erase").status_code == 403


def test_a_repeated_request_does_not_bring_the_person_back(organization: Organization) -> None:
    body = {"email": f"xq.{organization.id}@example.com", "name": "Xanthippe Quux", "password": PASSWORD}
    path, headers = f"{organization.path}/users", {"Idempotency-Key": "one"}
    batch = {"items": [{"create": {**body, "email": f"2.{body['email']}", "name": "Somebody else"}}]}
    invitation = {"email": f"3.{body['email']}", "name": "Third", "roleIds": []}
    made = data_of(organization.api.post(path, json=body, headers=headers))
    other = {"Idempotency-Key": "two"}
    kept = organization.api.post(f"{path}/batch", json=batch, headers=other)
    invited = {"Idempotency-Key": "three"}
    assert organization.api.post(f"{path}/invitations", json=invitation, headers=invited).status_code == 201
    order = {"title": "x", "reportedBy": made["id"]}
    orders, reported = f"{organization.path}/work-orders", {"Idempotency-Key": "four"}
    first = organization.api.post(orders, json=order, headers=reported)
    assert organization.api.post(f"{path}/{made['id']}/archive").status_code == 200
    assert organization.api.post(f"{path}/{made['id']}/erase").status_code == 200
    again = organization.api.post(path, json=body, headers=headers)
    assert (again.status_code, "Xanthippe" in again.text) == (410, False)
    assert organization.api.post(f"{path}/batch", json=batch, headers=other).json() == kept.json()
    assert organization.api.post(orders, json=order, headers=reported).json() == first.json()
    assert organization.api.post(f"{path}/invitations", json=invitation, headers=invited).status_code == 201


def test_an_erased_user_cannot_log_in_and_can_be_invited_again(
    organization: Organization, person: Person
) -> None:
    person.archives().erases()
    assert try_to_log_in(organization, person.email).status_code == 401
    body = {"email": person.email, "name": "Xanthippe again", "password": PASSWORD, "roleIds": []}
    made = organization.api.post(f"{organization.path}/users", json=body)
    assert made.status_code == 201
    assert data_of(made)["id"] != person.id


def test_an_account_stays_with_other_organizations(
    organization: Organization, other_organization: Organization, person: Person
) -> None:
    browser = BrowserClient(organization.base_url)
    browser.log_in(person.email)
    invited = other_organization.api.post(
        f"{other_organization.path}/users/invitations",
        json={"email": person.email, "name": "X. Quux", "roleIds": []},
    )
    browser.joins(data_of(invited)["link"], "another password of mine", old=PASSWORD)
    person.archives().erases()
    assert "X. Quux" in stored_text(other_organization)
    assert "xanthippe" not in stored_text(organization).lower()
    assert try_to_log_in(organization, person.email, "another password of mine").status_code == 200


@pytest.mark.parametrize("end", ["archived", "removed"])
def test_answers_of_receivers_about_an_erased_person_are_deleted(
    organization: Organization, end: str
) -> None:
    """At once, and once more when nothing that was under way at the time can still be answered."""
    body = {"url": "https://users.invalid/", "events": ["user.*", "invitation.created"]}
    webhook = data_of(organization.api.post(f"/v2{organization.path}/webhooks", json=body))["webhookId"]
    log = f"/v2{organization.path}/webhooks/{webhook}/deliveries"
    path = user_path(organization, _joined(organization, "Xanthippe Quux"))
    left = organization.api.post(f"{path}/archive") if end == "archived" else organization.api.delete(path)
    assert left.status_code == 200

    def answers(number: int) -> None:
        organization.sql(
            """INSERT INTO delivery_attempts
               SELECT organization_id, id, $2, 1, 5, 500, 'http_status', 'Hello Xanthippe' FROM deliveries
               WHERE organization_id = $1""",
            organization.id,
            number,
        )

    def told() -> set[str | None]:
        found = [one for one in data_of(organization.api.get(log)) if one["eventType"] != "user.erased"]
        logs = [data_of(organization.api.get(f"{log}/{one['id']}"))["attemptLog"] for one in found]
        return {attempts[-1]["response"] for attempts in logs}

    async def forget(now: int) -> None:
        pool = Pool(organization.database_url, 2)
        await erase_late_answers(pool, now)
        await pool.close()

    answers(97)
    assert told() == {"Hello Xanthippe"}
    erased_at = data_of(organization.api.post(f"{path}/erase"))["erasedAt"]
    assert told() == {None}
    answers(98)
    asyncio.run(forget(erased_at + 119))
    assert told() == {"Hello Xanthippe"}
    asyncio.run(forget(erased_at + 120))
    assert told() == {None}
