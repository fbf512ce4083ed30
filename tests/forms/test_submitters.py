"""Who may fill in forms and no more: published forms as they are asked, and submissions of their own."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import Colleague

Form = dict[str, Any]
ANSWERS = {"answers": {"exit": "Pass"}}


class Submitter:
    """Somebody with the Requester role who submitted a form that another person submitted, too."""

    def __init__(self, organization: Organization, form: Form) -> None:
        self.client = Colleague(organization, "Requester")
        self.forms = f"{organization.path}/forms"
        self.path = f"{self.forms}/{form['id']}/submissions"
        self.own = data_of(self.client.post(self.path, json=ANSWERS))
        self.foreign = organization.created(f"forms/{form['id']}/submissions", {"answers": {"exit": "Fail"}})

    def reads(self, rest: str = "", **query: Any) -> httpx.Response:
        return self.client.get(f"{self.path}{rest}", params=query)


@pytest.fixture
def submitter(organization: Organization, published: Form) -> Submitter:
    return Submitter(organization, published)


def test_lists_reads_and_exports_contain_own_submissions_only(
    organization: Organization, submitter: Submitter
) -> None:
    assert submitter.own["submittedBy"] == submitter.client.user_id
    for query in ({}, {"version": 1}, {"submittedBy": submitter.client.user_id}):
        assert data_of(submitter.reads(**query)) == [submitter.own]
    assert data_of(submitter.reads(submittedBy=organization.user_id)) == []
    assert data_of(submitter.reads(f"/{submitter.own['id']}")) == submitter.own
    assert submitter.reads(f"/{submitter.foreign['id']}").status_code == 404
    for form in ("csv", "ndjson"):
        text = submitter.reads(f".{form}").text
        assert submitter.own["id"] in text
        assert submitter.foreign["id"] not in text
    assert len(data_of(organization.api.get(submitter.path))) == 2


def test_published_forms_are_shown_with_their_fields(
    organization: Organization, submitter: Submitter, published: Form
) -> None:
    draft = organization.created("forms", {"name": "What comes next year", "fields": []})
    path = f"{submitter.forms}/{published['id']}"
    later = [{"key": "reason", "label": "Why do you leave?", "type": "text"}]
    organization.api.patch(path, json={"fields": later})
    read = submitter.client.get(path)
    assert data_of(read)["fields"] == published["fields"]
    assert submitter.client.get(path, headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    for listed in (
        submitter.client.get(submitter.forms),
        submitter.client.get(submitter.forms, params={"sort": "name", "q": published["name"]}),
        submitter.client.get(f"{submitter.forms}.ndjson"),
        submitter.client.get(f"{submitter.forms}.csv"),
    ):
        assert listed.status_code == 200
        assert published["id"] in listed.text
        assert draft["id"] not in listed.text
        assert "Why do you leave" not in listed.text
    assert data_of(submitter.client.get(submitter.forms, params={"status": "Draft"})) == []
    assert submitter.client.get(f"{submitter.forms}/{draft['id']}").status_code == 404
    version = data_of(submitter.client.get(f"{path}/versions/1"))
    assert version["fields"] == published["fields"]


def test_own_submissions_stay_readable_after_archiving(
    submitter: Submitter, published: Form, move: Callable[..., Form]
) -> None:
    move(published, "archive")
    assert data_of(submitter.reads()) == [submitter.own]
    assert data_of(submitter.client.get(submitter.forms)) == []
    assert submitter.client.post(submitter.path, json=ANSWERS).status_code == 409


def test_forms_are_neither_made_nor_changed(submitter: Submitter, published: Form) -> None:
    path = f"{submitter.forms}/{published['id']}"
    for refused in (
        submitter.client.post(submitter.forms, json={"name": "x"}),
        submitter.client.patch(path, json={"name": "x"}),
        submitter.client.post(f"{path}/publish"),
        submitter.client.post(f"{path}/archive"),
        submitter.client.delete(path),
        submitter.client.post(
            submitter.path, json={**ANSWERS, "submittedBy": submitter.foreign["submittedBy"]}
        ),
    ):
        assert refused.status_code == 403


def test_form_editors_can_grant_submitting(organization: Organization, published: Form) -> None:
    held = ["api-keys:create", "forms:read", "forms:write"]
    role = organization.created("roles", {"name": "Keys", "permissions": held})
    email = organization.new_user(roleIds=[role["id"]])["email"]
    client = organization.client(bearer=organization.log_in(email)["token"])
    body = {"name": "Kiosk", "permissions": ["forms:submit"]}
    made = client.post(f"{organization.path}/api-keys", json=body)
    assert made.status_code == 201, made.text
    kiosk = organization.client(key=data_of(made)["secret"])
    path = f"{organization.path}/forms/{published['id']}/submissions"
    assert kiosk.post(path, json=ANSWERS).status_code == 201
