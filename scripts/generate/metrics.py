"""The metrics, from the registry that they are shown from."""

import importlib
import pkgutil

from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase

import steward
from scripts.generate.tables import NOTE, cell, table

# Registers itself by being imported; what runs a program when imported is none of it.
_NAMED = ("metrics",)


def metrics() -> str:
    rows = [
        (f"`{name}`", kind, ", ".join(f"`{label}`" for label in labels) or "none", cell(meaning))
        for name, kind, labels, meaning in known_metrics()
    ]
    return (
        f"{NOTE}# Metrics\n\nFor Prometheus, at `STEWARD_METRICS_ADDRESS`: loopback by default, never the address of the API. A histogram "
        "has `_bucket`, `_sum` and `_count`.\n\n" + table(("metric", "kind", "labels", "meaning"), *rows)
    )


def known_metrics() -> list[tuple[str, str, tuple[str, ...], str]]:
    """Name, kind, labels and meaning of each, by name."""
    for module in pkgutil.walk_packages(steward.__path__, "steward."):
        if module.name.rpartition(".")[2] in _NAMED:
            importlib.import_module(module.name)
    collectors = [one for one in REGISTRY._collector_to_names if isinstance(one, MetricWrapperBase)]  # noqa: SLF001
    return sorted(_described(one) for one in collectors if one._name.startswith("steward_"))  # noqa: SLF001


def _described(metric: MetricWrapperBase) -> tuple[str, str, tuple[str, ...], str]:
    kind = str(metric._type)  # noqa: SLF001
    name = f"{metric._name}_total" if kind == "counter" else metric._name  # noqa: SLF001
    return name, kind, tuple(metric._labelnames), metric._documentation  # noqa: SLF001
