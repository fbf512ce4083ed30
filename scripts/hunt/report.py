"""What a hunt found: every test that was not green each time, how often, under which conditions, and what it said."""

from collections import Counter, defaultdict

from scripts.hunt.conditions import Condition
from scripts.hunt.rounds import Round

_LINES, _TESTS = 25, 20


class Report:
    def __init__(self) -> None:
        self.failures: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
        self._ran: Counter[str] = Counter()
        self._rounds: Counter[str] = Counter()
        self._skipped: list[tuple[str, str]] = []

    def add(self, condition: Condition, seed: int, found: Round) -> None:
        self._rounds[condition.name] += 1
        self._ran[condition.name] += found.ran
        for test, text in found.failures.items():
            self.failures[test].append((condition.name, seed, text))

    def skip(self, condition: Condition, reason: str) -> None:
        self._skipped.append((condition.name, reason))

    @property
    def is_green(self) -> bool:
        """Also a hunt that has run nothing has shown nothing."""
        return bool(self._ran.total()) and not self.failures

    def text(self) -> str:
        lines = ["", "hunt: what was run"]
        lines += [
            f"  {name}: {count} rounds, {self._ran[name]} tests" for name, count in self._rounds.items()
        ]
        lines += [f"  {name}: skipped, {reason}" for name, reason in self._skipped]
        for test, times in sorted(self.failures.items(), key=lambda found: -len(found[1]))[:_TESTS]:
            lines += ["", f"NOT GREEN {len(times)} times: {test}"]
            lines += [f"  {condition}, seed {seed}" for condition, seed, _ in times]
            lines += [f"    {line}" for line in times[0][2].splitlines()[-_LINES:]]
        if len(self.failures) > _TESTS:
            lines += ["", f"... and {len(self.failures) - _TESTS} more"]
        if self.failures:
            verdict = f"{len(self.failures)} tests were not green each time"
        else:
            verdict = "every test was green each time" if self.is_green else "no test was run"
        return "\n".join([*lines, "", f"hunt: {verdict}", ""])
