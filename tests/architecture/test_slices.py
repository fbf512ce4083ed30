"""Slices look alike: the same files, and the same thing in the same place everywhere."""

import ast
import re

import pytest
from tests.architecture.source import ROOT, SLICES, SOURCE, imports, modules

# What a file of a slice holds, as the guide says it.
FILES = ("model", "rules", "events", "queries", "actions", "api", "pages", "jobs")

# Files with another name, and why they aren't one of the others.
WITH_A_REASON = {
    "access.credential_cache": "state of a process: what it knows of callers",
    "access.gate": "the check in front of every route",
    "access.organization_setup": "founds a tenant over several slices",
    "access.sessions": "the web's credential, beside keys and tokens",
    "alert_rules.conditions": "the language of conditions, compiled",
    "alert_rules.evaluation": "all rules of an asset, for every reading",
    "alert_rules.replay": "a rule over readings that are history",
    "alert_rules.rule_index": "rules by asset, as a cache keeps them",
    "alert_rules.state_machine": "when one alert begins and ends",
    "api_keys.usage": "state of a process: counters",
    "bookings.feeds.icalendar": "a format of others",
    "bookings.series.recurrence": "the language of recurring dates",
    "bookings.slots": "arithmetic of intervals",
    "reports.charts": "rows as a picture",
    "sor_quotations.pricing": "arithmetic of money",
    "telemetry.layouts": "state of a process: layouts by their number",
    "telemetry.series": "how readings are laid out in storage",
    "tokens.login_limits": "how often a password may be wrong",
    "tokens.signing": "the key that tokens are signed with",
    "webhooks.signing": "signatures, also for `steward listen`",
    "webhooks.subscription": "patterns of event types",
    "webhooks.verification": "for receivers; the package's public function",
    "work_orders.sla.business_hours": "when clocks run",
    "work_orders.sla.clock_changes": "time zones",
    "work_orders.sla.working_time": "arithmetic of working hours",
}

MODULES = modules()
SLICE_MODULES = sorted(name for name in MODULES if name.split(".")[0] in SLICES)


def _calls(tree: ast.Module, name: str) -> bool:
    """Whether a function or method of this name is called anywhere."""
    return any(
        isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id == name)
            or (isinstance(node.func, ast.Attribute) and node.func.attr == name)
        )
        for node in ast.walk(tree)
    )


def _file(module: str) -> str:
    return module.rpartition(".")[2]


def _is_package(module: str) -> bool:
    return (SOURCE / module.replace(".", "/")).is_dir()


@pytest.mark.parametrize("module", SLICE_MODULES)
def test_a_file_of_a_slice_is_one_of_the_table(module: str) -> None:
    if not _is_package(module):
        assert _file(module) in FILES or module in WITH_A_REASON


def test_no_reason_is_given_for_what_there_isnt() -> None:
    assert set(WITH_A_REASON) <= set(MODULES)


def test_the_guide_shows_this_table() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `(\w+)\.py` \|", guide, re.MULTILINE)) == FILES


@pytest.mark.parametrize("module", [name for name in MODULES if name])
def test_sql_stands_in_queries_and_in_the_kit(module: str) -> None:
    if (
        _calls(MODULES[module], "sql")
        or _calls(MODULES[module], "Table")
        or _calls(MODULES[module], "Listing")
    ):
        assert module.startswith("kit.") or _file(module) == "queries"


@pytest.mark.parametrize("module", SLICE_MODULES)
def test_transactions_are_begun_by_actions_and_jobs(module: str) -> None:
    begins = _calls(MODULES[module], "transaction")
    assert not begins or _file(module) in {"actions", "jobs"} or module == "access.organization_setup"


@pytest.mark.parametrize("module", SLICE_MODULES)
def test_event_types_are_defined_in_events(module: str) -> None:
    assert not _calls(MODULES[module], "event_type") or _file(module) == "events"


@pytest.mark.parametrize("module", SLICE_MODULES)
def test_state_machines_stand_in_rules(module: str) -> None:
    assert not _calls(MODULES[module], "Moves") or _file(module) == "rules"


@pytest.mark.parametrize(
    "module", [name for name in SLICE_MODULES if _file(name) in {"model", "rules", "events"}]
)
def test_what_is_pure_waits_for_nothing(module: str) -> None:
    assert not any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in ast.walk(MODULES[module]))
    assert not {name for name in imports(MODULES[module]) if name.startswith("kit.runtime.clock")}


@pytest.mark.parametrize(
    "module",
    [name for name in SLICE_MODULES if _file(name) in {"model", "rules", "events", "queries", "actions"}]
    + ["kit.db.records", "kit.db.idempotency", "kit.domain.csv_rows"],
)
def test_what_lies_below_the_edge_knows_nothing_of_http(module: str) -> None:
    assert not {name for name in imports(MODULES[module]) if name.startswith("kit.http")}


def test_the_kit_knows_no_slice() -> None:
    known = {
        (module, name)
        for module, tree in MODULES.items()
        if module.startswith("kit.")
        for name in imports(tree)
        if name.split(".")[0] not in {"kit", "settings", "migrations", "__version__"}
    }
    assert known == set()
