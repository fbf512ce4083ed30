"""Every operation that reads, called by a requester's key and by a key with each single permission: whose records each sees.

The rows come from the document. Two people have a record of each kind that somebody can own; what belongs to the other, to the team
or to another system is in no answer that a narrow permission opens.
"""

import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.live_events import live_events
from tests.support.organizations import Organization, close_clients
from tests.support.service import Service

from steward.kit.security.permissions import WIDER, Permission
from steward.roles.model import BUILT_IN
from steward.wiring.routes import api_document

DOCUMENT = api_document()
READING = {
    f"GET {path}": methods["get"]
    for path, methods in DOCUMENT["paths"].items()
    if "get" in methods and methods["get"]["security"]
}
REQUESTER = sorted(BUILT_IN["Requester"][1])
# What must never be seen with a narrow permission: words of the other person's records, of the team and of a sync.
OTHERS, TEAM, SYNC = "Someone elses secret", "Among the team only", "SYNC-4711"
OWN = "My very own"
# In the name of one record of each kind that the search of the web app finds.
QUARTZ = "Quartz"
SEARCHED = {
    "work-orders": {"title": f"{QUARTZ} order"},
    "assets": {"name": f"{QUARTZ} asset"},
    "locations": {"name": f"{QUARTZ} place", "type": "Site"},
    "visitors": {"name": f"{QUARTZ} visitor"},
    "resources": {"name": f"{QUARTZ} room", "type": "Room"},
    "forms": {"name": f"{QUARTZ} form"},
    "decks": {"title": f"{QUARTZ} deck"},
    "sor/schedules": {"name": f"{QUARTZ} schedule"},
    "users": {"name": f"{QUARTZ} person"},
}


class World:
    """Two people with the Requester role, each with an order, a booking and a submission; those of the first are synced."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.room = organization.created("resources", {"name": "Room", "type": "Room"})["id"]
        asked = [{"key": "what", "label": "What?", "type": "text"}]
        self.form = organization.created("forms", {"name": "Round", "fields": asked})["id"]
        assert organization.api.post(f"{organization.path}/forms/{self.form}/publish").status_code == 200
        draft = organization.created("forms", {"name": OTHERS, "fields": asked})["id"]
        self.user = organization.new_user(roleIds=organization.role_ids("Requester"))
        other = organization.new_user(roleIds=organization.role_ids("Requester"))
        self.slots = iter(range(1, 100))
        self.own = self._records(self.user["email"], OWN)
        self.foreign = {**self._records(other["email"], OTHERS), "draftId": draft}
        self._sync()
        self._role = organization.created("roles", {"name": "Changing"})["id"]
        self.client = organization.client(bearer=organization.log_in(self.user["email"])["token"])
        path = f"{organization.path}/users/{self.user['id']}"
        assert organization.api.patch(path, json={"roleIds": [self._role]}).status_code == 200

    def may(self, held: Sequence[str]) -> None:
        """What the owner of the first records may do from now on."""
        path = f"{self.organization.path}/roles/{self._role}"
        assert self.organization.api.patch(path, json={"permissions": held}).status_code == 200

    def _records(self, email: str, words: str) -> dict[str, str]:
        path = self.organization.path
        client = self.organization.client(bearer=self.organization.log_in(email)["token"])

        def made(where: str, body: dict[str, Any]) -> str:
            id: str = data_of(client.post(f"{path}/{where}", json=body))["id"]
            return id

        start = int(time.time()) + next(self.slots) * 86_400
        slot = {"resourceId": self.room, "startTime": start, "endTime": start + 3600}
        order = made("work-orders", {"title": words})
        return {
            "workOrderId": order,
            "commentId": made(f"work-orders/{order}/comments", {"text": words}),
            "bookingId": made("bookings", {**slot, "title": words}),
            "submissionId": made(f"forms/{self.form}/submissions", {"answers": {"what": words}}),
        }

    def _sync(self) -> None:
        """What other systems and the team keep on the first person's records."""
        api, path = self.organization.api, self.organization.path
        fields = {"externalId": SYNC, "metadata": {"known": SYNC}}
        for where, name in (("work-orders", "workOrderId"), ("bookings", "bookingId")):
            assert api.patch(f"{path}/{where}/{self.own[name]}", json=fields).status_code == 200
        assert api.patch(f"{path}/resources/{self.room}", json=fields).status_code == 200
        said = api.post(f"{path}/work-orders/{self.own['workOrderId']}/comments", json={"text": TEAM})
        self.team_comment = data_of(said)["id"]

    def path(self, name: str, ids: dict[str, str]) -> str:
        known = {
            "orgId": self.organization.id,
            "resourceId": self.room,
            "formId": self.form,
            "version": "1",
            **ids,
        }
        template = name.split(" ", 1)[1]
        query = f"?from={int(time.time())}" if template.endswith("/availability") else ""
        if template.endswith("/resources/free"):
            query = "?from=1900000000&to=1900003600"
        return re.sub(r"{(\w+)}", lambda found: known.get(found[1], "xxx_0"), template) + query


@pytest.fixture(scope="module")
def world(running_service: Service) -> Iterator[World]:
    api = running_service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="100000")
    yield World(Organization(api.base_url, running_service.database_url, "Enterprise"))
    close_clients()
    running_service.stop_others()


def _opened_by(held: list[str]) -> set[str]:
    """What the document says that these permissions open."""
    opened = set()
    for name, operation in READING.items():
        needed = operation["description"].rpartition("Needs the permission")[2]
        if set(re.findall(r"`([a-z-]+:[a-z-]+)`", needed)) & set(held):
            opened.add(name)
    return opened


def _answers(world: World, held: list[str], ids: dict[str, str]) -> dict[str, tuple[int, str]]:
    world.may(held)
    answers = {name: world.client.get(world.path(name, ids)) for name in READING}
    return {name: (answer.status_code, answer.text) for name, answer in answers.items()}


@pytest.mark.parametrize("held", [[permission] for permission in Permission] + [REQUESTER], ids=" ".join)
def test_a_permission_opens_its_own_pages_and_own_records(world: World, held: list[str]) -> None:
    answers = _answers(world, held, world.own)
    opened = {name for name, (status, _) in answers.items() if status != 403}
    assert opened == _opened_by(held)
    if not set(held) <= {*WIDER, *REQUESTER}:
        return
    told = {name: text for name, (_, text) in answers.items() if name in opened}
    for words in (OTHERS, TEAM, SYNC):
        assert [name for name, text in told.items() if words in text] == [], words
    if set(held) & set(WIDER):
        assert any(OWN in text for text in told.values())


@pytest.mark.parametrize("held", [[narrow] for narrow in WIDER] + [REQUESTER], ids=" ".join)
def test_records_of_others_are_hidden_or_anonymized(world: World, held: list[str]) -> None:
    answers = _answers(world, held, world.foreign)
    for name, (status, text) in answers.items():
        assert OTHERS not in text, name
        if re.search(r"{(workOrderId|commentId|submissionId)}", name):
            assert status in {403, 404}, name
    mixed = {**world.own, "commentId": world.team_comment, "formId": world.foreign["draftId"]}
    for name, (status, text) in _answers(world, held, mixed).items():
        assert not any(words in text for words in (OTHERS, TEAM, SYNC)), name
        if re.search(r"{(commentId)}|/forms/{formId}$", name):
            assert status in {403, 404}, name


def test_counts_and_searches_cover_visible_records_only(world: World) -> None:
    world.may(REQUESTER)
    organization, client = world.organization, world.client
    (order,) = data_of(client.get(f"{organization.path}/work-orders"))
    assert (order["commentCount"], order["reporterCommentCount"]) == (1, 1)
    for kind in ("work-orders", "forms"):
        for words in (OTHERS, TEAM, SYNC):
            assert data_of(client.get(f"{organization.path}/{kind}", params={"q": words})) == [], (
                kind,
                words,
            )
    for kind in ("work-orders", "bookings", "resources", "resources.csv"):
        refused = client.get(f"{organization.path}/{kind}", params={"externalId": SYNC})
        assert refused.status_code == 403
    browser = BrowserClient(organization.base_url)
    assert browser.log_in(world.user["email"]).status_code == 303
    rooms = (
        "/app/bookings/resources",
        "/app/bookings/resources.csv",
        f"/app/bookings/resources/{world.room}",
    )
    for address in (
        "/app",
        "/app/work-orders",
        "/app/forms",
        "/app/bookings/list",
        "/app/search?q=own",
        *rooms,
    ):
        shown = browser.sees(address)
        assert not any(words in shown for words in (OTHERS, TEAM, SYNC)), address


@pytest.fixture(scope="module")
def quartz(world: World) -> BrowserClient:
    """Where there is one of everything to find, by somebody else."""
    organization = world.organization
    kind = data_of(organization.api.get(f"/v2{organization.path}/asset-types"))[0]["id"]
    for where, body in SEARCHED.items():
        if where == "users":
            organization.new_user("Viewer", **body)
        else:
            organization.created(where, body | ({"assetTypeId": kind} if where == "assets" else {}))
    browser = BrowserClient(organization.base_url)
    assert browser.log_in(world.user["email"]).status_code == 303
    return browser


@pytest.mark.parametrize("held", [[permission] for permission in Permission] + [REQUESTER], ids=" ".join)
def test_search_and_lists_show_the_same_for_each_permission(
    world: World, quartz: BrowserClient, held: list[str]
) -> None:
    world.may(held)
    names = {where: body.get("name") or body["title"] for where, body in SEARCHED.items()}
    listed = set()
    for where, name in names.items():
        answer = world.client.get(f"{world.organization.path}/{where}", params={"q": QUARTZ})
        assert answer.status_code in {200, 403}
        if name in answer.text:
            listed.add(where)
    shown = quartz.sees(f"/app/search?q={QUARTZ}")
    assert {where for where, name in names.items() if name in shown} == listed


def test_live_updates_cover_own_and_visible_records_only(world: World) -> None:
    world.may(REQUESTER)
    organization = world.organization
    browser = BrowserClient(organization.base_url)
    assert browser.log_in(world.user["email"]).status_code == 303
    topics = "work-orders,bookings,alerts,assets,visitors,quotations,schedules"
    with live_events(browser, f"?topics={topics}") as events:
        organization.created("visitors", {"name": OTHERS})
        orders = f"{organization.path}/work-orders"
        said = {"text": TEAM}
        for id in (world.foreign["workOrderId"], world.own["workOrderId"]):
            assert organization.api.post(f"{orders}/{id}/comments", json=said).status_code == 201
        own = f"{orders}/{world.own['workOrderId']}"
        assert organization.api.patch(own, json={"priority": "High"}).status_code == 200
        assert events.next() == ("work-orders", {"ids": [world.own["workOrderId"]]})
