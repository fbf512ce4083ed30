from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission
from steward.visitors import actions, queries
from steward.visitors.model import EXAMPLE, NewVisitor, Visitor, VisitorChanges, VisitorQuery

_VISITORS = Resource(
    tag="Visitors",
    path="/organizations/{orgId}/visitors",
    id_name="visitorId",
    gives=Visitor,
    example=EXAMPLE,
    table=queries.VISITORS,
    listing=queries.LISTING,
    read_permission=Permission.VISITORS_READ,
    write_permission=Permission.VISITORS_WRITE,
)

_ROUTES: tuple[Route, ...] = (
    _VISITORS.list(
        "listVisitors",
        "List visitors",
        query=VisitorQuery,
        description="With `status=CheckedIn` this is the evacuation list: everybody who is on site.",
    ),
    *_VISITORS.exports("exportVisitors", "visitors", query=VisitorQuery),
    _VISITORS.create(
        actions.register,
        "registerVisitor",
        "Register a visitor",
        description="With `checkIn` the visitor is there already: registered and checked in at once, which both events tell.",
        body=NewVisitor,
        body_example={"name": "Ada Lovelace", "company": "Analytical Engines", "expectedArrival": 1767258000},
    ),
    _VISITORS.read("readVisitor", "Read a visitor"),
    _VISITORS.change(
        actions.change,
        "changeVisitor",
        "Change a visitor",
        description="As long as the visitor is only registered.",
        body=VisitorChanges,
        body_example={"expectedArrival": 1767261600},
        refusals={409: "The visitor has arrived, was cancelled, or is erased."},
    ),
    _VISITORS.delete(
        actions.erase,
        "eraseVisitor",
        "Erase a visitor",
        description="Name, e-mail address, company, telephone number, vehicle and externalId become null and metadata empty, here "
        "and in every stored event; the visit itself stays. Happens by itself some time after the visit.",
        refusals={409: "The visitor is on site; check them out first."},
    ),
    _VISITORS.move("check-in", actions.check_in, "checkVisitorIn", "Check a visitor in"),
    _VISITORS.move("check-out", actions.check_out, "checkVisitorOut", "Check a visitor out"),
    _VISITORS.move("cancel", actions.cancel, "cancelVisit", "Cancel a visit"),
)

ROUTES = synced(_VISITORS, _ROUTES, "a visitor", "visitors", replacement=actions.replacement)
