from steward.bookings.resources import actions, queries
from steward.bookings.resources.model import (
    EXAMPLE,
    LOOKS,
    BookableResource,
    BookableResourceChanges,
    BookableResourceQuery,
    NewBookableResource,
)
from steward.kit.http.archiving import archive_routes
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission

RESOURCES = Resource(
    tag="Bookable resources",
    path="/organizations/{orgId}/resources",
    id_name="resourceId",
    gives=BookableResource,
    example=EXAMPLE,
    table=queries.RESOURCES,
    listing=queries.LISTING,
    read_permission=LOOKS,
    write_permission=Permission.BOOKINGS_WRITE,
)

_ROUTES: tuple[Route, ...] = (
    RESOURCES.list("listBookableResources", "List bookable resources", query=BookableResourceQuery),
    *RESOURCES.exports("exportBookableResources", "bookable resources", query=BookableResourceQuery),
    RESOURCES.create(
        actions.create,
        "createBookableResource",
        "Create a bookable resource",
        body=NewBookableResource,
        body_example={"name": "Meeting room Elbe", "type": "Room", "capacity": 8, "bufferMinutes": 15},
    ),
    RESOURCES.read("readBookableResource", "Read a bookable resource"),
    RESOURCES.change(
        actions.change,
        "changeBookableResource",
        "Change a bookable resource",
        description="A new buffer holds for bookings that are made or moved from now on; whether and how soon somebody "
        "has to check in also for those that have not begun.",
        body=BookableResourceChanges,
        body_example={"checkInRequired": True, "releaseAfterMinutes": 10},
    ),
    RESOURCES.delete(
        actions.delete,
        "deleteBookableResource",
        "Delete a bookable resource",
        refusals={409: "Bookings or a webhook's filter name it; archive it instead."},
    ),
    *archive_routes(
        RESOURCES,
        "a bookable resource",
        actions.ARCHIVING.archive,
        actions.ARCHIVING.restore,
        archives="It takes no more bookings; those that it has stay.",
    ),
)

ROUTES = synced(RESOURCES, _ROUTES, "a bookable resource", "bookable resources")
