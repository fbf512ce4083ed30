from collections.abc import Callable
from typing import Any

import pytest
from tests.support.organizations import Organization

ROUND = [
    {"key": "exit", "label": "The exit is clear", "type": "passFail", "required": True},
    {"key": "pressure", "label": "Pressure (bar)", "type": "number", "min": 0, "max": 25},
]


@pytest.fixture
def draft(org: Organization) -> dict[str, Any]:
    return org.created("forms", {"name": "Fire exit round", "fields": ROUND})


@pytest.fixture
def move(org: Organization) -> Callable[..., dict[str, Any]]:
    """Performs a move that has to succeed."""

    def move(form: dict[str, Any], verb: str) -> dict[str, Any]:
        answer = org.api.post(f"{org.path}/forms/{form['id']}/{verb}")
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    return move


@pytest.fixture
def published(draft: dict[str, Any], move: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return move(draft, "publish")
