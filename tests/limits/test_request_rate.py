"""How often a key, and an organization, may call: exact, over all processes together."""

import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.organizations import Client, Organization
from tests.support.service import Service
from tests.support.waiting import wait_for

pytestmark = pytest.mark.long


def ask(client: Client, organization: Organization, times: int) -> list[int]:
    return [client.get(f"{organization.path}/work-orders?limit=1").status_code for _ in range(times)]


def ask_all_at_once(
    organization: Organization, key: str, times: int, *, base_url: str | None = None
) -> Counter[int]:
    """From ten clients, none of which waits for another."""
    clients = [organization.client(key=key, base_url=base_url) for _ in range(10)]
    with ThreadPoolExecutor(len(clients)) as threads:
        answers = threads.map(lambda client: ask(client, organization, times // len(clients)), clients)
        return Counter(status for some in answers for status in some)


def stretch_minute(organization: Organization, *subjects: str) -> None:
    """The minute that has begun lasts for an hour: however slow a machine is, all requests fall into it."""
    stretched = organization.sql(
        "UPDATE rate_windows SET ends = ends + 3600000 WHERE subject = ANY ($1::text[]) RETURNING subject",
        list(subjects),
    )
    assert {row[0] for row in stretched} == set(subjects)


@pytest.fixture
def thirty(service: Service) -> str:
    return service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="30").base_url


def test_a_key_makes_exactly_1000_requests_a_minute(organization: Organization, service: Service) -> None:
    as_installed = service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="").base_url
    key = organization.new_key()
    first = ask(organization.client(key=key["secret"], base_url=as_installed), organization, 1)
    stretch_minute(organization, key["keyId"])
    asked = ask_all_at_once(organization, key["secret"], 1050, base_url=as_installed)
    assert (first, asked) == ([200], {200: 999, 429: 51})


def test_beyond_the_limit_the_answer_says_when_to_come_back(organization: Organization, thirty: str) -> None:
    caller = organization.client(key=organization.new_key()["secret"], base_url=thirty)
    assert ask(caller, organization, 30) == [200] * 30
    answer = caller.get(f"{organization.path}/work-orders")
    assert (answer.status_code, answer.json()["error"]) == (429, "TooManyRequests")
    assert answer.json()["message"].startswith("Too many requests")
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert re.search(r";r=0;", answer.headers["ratelimit"])


def test_every_answer_has_rate_limit_headers(organization: Organization, thirty: str) -> None:
    caller = organization.client(key=organization.new_key()["secret"], base_url=thirty)
    answers = [
        caller.get(f"{organization.path}/work-orders"),
        caller.post(f"{organization.path}/work-orders", json={"title": "Leak"}),
        caller.get(f"{organization.path}/work-orders/wo_unknown"),
        caller.get(f"{organization.path}/work-orders?limit=0"),
        caller.get(organization.path, headers={"If-None-Match": "*"}),
        caller.delete(f"{organization.path}/api-keys/{organization.key_id}", headers={"If-Match": '"stale"'}),
    ]
    assert [answer.status_code for answer in answers] == [200, 201, 404, 422, 304, 412]
    for used, answer in enumerate(answers, start=1):
        assert re.fullmatch(r'"[\w-]+";q=30;w=60', answer.headers["ratelimit-policy"])
        shown = re.fullmatch(r'"[\w-]+";r=(\d+);t=(\d+)', answer.headers["ratelimit"])
        assert shown is not None
        left, seconds = shown.groups()
        assert int(left) == 30 - used
        assert 1 <= int(seconds) <= 60


def test_requests_that_fail_count_as_well(organization: Organization, thirty: str) -> None:
    caller = organization.client(key=organization.new_key()["secret"], base_url=thirty)
    for _ in range(30):
        assert caller.post(f"{organization.path}/work-orders", json={}).status_code == 422
    assert ask(caller, organization, 1) == [429]


def test_each_key_has_a_limit_of_its_own(organization: Organization, thirty: str) -> None:
    one, other = (
        organization.client(key=organization.new_key()["secret"], base_url=thirty) for _ in range(2)
    )
    assert ask(one, organization, 31)[-1] == 429
    assert ask(other, organization, 30) == [200] * 30


def test_tokens_are_limited_like_keys(organization: Organization, thirty: str) -> None:
    caller = organization.client(bearer=organization.log_in()["token"], base_url=thirty)
    assert Counter(ask(caller, organization, 33)) == {200: 30, 429: 3}


def test_two_processes_hold_one_limit_together(
    service: Service, organization: Organization, thirty: str
) -> None:
    key = organization.new_key()
    other = service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="30").base_url
    clients = [organization.client(key=key["secret"], base_url=url) for url in (thirty, other)]
    assert ask(clients[0], organization, 1) == [200]
    stretch_minute(organization, key["keyId"])
    statuses = [status for _ in range(40) for client in clients for status in ask(client, organization, 1)]
    assert Counter(statuses) == {200: 29, 429: 51}


def test_two_processes_under_load_hold_it_too(service: Service, organization: Organization) -> None:
    key = organization.new_key()
    settings = {"STEWARD_KEY_REQUESTS_PER_MINUTE": "200"}
    urls = [service.another_api(**settings).base_url for _ in range(2)]
    clients = [organization.client(key=key["secret"], base_url=url) for url in urls]
    assert ask(clients[0], organization, 1) == [200]
    stretch_minute(organization, key["keyId"])
    with ThreadPoolExecutor(2) as threads:
        counts = list(
            threads.map(lambda url: ask_all_at_once(organization, key["secret"], 250, base_url=url), urls)
        )
    served = 1 + sum(counts, Counter())[200]

    def all_are_used() -> bool:
        """What one process gave back too late for the other one's last request is there for its next."""
        nonlocal served
        served += sum(ask(client, organization, 1) == [200] for client in clients)
        return served >= 200

    wait_for("the use of all 200", all_are_used)
    assert served == 200
    assert [ask(client, organization, 1) for client in clients] == [[429], [429]]


def test_shares_of_an_idle_process_are_usable_by_another(
    service: Service, organization: Organization
) -> None:
    key = organization.new_key()
    settings = {"STEWARD_KEY_REQUESTS_PER_MINUTE": "64"}
    first, second = (
        organization.client(key=key["secret"], base_url=service.another_api(**settings).base_url)
        for _ in "12"
    )
    served = ask(first, organization, 1).count(200)
    stretch_minute(organization, key["keyId"])
    served += ask(first, organization, 9).count(200)

    def all_are_used() -> bool:
        nonlocal served
        served += ask(second, organization, 10).count(200)
        assert served <= 64
        return served == 64

    wait_for("the use of all 64", all_are_used)


def test_a_lowered_limit_counts_earlier_use(organization: Organization, thirty: str) -> None:
    key = organization.new_key()["secret"]
    assert ask(organization.client(key=key), organization, 40) == [200] * 40
    assert ask(organization.client(key=key, base_url=thirty), organization, 5) == [429] * 5


class TestPlanRateLimits:
    @pytest.fixture
    def limited(self, service: Service) -> str:
        return service.another_api(STEWARD_PLAN_RATE_LIMITS="on").base_url

    @pytest.mark.parametrize(("plan", "most"), [("Professional", 100), ("Enterprise", 500)])
    def test_hold_for_the_organization_over_all_its_keys(
        self, new_organization: Callable[..., Organization], limited: str, plan: str, most: int
    ) -> None:
        organization = new_organization(plan)
        keys = [organization.new_key()["secret"] for _ in range(2)]
        first = organization.client(key=keys[0], base_url=limited).get(f"{organization.path}/work-orders")
        assert first.status_code == 200
        assert f";q={most};w=60" in first.headers["ratelimit-policy"]
        stretch_minute(organization, organization.id)
        counts = [ask_all_at_once(organization, key, most // 2 + 20, base_url=limited) for key in keys]
        assert sum(counts, Counter()) == {200: most - 1, 429: 41}
        answer = organization.client(key=keys[0], base_url=limited).get(f"{organization.path}/work-orders")
        assert answer.json()["message"].startswith("Too many requests")
        assert 1 <= int(answer.headers["retry-after"]) <= 60 + 3600
        assert f";q={most};w=60" in answer.headers["ratelimit-policy"]

    def test_idempotency_keys_of_organizations_are_separate(
        self, new_organization: Callable[..., Organization], limited: str
    ) -> None:
        one, other = new_organization("Professional"), new_organization("Professional")
        assert ask(one.client(key=one.secret, base_url=limited), one, 101)[-1] == 429
        assert ask(other.client(key=other.secret, base_url=limited), other, 1) == [200]

    def test_are_off_unless_asked_for(self, new_organization: Callable[..., Organization]) -> None:
        organization = new_organization("Professional")
        assert ask(organization.api, organization, 110) == [200] * 110
