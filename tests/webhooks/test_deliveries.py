"""What an owner can see of deliveries and do about them; tests and the rotation of secrets beside."""

import base64
import time
from typing import Any

import pytest
from tests.support.processes import SECRET_KEY
from tests.webhooks.helpers import Desk

from steward.kit.domain.problems import Conflict
from steward.kit.security.encryption import Encryption
from steward.webhooks.model import MAX_OLD_SECRETS
from steward.webhooks.rules import rotated
from steward.webhooks.signing import Secret, live_secrets, open_secrets

VAULT = Encryption(base64.b64decode(SECRET_KEY))


def secrets_of(context: Desk, webhook: dict[str, Any]) -> tuple[Secret, ...]:
    ((sealed,),) = context.sql("SELECT secrets FROM webhooks WHERE id = $1", webhook["webhookId"])
    return open_secrets(VAULT, sealed)


def test_a_test_event_goes_to_the_tested_webhook_alone_whatever_it_wants(context: Desk) -> None:
    filtering = {"mode": "include", "criteria": {"locationId": ["loc_nowhere"]}}
    tested, other = (
        context.make("sor.schedule.published", filtering=filtering),
        context.make("*", "webhook.test"),
    )
    answer = context.api.post(context.at(tested, "/test"))
    assert answer.status_code == 202
    assert set(answer.json()) == {"data", "requestId"}
    sent = answer.json()["data"]
    (event,) = context.events()
    assert event == {
        "id": sent["eventId"],
        "type": "webhook.test",
        "organizationId": context.org.id,
        "created": event["created"],
        "data": {"object": {"message": event["data"]["object"]["message"]}},
        "livemode": False,
        "isTest": True,
    }
    assert isinstance(event["data"]["object"]["message"], str)
    (delivery,) = context.deliveries(tested)
    assert (delivery["id"], delivery["eventId"]) == (sent["deliveryId"], sent["eventId"])
    assert (delivery["status"], delivery["eventType"]) == ("pending", "webhook.test")
    assert context.deliveries(other) == []


@pytest.mark.parametrize("status", ["paused", "disabled"])
def test_a_webhook_that_is_not_active_can_not_be_tested(context: Desk, status: str) -> None:
    made = context.make()
    context.sql("UPDATE webhooks SET status = $2 WHERE id = $1", made["webhookId"], status)
    refused = context.api.post(context.at(made, "/test"))
    assert refused.status_code == 409
    assert refused.json()["message"] == f"The webhook is {status}; set its status to active first."
    assert context.deliveries(made) == []


def test_other_events_carry_no_mark_of_a_test(context: Desk) -> None:
    context.order()
    (event,) = context.events()
    assert event["livemode"] is True
    assert "isTest" not in event


def test_deliveries_can_be_narrowed_by_status_and_paged(context: Desk) -> None:
    made = context.make("workorder.created")
    for number in range(5):
        context.order(f"Order {number}")
    all_of_them = context.deliveries(made)
    for delivery in all_of_them[:2]:
        context.end(delivery, "failed")
    assert [d["id"] for d in context.deliveries(made, status="failed")] == [d["id"] for d in all_of_them[:2]]
    assert [d["id"] for d in context.deliveries(made, status="pending")] == [d["id"] for d in all_of_them[2:]]
    assert context.api.get(context.at(made, "/deliveries"), params={"status": "lost"}).status_code == 422
    seen, cursor = [], None
    while True:
        query = {"limit": 2} | ({"lastEvaluatedKey": cursor} if cursor else {})
        page = context.api.get(context.at(made, "/deliveries"), params=query).json()
        seen += [delivery["id"] for delivery in page["data"]]
        if (cursor := page["lastEvaluatedKey"]) is None:
            break
    assert seen == [delivery["id"] for delivery in reversed(all_of_them)]


def test_a_delivery_is_read_with_each_of_its_attempts(context: Desk) -> None:
    made = context.make("workorder.created")
    context.order()
    (delivery,) = context.deliveries(made)
    rows = [
        (1, 1767225600123, 30000, None, "timeout", None),
        (2, 1767225635999, 87, 502, "http_status", b"Bad \xff gateway"),
    ]
    for row in rows:
        context.sql(
            "INSERT INTO delivery_attempts VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            context.org.id,
            delivery["id"],
            *row,
        )
    answer = context.api.get(context.at(made, f"/deliveries/{delivery['id']}"))
    assert answer.json()["data"] == {
        **delivery,
        "attemptLog": [
            {
                "number": 1,
                "startedAt": 1767225600,
                "durationMs": 30000,
                "statusCode": None,
                "error": "timeout",
                "response": None,
            },
            {
                "number": 2,
                "startedAt": 1767225635,
                "durationMs": 87,
                "statusCode": 502,
                "error": "http_status",
                "response": "Bad \ufffd gateway",
            },
        ],
    }
    assert answer.headers["etag"]
    other = context.make()
    assert context.api.get(context.at(other, f"/deliveries/{delivery['id']}")).status_code == 404


@pytest.mark.parametrize(
    ("ended", "attempts", "waits_as"),
    [
        ("failed", 11, "retrying"),
        ("succeeded", 1, "retrying"),
        ("skipped", 0, "pending"),
        ("cancelled", 0, "pending"),
        ("cancelled", 3, "retrying"),
    ],
)
def test_a_retry_queues_any_ended_delivery_again(
    context: Desk, ended: str, attempts: int, waits_as: str
) -> None:
    made = context.make("workorder.created")
    context.order()
    (delivery,) = context.deliveries(made)
    context.end(delivery, ended, attempts)
    before = int(time.time())
    answer = context.api.post(context.at(made, f"/deliveries/{delivery['id']}/retry"))
    assert answer.status_code == 200, answer.text
    retried = answer.json()["data"]
    due = retried["nextAttemptAt"]
    assert before <= due <= time.time() + 1
    assert retried == {
        **delivery,
        "status": waits_as,
        "reason": "manual_retry",
        "attempts": attempts,
        "nextAttemptAt": due,
        "attemptLog": [],
    }


def test_a_retry_brings_forward_what_waits_and_leaves_alone_what_is_being_sent(context: Desk) -> None:
    made = context.make("workorder.created")
    context.order()
    (delivery,) = context.deliveries(made)
    path = context.at(made, f"/deliveries/{delivery['id']}/retry")
    later = (
        "UPDATE deliveries SET status = 'retrying', attempts = 5, due = $2, lease_until = $3 WHERE id = $1"
    )
    now_ms = int(time.time() * 1000)
    context.sql(later, delivery["id"], now_ms + 10**8, None)
    assert context.api.post(path).json()["data"]["nextAttemptAt"] <= time.time() + 1
    context.sql(later, delivery["id"], now_ms + 60_000, now_ms + 60_000)
    refused = context.api.post(path)
    assert refused.status_code == 409
    assert refused.json()["message"] == "This delivery is being sent at this moment."
    # A lease that ended: whoever held it is gone.
    context.sql(later, delivery["id"], now_ms - 1, now_ms - 1)
    assert context.api.post(path).status_code == 200


@pytest.mark.parametrize("status", ["paused", "disabled"])
def test_nothing_is_retried_while_the_webhook_is_not_active(context: Desk, status: str) -> None:
    made = context.make("workorder.created")
    context.order()
    context.api.post(context.at(made, "/test"))
    context.sql("UPDATE webhooks SET status = $2 WHERE id = $1", made["webhookId"], status)
    for delivery in context.deliveries(made):
        refused = context.api.post(context.at(made, f"/deliveries/{delivery['id']}/retry"))
        assert refused.status_code == 409
        assert refused.json()["message"] == f"The webhook is {status}; set its status to active first."


def test_a_retry_obeys_the_etag(context: Desk) -> None:
    made = context.make("workorder.created")
    context.order()
    (delivery,) = context.deliveries(made)
    path = context.at(made, f"/deliveries/{delivery['id']}")
    tag = context.api.get(path).headers["etag"]
    assert context.api.post(f"{path}/retry", headers={"If-Match": '"old"'}).status_code == 412
    assert context.api.post(f"{path}/retry", headers={"If-Match": tag}).status_code == 200


def test_rotation_gives_a_new_secret_once_and_lets_the_old_one_sign_on(context: Desk) -> None:
    made = context.make()
    before = int(time.time() * 1000)
    answer = context.api.post(context.at(made, "/rotate-secret"), json={"graceSeconds": 3600})
    assert answer.status_code == 200
    rotated_to = answer.json()["data"]
    new = rotated_to.pop("signingSecret")
    assert new != made["signingSecret"]
    read = context.api.get(context.at(made))
    assert read.json()["data"] == rotated_to
    assert read.headers["etag"] == answer.headers["etag"]
    assert rotated_to["secretLastFour"] == new[-4:]
    newest, old = secrets_of(context, made)
    assert newest == Secret(new)
    assert old.secret == made["signingSecret"]
    assert before + 3_600_000 <= old.until <= time.time() * 1000 + 3_600_000


def test_grace_is_a_day_unless_told_otherwise_and_zero_ends_all_old_secrets(context: Desk) -> None:
    made = context.make()
    context.api.post(context.at(made, "/rotate-secret"))
    _, old = secrets_of(context, made)
    assert abs(old.until - (time.time() + 86400) * 1000) < 60_000
    last = context.api.post(context.at(made, "/rotate-secret"), json={"graceSeconds": 0}).json()["data"]
    assert secrets_of(context, made) == (Secret(last["signingSecret"]),)


@pytest.mark.parametrize("grace", [-1, 604801, "1", 1.5, None])
def test_a_grace_out_of_bounds_is_refused(context: Desk, grace: Any) -> None:
    answer = context.api.post(context.at(context.make(), "/rotate-secret"), json={"graceSeconds": grace})
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "graceSeconds"


def test_at_most_ten_old_secrets_sign_at_once(context: Desk) -> None:
    made = context.make()
    for _ in range(MAX_OLD_SECRETS):
        assert context.api.post(context.at(made, "/rotate-secret")).status_code == 200
    assert context.api.post(context.at(made, "/rotate-secret")).status_code == 409
    assert len(secrets_of(context, made)) == MAX_OLD_SECRETS + 1
    assert context.api.post(context.at(made, "/rotate-secret"), json={"graceSeconds": 0}).status_code == 200


def test_an_old_secret_never_lives_longer_by_another_rotation() -> None:
    first = rotated([Secret("a")], "b", 100, now_ms=0)
    assert first == [Secret("b"), Secret("a", 100_000)]
    second = rotated(first, "c", 1000, now_ms=50_000)
    assert second == [Secret("c"), Secret("b", 1_050_000), Secret("a", 100_000)]
    third = rotated(second, "d", 10, now_ms=60_000)
    assert third == [Secret("d"), Secret("c", 70_000), Secret("b", 70_000), Secret("a", 70_000)]
    assert live_secrets(third, 69_999) == ("d", "c", "b", "a")
    assert live_secrets(third, 70_000) == ("d",)
    assert rotated(third, "e", 10, now_ms=70_000) == [Secret("e"), Secret("d", 80_000)]
    full = [Secret("a"), *(Secret(str(n), 10) for n in range(MAX_OLD_SECRETS))]
    with pytest.raises(Conflict):
        rotated(full, "z", 100, now_ms=0)
