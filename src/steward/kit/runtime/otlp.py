"""Checks the `OTEL_*` variables without loading the SDK.

The SDK falls back to the default for values that it doesn't understand, and only logs that. Here they are refused.
"""

from collections.abc import Mapping

import msgspec

_PROTOCOL = "http/protobuf"
_SAMPLER = "parentbased_always_on"
_RATIO_SAMPLERS = ("traceidratio", "parentbased_traceidratio")
_SAMPLERS = ("always_on", "always_off", _SAMPLER, "parentbased_always_off", *_RATIO_SAMPLERS)


class OtlpError(Exception):
    """A collector is configured, and its variables are missing or wrong; the message says which."""


class OtlpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent, and how much of it at once."""

    traces: bool
    metrics: bool
    metric_seconds: float
    delay_ms: int
    queue_size: int
    batch_size: int
    sampler: str
    # Of the traces that begin here; 1 where the sampler knows no ratio.
    ratio: float


def otlp_options(environment: Mapping[str, str]) -> OtlpOptions:
    """Raises OtlpError for the first invalid variable."""
    for name in ("PROTOCOL", "TRACES_PROTOCOL", "METRICS_PROTOCOL"):
        variable = f"OTEL_EXPORTER_OTLP_{name}"
        if _text(environment, variable, _PROTOCOL) != _PROTOCOL:
            raise OtlpError(f"{variable} must be {_PROTOCOL}, the only protocol that Steward speaks")
    for name in ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES"):
        _require_pairs(environment, name)
    enabled = not _is_true(environment, "OTEL_SDK_DISABLED")
    queue_size = _number(environment, "OTEL_BSP_MAX_QUEUE_SIZE", 2048, "a number of spans")
    batch_size = _number(environment, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, "a number of spans")
    sampler = _text(environment, "OTEL_TRACES_SAMPLER", _SAMPLER).lower()
    if sampler not in _SAMPLERS:
        raise OtlpError(f"OTEL_TRACES_SAMPLER must be one of {', '.join(_SAMPLERS)}")
    return OtlpOptions(
        traces=_is_wanted(environment, "OTEL_TRACES_EXPORTER") and enabled,
        metrics=_is_wanted(environment, "OTEL_METRICS_EXPORTER") and enabled,
        metric_seconds=_number(environment, "OTEL_METRIC_EXPORT_INTERVAL", 60_000, "milliseconds") / 1000,
        delay_ms=_number(environment, "OTEL_BSP_SCHEDULE_DELAY", 5000, "milliseconds"),
        queue_size=queue_size,
        # A small queue is sent as a whole.
        batch_size=min(batch_size, queue_size),
        sampler=sampler,
        ratio=_ratio(environment, "OTEL_TRACES_SAMPLER_ARG") if sampler in _RATIO_SAMPLERS else 1.0,
    )


def _text(environment: Mapping[str, str], name: str, default: str) -> str:
    return environment.get(name, "").strip() or default


def _is_true(environment: Mapping[str, str], name: str) -> bool:
    text = _text(environment, name, "false").lower()
    if text not in {"true", "false"}:
        raise OtlpError(f"{name} must be true or false")
    return text == "true"


def _is_wanted(environment: Mapping[str, str], name: str) -> bool:
    exporter = _text(environment, name, "otlp")
    if exporter not in {"otlp", "none"}:
        raise OtlpError(f"{name} must be otlp or none")
    return exporter == "otlp"


def _number(environment: Mapping[str, str], name: str, default: int, what: str) -> int:
    text = _text(environment, name, str(default))
    if not (text.isascii() and text.isdigit()) or int(text) == 0:
        raise OtlpError(f"{name} must be {what}, such as {default}")
    return int(text)


def _ratio(environment: Mapping[str, str], name: str) -> float:
    """Required: a sampler with a ratio and without its value would keep all traces."""
    try:
        ratio = float(environment.get(name, ""))
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio <= 1:
        raise OtlpError(f"{name} must be a number from 0 to 1, such as 0.1")
    return ratio


def _require_pairs(environment: Mapping[str, str], name: str) -> None:
    """Their values may be secret, so that they are not repeated."""
    for pair in _text(environment, name, "").split(","):
        key, equals, _ = pair.partition("=")
        if pair.strip() and not (equals and key.strip() and " " not in key.strip()):
            raise OtlpError(f"{name} must be key=value pairs with commas between them")
