"""Requests that go wrong on their way."""

import io

import httpx
import pytest
from tests.client.flaky import Fault, FlakyTransport, answer_lost, answers, never_sent
from tests.support.organizations import Organization

from steward_client import (
    BadRequest,
    ConnectionFailed,
    RateLimited,
    ServiceUnavailable,
    Steward,
    StewardError,
)

CSV = b"externalId,name,type\nS-1,Site 1,Site\n"


class Flaky:
    def __init__(self, organization: Organization, *faults: Fault, max_retries: int = 4) -> None:
        self.transport = FlakyTransport(*faults)
        self.http = httpx.Client(transport=self.transport)
        self.steward = Steward(
            organization.base_url,
            organization.secret,
            organization.id,
            http_client=self.http,
            max_retries=max_retries,
        )

    def __enter__(self) -> "Flaky":
        return self

    def __exit__(self, *_error: object) -> None:
        self.http.close()

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("Idempotency-Key") for request in self.transport.seen]


@pytest.mark.parametrize(
    "fault", [never_sent, answer_lost, answers(502), answers(503, Retry_After="0"), answers(429)]
)
def test_a_work_order_is_created_once_whatever_goes_wrong(organization: Organization, fault: Fault) -> None:
    with Flaky(organization, fault, fault) as flaky:
        made = flaky.steward.work_orders.create(title="Leak")
        assert [order.id for order in flaky.steward.work_orders.list()] == [made.id]
        first, second, third, _list = flaky.keys
    assert first == second == third
    assert first


def test_each_call_has_a_key_of_its_own_unless_one_is_given(organization: Organization) -> None:
    with Flaky(organization) as flaky:
        orders = flaky.steward.work_orders
        one, two = orders.create(title="A"), orders.create(title="A")
        again = [orders.create(title="B", idempotency_key="mine") for _ in range(2)]
        assert len(set(flaky.keys)) == 3
    assert one.id != two.id
    assert again[0] == again[1]


def test_a_change_whose_answer_was_lost_is_not_retried(organization: Organization, steward: Steward) -> None:
    order = steward.work_orders.create(title="Leak")
    with Flaky(organization, answer_lost) as flaky:
        with pytest.raises(ConnectionFailed) as raised:
            flaky.steward.work_orders.update(order.id, title="Flood")
        assert len(flaky.transport.seen) == 1
    assert raised.value.status is None
    assert steward.work_orders.get(order.id).title == "Flood"


def test_a_change_that_was_never_sent_is_retried(organization: Organization, steward: Steward) -> None:
    order = steward.work_orders.create(title="Leak")
    with Flaky(organization, never_sent, answers(429)) as flaky:
        assert flaky.steward.work_orders.update(order.id, title="Flood").title == "Flood"


@pytest.mark.parametrize(("status", "kind"), [(400, BadRequest), (413, StewardError), (500, StewardError)])
def test_other_refusals_are_reported_at_once(
    organization: Organization, status: int, kind: type[StewardError]
) -> None:
    with Flaky(organization, answers(status)) as flaky:
        with pytest.raises(StewardError) as raised:
            flaky.steward.organizations.get()
        assert len(flaky.transport.seen) == 1
    assert type(raised.value) is kind
    assert (raised.value.status, raised.value.message) == (status, "<h1>Not now</h1>")


def test_retries_end(organization: Organization) -> None:
    with Flaky(organization, *[answers(503, Retry_After="0")] * 9, max_retries=2) as flaky:
        with pytest.raises(ServiceUnavailable, match="Not now"):
            flaky.steward.organizations.get()
        assert len(flaky.transport.seen) == 3


def test_a_too_long_retry_after_is_ignored(organization: Organization) -> None:
    with Flaky(organization, answers(429, Retry_After="500")) as flaky:
        with pytest.raises(RateLimited) as raised:
            flaky.steward.organizations.get()
        assert len(flaky.transport.seen) == 1
    assert raised.value.retry_after == 500


def test_an_error_has_the_retry_after_of_the_service(organization: Organization) -> None:
    refusal = answers(503, Retry_After="1", X_Request_Id="req_1")
    with Flaky(organization, refusal, max_retries=0) as flaky, pytest.raises(ServiceUnavailable) as raised:
        flaky.steward.organizations.get()
    assert (raised.value.retry_after, raised.value.request_id) == (1, "req_1")


def test_a_file_is_sent_again_from_where_it_began(organization: Organization) -> None:
    file = io.BytesIO(b"skipped" + CSV)
    file.seek(len(b"skipped"))
    with Flaky(organization, answers(503, Retry_After="0")) as flaky:
        assert flaky.steward.locations.import_(file).created == 1


def test_pieces_are_not_sent_again_since_they_are_gone(organization: Organization) -> None:
    with Flaky(organization, answers(503, Retry_After="0")) as flaky:
        with pytest.raises(ServiceUnavailable):
            flaky.steward.locations.import_(iter([CSV]))
        assert len(flaky.transport.seen) == 1


def test_a_redirecting_address_is_reported(organization: Organization) -> None:
    leads = pytest.raises(StewardError, match=r"leads to https://elsewhere\.example")
    with Flaky(organization, answers(301, Location="https://elsewhere.example")) as flaky, leads:
        flaky.steward.organizations.get()
