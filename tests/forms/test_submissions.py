import csv
import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

Form = dict[str, Any]
Move = Callable[..., Form]


@pytest.fixture
def submit(organization: Organization, published: Form) -> Callable[..., httpx.Response]:
    def submit(answers: Any, **more: Any) -> httpx.Response:
        path = f"{organization.path}/forms/{published['id']}/submissions"
        return organization.api.post(path, json={"answers": answers, **more})

    return submit


Submit = Callable[..., httpx.Response]


def data(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code in {200, 201}, answer.text
    return data_of(answer)


def refused(answer: httpx.Response, status: int) -> list[tuple[str, str]]:
    assert answer.status_code == status, answer.text
    return [(detail["field"], detail["message"]) for detail in answer.json().get("details", [])]


def test_a_submission_can_be_read_and_is_listed(
    organization: Organization, published: Form, submit: Submit
) -> None:
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    answer = submit({"exit": "Pass", "pressure": 12.5}, locationId=location["id"])
    submission = data(answer)
    assert submission == {
        "id": submission["id"],
        "formId": published["id"],
        "version": 1,
        "answers": {"exit": "Pass", "pressure": 12.5},
        "locationId": location["id"],
        "submittedBy": organization.user_id,
        "created": submission["created"],
    }
    assert submission["id"].startswith("fsb_")
    path = f"{organization.path}/forms/{published['id']}/submissions"
    assert answer.headers["location"] == f"{path}/{submission['id']}"
    assert organization.api.get(answer.headers["location"]).json() == {"data": submission}
    assert organization.api.get(path).json() == {"data": [submission], "lastEvaluatedKey": None}


def test_every_wrong_answer_is_named(submit: Submit) -> None:
    assert refused(submit({"pressure": 26, "typo": 1}), 422) == [
        ("answers.typo", "is not a field of this form"),
        ("answers.exit", "is required"),
        ("answers.pressure", "must be from 0 to 25"),
    ]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["answers"]),
        ({"answers": []}, ["answers"]),
        ({"answers": {"exit": "Pass"}, "version": 1}, ["version"]),
        ({"answers": {"exit": "Pass"}, "locationId": 7}, ["locationId"]),
        ({"answers": {"exit": "Pass"}, "locationId": "loc_nowhere"}, ["locationId"]),
    ],
)
def test_a_malformed_submission_is_refused(
    organization: Organization, published: Form, body: dict[str, Any], fields: list[str]
) -> None:
    answer = organization.api.post(f"{organization.path}/forms/{published['id']}/submissions", json=body)
    assert [field for field, _ in refused(answer, 422)] == fields


def test_a_location_of_another_organization_is_refused(
    submit: Submit, new_organization: Callable[..., Organization]
) -> None:
    foreign = new_organization().created("locations", {"name": "Theirs", "type": "Site"})
    assert refused(submit({"exit": "Pass"}, locationId=foreign["id"]), 422) == [
        ("locationId", "names no location of this organization")
    ]


def test_a_draft_accepts_no_submissions(organization: Organization, draft: Form) -> None:
    answer = organization.api.post(
        f"{organization.path}/forms/{draft['id']}/submissions", json={"answers": {"exit": "Pass"}}
    )
    assert refused(answer, 409) == []
    assert answer.json()["message"] == "A form that is Draft takes no submissions; publish it first."


def test_answers_are_validated_against_the_published_version(
    organization: Organization, published: Form, submit: Submit, move: Move
) -> None:
    note = {"key": "note", "label": "Note", "type": "text", "required": True}
    organization.api.patch(f"{organization.path}/forms/{published['id']}", json={"fields": [note]})
    assert data(submit({"exit": "Pass"}))["version"] == 1
    assert [field for field, _ in refused(submit({"note": "ok"}), 422)] == ["answers.note", "answers.exit"]
    move(published, "publish")
    assert data(submit({"note": "ok"}))["version"] == 2
    assert [field for field, _ in refused(submit({"exit": "Pass"}), 422)] == ["answers.exit", "answers.note"]


def test_submissions_are_filtered_and_paged_within_their_form(
    organization: Organization, published: Form, submit: Submit, move: Move
) -> None:
    first = data(submit({"exit": "Pass"}))
    move(published, "publish")
    colleague = organization.new_user("Technician")
    token = organization.log_in(colleague["email"])["token"]
    path = f"{organization.path}/forms/{published['id']}/submissions"
    second = data(organization.client(bearer=token).post(path, json={"answers": {"exit": "Fail"}}))
    third = data(submit({"exit": "NA"}))
    other = organization.created("forms", {"name": "Other", "fields": published["fields"]})
    move(other, "publish")
    data(
        organization.api.post(
            f"{organization.path}/forms/{other['id']}/submissions", json={"answers": {"exit": "Pass"}}
        )
    )

    def listed(**query: Any) -> Any:
        return data(organization.api.get(path, params=query))

    assert listed() == [third, second, first]
    assert listed(version=1) == [first]
    assert listed(version=2) == [third, second]
    assert listed(submittedBy=colleague["id"]) == [second]
    assert listed(submittedBy=organization.user_id, version=2) == [third]
    page = organization.api.get(path, params={"limit": 2}).json()
    assert page["data"] == [third, second]
    assert listed(limit=2, lastEvaluatedKey=page["lastEvaluatedKey"]) == [first]
    elsewhere = f"{organization.path}/forms/{other['id']}/submissions"
    foreign = organization.api.get(elsewhere, params={"lastEvaluatedKey": page["lastEvaluatedKey"]})
    assert [field for field, _ in refused(foreign, 422)] == ["lastEvaluatedKey"]


def test_submissions_are_exported(organization: Organization, published: Form, submit: Submit) -> None:
    made = [data(submit({"exit": answer})) for answer in ("Pass", "Fail")]
    path = f"{organization.path}/forms/{published['id']}/submissions"
    lines = organization.api.get(f"{path}.ndjson").text.splitlines()
    assert [json.loads(line) for line in lines] == made[::-1]
    rows = list(csv.DictReader(io.StringIO(organization.api.get(f"{path}.csv", params={"version": 1}).text)))
    assert [json.loads(row["answers"]) for row in rows] == [{"exit": "Fail"}, {"exit": "Pass"}]
    assert organization.api.get(f"{path}.ndjson", params={"version": 2}).text == ""


def test_a_submission_is_found_in_its_own_form_only(
    organization: Organization, published: Form, submit: Submit, new_organization: Callable[..., Organization]
) -> None:
    submission = data(submit({"exit": "Pass"}))
    other = organization.created("forms", {"name": "Other"})
    stranger = new_organization()
    for client, path in (
        (organization, f"{organization.path}/forms/{other['id']}/submissions/{submission['id']}"),
        (organization, f"{organization.path}/forms/{published['id']}/submissions/fsb_none"),
        (organization, f"{organization.path}/forms/frm_none/submissions"),
        (organization, f"{organization.path}/forms/frm_none/submissions.ndjson"),
        (stranger, f"{stranger.path}/forms/{published['id']}/submissions/{submission['id']}"),
    ):
        assert refused(client.api.get(path), 404) == []


def test_records_named_by_submissions_cannot_be_deleted(
    organization: Organization, published: Form, submit: Submit, move: Move
) -> None:
    location = organization.created("locations", {"name": "Lobby", "type": "Space"})
    data(submit({"exit": "Pass"}, locationId=location["id"]))
    for path, message in (
        (f"forms/{published['id']}", "This form can't be deleted while submissions name it."),
        (
            f"locations/{location['id']}",
            "This location can't be deleted while form submissions name it; archive it instead.",
        ),
    ):
        answer = organization.api.delete(f"{organization.path}/{path}")
        assert refused(answer, 409) == []
        assert answer.json()["message"] == message
    assert move(published, "archive")["status"] == "Archived"
    assert len(data(organization.api.get(f"{organization.path}/forms/{published['id']}/submissions"))) == 1


def test_a_retried_submission_is_made_once(organization: Organization, published: Form) -> None:
    path = f"{organization.path}/forms/{published['id']}/submissions"
    headers = {"Idempotency-Key": "round-7"}
    answers = [
        organization.api.post(path, json={"answers": {"exit": "Pass"}}, headers=headers) for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert len(data(organization.api.get(path))) == 1


def test_concurrent_submissions_succeed_until_the_form_is_archived(
    organization: Organization, published: Form, submit: Submit
) -> None:
    archive = f"{organization.path}/forms/{published['id']}/archive"
    with ThreadPoolExecutor(6) as threads:
        early = [threads.submit(submit, {"exit": "Pass"}) for _ in range(8)]
        archiving = threads.submit(organization.api.post, archive)
        late = [threads.submit(submit, {"exit": "Pass"}) for _ in range(8)]
    assert archiving.result().status_code == 200
    statuses = [call.result().status_code for call in early + late]
    assert set(statuses) <= {201, 409}
    stored = data(organization.api.get(f"{organization.path}/forms/{published['id']}/submissions?limit=100"))
    assert len(stored) == statuses.count(201)
    assert submit({"exit": "Pass"}).status_code == 409
