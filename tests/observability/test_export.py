"""The collector gets the figures of Prometheus; one that is away costs nothing but a line; without one nothing is loaded."""

import datetime as dt
import itertools
import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace.export import SpanExportResult
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs
from tests.observability.collector import listening, metrics
from tests.observability.traced_service import TracedService
from tests.support.organizations import Organization, close_clients
from tests.support.ports import closed_port
from tests.support.processes import ApiProcess, StewardProcess, environment
from tests.support.waiting import limit, wait_for

from steward.kit.runtime.otlp import OtlpError, otlp_options
from steward.kit.tracing.exporting import CountedSpanExporter, log_sdk_warnings
from steward.kit.tracing.provider import sampler_of

pytestmark = pytest.mark.long

_ENDPOINT = "http://127.0.0.1:4318"
_NOT_INSTALLED = """import sys
sys.modules["opentelemetry"] = None
from steward.cli import group
group(sys.argv[1:])"""


def _shown(text: str) -> dict[str, str]:
    """The names of metrics that have values and their types, as Prometheus reads them; of counters with their ending."""
    return {
        f"{family.name}_total" if family.type == "counter" else family.name: family.type
        for family in text_string_to_metric_families(text)
        if family.samples and not family.name.endswith("_created")
    }


def test_the_collector_gets_the_metrics_that_prometheus_scrapes(traced: TracedService) -> None:
    answer = traced.organization.api.get(f"{traced.organization.path}/roles")
    assert answer.status_code == 200
    route = "GET /organizations/{orgId}/roles"

    def requests() -> list[Any]:
        figure = metrics(traced.collector).get("api", {}).get("steward_requests_total")
        points = [] if figure is None else figure.sum.data_points
        return [
            point for point in points if any(each.value.string_value == route for each in point.attributes)
        ]

    [counted] = wait_for("the request among the figures", requests)

    def same() -> bool:
        """Each comes at its own time, and new ones come to both."""
        sent = metrics(traced.collector)
        return {name for each in sent.values() for name in each} == _shown(traced.service.metrics()).keys()

    wait_for("the same names in both", same)
    sent, shown = metrics(traced.collector), _shown(traced.service.metrics())
    assert {name for name, kind in shown.items() if kind == "histogram"} == {
        name for process in sent.values() for name, metric in process.items() if metric.HasField("histogram")
    }
    total = sent["api"]["steward_requests_total"].sum
    assert (total.is_monotonic, total.aggregation_temporality) == (True, 2)
    assert counted.as_double >= 1
    [seconds] = [
        point
        for point in sent["api"]["steward_request_seconds"].histogram.data_points
        if any(each.value.string_value == route for each in point.attributes)
    ]
    assert sum(seconds.bucket_counts) == seconds.count
    assert len(seconds.bucket_counts) == len(seconds.explicit_bounds) + 1


@pytest.fixture
def collector_away() -> Iterator[str]:
    with closed_port() as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def api_without_collector(
    own_database_url: str, tmp_path: Path, collector_away: str
) -> Iterator[tuple[ApiProcess, Organization]]:
    process = ApiProcess(
        tmp_path / "api.log",
        own_database_url,
        OTEL_EXPORTER_OTLP_ENDPOINT=collector_away,
        OTEL_BSP_SCHEDULE_DELAY="1",
        OTEL_BSP_MAX_QUEUE_SIZE="20",
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
        OTEL_METRIC_EXPORT_INTERVAL="50",
        STEWARD_SHUTDOWN_SECONDS="10",
    )
    try:
        process.wait_until_live()
        yield process, Organization(process.base_url, own_database_url, "Enterprise")
    finally:
        process.stop()
        close_clients()


def test_an_unreachable_collector_is_logged_once_a_minute(
    api_without_collector: tuple[ApiProcess, Organization],
) -> None:
    process, organization = api_without_collector
    answers = [organization.api.get(f"{organization.path}/roles").status_code for _ in range(100)]
    assert set(answers) == {200}

    def lines(module: str) -> list[dict[str, Any]]:
        said = process.said.rpartition("\n")[0].splitlines()
        event = f"OpenTelemetry {module}"
        return [json.loads(line) for line in said if line.startswith("{") and event in line]

    modules = ("trace_exporter", "metric_exporter")
    wait_for("a line for each", lambda: all(map(lines, modules)))
    assert process.stop() == 0
    # One of each, or as many as minutes have passed.
    for module in modules:
        times = [dt.datetime.fromisoformat(line["timestamp"]) for line in lines(module)]
        assert all(
            later - earlier >= dt.timedelta(seconds=59) for earlier, later in itertools.pairwise(times)
        )
        assert any(word in lines(module)[0]["error"] for word in ("ConnectionError", "Failed to export"))
    assert "Traceback" not in process.said


def test_a_refusal_of_the_collector_is_logged_with_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as collector, capture_logs() as logs:
        collector.status = 401
        address = collector.url.removeprefix("http://")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://user:hush@{address}/hidden")
        log_sdk_warnings()
        exporter = CountedSpanExporter()
        assert exporter.export([]) is SpanExportResult.FAILURE
        exporter.shutdown()
    assert [line["error"] for line in logs] == [
        "Failed to export spans batch code: 401, reason: Unauthorized"
    ]


def test_errors_of_the_sdk_are_logged_by_type_alone() -> None:
    with capture_logs() as logs:
        log_sdk_warnings()
        logger = logging.getLogger("opentelemetry.exporter.trace_exporter")
        logger.warning("Transient error %s, retrying in %.2fs.", ConnectionError("/hidden"), 0.5)
    assert [line["error"] for line in logs] == ["Transient error ConnectionError, retrying in 0.50s."]


def test_without_a_collector_the_sdk_is_not_loaded(own_database_url: str, tmp_path: Path) -> None:
    process = ApiProcess(tmp_path / "api.log", own_database_url, PYTHONPROFILEIMPORTTIME="1")
    try:
        process.wait_until_live()
        assert httpx.get(f"{process.base_url}/docs", timeout=limit(60)).status_code == 200
    finally:
        process.stop()
    assert "steward.wiring.site" in process.said
    assert not re.search(r"opentelemetry|google\.protobuf|steward\.kit\.tracing", process.said)


@pytest.mark.parametrize("command", ["up", "api", "worker"])
def test_a_collector_without_the_sdk_is_a_one_line_error(command: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _NOT_INSTALLED, command],
        env=environment(OTEL_EXPORTER_OTLP_ENDPOINT=_ENDPOINT),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr == (
        "steward: OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http\n"
    )


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf"),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be"),
        ("OTEL_TRACES_EXPORTER", "zipkin", "OTEL_TRACES_EXPORTER must be otlp or none"),
        ("OTEL_METRICS_EXPORTER", "prometheus", "OTEL_METRICS_EXPORTER must be otlp or none"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "soon", "OTEL_METRIC_EXPORT_INTERVAL must be milliseconds"),
        ("OTEL_BSP_SCHEDULE_DELAY", "5s", "OTEL_BSP_SCHEDULE_DELAY must be milliseconds"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "0", "OTEL_BSP_MAX_QUEUE_SIZE must be a number of spans"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "-1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE must be a number of spans"),
        ("OTEL_TRACES_SAMPLER", "traceidration", "OTEL_TRACES_SAMPLER must be one of always_on, "),
        ("OTEL_SDK_DISABLED", "yes", "OTEL_SDK_DISABLED must be true or false"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization: Bearer x", "OTEL_EXPORTER_OTLP_HEADERS must be key"),
        ("OTEL_RESOURCE_ATTRIBUTES", "site=1,here", "OTEL_RESOURCE_ATTRIBUTES must be key=value"),
    ],
)
def test_invalid_values_of_variables_are_named(variable: str, value: str, words: str) -> None:
    with pytest.raises(OtlpError, match=words):
        otlp_options({variable: value})


@pytest.mark.parametrize("ratio", ["", "10%", "0,1", "1.5", "-0.1", "nan"])
def test_a_ratio_is_a_number_from_0_to_1(ratio: str) -> None:
    with pytest.raises(OtlpError, match="OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1"):
        otlp_options({"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": ratio})


@pytest.mark.parametrize(
    ("variables", "described"),
    [
        ({}, "ParentBased{root:AlwaysOnSampler,"),
        ({"OTEL_TRACES_SAMPLER": "always_off"}, "AlwaysOffSampler"),
        ({"OTEL_TRACES_SAMPLER": "parentbased_always_off"}, "ParentBased{root:AlwaysOffSampler,"),
        (
            {"OTEL_TRACES_SAMPLER": " TraceIdRatio", "OTEL_TRACES_SAMPLER_ARG": "0.1"},
            "TraceIdRatioBased{0.1}",
        ),
        (
            {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"},
            "ParentBased{root:TraceIdRatioBased{0.0},",
        ),
    ],
)
def test_traces_are_sampled_as_the_variables_say(variables: dict[str, str], described: str) -> None:
    assert sampler_of(otlp_options(variables)).get_description().startswith(described)


def test_a_queue_may_be_smaller_than_a_batch() -> None:
    options = otlp_options({"OTEL_BSP_MAX_QUEUE_SIZE": "100"})
    assert (options.queue_size, options.batch_size) == (100, 100)


def test_secrets_in_headers_are_not_repeated() -> None:
    with pytest.raises(OtlpError) as refused:
        otlp_options({"OTEL_EXPORTER_OTLP_HEADERS": "authorization Bearer hush"})
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("command", ["up", "api", "worker"])
def test_a_refused_variable_is_a_line(command: str, tmp_path: Path) -> None:
    process = StewardProcess(
        tmp_path / "steward.log",
        command,
        OTEL_EXPORTER_OTLP_ENDPOINT=_ENDPOINT,
        OTEL_EXPORTER_OTLP_PROTOCOL="grpc",
    )
    assert process.process.wait(limit(60)) == 1
    assert process.said == (
        "steward: OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, the only protocol that Steward speaks\n"
    )
