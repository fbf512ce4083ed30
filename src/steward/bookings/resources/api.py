from steward.bookings.resources import actions, queries
from steward.bookings.resources.model import (
    EXAMPLE,
    LOOKS,
    BookableResourceChanges,
    BookableResourceQuery,
    NewBookableResource,
)
from steward.kit.http.resource import Resource
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission

RESOURCES = Resource(
    path="/organizations/{orgId}/resources",
    id_name="resourceId",
    example=EXAMPLE,
    table=queries.RESOURCES,
    listing=queries.LISTING,
    query=BookableResourceQuery,
    read_permission=LOOKS,
    write_permission=Permission.BOOKINGS_WRITE,
)

ROUTES = synced(
    RESOURCES,
    *RESOURCES.reads(),
    RESOURCES.create(
        actions.create,
        NewBookableResource,
        body_example={"name": "Meeting room Elbe", "type": "Room", "capacity": 8, "bufferMinutes": 15},
    ),
    RESOURCES.change(
        actions.change,
        BookableResourceChanges,
        description="A new buffer holds for bookings that are made or moved from now on; whether and how soon somebody "
        "has to check in also for those that have not begun.",
        body_example={"checkInRequired": True, "releaseAfterMinutes": 10},
    ),
    RESOURCES.delete(
        actions.delete,
        refusals={409: "Bookings or a webhook's filter name it; archive it instead."},
    ),
    *RESOURCES.archiving(
        actions.ARCHIVING.archive,
        actions.ARCHIVING.restore,
        archives="It takes no more bookings; those that it has stay.",
    ),
)
