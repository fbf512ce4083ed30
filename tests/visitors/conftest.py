from collections.abc import Callable
from typing import Any

import pytest
from tests.support.organizations import Organization

ADA = {"name": "Ada Lovelace", "email": "ada@example.com", "company": "Analytical Engines"}


class Reception:
    """The front desk of an organization."""

    def __init__(self, org: Organization) -> None:
        self.org = org
        self.path = f"{org.path}/visitors"

    def register(self, **more: Any) -> dict[str, Any]:
        return self.org.created("visitors", {**ADA, **more})

    def move(self, visitor: dict[str, Any], verb: str) -> dict[str, Any]:
        answer = self.org.api.post(f"{self.path}/{visitor['id']}/{verb}")
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def read(self, visitor: dict[str, Any]) -> dict[str, Any]:
        return self.org.api.get(f"{self.path}/{visitor['id']}").json()["data"]

    def listed(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.org.api.get(self.path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def events(self) -> list[dict[str, Any]]:
        """Everything that was told, oldest first."""
        answer = self.org.api.get(f"/v2{self.org.path}/events?limit=100")
        return answer.json()["data"][::-1]

    def visitor_that_is(self, status: str, **more: Any) -> dict[str, Any]:
        visitor = self.register(**more)
        for verb in {
            "Registered": [],
            "CheckedIn": ["check-in"],
            "CheckedOut": ["check-in", "check-out"],
            "Cancelled": ["cancel"],
        }[status]:
            visitor = self.move(visitor, verb)
        return visitor


@pytest.fixture
def reception(org: Organization) -> Reception:
    return Reception(org)


@pytest.fixture
def other_reception(found: Callable[..., Organization]) -> Reception:
    return Reception(found())
