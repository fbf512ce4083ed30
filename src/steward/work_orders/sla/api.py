from functools import partial

from msgspec.structs import replace

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.permissions import Permission
from steward.work_orders.sla import actions
from steward.work_orders.sla.model import DEFAULT_POLICY, MAX_YEARS, NewSlaPolicy, SlaPolicy

_PATH = "/organizations/{orgId}/sla-policy"
_TAG = "Work orders"


async def read(policies: TenantCache[SlaPolicy], call: Call[NoBody, NoQuery]) -> Response:
    return one(await policies.get(call.db, call.caller.tenant))


async def put(bus: Invalidator, call: Call[NewSlaPolicy, NoQuery]) -> Response:
    policy = await actions.put_policy(bus, call.context.on(call.caller.tenant, call.precondition), call.body)
    return one(policy)


def routes(bus: Invalidator, policies: TenantCache[SlaPolicy]) -> tuple[Route, ...]:
    example = replace(DEFAULT_POLICY, updated=1767225600)
    return (
        Route(
            method="GET",
            path=_PATH,
            handler=partial(read, policies),
            tag=_TAG,
            summary="Read the SLA policy",
            permission=Permission.WORK_ORDERS_READ,
            gives=SlaPolicy,
            example=example,
        ),
        Route(
            method="PUT",
            path=_PATH,
            handler=partial(put, bus),
            tag=_TAG,
            summary="Set the SLA policy",
            description="Minutes to respond and to resolve per priority, and the calendar in which they count. Orders "
            "that exist keep their deadlines until their priority changes or they resume. A target that the calendar "
            f"does not reach within {MAX_YEARS} years is refused.",
            permission=Permission.ORGANIZATION_WRITE,
            body=NewSlaPolicy,
            body_example={
                "targets": {
                    name: {"responseMinutes": 60, "resolutionMinutes": 480}
                    for name in ("Low", "Medium", "High", "Critical")
                },
                "calendar": {
                    "mode": "weekly",
                    "timezone": "Europe/Berlin",
                    "monday": [{"from": "08:00", "to": "17:00"}],
                    "holidays": ["2026-12-25"],
                },
            },
            gives=SlaPolicy,
            example=example,
        ),
    )
