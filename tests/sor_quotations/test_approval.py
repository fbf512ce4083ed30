"""A quotation's way from draft to approval, and who may take it there."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.support.organizations import Organization
from tests.support.rates import STAR, colleague, conflict, do, events, new_quotation, refused_fields

REASON = {"reason": "Use the schedule's rate."}
BODIES = {"submit": None, "approve": None, "reject": REASON}


def path_of(org: Organization, quotation: dict[str, Any]) -> str:
    return f"{org.path}/sor/quotations/{quotation['id']}"


def move(client: httpx.Client, org: Organization, quotation: dict[str, Any], verb: str) -> httpx.Response:
    return client.post(f"{path_of(org, quotation)}/{verb}", json=BODIES[verb])


def in_state(org: Organization, state: str) -> tuple[dict[str, Any], httpx.Client]:
    """A quotation that the administrator submitted, and a colleague who may judge it."""
    quotation, judge = new_quotation(org, STAR), colleague(org)
    if state != "Draft":
        quotation = do(org, f"sor/quotations/{quotation['id']}", "submit")
    if state == "Approved":
        quotation = move(judge, org, quotation, "approve").json()["data"]
    assert quotation["status"] == state
    return quotation, judge


def told(org: Organization, event: dict[str, Any], after: dict[str, Any], shown: str, was: str) -> None:
    assert event == {
        "id": event["id"],
        "type": event["type"],
        "organizationId": org.id,
        "created": event["created"],
        "data": {
            "object": {name: after[name] for name in shown.split()},
            "previousAttributes": {"status": was},
        },
        "livemode": True,
    }


def test_submitting_stamps_the_quotation_and_tells_of_it(org: Organization) -> None:
    order = org.created("work-orders", {"title": "Leak"})
    quotation = new_quotation(org, STAR, workOrderId=order["id"])
    submitted = do(org, f"sor/quotations/{quotation['id']}", "submit")
    assert submitted == {
        **quotation,
        "status": "Submitted",
        "submittedBy": org.user_id,
        "submittedAt": submitted["updated"],
        "updated": submitted["updated"],
    }
    (event,) = events(org, "sor.quotation.submitted")
    shown = "id scheduleId workOrderId status totalAmountCents lineItemCount submittedBy submittedAt created"
    told(org, event, submitted, shown, "Draft")


def test_approving_stamps_the_quotation_and_tells_of_it(org: Organization) -> None:
    submitted, judge = in_state(org, "Submitted")
    approved = move(judge, org, submitted, "approve").json()["data"]
    assert approved == {
        **submitted,
        "status": "Approved",
        "approvedBy": judge.user_id,
        "approvedAt": approved["updated"],
        "updated": approved["updated"],
    }
    (event,) = events(org, "sor.quotation.approved")
    shown = "id scheduleId workOrderId status totalAmountCents approvedBy approvedAt created"
    told(org, event, approved, shown, "Submitted")


def test_rejecting_takes_it_back_to_draft_and_keeps_the_reason(org: Organization) -> None:
    submitted, judge = in_state(org, "Submitted")
    rejected = move(judge, org, submitted, "reject").json()["data"]
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
    assert events(org, "sor.quotation.approved") == []
    # The next round: mended, submitted by somebody else, and approved by who submitted first.
    org.api.patch(path_of(org, submitted), json={"lineItems": [{**STAR, "rateCents": 1}]})
    again = move(judge, org, submitted, "submit").json()["data"]
    assert (again["submittedBy"], again["rejectedReason"]) == (judge.user_id, REASON["reason"])
    assert move(org.api, org, submitted, "approve").json()["data"]["approvedBy"] == org.user_id
    assert len(events(org, "sor.quotation.submitted")) == 2


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
    org: Organization, state: str, verb: str, allowed: str
) -> None:
    quotation, judge = in_state(org, state)
    assert conflict(move(judge, org, quotation, verb)) == (
        f"A quotation that is {state} can't {verb}; allowed from here: {allowed}."
    )
    assert org.api.get(path_of(org, quotation)).json()["data"] == quotation


@pytest.mark.parametrize("state", ["Submitted", "Approved"])
def test_what_is_no_draft_can_neither_be_changed_nor_deleted(org: Organization, state: str) -> None:
    quotation, _ = in_state(org, state)
    path = path_of(org, quotation)
    assert state in conflict(org.api.patch(path, json={"lineItems": []}))
    assert state in conflict(org.api.patch(path, json={"workOrderId": None}))
    assert state in conflict(org.api.delete(path))
    assert org.api.get(path).json()["data"] == quotation


def test_nothing_is_submitted_without_a_line(org: Organization) -> None:
    quotation = new_quotation(org)
    assert refused_fields(move(org.api, org, quotation, "submit")) == ["lineItems"]
    assert events(org, "sor.quotation.submitted") == []


@pytest.mark.parametrize("body", [None, {}, {"reason": ""}, {"reason": " "}, {"reason": None}])
def test_a_rejection_says_why(org: Organization, body: dict | None) -> None:
    quotation, judge = in_state(org, "Submitted")
    assert refused_fields(judge.post(f"{path_of(org, quotation)}/reject", json=body)) == ["reason"]


class TestFourEyes:
    def test_who_submitted_may_not_approve(self, org: Organization) -> None:
        quotation, _ = in_state(org, "Submitted")
        own = {
            "the key": org.api,
            "another key": org.client(key=org.new_key()["secret"]),
            "a key for approvals only": org.client(key=org.new_key("sor:approve")["secret"]),
            "a token": org.client(bearer=org.log_in()["token"]),
        }
        for name, client in own.items():
            answer = move(client, org, quotation, "approve")
            assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden"), name
            assert answer.json()["message"] == "Who submitted a quotation may not approve it."
        assert org.api.get(path_of(org, quotation)).json()["data"] == quotation
        assert events(org, "sor.quotation.approved") == []

    def test_a_key_of_somebody_else_approves_as_that_person(self, org: Organization) -> None:
        quotation, _ = in_state(org, "Submitted")
        administrator = colleague(org, "Administrator")
        key = administrator.post(f"{org.path}/api-keys", json={"name": "Theirs"}).json()["data"]["secret"]
        approved = move(org.client(key=key), org, quotation, "approve").json()["data"]
        assert approved["approvedBy"] == administrator.user_id

    def test_who_submitted_may_take_it_back(self, org: Organization) -> None:
        quotation, _ = in_state(org, "Submitted")
        assert move(org.api, org, quotation, "reject").json()["data"]["status"] == "Draft"


@pytest.mark.parametrize(
    ("permission", "allowed"), [("sor:write", {"submit"}), ("sor:approve", {"reject"}), ("sor:read", set())]
)
def test_judging_takes_a_permission_of_its_own(org: Organization, permission: str, allowed: set[str]) -> None:
    client = org.client(key=org.new_key(permission)["secret"])
    for verb, state in (("submit", "Draft"), ("reject", "Submitted")):
        quotation, _ = in_state(org, state)
        assert move(client, org, quotation, verb).status_code == (200 if verb in allowed else 403)


def test_of_those_who_judge_at_once_one_decides(org: Organization) -> None:
    quotation, judge = in_state(org, "Submitted")
    verbs = ["approve", "reject"] * 4
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda verb: move(judge, org, quotation, verb).status_code, verbs))
    assert sorted(answers) == [200] + [409] * 7
    approved = len(events(org, "sor.quotation.approved"))
    status = org.api.get(path_of(org, quotation)).json()["data"]["status"]
    assert (approved, status) in {(1, "Approved"), (0, "Draft")}


def test_nobody_approves_what_they_have_not_seen(org: Organization) -> None:
    quotation = new_quotation(org, STAR)
    path = path_of(org, quotation)
    seen = {"If-Match": org.api.get(path).headers["etag"]}
    org.api.patch(path, json={"lineItems": [STAR, STAR]})
    assert org.api.post(f"{path}/submit", headers=seen).status_code == 412
    assert org.api.patch(path, json={"lineItems": []}, headers=seen).status_code == 412
    assert org.api.delete(path, headers=seen).status_code == 412
    seen = {"If-Match": org.api.get(path).headers["etag"]}
    assert org.api.post(f"{path}/submit", headers=seen).status_code == 200
