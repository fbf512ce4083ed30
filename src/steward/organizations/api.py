from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.permissions import Permission
from steward.organizations import actions, queries, rules
from steward.organizations.model import EXAMPLE, Organization, OrganizationChanges

_PATH = "/organizations/{orgId}"


async def read(call: Call[NoBody, NoQuery]) -> Response:
    organization = await queries.get(call.db, call.caller.tenant)
    if organization is None:
        raise rules.no_such_organization()
    return one(organization)


async def change(call: Call[OrganizationChanges, NoQuery]) -> Response:
    return one(await actions.change(call.context.on(call.caller.tenant, call.precondition), call.body))


ROUTES = (
    Route(
        method="GET",
        path=_PATH,
        handler=read,
        tag="Organizations",
        summary="Read the organization",
        permission=Permission.ORGANIZATION_READ,
        gives=Organization,
        example=EXAMPLE,
    ),
    Route(
        method="PATCH",
        path=_PATH,
        handler=change,
        tag="Organizations",
        summary="Change the organization",
        permission=Permission.ORGANIZATION_WRITE,
        body=OrganizationChanges,
        body_example={"name": "Harbour House", "telemetryEvents": True},
        gives=Organization,
        example=EXAMPLE,
    ),
)
