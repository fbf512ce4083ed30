"""A process imports what it needs: anything else would cost every start time, and every process memory."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.source import ROOT

_IMPORTED = """import sys, click
from steward.cli import group
group.get_command(click.Context(group), sys.argv[1])
print(*sys.modules)"""


@pytest.mark.parametrize(
    ("command", "needless"),
    [
        # The client for webhooks; deliveries are the worker's.
        ("api", {"aiohttp", "steward.webhook_delivery.engine", "steward.supervisor.up"}),
        # Templates, calendars and routes.
        ("worker", {"jinja2", "httptools", "icalendar", "steward.wiring.routes", "steward.supervisor.up"}),
        # It looks on while the others work.
        (
            "up",
            {"aiohttp", "jinja2", "httptools", "icalendar", "steward.wiring.routes", "steward.wiring.worker"},
        ),
    ],
)
def test_a_command_imports_no_more_than_it_needs(command: str, needless: set[str]) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", _IMPORTED, command], capture_output=True, text=True, check=True
    )
    assert not needless & set(answer.stdout.split())


def test_the_benchmarks_begin_by_themselves() -> None:
    """They import some slices only; what the others register must be there all the same."""
    subprocess.run([sys.executable, "-m", "bench", "--help"], cwd=ROOT, capture_output=True, check=True)


def test_every_long_test_is_run_by_its_target() -> None:
    found = re.search(r"^long_tests := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    marked = {
        path.relative_to(ROOT)
        for path in (ROOT / "tests").rglob("*.py")
        if "pytest.mark.long" in path.read_text(encoding="utf-8") and path != Path(__file__)
    }
    assert marked
    assert {
        path for path in marked if not any(path.is_relative_to(part) for part in found[1].split())
    } == set()
