from collections.abc import Callable
from typing import Any

import pytest
from tests.forms.helpers import ROUND
from tests.support.answers import data_of
from tests.support.organizations import Organization


@pytest.fixture
def draft(organization: Organization) -> dict[str, Any]:
    return organization.created("forms", {"name": "Fire exit round", "fields": ROUND})


@pytest.fixture
def move(organization: Organization) -> Callable[..., dict[str, Any]]:
    """Performs a move that has to succeed."""

    def move(form: dict[str, Any], verb: str) -> dict[str, Any]:
        answer = organization.api.post(f"{organization.path}/forms/{form['id']}/{verb}")
        assert answer.status_code == 200, answer.text
        return data_of(answer)

    return move


@pytest.fixture
def published(draft: dict[str, Any], move: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return move(draft, "publish")
