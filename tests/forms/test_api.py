import csv
import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.forms.helpers import ROUND
from tests.support.answers import data_of
from tests.support.organizations import Organization

Form = dict[str, Any]
Move = Callable[..., Form]


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["message"]


def fields_refused(answer: httpx.Response) -> list[str]:
    refused(answer, 422)
    return [detail["field"] for detail in answer.json()["details"]]


def whole(field: dict[str, Any]) -> dict[str, Any]:
    """A field as it is shown: with everything that was left out."""
    return {"required": False, "options": None, "min": None, "max": None, **field}


def test_a_new_form_is_a_draft_that_can_be_read_and_is_listed(organization: Organization) -> None:
    answer = organization.api.post(
        f"{organization.path}/forms", json={"name": "Round", "description": "Weekly", "fields": ROUND}
    )
    assert answer.status_code == 201
    form = data_of(answer)
    assert form == {
        "id": form["id"],
        "name": "Round",
        "description": "Weekly",
        "status": "Draft",
        "version": 0,
        "fields": [whole(field) for field in ROUND],
        "created": form["created"],
        "updated": form["created"],
    }
    assert form["id"].startswith("frm_")
    assert answer.headers["location"] == f"{organization.path}/forms/{form['id']}"
    read = organization.api.get(answer.headers["location"])
    assert read.json() == {"data": form}
    assert read.headers["etag"] == answer.headers["etag"]
    assert organization.api.get(f"{organization.path}/forms").json() == {
        "data": [form],
        "lastEvaluatedKey": None,
    }


def test_a_form_may_begin_without_fields(organization: Organization) -> None:
    assert organization.created("forms", {"name": "Empty"})["fields"] == []


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["name"]),
        ({"name": " "}, ["name"]),
        ({"name": "x", "status": "Published"}, ["status"]),
        ({"name": "x", "fields": [{"key": "a", "label": "A"}]}, ["fields[0].type"]),
        ({"name": "x", "fields": [{"key": "a", "label": "A", "type": "photo"}]}, ["fields[0].type"]),
        ({"name": "x", "fields": [{"key": "a b", "label": "A", "type": "text"}]}, ["fields[0].key"]),
        ({"name": "x", "fields": [{"key": "a", "label": "A", "type": "text", "x": 1}]}, ["fields[0].x"]),
        ({"name": "x", "fields": [{"key": "a", "label": "A", "type": "select"}]}, ["fields[0].options"]),
        (
            {
                "name": "x",
                "fields": [
                    {"key": "a", "label": "A", "type": "number", "min": 2, "max": 1},
                    {"key": "a", "label": "A", "type": "text", "options": ["x"]},
                ],
            },
            ["fields[0].max", "fields[1].key", "fields[1].options"],
        ),
        ({"name": "x", "fields": [whole({"key": "a", "label": "A", "type": "text"})] * 201}, ["fields"]),
    ],
)
def test_a_malformed_form_is_refused_by_field(
    organization: Organization, body: dict[str, Any], fields: list[str]
) -> None:
    assert fields_refused(organization.api.post(f"{organization.path}/forms", json=body)) == fields


def test_a_form_can_be_changed_and_cleared(organization: Organization, draft: Form) -> None:
    path = f"{organization.path}/forms/{draft['id']}"
    changed = data_of(organization.api.patch(path, json={"name": "Exit round", "description": "Weekly"}))
    assert changed == {**draft, "name": "Exit round", "description": "Weekly", "updated": changed["updated"]}
    cleared = data_of(organization.api.patch(path, json={"description": None, "fields": []}))
    assert (cleared["description"], cleared["fields"], cleared["name"]) == (None, [], "Exit round")
    assert fields_refused(organization.api.patch(path, json={"name": None})) == ["name"]
    wrong = [{"key": "a", "label": "A", "type": "text", "min": 1}]
    assert fields_refused(organization.api.patch(path, json={"fields": wrong})) == ["fields[0].min"]
    assert data_of(organization.api.get(path)) == cleared


def test_a_change_needs_the_version_last_seen_where_it_names_one(
    organization: Organization, draft: Form
) -> None:
    path = f"{organization.path}/forms/{draft['id']}"
    tag = organization.api.get(path).headers["etag"]
    assert organization.api.patch(path, json={"name": "One"}, headers={"If-Match": tag}).status_code == 200
    for answer in (
        organization.api.patch(path, json={"name": "Two"}, headers={"If-Match": tag}),
        organization.api.post(f"{path}/publish", headers={"If-Match": tag}),
        organization.api.delete(path, headers={"If-Match": tag}),
    ):
        refused(answer, 412)


def test_publishing_freezes_the_fields_as_the_next_version(
    organization: Organization, draft: Form, move: Move
) -> None:
    path = f"{organization.path}/forms/{draft['id']}"
    first = move(draft, "publish")
    assert first == {**draft, "status": "Published", "version": 1, "updated": first["updated"]}
    more = [{"key": "note", "label": "Note", "type": "text"}]
    changed = data_of(organization.api.patch(path, json={"fields": more}))
    assert (changed["status"], changed["version"], changed["fields"]) == ("Published", 1, [whole(more[0])])
    second = move(draft, "publish")
    assert (second["status"], second["version"]) == ("Published", 2)
    versions = [data_of(organization.api.get(f"{path}/versions/{number}")) for number in (1, 2)]
    assert versions == [
        {
            "formId": draft["id"],
            "version": form["version"],
            "fields": form["fields"],
            "publishedBy": organization.user_id,
            "publishedAt": form["updated"],
        }
        for form in (first, second)
    ]


@pytest.mark.parametrize("version", ["0", "2", "-1", "1.0", "x", "99999999999", "\uff11"])
def test_an_unknown_version_is_not_found(organization: Organization, published: Form, version: str) -> None:
    refused(organization.api.get(f"{organization.path}/forms/{published['id']}/versions/{version}"), 404)


@pytest.mark.parametrize("fields", [[], [{"key": "a", "label": "Read this", "type": "instruction"}]])
def test_a_form_without_fields_cannot_be_published(organization: Organization, fields: list[Any]) -> None:
    form = organization.created("forms", {"name": "Empty", "fields": fields})
    message = refused(organization.api.post(f"{organization.path}/forms/{form['id']}/publish"), 409)
    assert message == "A form that asks nothing can't be published; give it a field that takes an answer."
    assert data_of(organization.api.get(f"{organization.path}/forms/{form['id']}")) == form


@pytest.mark.parametrize("before", [[], ["publish"]])
def test_a_form_is_archived_for_good(
    organization: Organization, draft: Form, move: Move, before: list[str]
) -> None:
    for verb in before:
        move(draft, verb)
    archived = move(draft, "archive")
    assert (archived["status"], archived["version"]) == ("Archived", len(before))
    path = f"{organization.path}/forms/{draft['id']}"
    for verb in ("publish", "archive"):
        message = refused(organization.api.post(f"{path}/{verb}"), 409)
        assert message == f"A form that is Archived can't {verb}; allowed from here: none."
    assert (
        refused(organization.api.patch(path, json={"name": "x"}), 409)
        == "A form that is Archived can't be changed."
    )
    message = refused(organization.api.post(f"{path}/submissions", json={"answers": {"exit": "Pass"}}), 409)
    assert message == "A form that is Archived takes no submissions."
    assert data_of(organization.api.get(path)) == archived


def test_concurrent_publishes_make_two_versions(organization: Organization, draft: Form) -> None:
    path = f"{organization.path}/forms/{draft['id']}/publish"
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: organization.api.post(path), range(4)))
    assert sorted(data_of(answer)["version"] for answer in answers) == [1, 2, 3, 4]


def test_a_form_without_submissions_can_be_deleted_with_its_versions(
    organization: Organization, published: Form
) -> None:
    path = f"{organization.path}/forms/{published['id']}"
    assert organization.api.delete(path).json() == {"data": {"deleted": True}}
    refused(organization.api.get(path), 404)
    refused(organization.api.get(f"{path}/versions/1"), 404)
    refused(organization.api.delete(path), 404)


def test_forms_are_filtered(organization: Organization, move: Move) -> None:
    made = [
        organization.created("forms", {"name": name, "fields": ROUND})
        for name in ("Fire exits", "Lift", "Fire door")
    ]
    move(made[1], "publish")

    def new_organization(**query: Any) -> list[str]:
        answer = organization.api.get(f"{organization.path}/forms", params=query)
        assert answer.status_code == 200, answer.text
        return [form["name"] for form in data_of(answer)]

    assert new_organization(status="Published") == ["Lift"]
    assert new_organization(status="Draft") == ["Fire door", "Fire exits"]
    assert new_organization(q="fire") == ["Fire door", "Fire exits"]
    assert new_organization(q="fire", status="Published") == []
    assert new_organization(updatedAfter=made[0]["created"] - 1) == ["Fire door", "Lift", "Fire exits"]
    assert new_organization(updatedAfter=made[0]["created"] + 1000) == []
    assert fields_refused(organization.api.get(f"{organization.path}/forms?status=Gone")) == ["status"]


def test_forms_are_exported(organization: Organization, draft: Form) -> None:
    lines = organization.api.get(f"{organization.path}/forms.ndjson").text.splitlines()
    assert [json.loads(line) for line in lines] == [draft]
    [row] = csv.DictReader(io.StringIO(organization.api.get(f"{organization.path}/forms.csv").text))
    assert (row["id"], row["version"], json.loads(row["fields"])) == (draft["id"], "0", draft["fields"])


def test_a_form_of_another_organization_is_not_found(
    draft: Form, new_organization: Callable[..., Organization]
) -> None:
    other = new_organization()
    path = f"{other.path}/forms/{draft['id']}"
    for answer in (
        other.api.get(path),
        other.api.patch(path, json={"name": "Mine"}),
        other.api.delete(path),
        other.api.post(f"{path}/publish"),
        other.api.post(f"{path}/archive"),
        other.api.get(f"{path}/versions/1"),
        other.api.get(f"{path}/submissions"),
        other.api.get(f"{path}/submissions.csv"),
        other.api.post(f"{path}/submissions", json={"answers": {}}),
    ):
        refused(answer, 404)


def test_read_only_users_cannot_change_anything(organization: Organization, draft: Form) -> None:
    reader = organization.client(key=organization.new_key("forms:read")["secret"])
    stranger = organization.client(key=organization.new_key("assets:read")["secret"])
    path = f"{organization.path}/forms/{draft['id']}"
    assert reader.get(path).status_code == 200
    assert reader.get(f"{path}/submissions").status_code == 200
    for answer in (
        reader.post(f"{organization.path}/forms", json={"name": "x"}),
        reader.patch(path, json={"name": "x"}),
        reader.delete(path),
        reader.post(f"{path}/publish"),
        reader.post(f"{path}/archive"),
        reader.post(f"{path}/submissions", json={"answers": {}}),
        stranger.get(path),
        stranger.get(f"{path}/submissions"),
        stranger.get(f"{path}/versions/1"),
    ):
        refused(answer, 403)
