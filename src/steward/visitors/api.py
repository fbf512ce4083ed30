from steward.kit.http.resource import Resource
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission
from steward.visitors import actions, queries
from steward.visitors.model import EXAMPLE, NewVisitor, VisitorChanges, VisitorQuery

_VISITORS = Resource(
    path="/organizations/{orgId}/visitors",
    example=EXAMPLE,
    table=queries.VISITORS,
    listing=queries.LISTING,
    query=VisitorQuery,
    read_permission=Permission.VISITORS_READ,
    write_permission=Permission.VISITORS_WRITE,
)

ROUTES = synced(
    _VISITORS,
    _VISITORS.list(
        description="With `status=CheckedIn` this is the evacuation list: everybody who is on site.",
    ),
    *_VISITORS.exports(),
    _VISITORS.create(
        actions.register,
        NewVisitor,
        summary="Register a visitor",
        description="With `checkIn` the visitor is there already: registered and checked in at once, which both events tell.",
        body_example={"name": "Ada Lovelace", "company": "Analytical Engines", "expectedArrival": 1767258000},
    ),
    _VISITORS.read(),
    _VISITORS.change(
        actions.change,
        VisitorChanges,
        description="As long as the visitor is only registered.",
        body_example={"expectedArrival": 1767261600},
        refusals={409: "The visitor has arrived, was cancelled, or is erased."},
    ),
    _VISITORS.delete(
        actions.erase,
        summary="Erase a visitor",
        description="Name, e-mail address, company, telephone number, vehicle and externalId become null and metadata empty, here "
        "and in every stored event; the visit itself stays. Happens by itself some time after the visit.",
        refusals={409: "The visitor is on site; check them out first."},
    ),
    _VISITORS.move("check-in", actions.check_in, summary="Check a visitor in"),
    _VISITORS.move("check-out", actions.check_out, summary="Check a visitor out"),
    _VISITORS.move("cancel", actions.cancel, summary="Cancel a visit"),
    replacement=actions.replacement,
)
