"""Every fault of `make soak` once, and nothing lost. It has processes, ports and a database of its own."""

import subprocess
import sys
from pathlib import Path

from tests.support.waiting import limit

_ROOT = Path(__file__).parents[2]


def test_the_short_soak_holds_all_invariants() -> None:
    """With a fixed seed, so that a failure can be had again: `python -m soak --short --seed 1`."""
    ran = subprocess.run(
        [sys.executable, "-m", "soak", "--short", "--seed", "1"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        timeout=limit(600),
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "soak: all holds" in ran.stdout
