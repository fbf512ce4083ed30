"""What a run of the benchmarks writes into README and docs."""

from datetime import date
from typing import Any

import pytest
from bench.publishing import FACTS, PAGES, Run, details, locked_versions, summary, with_block
from tests.architecture.source import ROOT

RUN = Run(date(2026, 11, 9), "x86_64", 2, {"Python": "3.11.7", "PostgreSQL": "18"})
LIST = {
    "ours": 3012,
    "floor": 4016,
    "ratio": 0.75,
    "peer": 301,
    "times_peer": 10.01,
    "cpu_us": 250.4,
    "postgres_us": 99.6,
}
READINGS = {"ours": 12345, "floor": 20000, "ratio": 0.617, "cpu_us": 34.2, "postgres_us": 51.0}
OTHERS: dict[str, dict[str, Any]] = {
    "latency": {"ours": 200, "p50": 10.86, "p99": 20.39},
    "start": {"up_cold_s": 4.31, "up_warm_s": 2.04, "api_s": 0.81, "import_s": 0.52},
    "page_today": {
        "few": {"size": 1000, "per_second": 120, "p50_ms": 8.7, "api_ms": 6.33, "postgres_ms": 1.11},
        "many": {"size": 100000, "per_second": 110, "p50_ms": 9.75, "api_ms": 6.56, "postgres_ms": 2.44},
        "ratio": 1.21,
    },
    "page_work_orders": {
        "many": {"size": 10, "per_second": 70, "p50_ms": 16.1, "api_ms": 14.8, "postgres_ms": 1.04}
    },
    "exports": {
        "rows": 50001,
        "csv": {"rows_per_second": 30000, "grown_mib": 3},
        "ndjson": {"rows_per_second": 70000, "grown_mib": 1},
        "grown_mib": 3,
    },
    "feed": {
        "walk": {"events_per_second": 9000, "limit": 100},
        "middle": {"ratio": 1.01},
        "events": [1000, 200000],
    },
}


def test_the_summary_has_what_has_a_peer() -> None:
    assert summary({"list": LIST, "telemetry_batch": READINGS}, RUN) == (
        "Measured on 9 November 2026 by `make bench` on x86_64 with 2 cores, which load generator, service and PostgreSQL "
        "share (Python 3.11.7, PostgreSQL 18).\n"
        "\n"
        "| a second | Steward | of the floor | a team's own | times as many |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| pages of 20 work orders | 3,012 | 75% | 301 | 10.0 |"
    )


def test_the_details_include_scenarios_without_a_peer() -> None:
    lines = details({"list": LIST, "telemetry_batch": READINGS}, RUN).splitlines()
    assert "| pages of 20 work orders | 3,012 | 4,016 | 75% | 301 | 10.0 | 250 | 100 |" in lines
    assert "| readings over HTTP, 100 in a request | 12,345 | 20,000 | 62% |  |  | 34 | 51 |" in lines


def test_every_other_figure_is_a_sentence() -> None:
    assert set(OTHERS) == set(FACTS)
    said = [line for line in details({"list": LIST, **OTHERS}, RUN).splitlines() if line.startswith("- ")]
    assert len(said) == len(FACTS)
    # Among as many records as there are.
    assert [line for line in said if "first page" in line and "100,000 records: 110 a second" in line]


def test_a_block_is_replaced_and_what_is_around_it_stays() -> None:
    text = "before\n<!-- bench: by a run -->\nold\nfigures\n<!-- end of bench -->\nafter\n"
    once = with_block(text, "new")
    assert once == "before\n<!-- bench: by a run -->\nnew\n<!-- end of bench -->\nafter\n"
    assert with_block(once, "new") == once


@pytest.mark.parametrize(
    "text", ["", "<!-- bench: a -->\n", "<!-- bench: a -->\n<!-- end of bench -->\n" * 2]
)
def test_a_page_without_exactly_one_place_is_refused(text) -> None:
    with pytest.raises(ValueError, match="places for figures"):
        with_block(text, "new")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_its_place(page) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "\nnew\n" in with_block(text, "new")


def test_versions_are_those_that_are_locked() -> None:
    lock = "fastapi==0.162.4 \\\n    --hash=sha256:aa\nuvloop==1.0 ; sys_platform != 'win32' \\\n"
    assert locked_versions(lock, ["FastAPI"]) == {"FastAPI": "0.162.4"}
    with pytest.raises(KeyError):
        locked_versions(lock, ["Celery"])
