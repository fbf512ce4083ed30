"""What a run says beside pytest's own lines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

_LOG_LINES = 60


def figures(reports: Sequence[pytest.TestReport]) -> list[str]:
    """Figures that tests want to be seen also when they pass: what they record as `summary`."""
    return [
        str(value)
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == "summary"
    ]


def not_run(skipped: Sequence[pytest.TestReport], marker: str) -> str:
    """One line: what was skipped, and the command that would run it too. Each reason names its command after a colon."""
    reasons = Counter(_reason(report) for report in skipped)
    parts = [f"{count} times {reason}" for reason, count in reasons.most_common()]
    if marker == "not long":
        parts.append("the long tests: make test-long")
    return f"not run: {'; '.join(parts)}" if parts else "everything was run"


def _reason(report: pytest.TestReport) -> str:
    where_and_why = report.longrepr
    assert isinstance(where_and_why, tuple)
    return str(where_and_why[2]).removeprefix("Skipped: ")


def logs_since(start: float, logs: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """The ends of the logs that processes wrote since then, under their names: often the cause of a failure."""
    for log in sorted(logs):
        if log.exists() and log.stat().st_mtime >= start:
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            yield f"end of {log.parent.name}/{log.name}", "\n".join(lines[-_LOG_LINES:])
