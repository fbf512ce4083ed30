"""Replays: what was missed is queued again, in batches that survive whoever runs them."""

import time
from typing import Any

import pytest
from tests.conftest import Service
from tests.support.organizations import Organization
from tests.support.processes import wait_for
from tests.webhooks.helpers import Desk

from steward.webhooks.replays.jobs import MAX_AHEAD


def now() -> int:
    return int(time.time())


def replay(context: Desk, webhook: dict[str, Any], only: str, **more: Any) -> dict[str, Any]:
    body = {"since": now() - 3600, "until": now(), "only": only, **more}
    answer = context.api.post(context.at(webhook, "/replays"), json=body)
    assert answer.status_code == 201, answer.text
    made = answer.json()["data"]
    assert answer.headers["location"] == context.at(webhook, f"/replays/{made['id']}")
    return made


def watched(context: Desk, made: dict[str, Any]) -> dict[str, Any]:
    answer = context.api.get(f"{context.path}/{made['webhookId']}/replays/{made['id']}")
    assert answer.status_code == 200
    return answer.json()["data"]


def states(context: Desk, webhook: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(delivery["status"], delivery["reason"]) for delivery in context.deliveries(webhook)]


REPLAYED = ("pending", "replayed")


def test_a_replay_is_a_job_that_can_be_watched(context: Desk) -> None:
    made = context.make("workorder.created")
    since, until = now() - 100, now()
    job = replay(context, made, "all", since=since, until=until, types=["workorder.*"])
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
    assert context.api.get(context.at(made, "/replays")).json()["data"] == [job]
    context.run_replays(now())
    assert watched(context, job)["status"] == "completed"


@pytest.mark.parametrize("only", ["failed", "skipped"])
def test_what_failed_or_was_skipped_is_queued_again_and_nothing_else(context: Desk, only: str) -> None:
    made = context.make("workorder.created")
    for number in range(4):
        context.order(f"Order {number}")
    ends = ["failed", "skipped", "succeeded"]
    for delivery, status in zip(context.deliveries(made), ends, strict=False):
        context.end(delivery, status, attempts=0 if status == "skipped" else 11)
    job = replay(context, made, only)
    context.run_replays(now())
    waits = "pending" if only == "skipped" else "retrying"
    expected = [(end, "exhausted") for end in ends] + [("pending", None)]
    expected[ends.index(only)] = (waits, "replayed")
    assert states(context, made) == expected
    done = watched(context, job)
    assert (done["status"], done["queued"]) == ("completed", 1)
    (again,) = (d for d in context.deliveries(made) if d["reason"] == "replayed")
    assert again["finishedAt"] is None
    assert again["nextAttemptAt"] <= now() + 1


def test_all_queues_events_from_before_the_webhook_subscribed(context: Desk) -> None:
    orders = [context.order("One"), context.order("Two")]
    context.move(orders[0], "start")
    made = context.make("workorder.created")
    assert context.deliveries(made) == []
    replay(context, made, "all")
    context.run_replays(now())
    assert context.heard(made) == ["workorder.created", "workorder.created"]
    assert states(context, made) == [REPLAYED, REPLAYED]


def test_all_uses_the_delivery_that_is_there_and_leaves_alone_what_waits(context: Desk) -> None:
    made = context.make("workorder.created")
    for title in ("Done", "Waiting", "Retrying"):
        context.order(title)
    done, waiting, retrying = context.deliveries(made)
    context.end(done, "succeeded", attempts=2)
    context.sql(
        "UPDATE deliveries SET status = 'retrying', attempts = 3, due = 4102444800000 WHERE id = $1",
        retrying["id"],
    )
    job = replay(context, made, "all")
    context.run_replays(now())
    after = context.deliveries(made)
    assert [delivery["id"] for delivery in after] == [done["id"], waiting["id"], retrying["id"]]
    assert (after[0]["status"], after[0]["reason"], after[0]["attempts"]) == ("retrying", "replayed", 2)
    assert after[1] == waiting
    assert after[2]["nextAttemptAt"] == 4102444800
    assert watched(context, job)["queued"] == 1


def test_the_identifier_that_a_replay_makes_is_the_one_that_the_event_would_have_made(context: Desk) -> None:
    early = context.make("workorder.created")
    context.order()
    (made_with_event,) = context.deliveries(early)
    context.sql("DELETE FROM deliveries WHERE organization_id = $1", context.org.id)
    replay(context, early, "all")
    context.run_replays(now())
    (made_by_replay,) = context.deliveries(early)
    assert made_by_replay["id"] == made_with_event["id"]


def test_types_and_filter_narrow_a_replay(context: Desk) -> None:
    here = context.org.created("locations", {"name": "Here", "type": "Site"})["id"]
    order = context.order("Here", locationId=here)
    context.order("Nowhere")
    context.move(order, "start")
    filtering = {"mode": "include", "criteria": {"locationId": [here]}}
    made = context.make("sor.*", filtering=filtering)
    replay(context, made, "all")
    context.run_replays(now())
    assert context.heard(made) == []
    replay(context, made, "all", types=["workorder.*"])
    context.run_replays(now())
    assert context.heard(made) == ["workorder.created", "workorder.status.changed"]
    for delivery in context.deliveries(made):
        context.end(delivery, "failed")
    replay(context, made, "failed", types=["workorder.created"])
    context.run_replays(now())
    assert [status for status, _ in states(context, made)] == ["retrying", "failed"]


def test_only_the_span_of_time_is_replayed(context: Desk) -> None:
    made = context.make("workorder.created")
    for title in ("Early", "Late"):
        context.order(title)
    early, late = context.deliveries(made)
    for delivery in (early, late):
        context.end(delivery, "skipped", attempts=0)
    moment = early["created"]
    context.sql("UPDATE events SET created = $2 WHERE id = $1", late["eventId"], moment + 30)
    replay(context, made, "skipped", since=moment, until=moment)
    context.run_replays(now())
    assert [status for status, _ in states(context, made)] == ["pending", "skipped"]
    replay(context, made, "skipped", since=moment - 50, until=moment - 40)
    context.run_replays(now())
    assert [status for status, _ in states(context, made)] == ["pending", "skipped"]


def test_tests_are_not_replayed(context: Desk) -> None:
    made = context.make("*")
    context.api.post(context.at(made, "/test"))
    (delivery,) = context.deliveries(made)
    context.end(delivery, "failed")
    for only in ("all", "failed"):
        replay(context, made, only)
    context.run_replays(now())
    assert states(context, made) == [("failed", "exhausted")]


def test_a_replay_goes_on_where_it_was_when_its_worker_died(context: Desk) -> None:
    for number in range(7):
        context.order(f"Order {number}")
    made = context.make("workorder.created")
    job = replay(context, made, "all")
    assert context.run_replays(now(), batch_size=3) == 3
    halfway = watched(context, job)
    assert (halfway["status"], halfway["queued"]) == ("running", 3)
    # What is done meanwhile with those that were queued is not done again.
    for delivery in context.deliveries(made):
        context.end(delivery, "succeeded")
    assert context.run_replays(now(), batch_size=3) == 3
    assert context.run_replays(now(), batch_size=3) == 1
    done = watched(context, job)
    assert (done["status"], done["queued"]) == ("completed", 7)
    assert [status for status, _ in states(context, made)] == ["succeeded"] * 3 + ["pending"] * 4


def test_a_replay_of_failures_does_not_run_after_its_own_failures(context: Desk) -> None:
    made = context.make("workorder.created")
    for number in range(4):
        context.order(f"Order {number}")
    for delivery in context.deliveries(made):
        context.end(delivery, "failed")
    job = replay(context, made, "failed")
    assert context.run_replays(now(), batch_size=2) == 2
    for delivery in context.deliveries(made)[:2]:
        context.end(delivery, "failed")
    assert context.run_replays(now(), batch_size=2) == 2
    assert context.run_replays(now(), batch_size=2) == 0
    assert watched(context, job)["queued"] == 4


def test_a_cancelled_replay_queues_nothing_more_and_stays_readable(context: Desk) -> None:
    for number in range(4):
        context.order(f"Order {number}")
    made = context.make("workorder.created")
    job = replay(context, made, "all")
    context.run_replays(now(), batch_size=2)
    path = context.at(made, f"/replays/{job['id']}")
    assert context.api.delete(path).json()["data"] == {"deleted": True}
    assert context.run_replays(now()) == 0
    assert (watched(context, job)["status"], watched(context, job)["queued"]) == ("cancelled", 2)
    assert context.api.delete(path).status_code == 200
    done = replay(context, made, "failed")
    context.run_replays(now())
    refused = context.api.delete(context.at(made, f"/replays/{done['id']}"))
    assert refused.status_code == 409


def test_a_replay_waits_while_its_webhook_is_paused(context: Desk) -> None:
    context.order()
    made = context.make("workorder.created")
    job = replay(context, made, "all")
    context.change(made, status="paused")
    assert context.run_replays(now()) == 0
    assert watched(context, job)["status"] == "running"
    refused = context.api.post(
        context.at(made, "/replays"), json={"since": now() - 9, "until": now(), "only": "all"}
    )
    assert refused.status_code == 409
    context.change(made, status="active")
    assert context.run_replays(now()) == 1


def test_a_replay_does_not_put_a_long_queue_before_what_is_new(context: Desk) -> None:
    context.order()
    made = context.make("workorder.created")
    job = replay(context, made, "all")
    fill = """INSERT INTO deliveries (organization_id, id, webhook_id, event_id, status, attempts, due, created)
              SELECT $1, 'dlv_x' || n, $2, 'evt_x', 'pending', 0, $3, 1 FROM generate_series(1, $4::bigint) n"""
    context.sql(fill, context.org.id, made["webhookId"], now() * 1000, MAX_AHEAD)
    assert context.run_replays(now()) == 0
    assert watched(context, job)["status"] == "running"
    # What is to be tried much later stands in nobody's way.
    context.sql(
        "UPDATE deliveries SET due = $2 WHERE webhook_id = $1", made["webhookId"], (now() + 7200) * 1000
    )
    assert context.run_replays(now()) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"since": 5, "until": 0}, "since"),
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
def test_what_is_wrong_with_a_replay_is_named(context: Desk, body: dict[str, Any], field: str) -> None:
    made = context.make()
    moments = {name: now() + value for name, value in body.items() if name in {"since", "until"}}
    answer = context.api.post(context.at(made, "/replays"), json={"only": "all", **body, **moments})
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field


def test_a_replay_reaches_no_further_than_the_present(context: Desk) -> None:
    made = context.make()
    assert replay(context, made, "all", until=now() + 3600)["until"] <= now()


def test_a_webhook_runs_at_most_ten_replays_and_takes_them_with_it(context: Desk) -> None:
    made = context.make()
    for _ in range(10):
        replay(context, made, "failed")
    body = {"since": now() - 10, "until": now(), "only": "all"}
    assert context.api.post(context.at(made, "/replays"), json=body).status_code == 409
    context.run_replays(now())
    replay(context, made, "failed")
    assert context.api.delete(context.at(made)).status_code == 200
    assert context.api.get(context.at(made, "/replays")).status_code == 404


def test_the_worker_runs_replays_by_itself(service: Service) -> None:
    context = Desk(Organization(service.base_url, service.database_url, "Enterprise"))
    context.order()
    # Nothing is ever sent there: the name does not exist.
    made = context.make("workorder.created", url="https://steward.invalid/")
    job = replay(context, made, "all")
    wait_for("the replay's end", lambda: watched(context, job)["status"] == "completed")
    assert watched(context, job)["queued"] == 1
    assert len(context.deliveries(made)) == 1
