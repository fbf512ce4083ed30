"""What can be archived: the same two moves, lists and refusals, whatever the kind."""

from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.records.collection import Collection

KINDS = ("locations", "assets", "resources", "users")
UPDATED = {"locations": "location.updated", "assets": "asset.updated", "users": "user.updated"}
# Where the web app shows them, and by which name its pickers ask for them.
PAGES = {
    "locations": ("/app/locations", "/app/locations/list", "location"),
    "assets": ("/app/assets", "/app/assets", "asset"),
    "resources": ("/app/bookings/resources", "/app/bookings/resources", "resource"),
    "users": ("/app/settings/users", "/app/settings/users", "user"),
}


def _collection(organization: Organization, kind: str) -> Collection:
    return Collection(organization, kind)


def _new(organization: Organization, kind: str, name: str) -> dict[str, Any]:
    if kind == "users":
        return organization.new_user("Viewer", name=name, externalId=name)
    made: dict[str, Any] = getattr(organization, kind).create(name=name, externalId=name)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_archived_records_are_hidden_until_restored(organization: Organization, kind: str) -> None:
    found = _collection(organization, kind)
    kept, gone = (_new(organization, kind, name) for name in ("Kept in sight", "Gone from sight"))
    assert (kept["archivedAt"], gone["archivedAt"]) == (None, None)
    path = found.path_of(gone)
    stale = organization.api.get(path).headers["etag"]
    answer = organization.api.post(f"{path}/archive", headers={"If-Match": stale})
    assert answer.status_code == 200
    archived = data_of(answer)
    assert archived["archivedAt"] == archived["updated"] >= gone["created"]
    assert answer.headers["etag"] != stale
    refused = organization.api.post(f"{path}/restore", headers={"If-Match": stale})
    assert refused.status_code == 412

    assert found.ids(archived="false") == found.ids()
    for query in ({}, {"q": "sight"}, {"sort": "name"}, {"externalId": gone["externalId"]}):
        assert gone["id"] not in found.ids(**query)
        assert found.ids(**query, archived="true") == [gone["id"]], query
    assert kept["id"] in found.ids()
    for archive, seen in (("", False), ("?archived=true", True)):
        lines = organization.api.get(f"{found.path}.ndjson{archive}").text
        assert (gone["id"] in lines, kept["id"] in lines) == (seen, not seen)
    assert data_of(organization.api.get(path)) == archived
    assert data_of(organization.api.get(f"{found.path}/by-external-id/Gone from sight")) == archived

    again = organization.api.post(f"{path}/archive")
    assert (again.status_code, data_of(again)) == (200, archived)
    # What another system sends of it doesn't bring it back.
    sent = {name: archived[name] for name in ("email", "type", "assetTypeId") if name in archived}
    put = organization.api.put(
        f"{found.path}/by-external-id/Gone from sight", json={"name": "Renamed", **sent}
    )
    assert (put.status_code, data_of(put)["archivedAt"]) == (200, archived["archivedAt"])
    assert organization.api.patch(path, json={"archivedAt": None}).json()["details"] == [
        {"field": "archivedAt", "message": "is set by archive and restore, and can't be set by callers"}
    ]

    restored = found.move(gone, "restore", "restore")
    assert restored["archivedAt"] is None
    assert gone["id"] in found.ids()
    assert found.ids(archived="true") == []
    told = [e["data"] for e in organization.events(type=UPDATED[kind])] if kind in UPDATED else []
    moves = [
        (event["object"]["archivedAt"], event["previousAttributes"]["archivedAt"])
        for event in told
        if event["object"]["id"] == gone["id"] and "archivedAt" in event["previousAttributes"]
    ]
    at = archived["archivedAt"]
    assert moves == ([(at, None), (None, at)] if kind in UPDATED else [])


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_archives(organization: Organization, kind: str) -> None:
    found = _collection(organization, kind)
    made = [_new(organization, kind, name) for name in ("One", "Two")]
    items = [{"move": "archive", "id": made[0]["id"]}, {"move": "archive", "externalId": "Two"}]
    answer = organization.api.post(f"{found.path}/batch", json={"items": items, "atomic": True})
    assert data_of(answer)["failed"] == 0, answer.text
    assert found.ids(archived="true") == [made[1]["id"], made[0]["id"]]


@pytest.mark.parametrize("kind", KINDS)
def test_the_web_app_archives_and_restores(organization: Organization, kind: str) -> None:
    page, listing, picker = PAGES[kind]
    record = _new(organization, kind, "Sometimes there")
    browser = BrowserClient(organization.base_url)
    browser.log_in(organization.email)
    one = f"{page}/{record['id']}"

    def picked() -> bool:
        return record["id"] in browser.sees(f"/app/pick/{picker}?q=Sometimes")

    assert "/archive" in browser.sees(one)
    assert picked()
    assert browser.post(f"{one}/archive").status_code == 303
    shown = browser.sees(one)
    assert "<strong>Archived</strong>" in shown
    assert f'action="{one}/restore"' in shown
    assert (picked(), "Sometimes there" in browser.sees("/app/search?q=Sometimes")) == (False, False)
    assert record["id"] not in browser.sees(listing)
    assert record["id"] in browser.sees(f"{listing}?archived=true")
    assert browser.post(f"{one}/restore").status_code == 303
    assert record["id"] in browser.sees(listing)
    assert "<strong>Archived</strong>" not in browser.sees(one)
