"""Replays: what was missed is queued again, in batches that survive whoever runs them."""

import time
from typing import Any

import pytest
from tests.conftest import Service
from tests.support.organizations import Organization
from tests.support.processes import wait_for
from tests.webhooks.helpers import Desk

from steward.upkeep.replays import MOST_AHEAD


def now() -> int:
    return int(time.time())


def replay(desk: Desk, webhook: dict[str, Any], only: str, **more: Any) -> dict[str, Any]:
    body = {"since": now() - 3600, "until": now(), "only": only, **more}
    answer = desk.api.post(desk.at(webhook, "/replays"), json=body)
    assert answer.status_code == 201, answer.text
    made = answer.json()["data"]
    assert answer.headers["location"] == desk.at(webhook, f"/replays/{made['id']}")
    return made


def watched(desk: Desk, made: dict[str, Any]) -> dict[str, Any]:
    answer = desk.api.get(f"{desk.path}/{made['webhookId']}/replays/{made['id']}")
    assert answer.status_code == 200
    return answer.json()["data"]


def states(desk: Desk, webhook: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(delivery["status"], delivery["reason"]) for delivery in desk.deliveries(webhook)]


REPLAYED = ("pending", "replayed")


def test_a_replay_is_a_job_that_can_be_watched(desk: Desk) -> None:
    made = desk.make("workorder.created")
    since, until = now() - 100, now()
    job = replay(desk, made, "all", since=since, until=until, types=["workorder.*"])
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
    assert desk.api.get(desk.at(made, "/replays")).json()["data"] == [job]
    desk.run_replays(now())
    assert watched(desk, job)["status"] == "completed"


@pytest.mark.parametrize("only", ["failed", "skipped"])
def test_what_failed_or_was_skipped_is_queued_again_and_nothing_else(desk: Desk, only: str) -> None:
    made = desk.make("workorder.created")
    for number in range(4):
        desk.order(f"Order {number}")
    ends = ["failed", "skipped", "succeeded"]
    for delivery, status in zip(desk.deliveries(made), ends, strict=False):
        desk.end(delivery, status, attempts=0 if status == "skipped" else 11)
    job = replay(desk, made, only)
    desk.run_replays(now())
    waits = "pending" if only == "skipped" else "retrying"
    expected = [(end, "exhausted") for end in ends] + [("pending", None)]
    expected[ends.index(only)] = (waits, "replayed")
    assert states(desk, made) == expected
    done = watched(desk, job)
    assert (done["status"], done["queued"]) == ("completed", 1)
    (again,) = (d for d in desk.deliveries(made) if d["reason"] == "replayed")
    assert again["finishedAt"] is None
    assert again["nextAttemptAt"] <= now() + 1


def test_all_queues_events_from_before_the_webhook_subscribed(desk: Desk) -> None:
    orders = [desk.order("One"), desk.order("Two")]
    desk.move(orders[0], "start")
    made = desk.make("workorder.created")
    assert desk.deliveries(made) == []
    replay(desk, made, "all")
    desk.run_replays(now())
    assert desk.heard(made) == ["workorder.created", "workorder.created"]
    assert states(desk, made) == [REPLAYED, REPLAYED]


def test_all_uses_the_delivery_that_is_there_and_leaves_alone_what_waits(desk: Desk) -> None:
    made = desk.make("workorder.created")
    for title in ("Done", "Waiting", "Retrying"):
        desk.order(title)
    done, waiting, retrying = desk.deliveries(made)
    desk.end(done, "succeeded", attempts=2)
    desk.sql(
        "UPDATE deliveries SET status = 'retrying', attempts = 3, due = 4102444800000 WHERE id = $1",
        retrying["id"],
    )
    job = replay(desk, made, "all")
    desk.run_replays(now())
    after = desk.deliveries(made)
    assert [delivery["id"] for delivery in after] == [done["id"], waiting["id"], retrying["id"]]
    assert (after[0]["status"], after[0]["reason"], after[0]["attempts"]) == ("retrying", "replayed", 2)
    assert after[1] == waiting
    assert after[2]["nextAttemptAt"] == 4102444800
    assert watched(desk, job)["queued"] == 1


def test_the_identifier_that_a_replay_makes_is_the_one_that_the_event_would_have_made(desk: Desk) -> None:
    early = desk.make("workorder.created")
    desk.order()
    (made_with_event,) = desk.deliveries(early)
    desk.sql("DELETE FROM deliveries WHERE organization_id = $1", desk.org.id)
    replay(desk, early, "all")
    desk.run_replays(now())
    (made_by_replay,) = desk.deliveries(early)
    assert made_by_replay["id"] == made_with_event["id"]


def test_types_and_filter_narrow_a_replay(desk: Desk) -> None:
    here = desk.org.created("locations", {"name": "Here", "type": "Site"})["id"]
    order = desk.order("Here", locationId=here)
    desk.order("Nowhere")
    desk.move(order, "start")
    filtering = {"mode": "include", "criteria": {"locationId": [here]}}
    made = desk.make("sor.*", filtering=filtering)
    replay(desk, made, "all")
    desk.run_replays(now())
    assert desk.heard(made) == []
    replay(desk, made, "all", types=["workorder.*"])
    desk.run_replays(now())
    assert desk.heard(made) == ["workorder.created", "workorder.status.changed"]
    for delivery in desk.deliveries(made):
        desk.end(delivery, "failed")
    replay(desk, made, "failed", types=["workorder.created"])
    desk.run_replays(now())
    assert [status for status, _ in states(desk, made)] == ["retrying", "failed"]


def test_only_the_span_of_time_is_replayed(desk: Desk) -> None:
    made = desk.make("workorder.created")
    for title in ("Early", "Late"):
        desk.order(title)
    early, late = desk.deliveries(made)
    for delivery in (early, late):
        desk.end(delivery, "skipped", attempts=0)
    moment = early["created"]
    desk.sql("UPDATE events SET created = $2 WHERE id = $1", late["eventId"], moment + 30)
    replay(desk, made, "skipped", since=moment, until=moment)
    desk.run_replays(now())
    assert [status for status, _ in states(desk, made)] == ["pending", "skipped"]
    replay(desk, made, "skipped", since=moment - 50, until=moment - 40)
    desk.run_replays(now())
    assert [status for status, _ in states(desk, made)] == ["pending", "skipped"]


def test_tests_are_not_replayed(desk: Desk) -> None:
    made = desk.make("*")
    desk.api.post(desk.at(made, "/test"))
    (delivery,) = desk.deliveries(made)
    desk.end(delivery, "failed")
    for only in ("all", "failed"):
        replay(desk, made, only)
    desk.run_replays(now())
    assert states(desk, made) == [("failed", "exhausted")]


def test_a_replay_goes_on_where_it_was_when_its_worker_died(desk: Desk) -> None:
    for number in range(7):
        desk.order(f"Order {number}")
    made = desk.make("workorder.created")
    job = replay(desk, made, "all")
    assert desk.run_replays(now(), at_once=3) == 3
    halfway = watched(desk, job)
    assert (halfway["status"], halfway["queued"]) == ("running", 3)
    # What is done meanwhile with those that were queued is not done again.
    for delivery in desk.deliveries(made):
        desk.end(delivery, "succeeded")
    assert desk.run_replays(now(), at_once=3) == 3
    assert desk.run_replays(now(), at_once=3) == 1
    done = watched(desk, job)
    assert (done["status"], done["queued"]) == ("completed", 7)
    assert [status for status, _ in states(desk, made)] == ["succeeded"] * 3 + ["pending"] * 4


def test_a_replay_of_failures_does_not_run_after_its_own_failures(desk: Desk) -> None:
    made = desk.make("workorder.created")
    for number in range(4):
        desk.order(f"Order {number}")
    for delivery in desk.deliveries(made):
        desk.end(delivery, "failed")
    job = replay(desk, made, "failed")
    assert desk.run_replays(now(), at_once=2) == 2
    for delivery in desk.deliveries(made)[:2]:
        desk.end(delivery, "failed")
    assert desk.run_replays(now(), at_once=2) == 2
    assert desk.run_replays(now(), at_once=2) == 0
    assert watched(desk, job)["queued"] == 4


def test_a_cancelled_replay_queues_nothing_more_and_stays_readable(desk: Desk) -> None:
    for number in range(4):
        desk.order(f"Order {number}")
    made = desk.make("workorder.created")
    job = replay(desk, made, "all")
    desk.run_replays(now(), at_once=2)
    path = desk.at(made, f"/replays/{job['id']}")
    assert desk.api.delete(path).json()["data"] == {"deleted": True}
    assert desk.run_replays(now()) == 0
    assert (watched(desk, job)["status"], watched(desk, job)["queued"]) == ("cancelled", 2)
    assert desk.api.delete(path).status_code == 200
    done = replay(desk, made, "failed")
    desk.run_replays(now())
    refused = desk.api.delete(desk.at(made, f"/replays/{done['id']}"))
    assert refused.status_code == 409


def test_a_replay_waits_while_its_webhook_is_paused(desk: Desk) -> None:
    desk.order()
    made = desk.make("workorder.created")
    job = replay(desk, made, "all")
    desk.change(made, status="paused")
    assert desk.run_replays(now()) == 0
    assert watched(desk, job)["status"] == "running"
    refused = desk.api.post(
        desk.at(made, "/replays"), json={"since": now() - 9, "until": now(), "only": "all"}
    )
    assert refused.status_code == 409
    desk.change(made, status="active")
    assert desk.run_replays(now()) == 1


def test_a_replay_does_not_put_a_long_queue_before_what_is_new(desk: Desk) -> None:
    desk.order()
    made = desk.make("workorder.created")
    job = replay(desk, made, "all")
    fill = """INSERT INTO deliveries (organization_id, id, webhook_id, event_id, status, attempts, due, created)
              SELECT $1, 'dlv_x' || n, $2, 'evt_x', 'pending', 0, $3, 1 FROM generate_series(1, $4::bigint) n"""
    desk.sql(fill, desk.org.id, made["webhookId"], now() * 1000, MOST_AHEAD)
    assert desk.run_replays(now()) == 0
    assert watched(desk, job)["status"] == "running"
    # What is to be tried much later stands in nobody's way.
    desk.sql("UPDATE deliveries SET due = $2 WHERE webhook_id = $1", made["webhookId"], (now() + 7200) * 1000)
    assert desk.run_replays(now()) == 1


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
def test_what_is_wrong_with_a_replay_is_named(desk: Desk, body: dict[str, Any], field: str) -> None:
    made = desk.make()
    moments = {name: now() + value for name, value in body.items() if name in {"since", "until"}}
    answer = desk.api.post(desk.at(made, "/replays"), json={"only": "all", **body, **moments})
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field


def test_a_replay_reaches_no_further_than_the_present(desk: Desk) -> None:
    made = desk.make()
    assert replay(desk, made, "all", until=now() + 3600)["until"] <= now()


def test_a_webhook_runs_at_most_ten_replays_and_takes_them_with_it(desk: Desk) -> None:
    made = desk.make()
    for _ in range(10):
        replay(desk, made, "failed")
    body = {"since": now() - 10, "until": now(), "only": "all"}
    assert desk.api.post(desk.at(made, "/replays"), json=body).status_code == 409
    desk.run_replays(now())
    replay(desk, made, "failed")
    assert desk.api.delete(desk.at(made)).status_code == 200
    assert desk.api.get(desk.at(made, "/replays")).status_code == 404


def test_the_worker_runs_replays_by_itself(service: Service) -> None:
    desk = Desk(Organization(service.base_url, service.database_url, "Enterprise"))
    desk.order()
    # Nothing is ever sent there: the name does not exist.
    made = desk.make("workorder.created", url="https://steward.invalid/")
    job = replay(desk, made, "all")
    wait_for("the replay's end", lambda: watched(desk, job)["status"] == "completed")
    assert watched(desk, job)["queued"] == 1
    assert len(desk.deliveries(made)) == 1
