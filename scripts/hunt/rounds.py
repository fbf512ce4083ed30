"""One run of pytest under one condition."""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.hunt import unprivileged
from scripts.hunt.conditions import Condition

_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "scripts.hunt.shuffle")


class Round(NamedTuple):
    ran: int
    # What each test that was not green said.
    failures: dict[str, str]


def run_round(
    condition: Condition, tests: Sequence[Path], seed: int, *, marker: str = "", processes: int = 3
) -> Round:
    sys.stdout.write(f"hunt: {condition.name}, {len(tests)} files, seed {seed}\n")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="steward-hunt-") as folder, condition.brought_about() as changed:
        # The account that runs the tests writes the report.
        Path(folder).chmod(0o777)
        report = Path(folder, "report.xml")
        spread = (
            ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"] if processes > 1 else []
        )
        words = [*_PYTEST, *spread, "-m", marker, f"--junitxml={report}", *map(str, tests)]
        variables = {**os.environ, **changed, "HUNT_SEED": str(seed)}
        ran = _run(condition, words, variables)
        if not report.exists():
            return Round(0, {"pytest itself": ran.stdout[-4000:]})
        return read_report(report)


def _run(
    condition: Condition, words: list[str], variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    command, folder = [sys.executable, *words], Path()
    if condition.unprivileged:
        unprivileged.prepare()
        command, folder = unprivileged.command(".venv/bin/python", *words), unprivileged.COPY
        variables = {**variables, **unprivileged.home()}
    return subprocess.run(
        command,
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def read_report(file: Path) -> Round:
    cases = list(ET.parse(file).iter("testcase"))  # noqa: S314 (pytest has just written it)
    failures = {
        f"{case.get('classname')}::{case.get('name')}": str(fault.text)
        for case in cases
        for fault in [*case.findall("failure"), *case.findall("error")]
    }
    return Round(len(cases), failures)
