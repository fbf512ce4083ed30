"""The service does what its document says: schemathesis makes requests from it and holds the answers against it."""

from collections.abc import Iterator

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.conftest import Service
from tests.support.organizations import Organization, close_clients, new_address

from steward import wiring

SCHEMA = schemathesis.openapi.from_dict(wiring.api_document())
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = settings(
    max_examples=20, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


class Target:
    """An organization with one of everything, behind an API that does not tire."""

    def __init__(self, service: Service) -> None:
        api = service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="1000000")
        self.base_url = api.base_url
        self.org = Organization(api.base_url, service.database_url, "Enterprise")

    def real_ids(self) -> dict[str, str]:
        """Made anew for every request, since some requests delete them."""
        org = self.org
        self._number = getattr(self, "_number", 0) + 1
        return {
            "roleId": org.created("roles", {"name": f"Role {self._number}"})["id"],
            "userId": org.user_id,
            "keyId": org.key_id,
            "workOrderId": org.created("work-orders", {"title": "Something"})["id"],
            **self._asset(),
        }

    def _asset(self) -> dict[str, str]:
        org = self.org
        answer = org.api.post(f"/v2{org.path}/asset-types", json={"name": f"Type {self._number}"})
        made = org.created("assets", {"name": "Something", "assetTypeId": answer.json()["data"]["id"]})
        return {"assetTypeId": made["assetTypeId"], "assetId": made["id"]}


@pytest.fixture(scope="module")
def target(running_service: Service) -> Iterator[Target]:
    yield Target(running_service)
    close_clients()
    running_service.stop_others()


def _call(case: schemathesis.Case, target: Target, ids: dict[str, str]) -> None:
    case.path_parameters = (
        {**case.path_parameters, **ids, "orgId": target.org.id} if case.path_parameters else {}
    )
    headers = {"X-API-Key": target.org.secret, "X-Forwarded-For": new_address()}
    case.call_and_validate(base_url=target.base_url, headers=headers, checks=CHECKS)


@SCHEMA.parametrize()
@EXAMPLES
def test_answers_to_made_up_identifiers_are_documented(case: schemathesis.Case, target: Target) -> None:
    _call(case, target, {})


@SCHEMA.exclude(method="DELETE", path_regex="api-keys").parametrize()
@EXAMPLES
def test_answers_to_real_identifiers_are_documented(case: schemathesis.Case, target: Target) -> None:
    known = target.real_ids()
    ids = {name: value for name, value in known.items() if name in (case.path_parameters or {})}
    _call(case, target, ids)


def test_the_document_is_served(service: Service) -> None:
    assert httpx.get(f"{service.base_url}/openapi.json").json() == wiring.api_document()
