"""The dashboard and the alerts ask for metrics that there are, and each alert has a page that says what to do."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts.generate.metrics import known_metrics
from tests.observability.promql import faults, labels_of, uses

from steward.ingest.metrics import READINGS_WAITING
from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.db.pool import Pool
from steward.settings import Settings
from steward.wiring.jobs import all_jobs

ROOT = Path(__file__).parents[2]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "steward.json").read_text(encoding="utf-8"))
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))[
        "groups"
    ]
    for rule in group["rules"]
]
RUNBOOKS = ROOT / "docs" / "operate" / "runbooks"
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
_FAILED_JOBS = re.compile(
    r'increase\(steward_job_runs_total\{outcome="failed"\}\[(\d+)([mh])\]\)\) (>=?) (\d+)'
)
_UNITS = {"m": 60, "h": 3600}
_PLACEHOLDER = re.compile(r"\{\{\s*\$labels\.(\w+)\s*\}\}|\{\{(\w+)\}\}")


def _expressions() -> Iterator[tuple[str, str]]:
    for panel in PANELS:
        yield from ((panel["title"], target["expr"]) for target in panel["targets"])
    yield from ((rule["alert"], rule["expr"]) for rule in RULES)


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("max(steward_nothing) > 1", "no metric steward_nothing"),
        ('sum(rate(steward_requests_total{stat="5"}[5m]))', "steward_requests_total has no stat"),
        ("sum by (path) (rate(steward_requests_total[5m]))", "nothing here has path"),
        ("sum(rate(steward_request_seconds_total[5m]))", "no metric steward_request_seconds_total"),
        ("sum by (job_name) (steward_job_runs_total)", "nothing here has job_name"),
        ("1 > 0", "no metric in 1 > 0"),
    ],
)
def test_the_check_finds_unknown_metrics_and_labels(expression: str, fault: str) -> None:
    assert faults(expression) == [fault]


def test_every_expression_uses_existing_metrics() -> None:
    wrong = {title: found for title, expression in _expressions() if (found := faults(expression))}
    assert wrong == {}


def test_every_metric_is_on_the_dashboard_or_in_an_alert() -> None:
    asked = {use.metric for _, expression in _expressions() for use in uses(expression)}
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked} | asked
    # How many are open matters to nobody who sees how many are in use.
    assert {name for name, *_ in known_metrics()} - shown == {"steward_pool_open"}


def test_every_metric_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    assert {name for name, *_ in known_metrics() if f"`{name}`" not in page} == set()


def test_legends_and_messages_name_labels_that_remain() -> None:
    wrong = []
    texts = [(target["expr"], target["legendFormat"]) for panel in PANELS for target in panel["targets"]]
    texts += [(rule["expr"], " ".join(rule["annotations"].values())) for rule in RULES]
    for expression, text in texts:
        named = {first or second for first, second in _PLACEHOLDER.findall(text)}
        kept = set(re.findall(r"\w+", " ".join(re.findall(r"\bby\s*\(([^)]*)\)", expression))))
        # What isn't aggregated keeps all of its labels.
        if not re.search(r"\b(sum|max|min|count)\b", expression):
            kept = set().union(*(labels_of()[use.metric] for use in uses(expression)))
        wrong += [f"{label} in {text}" for label in named - kept]
    assert wrong == []


def test_panels_have_places_of_their_own_and_say_what_they_show() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    cells = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert [panel["title"] for panel in PANELS if not panel["description"]] == []


def test_every_alert_has_a_severity_and_a_runbook() -> None:
    for rule in RULES:
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert re.fullmatch(r"\d+m", rule["for"])
        annotations = rule["annotations"]
        assert annotations["summary"]
        assert annotations["description"]
        page = ROOT / annotations["runbook"]
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {rule['alert']}\n")
        assert rule["expr"] in text
        assert "## How to look" in text
        assert "## What to do" in text


def test_every_runbook_is_of_an_alert() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    pages = {f"docs/operate/runbooks/{page.name}" for page in RUNBOOKS.glob("*.md")}
    assert {rule["annotations"]["runbook"] for rule in RULES} == pages - {"docs/operate/runbooks/README.md"}
    index = (RUNBOOKS / "README.md").read_text(encoding="utf-8")
    assert {rule["alert"] for rule in RULES if f"[{rule['alert']}]" not in index} == set()


def test_every_job_runs_often_enough_for_an_alert_about_its_failures() -> None:
    watched = []
    for rule in RULES:
        for number, unit, compare, failures in _FAILED_JOBS.findall(rule["expr"]):
            needed = int(failures) + (compare == ">")
            watched.append((int(number) * _UNITS[unit], needed))
    jobs = all_jobs(Pool("", 1), Settings(), "", Heartbeat(""))
    unwatched = [
        job.name
        for job in jobs
        if not any(seconds // job.every_seconds >= needed for seconds, needed in watched)
    ]
    assert unwatched == []


def test_per_process_bounds_are_not_summed() -> None:
    assert READINGS_WAITING._multiprocess_mode == "livemax"
    [exhausted] = [rule["expr"] for rule in RULES if rule["alert"] == "StewardPoolExhausted"]
    # One process may have none left while others have many.
    assert {use.metric for use in uses(exhausted)} == {"steward_pool_waiting"}


def test_a_missing_scrape_target_fires_an_alert() -> None:
    [down] = [rule["expr"] for rule in RULES if rule["alert"] == "StewardDown"]
    assert down.endswith('or absent(up{job="steward"})')


def test_no_errors_are_shown_as_0_and_not_as_nothing() -> None:
    [errors] = [panel for panel in PANELS if panel["title"] == "Errors"]
    assert all("or vector(0)" in target["expr"] for target in errors["targets"])
