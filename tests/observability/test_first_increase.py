"""An alert that watches a counter sees the first time, too: the counter is 0 before, and not missing."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from tests.observability.promql import counted
from tests.support.service import Service
from tests.support.waiting import wait_for

from steward.ingest.metrics import DropReason
from steward.webhook_delivery.model import ErrorClass

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
# Which routes, statuses and tasks there will be nobody knows; these alerts are about many of them, not about the first.
_LABELS_UNKNOWN = {
    "steward_requests_total",
    "steward_request_seconds_bucket",
    "steward_loop_blocked_seconds_count",
}


def _counters() -> Iterator[tuple[str, dict[str, str]]]:
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))
    for group in rules["groups"]:
        for rule in group["rules"]:
            yield from counted(rule["expr"])


@pytest.fixture(scope="module")
def fresh(
    own_database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[dict[str, str]]]]:
    """The label sets of every series that a service shows to which nothing has happened yet."""
    service = Service(tmp_path_factory.mktemp("fresh"), own_database_url)
    try:

        def complete() -> str:
            with suppress(httpx.TransportError):
                text = service.metrics()
                return text if 'job="keep_partitions"' in text else ""
            return ""

        text = wait_for("the jobs of the worker", complete)
        found: dict[str, list[dict[str, str]]] = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                found.setdefault(sample.name, []).append(sample.labels)
        yield found
    finally:
        service.stop()


def test_every_counter_that_an_alert_watches_is_there_from_the_beginning(
    fresh: dict[str, list[dict[str, str]]],
) -> None:
    watched = [(name, labels) for name, labels in _counters() if name not in _LABELS_UNKNOWN]
    assert len(watched) > 5
    missing = [
        f"{name}{json.dumps(labels)}"
        for name, labels in watched
        if not any(labels.items() <= series.items() for series in fresh.get(name, []))
    ]
    assert missing == []


def test_known_label_values_are_exported_from_the_start(fresh: dict[str, list[dict[str, str]]]) -> None:
    def values(name: str, label: str) -> set[str]:
        return {series[label] for series in fresh[name]}

    assert values("steward_deliveries_repaired_total", "cause") == {"no_next_time"}
    # Under its old name, too, for one release.
    assert values("steward_deliveries_mended_total", "cause") == {"no_next_time"}
    assert "steward_identity_memory_trusted" in fresh
    assert values("steward_delivery_attempts_total", "result") == {"success", *ErrorClass}
    assert values("steward_readings_dropped_total", "reason") == set(DropReason)
    assert values("steward_authentication_failures_total", "kind") == {"credential", "password"}
    jobs = {(series["job"], series["outcome"]) for series in fresh["steward_job_runs_total"]}
    assert {(job, outcome) for job, _ in jobs for outcome in ("done", "failed")} == jobs
    assert ("keep_partitions", "failed") in jobs
