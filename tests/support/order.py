"""Which files a run begins with: those that take minutes, so that no worker is left alone with one at the end."""

from collections import Counter

import pytest

SLOWEST_FILES = (
    "tests/plans/test_million.py",
    "tests/e2e/test_guide_several_machines.py",
    "tests/web/browser/test_accessibility.py",
    "tests/e2e/test_docs.py",
    "tests/e2e/test_up.py",
    "tests/faults/test_soak.py",
    "tests/e2e/test_newcomer.py",
    "tests/security/test_bounded_rules.py",
)


def slowest_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """File by file: the slowest, then those with the most tests."""
    ranks = {name: rank for rank, name in enumerate(SLOWEST_FILES)}
    files = {item: item.nodeid.partition("::")[0] for item in items}
    sizes = Counter(files.values())

    def key(item: pytest.Item) -> tuple[int, int, str]:
        file = files[item]
        return ranks.get(file, len(ranks)), -sizes[file], file

    return sorted(items, key=key)
