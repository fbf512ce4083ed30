from collections.abc import Callable

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.service import Service


@pytest.fixture
def new_browser(service: Service) -> Callable[[], BrowserClient]:
    """Somebody who isn't logged in."""
    return lambda: BrowserClient(service.base_url)


@pytest.fixture
def logged_in(new_browser: Callable[[], BrowserClient]) -> Callable[[str], BrowserClient]:
    def log_in(email: str) -> BrowserClient:
        person = new_browser()
        answer = person.log_in(email)
        assert answer.status_code == 303, answer.text
        return person

    return log_in


@pytest.fixture
def admin(organization: Organization, logged_in: Callable[[str], BrowserClient]) -> BrowserClient:
    return logged_in(organization.email)
