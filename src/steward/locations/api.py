from steward.kit.http.archiving import archive_routes
from steward.kit.http.imports import import_route
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission
from steward.locations import actions, queries
from steward.locations.imports.actions import import_locations
from steward.locations.model import EXAMPLE, Location, LocationChanges, LocationQuery, NewLocation

_LOCATIONS = Resource(
    tag="Locations",
    path="/organizations/{orgId}/locations",
    id_name="locationId",
    gives=Location,
    example=EXAMPLE,
    table=queries.LOCATIONS,
    listing=queries.LISTING,
    read_permission=Permission.LOCATIONS_READ,
    write_permission=Permission.LOCATIONS_WRITE,
)
_CODE_TAKEN = {409: "A location with this code exists already."}

_ROUTES: tuple[Route, ...] = (
    _LOCATIONS.list("listLocations", "List locations", query=LocationQuery),
    *_LOCATIONS.exports("exportLocations", "locations", query=LocationQuery),
    _LOCATIONS.create(
        actions.create,
        "createLocation",
        "Create a location",
        body=NewLocation,
        body_example={"name": "Third floor", "type": "Floor", "code": "HH-3"},
        refusals=_CODE_TAKEN,
    ),
    import_route(
        _LOCATIONS,
        import_locations,
        "importLocations",
        "locations",
        "Columns are named like the fields of a location; `id` or `externalId` names one that is there, and `parentId` or "
        "`parentExternalId` what it lies in, which may be a row of the same file.",
        "externalId,name,type,parentExternalId\r\nHH,Hamburg,Site,\r\nHH-3,Third floor,Floor,HH\r\n",
        refusals=_CODE_TAKEN,
    ),
    _LOCATIONS.read("readLocation", "Read a location"),
    _LOCATIONS.change(
        actions.change,
        "changeLocation",
        "Change a location",
        body=LocationChanges,
        body_example={"name": "3rd floor"},
        refusals=_CODE_TAKEN,
    ),
    _LOCATIONS.delete(
        actions.delete,
        "deleteLocation",
        "Delete a location",
        refusals={409: "Something still lies in it or names it; the message says what. Archive it instead."},
    ),
    *archive_routes(
        _LOCATIONS,
        "a location",
        actions.ARCHIVING.archive,
        actions.ARCHIVING.restore,
        archives="Assets and other things that are in it stay in sight.",
        refusals={409: "A location that lies in it is not archived."},
        restore_refusals={409: "The location that it lies in is archived."},
    ),
)

ROUTES = synced(_LOCATIONS, _ROUTES, "a location", "locations")
