"""What an owner can see of deliveries and do about them; tests and the rotation of secrets beside."""

import base64
import time
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.processes import SECRET_KEY

from steward.kit.domain.problems import Conflict
from steward.kit.security.encryption import Encryption
from steward.webhooks.model import MAX_OLD_SECRETS
from steward.webhooks.rules import rotated
from steward.webhooks.signing import Secret, live_secrets, open_secrets

ENCRYPTION = Encryption(base64.b64decode(SECRET_KEY))


def secrets_of(organization: Organization, webhook: dict[str, Any]) -> tuple[Secret, ...]:
    ((sealed,),) = organization.sql("SELECT secrets FROM webhooks WHERE id = $1", webhook["webhookId"])
    return open_secrets(ENCRYPTION, sealed)


def test_a_test_event_goes_only_to_the_tested_webhook_whatever_its_types(organization: Organization) -> None:
    nowhere = organization.locations.create(name="Nowhere")["id"]
    filtering = {"mode": "include", "criteria": {"locationId": [nowhere]}}
    tested, other = (
        organization.webhooks.create("sor.schedule.published", filtering=filtering),
        organization.webhooks.create("*", "webhook.test"),
    )
    answer = organization.api.post(organization.webhooks.path_of(tested, "/test"))
    assert answer.status_code == 202
    assert set(answer.json()) == {"data", "requestId"}
    sent = data_of(answer)
    (event,) = organization.events(type="webhook.test")
    assert event == {
        "id": sent["eventId"],
        "type": "webhook.test",
        "organizationId": organization.id,
        "created": event["created"],
        "data": {"object": {"message": event["data"]["object"]["message"]}},
        "livemode": False,
        "isTest": True,
    }
    assert isinstance(event["data"]["object"]["message"], str)
    (delivery,) = organization.webhooks.deliveries(tested)
    assert (delivery["id"], delivery["eventId"]) == (sent["deliveryId"], sent["eventId"])
    assert (delivery["status"], delivery["eventType"]) == ("pending", "webhook.test")
    assert organization.webhooks.deliveries(other) == []


@pytest.mark.parametrize("status", ["paused", "disabled"])
def test_a_webhook_that_is_not_active_can_not_be_tested(organization: Organization, status: str) -> None:
    made = organization.webhooks.create()
    organization.sql("UPDATE webhooks SET status = $2 WHERE id = $1", made["webhookId"], status)
    refused = organization.api.post(organization.webhooks.path_of(made, "/test"))
    assert refused.status_code == 409
    assert refused.json()["message"] == f"The webhook is {status}; set its status to active first."
    assert organization.webhooks.deliveries(made) == []


def test_other_events_carry_no_mark_of_a_test(organization: Organization) -> None:
    organization.work_orders.create()
    (event,) = organization.events()
    assert event["livemode"] is True
    assert "isTest" not in event


def test_deliveries_can_be_narrowed_by_status_and_paged(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    for number in range(5):
        organization.work_orders.create(f"Order {number}")
    all_of_them = organization.webhooks.deliveries(made)
    for delivery in all_of_them[:2]:
        organization.webhooks.finish_delivery(delivery, "failed")
    assert [d["id"] for d in organization.webhooks.deliveries(made, status="failed")] == [
        d["id"] for d in all_of_them[:2]
    ]
    assert [d["id"] for d in organization.webhooks.deliveries(made, status="pending")] == [
        d["id"] for d in all_of_them[2:]
    ]
    assert (
        organization.api.get(
            organization.webhooks.path_of(made, "/deliveries"), params={"status": "lost"}
        ).status_code
        == 422
    )
    seen, cursor = [], None
    while True:
        query = {"limit": 2} | ({"lastEvaluatedKey": cursor} if cursor else {})
        page = organization.api.get(organization.webhooks.path_of(made, "/deliveries"), params=query).json()
        seen += [delivery["id"] for delivery in page["data"]]
        if (cursor := page["lastEvaluatedKey"]) is None:
            break
    assert seen == [delivery["id"] for delivery in reversed(all_of_them)]


def test_deliveries_are_found_by_event_type_and_time(organization: Organization) -> None:
    made = organization.webhooks.create("*")
    order = organization.work_orders.create("One")
    organization.work_orders.move(order, "start")
    organization.locations.create()
    all_of_them = organization.webhooks.deliveries(made)
    types = [delivery["eventType"] for delivery in all_of_them]
    assert set(types) == {"workorder.created", "workorder.status.changed", "location.created"}

    def found(**query: Any) -> list[str]:
        return [delivery["id"] for delivery in organization.webhooks.deliveries(made, **query)]

    def expected(*names: str) -> list[str]:
        return [delivery["id"] for delivery in all_of_them if delivery["eventType"] in names]

    assert found(type="workorder.created") == expected("workorder.created")
    assert found(type="workorder.*") == expected("workorder.created", "workorder.status.changed")
    assert found(type="location.created,workorder.created") == expected(
        "location.created", "workorder.created"
    )
    assert found(eventId=all_of_them[1]["eventId"]) == [all_of_them[1]["id"]]
    assert found(eventId="evt_unknown") == []
    assert found(eventId=f"{all_of_them[0]['eventId']},{all_of_them[2]['eventId']}", type="location.*") == [
        delivery["id"]
        for delivery in (all_of_them[0], all_of_them[2])
        if delivery["eventType"] == "location.created"
    ]
    organization.webhooks.finish_delivery(all_of_them[0], "failed")
    assert found(status="failed,succeeded") == [all_of_them[0]["id"]]
    assert found(status="failed,pending") == [delivery["id"] for delivery in all_of_them]
    now = int(time.time())
    assert found(createdAfter=now - 600, createdBefore=now + 600) == [each["id"] for each in all_of_them]
    assert found(createdAfter=now + 600) == []
    assert found(createdBefore=now - 600) == []
    path = organization.webhooks.path_of(made, "/deliveries")
    wrong = organization.api.get(path, params={"type": "workorder.exploded"})
    assert (wrong.status_code, wrong.json()["details"][0]["field"]) == (422, "type")
    reversed_times = organization.api.get(path, params={"createdAfter": now, "createdBefore": now - 1})
    assert reversed_times.status_code == 422


def test_a_delivery_shows_what_is_sent_to_who_may_read_events(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create("Grüße")
    (delivery,) = organization.webhooks.deliveries(made)
    path = organization.webhooks.path_of(made, f"/deliveries/{delivery['id']}")
    request = data_of(organization.api.get(path))["request"]
    body = organization.sql(
        "SELECT body FROM events WHERE organization_id = $1 AND id = $2", organization.id, delivery["eventId"]
    )
    assert request["body"].encode() == body[0]["body"]
    assert request["headers"] == {
        "Content-Type": "application/json",
        "User-Agent": "Steward-Webhooks/1",
        "webhook-id": delivery["eventId"],
        "webhook-actor": f"Key:{organization.key_id}",
    }
    key = organization.new_key("webhooks:read", "work-orders:read")
    narrow = organization.client(key=key["secret"])
    assert data_of(narrow.get(path))["request"] is None


def test_a_delivery_is_read_with_each_of_its_attempts(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create()
    (delivery,) = organization.webhooks.deliveries(made)
    rows = [
        (1, 1767225600123, 30000, None, "timeout", None),
        (2, 1767225635999, 87, 502, "http_status", b"Bad \xff gateway"),
    ]
    for row in rows:
        organization.sql(
            "INSERT INTO delivery_attempts VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            organization.id,
            delivery["id"],
            *row,
        )
    answer = organization.api.get(organization.webhooks.path_of(made, f"/deliveries/{delivery['id']}"))
    assert data_of(answer) == {
        **delivery,
        "request": data_of(answer)["request"],
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
    other = organization.webhooks.create()
    assert (
        organization.api.get(
            organization.webhooks.path_of(other, f"/deliveries/{delivery['id']}")
        ).status_code
        == 404
    )


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
    organization: Organization, ended: str, attempts: int, waits_as: str
) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create()
    (delivery,) = organization.webhooks.deliveries(made)
    organization.webhooks.finish_delivery(delivery, ended, attempts)
    before = int(time.time())
    answer = organization.api.post(organization.webhooks.path_of(made, f"/deliveries/{delivery['id']}/retry"))
    assert answer.status_code == 200, answer.text
    retried = data_of(answer)
    due = retried["nextAttemptAt"]
    assert before <= due <= time.time() + 1
    assert retried == {
        **delivery,
        "request": retried["request"],
        "status": waits_as,
        "reason": "manual_retry",
        "attempts": attempts,
        "nextAttemptAt": due,
        "attemptLog": [],
    }


def test_a_retry_advances_pending_deliveries_and_skips_those_in_flight(
    organization: Organization,
) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create()
    (delivery,) = organization.webhooks.deliveries(made)
    path = organization.webhooks.path_of(made, f"/deliveries/{delivery['id']}/retry")
    later = (
        "UPDATE deliveries SET status = 'retrying', attempts = 5, due = $2, lease_until = $3 WHERE id = $1"
    )
    now_ms = int(time.time() * 1000)
    organization.sql(later, delivery["id"], now_ms + 10**8, None)
    assert data_of(organization.api.post(path))["nextAttemptAt"] <= time.time() + 1
    organization.sql(later, delivery["id"], now_ms + 3_600_000, now_ms + 3_600_000)
    refused = organization.api.post(path)
    assert refused.status_code == 409
    assert refused.json()["message"] == "This delivery is being sent at this moment."
    # A lease that ended: its holder is gone.
    organization.sql(later, delivery["id"], now_ms - 1, now_ms - 1)
    assert organization.api.post(path).status_code == 200


@pytest.mark.parametrize("status", ["paused", "disabled"])
def test_nothing_is_retried_while_the_webhook_is_not_active(organization: Organization, status: str) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create()
    organization.api.post(organization.webhooks.path_of(made, "/test"))
    organization.sql("UPDATE webhooks SET status = $2 WHERE id = $1", made["webhookId"], status)
    for delivery in organization.webhooks.deliveries(made):
        refused = organization.api.post(
            organization.webhooks.path_of(made, f"/deliveries/{delivery['id']}/retry")
        )
        assert refused.status_code == 409
        assert refused.json()["message"] == f"The webhook is {status}; set its status to active first."


def test_a_retry_obeys_the_etag(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create()
    (delivery,) = organization.webhooks.deliveries(made)
    path = organization.webhooks.path_of(made, f"/deliveries/{delivery['id']}")
    tag = organization.api.get(path).headers["etag"]
    assert organization.api.post(f"{path}/retry", headers={"If-Match": '"old"'}).status_code == 412
    assert organization.api.post(f"{path}/retry", headers={"If-Match": tag}).status_code == 200


def test_rotation_returns_the_new_secret_once_and_keeps_the_old_one_signing(
    organization: Organization,
) -> None:
    made = organization.webhooks.create()
    before = int(time.time() * 1000)
    answer = organization.api.post(
        organization.webhooks.path_of(made, "/rotate-secret"), json={"graceSeconds": 3600}
    )
    assert answer.status_code == 200
    rotated_to = data_of(answer)
    new = rotated_to.pop("signingSecret")
    assert new != made["signingSecret"]
    read = organization.api.get(organization.webhooks.path_of(made))
    assert data_of(read) == rotated_to
    assert read.headers["etag"] == answer.headers["etag"]
    assert rotated_to["secretLastFour"] == new[-4:]
    newest, old = secrets_of(organization, made)
    assert newest == Secret(new)
    assert old.secret == made["signingSecret"]
    assert old.until is not None
    assert before + 3_600_000 <= old.until <= time.time() * 1000 + 3_600_000


def test_the_grace_period_defaults_to_a_day_and_zero_ends_old_secrets(
    organization: Organization,
) -> None:
    made = organization.webhooks.create()
    before = int(time.time() * 1000)
    organization.api.post(organization.webhooks.path_of(made, "/rotate-secret"))
    _, old = secrets_of(organization, made)
    assert old.until is not None
    assert before + 86_400_000 <= old.until <= time.time() * 1000 + 86_400_000
    last = data_of(
        organization.api.post(organization.webhooks.path_of(made, "/rotate-secret"), json={"graceSeconds": 0})
    )
    assert secrets_of(organization, made) == (Secret(last["signingSecret"]),)


@pytest.mark.parametrize("grace", [-1, 604801, "1", 1.5, None])
def test_a_grace_period_out_of_bounds_is_refused(organization: Organization, grace: Any) -> None:
    answer = organization.api.post(
        organization.webhooks.path_of(organization.webhooks.create(), "/rotate-secret"),
        json={"graceSeconds": grace},
    )
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "graceSeconds"


def test_at_most_ten_old_secrets_sign_at_once(organization: Organization) -> None:
    made = organization.webhooks.create()
    for _ in range(MAX_OLD_SECRETS):
        assert organization.api.post(organization.webhooks.path_of(made, "/rotate-secret")).status_code == 200
    assert organization.api.post(organization.webhooks.path_of(made, "/rotate-secret")).status_code == 409
    assert len(secrets_of(organization, made)) == MAX_OLD_SECRETS + 1
    assert (
        organization.api.post(
            organization.webhooks.path_of(made, "/rotate-secret"), json={"graceSeconds": 0}
        ).status_code
        == 200
    )


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
