"""What the state machines have in common: each drives the service over HTTP and a plain model beside it, and compares."""

import os
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import httpx
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from tests.support.answers import data_of
from tests.support.organizations import Organization

# `make fuzz` asks for more.
MANY = int(os.environ.get("FUZZ_EXAMPLES", "0"))
BOUNDED = settings(
    max_examples=MANY or 15,
    stateful_step_count=50 if MANY else 30,
    derandomize=not MANY,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    # What fails is shown as it was found without long waits.
    phases=[Phase.generate, Phase.shrink] if MANY else [Phase.generate],
)

Json = dict[str, Any]


class Machine(RuleBasedStateMachine):
    """`known` is the model: by identifier, what we believe of each record."""

    def __init__(self, organization: Organization) -> None:
        super().__init__()
        self.organization = organization
        self.known: dict[str, Json] = {}
        self.expected: Counter[tuple[str, str]] = Counter()
        self.number = 0

    def expect_event(self, kind: str, id: str) -> None:
        """The change that was just answered must have left one more event of this type about this record."""
        self.expected[kind, id] += 1

    def events(self) -> Counter[tuple[str, str]]:
        """Those about records of this run."""
        found: Counter[tuple[str, str]] = Counter()
        cursor = None
        while True:
            params = {"limit": 100} | ({"lastEvaluatedKey": cursor} if cursor else {})
            page = self.organization.api.get(f"/v2{self.organization.path}/events", params=params).json()
            about = [(event["type"], event["data"]["object"].get("id")) for event in page["data"]]
            ours = [pair for pair in about if pair[1] in self.mine]
            found.update(ours)
            cursor = page["lastEvaluatedKey"]
            # Newest first: a page without any of ours lies before the run.
            if cursor is None or not ours:
                return found

    @property
    def mine(self) -> set[str]:
        return {id for _, id in self.expected}

    def teardown(self) -> None:
        if self.expected:
            assert self.events() == self.expected


def expect(answer: httpx.Response, status: int) -> Any:
    """The record of a success, the message of a refusal."""
    assert answer.status_code == status, f"{answer.request.method} {answer.request.url}: {answer.text}"
    return data_of(answer) if status < 300 else answer.json()["message"]


def run(machine: Callable[[], Machine], bounds: settings = BOUNDED) -> None:
    # It says that it takes a class, and calls what it is given.
    run_state_machine_as_test(cast("type[Machine]", machine), settings=bounds)
