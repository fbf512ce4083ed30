"""The screens of bookings ask the database as often for many resources as for one."""

from collections.abc import Callable

import pytest
from tests.bookings.helpers import DAY, HOUR, now
from tests.faults.deployment import Deployment
from tests.faults.statements import is_allowance, statements_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

PATHS = {
    "/app/bookings": 6,
    f"/app/bookings/events.json?from={now()}&to={now() + 7 * DAY}": 4,
    "/app/bookings/list": 5,
    "/app/bookings/resources": 4,
}


@pytest.fixture
def organization(deployment: Deployment) -> Organization:
    return deployment.new_organization()


def test_many_bookings_cost_no_more_statements_than_one(
    deployment: Deployment, organization: Organization
) -> None:
    person = BrowserClient(deployment.api.base_url)
    assert person.log_in(organization.email).status_code == 303

    def book(times: int) -> None:
        for number in range(times):
            room = organization.resources.create(name=f"Room {number}")
            for hour in (1, 3):
                organization.bookings.book(room, now() + hour * HOUR, now() + (hour + 1) * HOUR)

    def count() -> dict[str, int]:
        def statements(read: Callable[[], object]) -> int:
            return len([each for each in statements_of(deployment, read) if not is_allowance(each)])

        for path in PATHS:
            person.get(path)
        return {path: statements(lambda path=path: person.get(path)) for path in PATHS}  # type: ignore[misc]

    book(1)
    few = count()
    book(8)
    assert count() == few
    assert all(few[path] <= most for path, most in PATHS.items()), few
