"""As much of PromQL as is needed to see which metrics and labels an expression is about."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scripts.generate.metrics import known_metrics

# What Prometheus knows by itself, and what it adds to everything that it reads.
_OTHERS: dict[str, set[str]] = {"up": set(), "process_start_time_seconds": set()}
_TARGET = {"job", "instance"}
_WORDS = {"by", "without", "and", "or", "unless", "on", "ignoring", "le"}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SELECTOR = re.compile(r"(?<![\w$])([a-z_][a-z0-9_]*)\s*(?:\{([^}]*)\})?(?!\w)")
_GROUPING = re.compile(r"\b(?:by|without)\s*\(([^)]*)\)")
_FUNCTION = re.compile(r"\b[a-z_]+\s*\((?!\s*\))")
_COUNTED = re.compile(r"\b(?:increase|rate)\(([a-z_]+)(?:\{([^}]*)\})?\[")


class Use(NamedTuple):
    """A metric in an expression, with the labels by which it is selected."""

    metric: str
    labels: set[str]


def labels_of() -> dict[str, set[str]]:
    """Every series that there is, with its labels as Prometheus has them after scraping."""
    found = dict(_OTHERS)
    for name, kind, labels, _meaning in known_metrics():
        # Prometheus keeps `job` for the target's own.
        shown = {f"exported_{label}" if label in _TARGET else label for label in labels}
        if kind == "histogram":
            found |= {f"{name}_sum": shown, f"{name}_count": shown, f"{name}_bucket": shown | {"le"}}
        else:
            found[name] = shown
    return {name: labels | _TARGET for name, labels in found.items()}


def uses(expression: str) -> Iterator[Use]:
    bare = _GROUPING.sub(" ", _STRING.sub('""', expression))
    functions = {match[0].partition("(")[0].strip() for match in _FUNCTION.finditer(bare)}
    for name, matchers in _SELECTOR.findall(re.sub(r"\[[^\]]*\]", "", bare)):
        if name not in functions | _WORDS:
            yield Use(name, set(re.findall(r"([a-z_]+)\s*(?:=~|!~|!=|=)", matchers)))


def counted(expression: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The counters whose growth an expression asks for, with the values that their labels must have."""
    for name, matchers in _COUNTED.findall(expression):
        yield name, dict(re.findall(r'([a-z_]+)="([^"]*)"', matchers))


def groupings(expression: str) -> set[str]:
    """The labels that remain of an expression's metrics."""
    found = _GROUPING.findall(_STRING.sub('""', expression))
    return {label.strip() for group in found for label in group.split(",")}


def faults(expression: str) -> list[str]:
    """What there isn't of what an expression asks for."""
    known, used = labels_of(), list(uses(expression))
    if not used:
        return [f"no metric in {expression}"]
    wrong = [f"no metric {use.metric}" for use in used if use.metric not in known]
    wrong += [
        f"{use.metric} has no {label}" for use in used for label in use.labels - known.get(use.metric, set())
    ]
    everything = set().union(*(known.get(use.metric, set()) for use in used))
    return wrong + [f"nothing here has {label}" for label in groupings(expression) - everything]
