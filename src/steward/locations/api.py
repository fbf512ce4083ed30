from steward.kit.http.resource import Resource
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission
from steward.locations import actions, queries
from steward.locations.imports.actions import import_locations
from steward.locations.model import EXAMPLE, LocationChanges, LocationQuery, NewLocation

_LOCATIONS = Resource(
    path="/organizations/{orgId}/locations",
    example=EXAMPLE,
    table=queries.LOCATIONS,
    listing=queries.LISTING,
    query=LocationQuery,
    read_permission=Permission.LOCATIONS_READ,
    write_permission=Permission.LOCATIONS_WRITE,
)
_CODE_TAKEN = {409: "A location with this code exists already."}

ROUTES = synced(
    _LOCATIONS,
    *_LOCATIONS.reads(),
    _LOCATIONS.create(
        actions.create,
        NewLocation,
        body_example={"name": "Third floor", "type": "Floor", "code": "HH-3"},
        refusals=_CODE_TAKEN,
    ),
    _LOCATIONS.import_csv(
        import_locations,
        "Columns are named like the fields of a location; `id` or `externalId` names one that is there, and `parentId` or "
        "`parentExternalId` what it lies in, which may be a row of the same file.",
        "externalId,name,type,parentExternalId\r\nHH,Hamburg,Site,\r\nHH-3,Third floor,Floor,HH\r\n",
        refusals=_CODE_TAKEN,
    ),
    _LOCATIONS.change(
        actions.change, LocationChanges, body_example={"name": "3rd floor"}, refusals=_CODE_TAKEN
    ),
    _LOCATIONS.delete(
        actions.delete,
        refusals={409: "Something still lies in it or names it; the message says what. Archive it instead."},
    ),
    *_LOCATIONS.archiving(
        actions.ARCHIVING.archive,
        actions.ARCHIVING.restore,
        archives="Assets and other things that are in it stay in sight.",
        refusals={409: "A location that lies in it is not archived."},
        restore_refusals={409: "The location that it lies in is archived."},
    ),
)
