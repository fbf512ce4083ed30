"""Replays: what was missed is queued again, in batches that survive their worker."""

import time
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.service import Service
from tests.support.waiting import wait_for

from steward.webhooks.replays.jobs import MAX_AHEAD


def now() -> int:
    return int(time.time())


def replay(organization: Organization, webhook: dict[str, Any], only: str, **more: Any) -> dict[str, Any]:
    body = {"since": now() - 3600, "until": now(), "only": only, **more}
    answer = organization.api.post(organization.webhooks.path_of(webhook, "/replays"), json=body)
    assert answer.status_code == 201, answer.text
    made = data_of(answer)
    assert answer.headers["location"] == organization.webhooks.path_of(webhook, f"/replays/{made['id']}")
    return made


def watched(organization: Organization, made: dict[str, Any]) -> dict[str, Any]:
    answer = organization.api.get(f"{organization.webhooks.path}/{made['webhookId']}/replays/{made['id']}")
    assert answer.status_code == 200
    return data_of(answer)


def states(organization: Organization, webhook: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [
        (delivery["status"], delivery["reason"]) for delivery in organization.webhooks.deliveries(webhook)
    ]


REPLAYED = ("pending", "replayed")


def test_a_replay_is_a_job_that_can_be_watched(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    since, until = now() - 100, now()
    job = replay(organization, made, "all", since=since, until=until, types=["workorder.*"])
    assert job == {
        "id": job["id"],
        "webhookId": made["webhookId"],
        "since": since,
        "until": until,
        "types": ["workorder.*"],
        "only": "all",
        "status": "running",
        "queued": 0,
        "created": job["created"],
        "updated": job["created"],
    }
    assert job["id"].startswith("rpl_")
    assert data_of(organization.api.get(organization.webhooks.path_of(made, "/replays"))) == [job]
    organization.webhooks.run_replays(now())
    assert watched(organization, job)["status"] == "completed"


@pytest.mark.parametrize("only", ["failed", "skipped"])
def test_only_failed_and_skipped_deliveries_are_replayed(organization: Organization, only: str) -> None:
    made = organization.webhooks.create("workorder.created")
    for number in range(4):
        organization.work_orders.create(f"Order {number}")
    ends = ["failed", "skipped", "succeeded"]
    for delivery, status in zip(organization.webhooks.deliveries(made), ends, strict=False):
        organization.webhooks.finish_delivery(delivery, status, attempts=0 if status == "skipped" else 11)
    job = replay(organization, made, only)
    organization.webhooks.run_replays(now())
    waits = "pending" if only == "skipped" else "retrying"
    expected = [(end, "exhausted") for end in ends] + [("pending", None)]
    expected[ends.index(only)] = (waits, "replayed")
    assert states(organization, made) == expected
    done = watched(organization, job)
    assert (done["status"], done["queued"]) == ("completed", 1)
    (again,) = (d for d in organization.webhooks.deliveries(made) if d["reason"] == "replayed")
    assert again["finishedAt"] is None
    assert again["nextAttemptAt"] <= now() + 1


def test_all_queues_events_from_before_the_webhook_subscribed(organization: Organization) -> None:
    orders = [organization.work_orders.create("One"), organization.work_orders.create("Two")]
    organization.work_orders.move(orders[0], "start")
    made = organization.webhooks.create("workorder.created")
    assert organization.webhooks.deliveries(made) == []
    replay(organization, made, "all")
    organization.webhooks.run_replays(now())
    assert organization.webhooks.queued_types(made) == ["workorder.created", "workorder.created"]
    assert states(organization, made) == [REPLAYED, REPLAYED]


def test_all_reuses_existing_deliveries_and_skips_pending_ones(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    for title in ("Done", "Waiting", "Retrying"):
        organization.work_orders.create(title)
    done, waiting, retrying = organization.webhooks.deliveries(made)
    organization.webhooks.finish_delivery(done, "succeeded", attempts=2)
    organization.sql(
        "UPDATE deliveries SET status = 'retrying', attempts = 3, due = 4102444800000 WHERE id = $1",
        retrying["id"],
    )
    job = replay(organization, made, "all")
    organization.webhooks.run_replays(now())
    after = organization.webhooks.deliveries(made)
    assert [delivery["id"] for delivery in after] == [done["id"], waiting["id"], retrying["id"]]
    assert (after[0]["status"], after[0]["reason"], after[0]["attempts"]) == ("retrying", "replayed", 2)
    assert after[1] == waiting
    assert after[2]["nextAttemptAt"] == 4102444800
    assert watched(organization, job)["queued"] == 1


def test_replays_and_events_make_the_same_delivery_ids(
    organization: Organization,
) -> None:
    early = organization.webhooks.create("workorder.created")
    organization.work_orders.create()
    (made_with_event,) = organization.webhooks.deliveries(early)
    organization.sql("DELETE FROM deliveries WHERE organization_id = $1", organization.id)
    replay(organization, early, "all")
    organization.webhooks.run_replays(now())
    (made_by_replay,) = organization.webhooks.deliveries(early)
    assert made_by_replay["id"] == made_with_event["id"]


def test_types_and_filter_narrow_a_replay(organization: Organization) -> None:
    here = organization.created("locations", {"name": "Here", "type": "Site"})["id"]
    order = organization.work_orders.create("Here", locationId=here)
    organization.work_orders.create("Nowhere")
    organization.work_orders.move(order, "start")
    filtering = {"mode": "include", "criteria": {"locationId": [here]}}
    made = organization.webhooks.create("sor.*", filtering=filtering)
    replay(organization, made, "all")
    organization.webhooks.run_replays(now())
    assert organization.webhooks.queued_types(made) == []
    replay(organization, made, "all", types=["workorder.*"])
    organization.webhooks.run_replays(now())
    assert organization.webhooks.queued_types(made) == ["workorder.created", "workorder.status.changed"]
    for delivery in organization.webhooks.deliveries(made):
        organization.webhooks.finish_delivery(delivery, "failed")
    replay(organization, made, "failed", types=["workorder.created"])
    organization.webhooks.run_replays(now())
    assert [status for status, _ in states(organization, made)] == ["retrying", "failed"]


def test_only_events_in_the_time_range_are_replayed(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    for title in ("Early", "Late"):
        organization.work_orders.create(title)
    early, late = organization.webhooks.deliveries(made)
    for delivery in (early, late):
        organization.webhooks.finish_delivery(delivery, "skipped", attempts=0)
    moment = early["created"]
    organization.sql("UPDATE events SET created = $2 WHERE id = $1", late["eventId"], moment + 30)
    replay(organization, made, "skipped", since=moment, until=moment)
    organization.webhooks.run_replays(now())
    assert [status for status, _ in states(organization, made)] == ["pending", "skipped"]
    replay(organization, made, "skipped", since=moment - 50, until=moment - 40)
    organization.webhooks.run_replays(now())
    assert [status for status, _ in states(organization, made)] == ["pending", "skipped"]


def test_tests_are_not_replayed(organization: Organization) -> None:
    made = organization.webhooks.create("*")
    organization.api.post(organization.webhooks.path_of(made, "/test"))
    (delivery,) = organization.webhooks.deliveries(made)
    organization.webhooks.finish_delivery(delivery, "failed")
    for only in ("all", "failed"):
        replay(organization, made, only)
    organization.webhooks.run_replays(now())
    assert states(organization, made) == [("failed", "exhausted")]


def test_a_replay_resumes_after_its_worker_died(organization: Organization) -> None:
    for number in range(7):
        organization.work_orders.create(f"Order {number}")
    made = organization.webhooks.create("workorder.created")
    job = replay(organization, made, "all")
    assert organization.webhooks.run_replays(now(), batch_size=3) == 3
    halfway = watched(organization, job)
    assert (halfway["status"], halfway["queued"]) == ("running", 3)
    # What is done meanwhile with those that were queued is not done again.
    for delivery in organization.webhooks.deliveries(made):
        organization.webhooks.finish_delivery(delivery, "succeeded")
    assert organization.webhooks.run_replays(now(), batch_size=3) == 3
    assert organization.webhooks.run_replays(now(), batch_size=3) == 1
    done = watched(organization, job)
    assert (done["status"], done["queued"]) == ("completed", 7)
    assert [status for status, _ in states(organization, made)] == ["succeeded"] * 3 + ["pending"] * 4


def test_a_replay_of_failures_does_not_run_after_its_own_failures(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    for number in range(4):
        organization.work_orders.create(f"Order {number}")
    for delivery in organization.webhooks.deliveries(made):
        organization.webhooks.finish_delivery(delivery, "failed")
    job = replay(organization, made, "failed")
    assert organization.webhooks.run_replays(now(), batch_size=2) == 2
    for delivery in organization.webhooks.deliveries(made)[:2]:
        organization.webhooks.finish_delivery(delivery, "failed")
    assert organization.webhooks.run_replays(now(), batch_size=2) == 2
    assert organization.webhooks.run_replays(now(), batch_size=2) == 0
    assert watched(organization, job)["queued"] == 4


def test_a_cancelled_replay_queues_nothing_more_and_stays_readable(organization: Organization) -> None:
    for number in range(4):
        organization.work_orders.create(f"Order {number}")
    made = organization.webhooks.create("workorder.created")
    job = replay(organization, made, "all")
    organization.webhooks.run_replays(now(), batch_size=2)
    path = organization.webhooks.path_of(made, f"/replays/{job['id']}")
    assert data_of(organization.api.delete(path)) == {"deleted": True}
    assert organization.webhooks.run_replays(now()) == 0
    assert (watched(organization, job)["status"], watched(organization, job)["queued"]) == ("cancelled", 2)
    assert organization.api.delete(path).status_code == 200
    done = replay(organization, made, "failed")
    organization.webhooks.run_replays(now())
    refused = organization.api.delete(organization.webhooks.path_of(made, f"/replays/{done['id']}"))
    assert refused.status_code == 409


def test_a_replay_waits_while_its_webhook_is_paused(organization: Organization) -> None:
    organization.work_orders.create()
    made = organization.webhooks.create("workorder.created")
    job = replay(organization, made, "all")
    organization.webhooks.change(made, status="paused")
    assert organization.webhooks.run_replays(now()) == 0
    assert watched(organization, job)["status"] == "running"
    refused = organization.api.post(
        organization.webhooks.path_of(made, "/replays"),
        json={"since": now() - 9, "until": now(), "only": "all"},
    )
    assert refused.status_code == 409
    organization.webhooks.change(made, status="active")
    assert organization.webhooks.run_replays(now()) == 1


def test_a_replay_does_not_delay_new_events(organization: Organization) -> None:
    organization.work_orders.create()
    made = organization.webhooks.create("workorder.created")
    job = replay(organization, made, "all")
    fill = """INSERT INTO deliveries (organization_id, id, webhook_id, event_id, status, attempts, due, created)
              SELECT $1, 'dlv_x' || n, $2, 'evt_x', 'pending', 0, $3, 1 FROM generate_series(1, $4::bigint) n"""
    organization.sql(fill, organization.id, made["webhookId"], now() * 1000, MAX_AHEAD)
    assert organization.webhooks.run_replays(now()) == 0
    assert watched(organization, job)["status"] == "running"
    # What is to be tried much later stands in nobody's way.
    organization.sql(
        "UPDATE deliveries SET due = $2 WHERE webhook_id = $1", made["webhookId"], (now() + 7200) * 1000
    )
    assert organization.webhooks.run_replays(now()) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"since": 5, "until": 0}, "until"),
        ({"since": -31 * 86400, "until": 0}, "since"),
        ({"since": 60, "until": 120}, "since"),
        ({"since": -10, "until": 0, "types": []}, "types"),
        ({"since": -10, "until": 0, "types": ["workorder.created", "no.such"]}, "types[1]"),
        ({"since": -10, "until": 0, "only": "succeeded"}, "only"),
        ({"since": -10, "until": 0, "only": None}, "only"),
        ({"until": 0}, "since"),
        ({"since": -10}, "until"),
    ],
)
def test_errors_of_a_replay_are_named(organization: Organization, body: dict[str, Any], field: str) -> None:
    made = organization.webhooks.create()
    moments = {name: now() + value for name, value in body.items() if name in {"since", "until"}}
    answer = organization.api.post(
        organization.webhooks.path_of(made, "/replays"), json={"only": "all", **body, **moments}
    )
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field


def test_a_replay_ends_at_the_present(organization: Organization) -> None:
    made = organization.webhooks.create()
    assert replay(organization, made, "all", until=now() + 3600)["until"] <= now()


def test_a_webhook_runs_at_most_ten_replays_and_takes_them_with_it(organization: Organization) -> None:
    made = organization.webhooks.create()
    for _ in range(10):
        replay(organization, made, "failed")
    body = {"since": now() - 10, "until": now(), "only": "all"}
    assert (
        organization.api.post(organization.webhooks.path_of(made, "/replays"), json=body).status_code == 409
    )
    organization.webhooks.run_replays(now())
    replay(organization, made, "failed")
    assert organization.api.delete(organization.webhooks.path_of(made)).status_code == 200
    assert organization.api.get(organization.webhooks.path_of(made, "/replays")).status_code == 404


def test_the_worker_runs_replays_by_itself(service: Service) -> None:
    organization = Organization(service.base_url, service.database_url, "Enterprise")
    organization.work_orders.create()
    # Nothing is ever sent there: the name does not exist.
    made = organization.webhooks.create("workorder.created", url="https://steward.invalid/")
    job = replay(organization, made, "all")
    wait_for("the replay's end", lambda: watched(organization, job)["status"] == "completed")
    assert watched(organization, job)["queued"] == 1
    assert len(organization.webhooks.deliveries(made)) == 1
