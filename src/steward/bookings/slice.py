from steward.bookings.jobs import release_no_shows
from steward.bookings.model import CONSTRAINTS, READS
from steward.bookings.resources import queries as resources
from steward.bookings.resources.model import CONSTRAINTS as OF_RESOURCES
from steward.kit.events.topics import Topic
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Searched, Site, Slice, jobs_of


def site(parts: Parts) -> Site:
    from steward.bookings import api, pages
    from steward.bookings.feeds import api as feeds_api
    from steward.bookings.grid import pages as grid_pages
    from steward.bookings.resources import api as resources_api
    from steward.bookings.resources import pages as resources_pages
    from steward.bookings.tablets import pages as tablets_pages

    public_url = parts.settings.public_url
    return Site(
        routes=(*resources_api.ROUTES, *api.ROUTES, *feeds_api.routes(parts.limiter, public_url)),
        pages=(
            *grid_pages.PAGES,
            *pages.PAGES,
            *resources_pages.pages(public_url),
            *tablets_pages.pages(parts.limiter),
        ),
    )


SLICE = Slice(
    name="bookings",
    tables=("bookable_resources", "bookings", "calendar_links", "resource_tablets"),
    constraints={**OF_RESOURCES, **CONSTRAINTS},
    site=site,
    menu=(MenuEntry(MenuGroup.DAY, 50, "Bookings", "/app/bookings", "calendar"),),
    searched=(Searched("Bookable resources", resources.LOOKUP),),
    history={"booking": READS},
    topics={"booking": Topic("bookings", READS)},
    jobs=jobs_of(("release_no_shows", 15, release_no_shows)),
)
