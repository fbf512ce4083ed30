"""Some comments are for the team, others for the reporter of the order, too."""

from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import Colleague


class Conversation:
    """An order of somebody with the Requester role, with a comment of each visibility by the team."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.reporter = Colleague(organization, "Requester")
        made = self.reporter.post(f"{organization.path}/work-orders", json={"title": "My lamp flickers"})
        self.order = data_of(made)
        self.path = f"{organization.path}/work-orders/{self.order['id']}"
        self.team = self.says("They broke it themselves", visibility="team")
        self.shown = self.says("We come tomorrow", visibility="reporter")

    def says(self, text: str, **fields: Any) -> dict[str, Any]:
        body = {"text": text, **fields}
        comment: dict[str, Any] = data_of(self.organization.api.post(f"{self.path}/comments", json=body))
        return comment


@pytest.fixture
def conversation(organization: Organization) -> Conversation:
    return Conversation(organization)


def test_a_reporter_sees_public_comments(conversation: Conversation) -> None:
    reporter, path, shown = conversation.reporter, conversation.path, conversation.shown
    assert data_of(reporter.get(f"{path}/comments")) == [shown]
    assert data_of(reporter.get(f"{path}/comments", params={"visibility": "team"})) == []
    assert data_of(reporter.get(f"{path}/comments/{shown['id']}")) == shown
    assert reporter.get(f"{path}/comments/{conversation.team['id']}").status_code == 404
    for form in ("csv", "ndjson"):
        text = reporter.get(f"{path}/comments.{form}").text
        assert "We come tomorrow" in text
        assert "themselves" not in text


def test_the_count_includes_visible_comments_only(
    organization: Organization, conversation: Conversation
) -> None:
    reporter, path = conversation.reporter, conversation.path
    staff = data_of(organization.api.get(path))
    assert (staff["commentCount"], staff["reporterCommentCount"]) == (2, 1)
    orders = [data_of(reporter.get(path)), *data_of(reporter.get(f"{organization.path}/work-orders"))]
    assert {(order["commentCount"], order["reporterCommentCount"]) for order in orders} == {(1, 1)}
    exported = reporter.get(f"{organization.path}/work-orders.ndjson").text
    assert '"commentCount":1,"reporterCommentCount":1' in exported.replace(" ", "")


def test_the_team_sees_all_comments_and_writes_internal_ones_by_default(
    organization: Organization, conversation: Conversation
) -> None:
    assert conversation.says("Hm")["visibility"] == "team"
    found = data_of(organization.api.get(f"{conversation.path}/comments"))
    assert [comment["visibility"] for comment in found] == ["team", "reporter", "team"]
    only = data_of(organization.api.get(f"{conversation.path}/comments", params={"visibility": "reporter"}))
    assert only == [conversation.shown]
    wrong = organization.api.post(f"{conversation.path}/comments", json={"text": "x", "visibility": "all"})
    assert (wrong.status_code, wrong.json()["details"][0]["field"]) == (422, "visibility")


def test_comments_of_a_reporter_are_public(conversation: Conversation) -> None:
    reporter, path = conversation.reporter, f"{conversation.path}/comments"
    assert data_of(reporter.post(path, json={"text": "Thanks"}))["visibility"] == "reporter"
    said = reporter.post(path, json={"text": "Thanks again", "visibility": "reporter"})
    assert said.status_code == 201
    refused = reporter.post(path, json={"text": "Psst", "visibility": "team"})
    assert (refused.status_code, "work-orders:write" in refused.json()["message"]) == (403, True)


def test_the_event_has_the_visibility_of_a_comment(
    organization: Organization, conversation: Conversation
) -> None:
    events = data_of(
        organization.api.get(f"/v2{organization.path}/events", params={"type": "workorder.commented"})
    )
    seen = [event["data"]["object"]["comment"]["visibility"] for event in events]
    assert seen == ["reporter", "team"]
    assert conversation.order["id"] == events[0]["data"]["object"]["id"]
