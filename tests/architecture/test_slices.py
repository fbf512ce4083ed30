"""Slices look alike: the same files, and the same thing in the same place everywhere."""

import ast
import re
from collections.abc import Iterable

from tests.architecture.source import ROOT, SLICES, SOURCE, calls, imports, modules
from tests.support.offenders import listed

# What a file of a slice holds, as the guide says it.
FILES = ("model", "rules", "events", "queries", "actions", "api", "pages", "cells", "jobs", "slice")

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
    "api_keys.bounds": "what a key may do, from where and until when",
    "api_keys.usage": "state of a process: counters",
    "bookings.feeds.icalendar": "a format of others",
    "bookings.clashes": "the refusal of slots that are taken",
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
    "work_orders.checklist": "ticking and replacing items",
    "work_orders.sla.business_hours": "when clocks run",
    "work_orders.sla.clock_changes": "time zones",
    "work_orders.sla.working_time": "arithmetic of working hours",
}


def _slice_modules() -> list[str]:
    return [name for name in modules() if name.split(".")[0] in SLICES]


def _calling(names: Iterable[str], *functions: str) -> list[str]:
    """Where modules call one of the functions or methods."""
    return [
        f"{name}:{line} calls {function}"
        for name in names
        for function in functions
        for line in calls(modules()[name]).get(function, [])
    ]


def _importing(names: Iterable[str], beginning: str) -> list[str]:
    """Where modules import something whose name begins like this."""
    return [
        f"{name}:{line} imports {imported}"
        for name in names
        for imported, line in imports(modules()[name]).items()
        if imported.startswith(beginning)
    ]


def _file(module: str) -> str:
    return module.rpartition(".")[2]


def _is_package(module: str) -> bool:
    return (SOURCE / module.replace(".", "/")).is_dir()


def test_a_file_of_a_slice_is_one_of_the_table() -> None:
    offenders = [
        module
        for module in _slice_modules()
        if not _is_package(module) and _file(module) not in FILES and module not in WITH_A_REASON
    ]
    assert offenders == [], listed(offenders)


def test_the_exemption_lists_name_existing_things() -> None:
    assert set(WITH_A_REASON) <= set(modules())


def test_the_guide_shows_this_table() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `(\w+)\.py` \|", guide, re.MULTILINE)) == FILES


def test_sql_stands_in_queries_and_in_the_kit() -> None:
    others = [name for name in modules() if name and not name.startswith("kit.") and _file(name) != "queries"]
    offenders = _calling(others, "sql", "Table", "Listing") + _importing(others, "steward.kit.db.query")
    assert offenders == [], listed(offenders)


def test_transactions_are_begun_by_actions_and_jobs() -> None:
    others = [
        name
        for name in _slice_modules()
        if _file(name) not in {"actions", "jobs"}
        and name not in {"access.organization_setup", "access.sessions"}
    ]
    offenders = _calling(others, "transaction")
    assert offenders == [], listed(offenders)


def test_event_types_are_defined_in_events() -> None:
    offenders = _calling([name for name in _slice_modules() if _file(name) != "events"], "event_type")
    assert offenders == [], listed(offenders)


def test_state_machines_stand_in_rules() -> None:
    offenders = _calling([name for name in _slice_modules() if _file(name) != "rules"], "Moves")
    assert offenders == [], listed(offenders)


def test_pure_modules_have_no_coroutines() -> None:
    pure = {name: modules()[name] for name in _slice_modules() if _file(name) in {"model", "rules", "events"}}
    offenders = [
        f"{name}:{node.lineno} waits"
        for name, tree in pure.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef | ast.Await)
    ]
    offenders += _importing(pure, "kit.runtime.clock")
    assert offenders == [], listed(offenders)


def test_modules_below_the_edge_do_not_import_http() -> None:
    below = {"model", "rules", "events", "queries", "actions"}
    parts_of_the_kit = ["kit.records.records", "kit.db.idempotency", "kit.domain.csv_rows"]
    offenders = _importing(
        [*(name for name in _slice_modules() if _file(name) in below), *parts_of_the_kit], "kit.http"
    )
    assert offenders == [], listed(offenders)


def test_the_kit_knows_no_slice() -> None:
    offenders = [
        f"{module}:{line} imports {name}"
        for module, tree in modules().items()
        if module.startswith("kit.")
        for name, line in imports(tree).items()
        if name.split(".")[0] not in {"kit", "settings", "__version__"}
    ]
    assert offenders == [], listed(offenders)
