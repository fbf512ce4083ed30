"""Requests that reach the handlers: generated from the document, aimed at what is there, and counted.

`tests/openapi` tries the bounds of every field and is mostly refused, as it should be. Here every operation has to succeed
at least once, and most requests have to.
"""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.fuzz import valid_values
from tests.fuzz.valid_requests import OPERATIONS, ValidRequests
from tests.support.organizations import PASSWORD, Organization
from tests.support.waiting import wait_for

from steward.wiring.routes import api_document

pytestmark = pytest.mark.long

# `make fuzz` asks for more.
MANY = int(os.environ.get("FUZZ_EXAMPLES", "0"))
SCHEMA = schemathesis.openapi.from_dict(api_document())
# Chains would otherwise also be made of what the document forbids.
SCHEMA.config.generation.update(modes=[schemathesis.GenerationMode.POSITIVE])
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
LEAST_SHARE = 0.90
LEAST_SHARE_BY_LINKS = 0.70
# An organization makes ten keys an hour; so many are left after those of the sample records.
FEW = {"createApiKey": 2, "revokeApiKey": 2}
QUIET = settings(
    max_examples=MANY or 1,
    derandomize=not MANY,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
IDENTIFIER = re.compile(r"[a-z]{2,3}_[0-9a-f]{20,}")
# Operations that can't succeed here, each with its reason.
UNREACHED: dict[str, str] = {}


@pytest.fixture
def valid_requests(unlimited_organization: Organization) -> ValidRequests:
    return ValidRequests(unlimited_organization)


def _aim(case: schemathesis.Case, valid_requests: ValidRequests, ids: dict[str, str]) -> None:
    operation_id = case.operation.definition.raw["operationId"]
    case.path_parameters = dict(ids)
    case.query = valid_values.query(valid_requests.records, dict(case.query or {}))
    if operation_id == "findFreeResources":
        case.query |= {"from": 1_800_000_000, "to": 1_800_003_600}
    # Made-up ones mean 412, 304, and the answer to another request; tests/http tries them.
    case.headers.clear()
    if case.media_type == "text/csv":
        case.body = valid_values.csv(valid_requests.records, operation_id)
    elif isinstance(case.body, dict):
        case.body = valid_values.body(valid_requests.records, operation_id, case.body)
    if operation_id == "logInWithPassword":
        case.body = {"account": valid_requests.organization.email, "password": PASSWORD}
    if operation_id == "getNewTokensForRefreshToken":
        case.body = {"refreshToken": valid_requests.organization.log_in()["refreshToken"]}


class Tally:
    def __init__(self) -> None:
        self.by_operation: dict[str, Counter[int]] = {}
        self.refused: list[str] = []

    def add(self, operation_id: str, answer: schemathesis.Response) -> None:
        self.by_operation.setdefault(operation_id, Counter())[answer.status_code] += 1
        if answer.status_code >= 400:
            self.refused.append(f"{operation_id}: {answer.status_code} {answer.text[:200]}")

    @property
    def statuses(self) -> Counter[int]:
        return sum(self.by_operation.values(), Counter())

    @property
    def share(self) -> float:
        good = sum(count for status, count in self.statuses.items() if status < 300)
        return good / max(1, self.statuses.total())

    @property
    def reached(self) -> set[str]:
        return {name for name, found in self.by_operation.items() if any(status < 300 for status in found)}

    def told(self, title: str) -> str:
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return (
            f"{title}: {self.statuses.total()} requests, {self.share:.1%} answered 2xx ({statuses}); "
            f"{len(self.reached)} of {len(OPERATIONS)} operations succeeded"
        )


def call_each(call: Callable[[schemathesis.Case], bool]) -> Callable[[schemathesis.Case], None]:
    """Hypothesis needs no result."""

    def each(case: schemathesis.Case) -> None:
        call(case)

    return each


def _try(operation: Any, valid_requests: ValidRequests, tally: Tally) -> None:
    operation_id = operation.definition.raw["operationId"]
    most = min(QUIET.max_examples, FEW.get(operation_id, QUIET.max_examples))

    def call(case: schemathesis.Case) -> bool:
        _aim(case, valid_requests, valid_requests.ids(operation_id))
        headers = valid_requests.headers()
        answer = case.call_and_validate(
            base_url=valid_requests.organization.base_url, headers=headers, checks=CHECKS
        )
        tally.add(operation_id, answer)
        return answer.status_code < 300

    media = (
        {}
        if (body := valid_requests.body(operation_id)) is None
        else {"media_type": "application/json", "body": body}
    )
    if operation_id.startswith("import"):
        media = {"media_type": "text/csv", "body": ""}
    example = operation.Case(**media)
    # A delivery that the worker has in hand can't be retried just then.
    seconds = 60 if operation_id == "retryDelivery" else 0.1
    wait_for(f"a success of {operation_id}", lambda: call(example), seconds)
    settings(QUIET, max_examples=most)(given(case=operation.as_strategy())(call_each(call)))()


def test_every_operation_succeeds_and_most_requests_do(
    valid_requests: ValidRequests, record_property: Callable[[str, object], None]
) -> None:
    tally, wrong = Tally(), []
    for found in SCHEMA.get_all_operations():
        operation = cast("Any", found).ok()
        try:
            _try(operation, valid_requests, tally)
        except Exception as error:  # noqa: BLE001 (all of them are reported at once)
            wrong.append(f"{operation.method} {operation.path}: {error!r}")
    print(tally.told("every operation"), *tally.refused, sep="\n")
    record_property("summary", tally.told("every operation"))
    assert wrong == []
    assert set(OPERATIONS) - tally.reached == set(UNREACHED), tally.refused
    assert tally.share >= LEAST_SHARE, tally.refused


def test_chains_along_the_links_of_the_document_hold(
    valid_requests: ValidRequests, record_property: Callable[[str, object], None]
) -> None:
    """What was made is read, changed, moved and deleted, in whatever order comes up."""
    tally = Tally()

    wrong: list[str] = []

    class Chains(SCHEMA.as_state_machine()):  # type: ignore[misc]
        def before_call(self, case: schemathesis.Case) -> None:
            parameters = (case.path_parameters or {}).items()
            # What later requests refer to stays as it is: a chain archives only what was made for it.
            kept = () if case.method == "GET" else valid_requests.records.ids.values()
            given = {
                name: str(id) for name, id in parameters if IDENTIFIER.match(str(id)) and str(id) not in kept
            }
            operation_id = case.operation.definition.raw["operationId"]
            _aim(
                case,
                valid_requests,
                {**valid_requests.ids(operation_id), **given, "orgId": valid_requests.organization.id},
            )

        def get_call_kwargs(self, case: schemathesis.Case) -> dict[str, Any]:
            return {"base_url": valid_requests.organization.base_url, "headers": valid_requests.headers()}

        def validate_response(
            self, response: schemathesis.Response, case: schemathesis.Case, **more: Any
        ) -> None:
            tally.add(case.operation.definition.raw["operationId"], response)
            try:
                case.validate_response(response, checks=CHECKS)
            except Exception as error:  # noqa: BLE001 (told at the end, and not tried again)
                wrong.append(repr(error))

    wanted, number = 60 * (MANY or 1), 0
    while tally.statuses.total() < wanted:
        number += 1
        # The same steps lead elsewhere once the organization has changed; Hypothesis then wants to begin anew.
        with contextlib.suppress(FlakyStrategyDefinition):
            few = settings(QUIET, max_examples=6, stateful_step_count=12, derandomize=False)
            run_state_machine_as_test(seed(number)(Chains), settings=few)
    record_property("summary", tally.told("chains along links"))
    assert wrong == []
    assert tally.share >= LEAST_SHARE_BY_LINKS, tally.refused
