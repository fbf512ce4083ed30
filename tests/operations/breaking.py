"""Which sentences of the doctor some test makes untrue."""

from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")

_BROKEN = "breaks_checks"


def breaks(*checks: str) -> Callable[[T], T]:
    """Says of a test which checks it breaks, and so sees change."""

    def note(test: T) -> T:
        setattr(test, _BROKEN, set(checks))
        return test

    return note


def broken_in(*modules: ModuleType) -> set[str]:
    """The checks that tests of these modules break."""
    tests = (each for module in modules for each in vars(module).values())
    return set().union(*(getattr(test, _BROKEN, ()) for test in tests))
