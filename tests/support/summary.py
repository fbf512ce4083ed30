"""What the end of a run says beside pytest's own lines."""

from collections import Counter
from collections.abc import Sequence

import pytest


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
