"""A process imports what it needs: anything else would cost every start time, and every process memory."""

import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.source import ROOT
from tests.support.offenders import listed

_IMPORTED = """import sys, click
from steward.cli import group
group.get_command(click.Context(group), sys.argv[1])
print(*sys.modules)"""


_NEEDLESS = {
    # The client for webhooks; deliveries are the worker's.
    "api": {"aiohttp", "steward.webhook_delivery.engine", "steward.supervisor.up"},
    # Templates, calendars and routes.
    "worker": {"jinja2", "httptools", "icalendar", "steward.wiring.routes", "steward.supervisor.up"},
    # It looks on while the others work.
    "up": {"aiohttp", "jinja2", "httptools", "icalendar", "steward.wiring.routes", "steward.wiring.worker"},
}


def test_a_command_imports_no_more_than_it_needs() -> None:
    offenders = []
    for command, needless in _NEEDLESS.items():
        answer = subprocess.run(
            [sys.executable, "-c", _IMPORTED, command], capture_output=True, text=True, check=False
        )
        offenders += [f"{command} fails:\n{answer.stderr}"] if answer.returncode else []
        offenders += [f"{command} imports {name}" for name in sorted(needless & set(answer.stdout.split()))]
    assert offenders == [], listed(offenders)


def test_the_benchmarks_start_as_modules() -> None:
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
