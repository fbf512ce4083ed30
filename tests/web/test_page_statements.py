"""However much a page shows, it asks the database the same number of questions."""

from collections.abc import Iterable

from tests.support.organizations import Organization
from tests.support.page_statements import statements_of

from steward.events.pages import panels
from steward.forms import pages as forms
from steward.kit.web.page import WebPage
from steward.locations import pages as locations
from steward.slices import SLICES
from steward.visitors import pages as visitors
from steward.visitors.reception import pages as reception
from steward.web.location_panels import PANELS as CONTENTS
from steward.web.today import pages as today
from steward.work_orders import pages as work_orders


def _page(pages: Iterable[WebPage], path: str) -> WebPage:
    return next(page for page in pages if page.method == "GET" and page.path == path)


def _fill(organization: Organization, count: int) -> dict[str, str]:
    """A house with so many rooms, each with a visitor who is expected, one who is here and one who left."""
    house = organization.locations.create(name="House", type="Building")["id"]
    for number in range(count):
        room = organization.locations.create(name=f"Room {number:02}", type="Space", parentId=house)["id"]
        host = organization.new_user("Viewer")["id"]
        for status in ("Registered", "CheckedIn", "CheckedOut"):
            visitor = organization.visitors.create_in_status(status, locationId=room, hostId=host)
        organization.work_orders.create(f"Order {number}", locationId=room, assigneeId=host)
        organization.created("forms", {"name": f"Form {number}", "fields": []})
    return {"locationId": house, "visitorId": visitor["id"]}


# Page, what its address asks for, and how many statements it may take.
_PAGES: tuple[tuple[tuple[WebPage, ...], str, dict[str, str], int], ...] = (
    (reception.PAGES, "/app/visitors", {}, 5),
    (reception.PAGES, "/app/visitors", {"q": "lovelace"}, 5),
    (reception.PAGES, "/app/visitors/evacuation", {}, 3),
    (visitors.PAGES, "/app/visitors/visits", {"sort": "-expectedArrival"}, 3),
    (visitors.PAGES, "/app/visitors/{visitorId}", {}, 6),
    (today.PAGES, "/app", {}, 3),
    (work_orders.LIST.pages(), "/app/work-orders", {"sort": "due"}, 4),
    (forms.PAGES, "/app/forms", {}, 2),
    (locations.PAGES, "/app/locations", {}, 2),
    (locations.PAGES, "/app/locations", {"q": "room"}, 3),
    (locations.PAGES, "/app/locations/list", {}, 2),
    (locations.PAGES, "/app/locations/{locationId}", {}, 6),
)


def test_a_page_runs_the_same_number_of_queries_however_much_it_shows(
    organization: Organization, other_organization: Organization
) -> None:
    params = {some: _fill(some, count) for some, count in ((organization, 1), (other_organization, 4))}
    for pages, path, arguments, most in _PAGES:
        asked = [
            statements_of(
                some,
                _page(pages, path),
                params=params[some],
                arguments=arguments,
                panels=(*CONTENTS, *panels(SLICES)),
            )
            for some in params
        ]
        assert asked[0] == asked[1] <= most, (path, arguments)
