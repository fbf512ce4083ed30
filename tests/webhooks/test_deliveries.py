"""What an owner can see of deliveries and do about them; tests and the rotation of secrets beside."""

import base64
import time
from typing import Any

import pytest
from tests.support.processes import SECRET_KEY
from tests.webhooks.helpers import Desk

from steward.kit.problems import Conflict
from steward.kit.vault import Vault
from steward.webhooks.model import MOST_OLD_SECRETS, rotated
from steward.webhooks.signing import Secret, live_secrets, open_secrets

VAULT = Vault(base64.b64decode(SECRET_KEY))


def secrets_of(desk: Desk, webhook: dict[str, Any]) -> tuple[Secret, ...]:
    ((sealed,),) = desk.sql("SELECT secrets FROM webhooks WHERE id = $1", webhook["webhookId"])
    return open_secrets(VAULT, sealed)


def test_a_test_event_goes_to_the_tested_webhook_alone_whatever_it_wants(desk: Desk) -> None:
    filtering = {"mode": "include", "criteria": {"locationId": ["loc_nowhere"]}}
    tested, other = desk.make("sor.schedule.published", filtering=filtering), desk.make("*", "webhook.test")
    answer = desk.api.post(desk.at(tested, "/test"))
    assert answer.status_code == 202
    assert set(answer.json()) == {"data", "requestId"}
    sent = answer.json()["data"]
    (event,) = desk.events()
    assert event == {
        "id": sent["eventId"],
        "type": "webhook.test",
        "organizationId": desk.org.id,
        "created": event["created"],
        "data": {"object": {"message": event["data"]["object"]["message"]}},
        "livemode": False,
        "isTest": True,
    }
    assert isinstance(event["data"]["object"]["message"], str)
    (delivery,) = desk.deliveries(tested)
    assert (delivery["id"], delivery["eventId"]) == (sent["deliveryId"], sent["eventId"])
    assert (delivery["status"], delivery["eventType"]) == ("pending", "webhook.test")
    assert desk.deliveries(other) == []


@pytest.mark.parametrize("status", ["paused", "disabled"])
def test_a_webhook_that_is_not_active_can_not_be_tested(desk: Desk, status: str) -> None:
    made = desk.make()
    desk.sql("UPDATE webhooks SET status = $2 WHERE id = $1", made["webhookId"], status)
    refused = desk.api.post(desk.at(made, "/test"))
    assert refused.status_code == 409
    assert refused.json()["message"] == f"The webhook is {status}; set its status to active first."
    assert desk.deliveries(made) == []


def test_other_events_carry_no_mark_of_a_test(desk: Desk) -> None:
    desk.order()
    (event,) = desk.events()
    assert event["livemode"] is True
    assert "isTest" not in event


def test_deliveries_can_be_narrowed_by_status_and_paged(desk: Desk) -> None:
    made = desk.make("workorder.created")
    for number in range(5):
        desk.order(f"Order {number}")
    all_of_them = desk.deliveries(made)
    for delivery in all_of_them[:2]:
        desk.end(delivery, "failed")
    assert [d["id"] for d in desk.deliveries(made, status="failed")] == [d["id"] for d in all_of_them[:2]]
    assert [d["id"] for d in desk.deliveries(made, status="pending")] == [d["id"] for d in all_of_them[2:]]
    assert desk.api.get(desk.at(made, "/deliveries"), params={"status": "lost"}).status_code == 422
    seen, cursor = [], None
    while True:
        query = {"limit": 2} | ({"lastEvaluatedKey": cursor} if cursor else {})
        page = desk.api.get(desk.at(made, "/deliveries"), params=query).json()
        seen += [delivery["id"] for delivery in page["data"]]
        if (cursor := page["lastEvaluatedKey"]) is None:
            break
    assert seen == [delivery["id"] for delivery in reversed(all_of_them)]


def test_a_delivery_is_read_with_each_of_its_attempts(desk: Desk) -> None:
    made = desk.make("workorder.created")
    desk.order()
    (delivery,) = desk.deliveries(made)
    rows = [
        (1, 1767225600123, 30000, None, "timeout", None),
        (2, 1767225635999, 87, 502, "http_status", b"Bad \xff gateway"),
    ]
    for row in rows:
        desk.sql(
            "INSERT INTO delivery_attempts VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            desk.org.id,
            delivery["id"],
            *row,
        )
    answer = desk.api.get(desk.at(made, f"/deliveries/{delivery['id']}"))
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
    other = desk.make()
    assert desk.api.get(desk.at(other, f"/deliveries/{delivery['id']}")).status_code == 404


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
    desk: Desk, ended: str, attempts: int, waits_as: str
) -> None:
    made = desk.make("workorder.created")
    desk.order()
    (delivery,) = desk.deliveries(made)
    desk.end(delivery, ended, attempts)
    before = int(time.time())
    answer = desk.api.post(desk.at(made, f"/deliveries/{delivery['id']}/retry"))
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


def test_a_retry_brings_forward_what_waits_and_leaves_alone_what_is_being_sent(desk: Desk) -> None:
    made = desk.make("workorder.created")
    desk.order()
    (delivery,) = desk.deliveries(made)
    path = desk.at(made, f"/deliveries/{delivery['id']}/retry")
    later = (
        "UPDATE deliveries SET status = 'retrying', attempts = 5, due = $2, lease_until = $3 WHERE id = $1"
    )
    now_ms = int(time.time() * 1000)
    desk.sql(later, delivery["id"], now_ms + 10**8, None)
    assert desk.api.post(path).json()["data"]["nextAttemptAt"] <= time.time() + 1
    desk.sql(later, delivery["id"], now_ms + 60_000, now_ms + 60_000)
    refused = desk.api.post(path)
    assert refused.status_code == 409
    assert refused.json()["message"] == "This delivery is being sent at this moment."
    # A lease that ended: whoever held it is gone.
    desk.sql(later, delivery["id"], now_ms - 1, now_ms - 1)
    assert desk.api.post(path).status_code == 200


@pytest.mark.parametrize("status", ["paused", "disabled"])
def test_nothing_is_retried_while_the_webhook_is_not_active(desk: Desk, status: str) -> None:
    made = desk.make("workorder.created")
    desk.order()
    desk.api.post(desk.at(made, "/test"))
    desk.sql("UPDATE webhooks SET status = $2 WHERE id = $1", made["webhookId"], status)
    for delivery in desk.deliveries(made):
        refused = desk.api.post(desk.at(made, f"/deliveries/{delivery['id']}/retry"))
        assert refused.status_code == 409
        assert refused.json()["message"] == f"The webhook is {status}; set its status to active first."


def test_a_retry_obeys_the_etag(desk: Desk) -> None:
    made = desk.make("workorder.created")
    desk.order()
    (delivery,) = desk.deliveries(made)
    path = desk.at(made, f"/deliveries/{delivery['id']}")
    tag = desk.api.get(path).headers["etag"]
    assert desk.api.post(f"{path}/retry", headers={"If-Match": '"old"'}).status_code == 412
    assert desk.api.post(f"{path}/retry", headers={"If-Match": tag}).status_code == 200


def test_rotation_gives_a_new_secret_once_and_lets_the_old_one_sign_on(desk: Desk) -> None:
    made = desk.make()
    before = int(time.time() * 1000)
    answer = desk.api.post(desk.at(made, "/rotate-secret"), json={"graceSeconds": 3600})
    assert answer.status_code == 200
    rotated_to = answer.json()["data"]
    new = rotated_to.pop("signingSecret")
    assert new != made["signingSecret"]
    read = desk.api.get(desk.at(made))
    assert read.json()["data"] == rotated_to
    assert read.headers["etag"] == answer.headers["etag"]
    assert rotated_to["secretLastFour"] == new[-4:]
    newest, old = secrets_of(desk, made)
    assert newest == Secret(new)
    assert old.secret == made["signingSecret"]
    assert before + 3_600_000 <= old.until <= time.time() * 1000 + 3_600_000


def test_grace_is_a_day_unless_told_otherwise_and_zero_ends_all_old_secrets(desk: Desk) -> None:
    made = desk.make()
    desk.api.post(desk.at(made, "/rotate-secret"))
    _, old = secrets_of(desk, made)
    assert abs(old.until - (time.time() + 86400) * 1000) < 60_000
    last = desk.api.post(desk.at(made, "/rotate-secret"), json={"graceSeconds": 0}).json()["data"]
    assert secrets_of(desk, made) == (Secret(last["signingSecret"]),)


@pytest.mark.parametrize("grace", [-1, 604801, "1", 1.5, None])
def test_a_grace_out_of_bounds_is_refused(desk: Desk, grace: Any) -> None:
    answer = desk.api.post(desk.at(desk.make(), "/rotate-secret"), json={"graceSeconds": grace})
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "graceSeconds"


def test_at_most_ten_old_secrets_sign_at_once(desk: Desk) -> None:
    made = desk.make()
    for _ in range(MOST_OLD_SECRETS):
        assert desk.api.post(desk.at(made, "/rotate-secret")).status_code == 200
    assert desk.api.post(desk.at(made, "/rotate-secret")).status_code == 409
    assert len(secrets_of(desk, made)) == MOST_OLD_SECRETS + 1
    assert desk.api.post(desk.at(made, "/rotate-secret"), json={"graceSeconds": 0}).status_code == 200


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
    full = [Secret("a"), *(Secret(str(n), 10) for n in range(MOST_OLD_SECRETS))]
    with pytest.raises(Conflict):
        rotated(full, "z", 100, now_ms=0)
