from collections.abc import Callable

import pytest
from tests.conftest import Service
from tests.support.organizations import Organization
from tests.web.people import Person


@pytest.fixture
def visitor(service: Service) -> Callable[[], Person]:
    """Somebody who isn't logged in."""
    return lambda: Person(service.base_url)


@pytest.fixture
def logged_in(visitor: Callable[[], Person]) -> Callable[[str], Person]:
    def log_in(email: str) -> Person:
        person = visitor()
        answer = person.log_in(email)
        assert answer.status_code == 303, answer.text
        return person

    return log_in


@pytest.fixture
def admin(org: Organization, logged_in: Callable[[str], Person]) -> Person:
    return logged_in(org.email)
