"""A request, what it asks of the database, the event that it causes and the delivery of that are one trace."""

import re

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.observability.collector import spans, wait_for_span
from tests.observability.traced_service import TracedService
from tests.support.waiting import limit, wait_for

pytestmark = pytest.mark.long

_CALLERS_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
_CALLERS_SPAN = "00f067aa0ba902b7"


def test_a_trace_goes_from_the_caller_over_the_event_to_the_receiver(traced: TracedService) -> None:
    organization = traced.organization
    organization.webhooks.create("workorder.created", url=f"{traced.receiver.url}/told?token=hush")
    answer = organization.api.post(
        f"{organization.path}/work-orders",
        json={"title": "A confidential leak"},
        headers={"traceparent": f"00-{_CALLERS_TRACE}-{_CALLERS_SPAN}-01"},
    )
    assert answer.status_code == 201
    wait_for("the webhook", lambda: traced.receiver.got)
    delivered = wait_for_span(
        traced.collector, lambda span: span.name == "deliver webhook" and span.trace == _CALLERS_TRACE
    )
    request = wait_for_span(traced.collector, lambda span: span.parent == _CALLERS_SPAN)
    whole = {span.id: span for span in spans(traced.collector) if span.trace == _CALLERS_TRACE}
    [publish] = [span for span in whole.values() if span.name == "publish workorder.created"]
    statements = [span for span in whole.values() if span.attributes.get("db.system.name")]

    assert request.name == "POST /organizations/{orgId}/work-orders"
    assert (request.kind, request.process) == (Span.SPAN_KIND_SERVER, "api")
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": "/organizations/{orgId}/work-orders",
        "http.response.status_code": 201,
        "steward.organization.id": organization.id,
        "steward.request.id": answer.headers["x-request-id"],
    }
    assert publish.parent == request.id
    assert "INSERT counters" in {span.name for span in statements}
    assert {span.parent for span in statements} == {request.id}
    assert (delivered.parent, delivered.process) == (publish.id, "worker")
    assert delivered.attributes["http.response.status_code"] == 200
    assert delivered.attributes["messaging.message.id"] == publish.attributes["messaging.message.id"]
    assert delivered.attributes["steward.organization.id"] == organization.id

    [received] = traced.receiver.got
    assert received.headers["traceparent"] == f"00-{_CALLERS_TRACE}-{delivered.id}-01"


def test_a_caller_without_a_trace_begins_one(traced: TracedService) -> None:
    organization = traced.organization
    path = f"{organization.path}/asset-types"
    found = [traced.span_of(organization.api.get(path)) for _ in range(2)]
    assert [span.parent for span in found] == ["", ""]
    assert found[0].trace != found[1].trace


def test_failed_spans_have_the_error_type_only(traced: TracedService) -> None:
    organization = traced.organization
    refused = organization.webhooks.create("location.created", url="http://127.0.0.1:1/hush")
    organization.locations.create("Hall")
    failed = wait_for_span(
        traced.collector, lambda span: span.name == "deliver webhook" and "error.type" in span.attributes
    )
    assert failed.failed
    assert failed.attributes["error.type"] == "connection_refused"
    assert failed.attributes["steward.webhook.id"] == refused["webhookId"]
    assert (failed.attributes["server.address"], failed.attributes["server.port"]) == ("127.0.0.1", 1)


def test_readings_are_stored_in_the_trace_of_their_sender_or_linked_with_it(traced: TracedService) -> None:
    organization = traced.organization
    answer = organization.devices.send(organization.devices.first_id, {"Temperature": 20.5})
    assert answer.status_code == 200, answer.text
    sent = traced.span_of(answer)
    stored = wait_for_span(
        traced.collector,
        lambda span: span.name == "store readings" and sent.trace in (span.trace, *span.links),
    )
    assert stored.attributes["messaging.batch.message_count"] == 1
    wait_for_span(traced.collector, lambda span: span.parent == stored.id and span.name == "COMMIT")


def test_jobs_of_the_worker_are_traces_of_their_own(traced: TracedService) -> None:
    job = wait_for_span(traced.collector, lambda span: span.name == "job release_no_shows")
    assert (job.parent, job.process) == ("", "worker")
    wait_for_span(
        traced.collector, lambda span: span.trace == job.trace and "db.query.text" in span.attributes
    )


def test_probes_are_not_traced_and_headers_reach_the_collector(traced: TracedService) -> None:
    before = httpx.get(f"{traced.service.base_url}/health/ready", timeout=limit(60))
    after = httpx.get(f"{traced.service.base_url}/docs", timeout=limit(60))
    traced.span_of(after)
    known = {span.attributes.get("steward.request.id") for span in spans(traced.collector)}
    assert before.headers["x-request-id"] not in known
    assert {sent.headers["x-tenant"] for sent in traced.collector.got} == {"observed"}


def test_neither_secrets_nor_what_people_wrote_are_sent(traced: TracedService) -> None:
    organization = traced.organization
    organization.client().post("/tokens", json={"email": organization.email, "password": "wrong and secret"})
    last = organization.api.get(f"{organization.path}/locations", params={"search": "A hidden place"})
    traced.span_of(last)
    everything = b"".join(sent.body for sent in traced.collector.got)
    for secret in (organization.secret, organization.email, "hush", "shall hear", "wrong and", "hidden"):
        assert secret.encode() not in everything
    # The names of the parameters are there, so that the check above has looked at something.
    assert re.search(rb"organization_id = \$1", everything)
