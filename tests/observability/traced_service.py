"""A service whose processes send traces and metrics to a collector that a test can look into."""

from typing import NamedTuple

import httpx
from tests.observability.collector import Listener, ReceivedSpan, wait_for_span
from tests.support.organizations import Organization
from tests.support.service import Service


class TracedService(NamedTuple):
    """On a database of its own, so that its only worker is traced like everything else in it."""

    collector: Listener
    receiver: Listener
    service: Service
    organization: Organization

    def span_of(self, answer: httpx.Response) -> ReceivedSpan:
        """Of the request with this answer."""
        request_id = answer.headers["x-request-id"]
        return wait_for_span(
            self.collector, lambda span: span.attributes.get("steward.request.id") == request_id
        )
