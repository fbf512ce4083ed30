"""A quotation's way from draft to approval, and who may take it there."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import (
    STAR,
    Colleague,
    conflict,
    do,
    events,
    new_quotation,
    refused_fields,
)

REASON = {"reason": "Use the schedule's rate."}
BODIES = {"submit": None, "approve": None, "reject": REASON}


def path_of(organization: Organization, quotation: dict[str, Any]) -> str:
    return f"{organization.path}/sor/quotations/{quotation['id']}"


def move(
    client: httpx.Client, organization: Organization, quotation: dict[str, Any], verb: str
) -> httpx.Response:
    return client.post(f"{path_of(organization, quotation)}/{verb}", json=BODIES[verb])


def in_state(organization: Organization, state: str) -> tuple[dict[str, Any], Colleague]:
    """A quotation that the administrator submitted, and a colleague who may judge it."""
    quotation, judge = new_quotation(organization, STAR), Colleague(organization)
    if state != "Draft":
        quotation = do(organization, f"sor/quotations/{quotation['id']}", "submit")
    if state == "Approved":
        quotation = data_of(move(judge, organization, quotation, "approve"))
    assert quotation["status"] == state
    return quotation, judge


def told(
    organization: Organization, event: dict[str, Any], after: dict[str, Any], shown: str, was: str
) -> None:
    assert event == {
        "id": event["id"],
        "type": event["type"],
        "organizationId": organization.id,
        "created": event["created"],
        "data": {
            "object": {name: after[name] for name in shown.split()},
            "previousAttributes": {"status": was},
        },
        "livemode": True,
    }


def test_submitting_stamps_the_quotation_and_writes_an_event(organization: Organization) -> None:
    order = organization.created("work-orders", {"title": "Leak"})
    quotation = new_quotation(organization, STAR, workOrderId=order["id"])
    submitted = do(organization, f"sor/quotations/{quotation['id']}", "submit")
    assert submitted == {
        **quotation,
        "status": "Submitted",
        "submittedBy": organization.user_id,
        "submittedAt": submitted["updated"],
        "updated": submitted["updated"],
    }
    (event,) = events(organization, "sor.quotation.submitted")
    shown = "id scheduleId workOrderId status totalAmountCents lineItemCount submittedBy submittedAt created"
    told(organization, event, submitted, shown, "Draft")


def test_approving_stamps_the_quotation_and_writes_an_event(organization: Organization) -> None:
    submitted, judge = in_state(organization, "Submitted")
    approved = data_of(move(judge, organization, submitted, "approve"))
    assert approved == {
        **submitted,
        "status": "Approved",
        "approvedBy": judge.user_id,
        "approvedAt": approved["updated"],
        "updated": approved["updated"],
    }
    (event,) = events(organization, "sor.quotation.approved")
    shown = "id scheduleId workOrderId status totalAmountCents approvedBy approvedAt created"
    told(organization, event, approved, shown, "Submitted")


def test_rejecting_takes_it_back_to_draft_and_keeps_the_reason(organization: Organization) -> None:
    submitted, judge = in_state(organization, "Submitted")
    rejected = data_of(move(judge, organization, submitted, "reject"))
    assert rejected == {
        **submitted,
        "status": "Draft",
        "submittedBy": None,
        "submittedAt": None,
        "rejectedBy": judge.user_id,
        "rejectedAt": rejected["updated"],
        "rejectedReason": REASON["reason"],
        "updated": rejected["updated"],
    }
    assert events(organization, "sor.quotation.approved") == []
    # The next round: corrected, submitted by somebody else, and approved by who submitted first.
    organization.api.patch(path_of(organization, submitted), json={"lineItems": [{**STAR, "rateCents": 1}]})
    again = data_of(move(judge, organization, submitted, "submit"))
    assert (again["submittedBy"], again["rejectedReason"]) == (judge.user_id, REASON["reason"])
    assert (
        data_of(move(organization.api, organization, submitted, "approve"))["approvedBy"]
        == organization.user_id
    )
    assert len(events(organization, "sor.quotation.submitted")) == 2


@pytest.mark.parametrize(
    ("state", "verb", "allowed"),
    [
        ("Draft", "approve", "submit"),
        ("Draft", "reject", "submit"),
        ("Submitted", "submit", "approve, reject"),
        ("Approved", "submit", "none"),
        ("Approved", "approve", "none"),
        ("Approved", "reject", "none"),
    ],
)
def test_an_illegal_move_names_the_state_and_what_is_allowed(
    organization: Organization, state: str, verb: str, allowed: str
) -> None:
    quotation, judge = in_state(organization, state)
    assert conflict(move(judge, organization, quotation, verb)) == (
        f"A quotation that is {state} can't {verb}; allowed from here: {allowed}."
    )
    assert data_of(organization.api.get(path_of(organization, quotation))) == quotation


@pytest.mark.parametrize("state", ["Submitted", "Approved"])
def test_only_drafts_can_be_changed_and_deleted(organization: Organization, state: str) -> None:
    quotation, _ = in_state(organization, state)
    path = path_of(organization, quotation)
    assert state in conflict(organization.api.patch(path, json={"lineItems": []}))
    assert state in conflict(organization.api.patch(path, json={"workOrderId": None}))
    assert state in conflict(organization.api.delete(path))
    assert data_of(organization.api.get(path)) == quotation


def test_nothing_is_submitted_without_a_line(organization: Organization) -> None:
    quotation = new_quotation(organization)
    assert refused_fields(move(organization.api, organization, quotation, "submit")) == ["lineItems"]
    assert events(organization, "sor.quotation.submitted") == []


@pytest.mark.parametrize("body", [None, {}, {"reason": ""}, {"reason": " "}, {"reason": None}])
def test_a_rejection_contains_its_reason(organization: Organization, body: dict | None) -> None:
    quotation, judge = in_state(organization, "Submitted")
    assert refused_fields(judge.post(f"{path_of(organization, quotation)}/reject", json=body)) == ["reason"]


class TestFourEyes:
    def test_the_submitter_cannot_approve(self, organization: Organization) -> None:
        quotation, _ = in_state(organization, "Submitted")
        own = {
            "the key": organization.api,
            "another key": organization.client(key=organization.new_key()["secret"]),
            "a key for approvals only": organization.client(
                key=organization.new_key("sor:approve")["secret"]
            ),
            "a token": organization.client(bearer=organization.log_in()["token"]),
        }
        for name, client in own.items():
            answer = move(client, organization, quotation, "approve")
            assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden"), name
            assert answer.json()["message"] == "Who submitted a quotation may not approve it."
        assert data_of(organization.api.get(path_of(organization, quotation))) == quotation
        assert events(organization, "sor.quotation.approved") == []

    def test_a_key_of_somebody_else_approves_as_that_person(self, organization: Organization) -> None:
        quotation, _ = in_state(organization, "Submitted")
        administrator = Colleague(organization, "Administrator")
        key = data_of(administrator.post(f"{organization.path}/api-keys", json={"name": "Theirs"}))["secret"]
        approved = data_of(move(organization.client(key=key), organization, quotation, "approve"))
        assert approved["approvedBy"] == administrator.user_id

    def test_the_submitter_can_withdraw(self, organization: Organization) -> None:
        quotation, _ = in_state(organization, "Submitted")
        assert data_of(move(organization.api, organization, quotation, "reject"))["status"] == "Draft"


@pytest.mark.parametrize(
    ("permission", "allowed"), [("sor:write", {"submit"}), ("sor:approve", {"reject"}), ("sor:read", set())]
)
def test_approving_needs_its_own_permission(
    organization: Organization, permission: str, allowed: set[str]
) -> None:
    client = organization.client(key=organization.new_key(permission)["secret"])
    for verb, state in (("submit", "Draft"), ("reject", "Submitted")):
        quotation, _ = in_state(organization, state)
        assert move(client, organization, quotation, verb).status_code == (200 if verb in allowed else 403)


def test_one_of_concurrent_approvals_decides(organization: Organization) -> None:
    quotation, judge = in_state(organization, "Submitted")
    verbs = ["approve", "reject"] * 4
    with ThreadPoolExecutor(8) as threads:
        answers = list(
            threads.map(lambda verb: move(judge, organization, quotation, verb).status_code, verbs)
        )
    assert sorted(answers) == [200] + [409] * 7
    approved = len(events(organization, "sor.quotation.approved"))
    status = data_of(organization.api.get(path_of(organization, quotation)))["status"]
    assert (approved, status) in {(1, "Approved"), (0, "Draft")}


def test_approving_needs_the_current_version(organization: Organization) -> None:
    quotation = new_quotation(organization, STAR)
    path = path_of(organization, quotation)
    seen = {"If-Match": organization.api.get(path).headers["etag"]}
    organization.api.patch(path, json={"lineItems": [STAR, STAR]})
    assert organization.api.post(f"{path}/submit", headers=seen).status_code == 412
    assert organization.api.patch(path, json={"lineItems": []}, headers=seen).status_code == 412
    assert organization.api.delete(path, headers=seen).status_code == 412
    seen = {"If-Match": organization.api.get(path).headers["etag"]}
    assert organization.api.post(f"{path}/submit", headers=seen).status_code == 200
