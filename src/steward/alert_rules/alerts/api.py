from steward.alert_rules.alerts import actions, queries
from steward.alert_rules.alerts.model import EXAMPLE, Acknowledgement, AlertQuery
from steward.kit.http.resource import Resource
from steward.kit.security.permissions import Permission

_ALERTS = Resource(
    path="/organizations/{orgId}/alerts",
    example=EXAMPLE,
    table=queries.ALERTS,
    listing=queries.LISTING,
    query=AlertQuery,
    read_permission=Permission.IOT_READ,
    write_permission=Permission.IOT_WRITE,
)

ROUTES = (
    *_ALERTS.reads(),
    _ALERTS.move_with(
        "acknowledge",
        actions.acknowledge,
        Acknowledgement,
        description="Records that the caller has seen it. It stays open until its condition ends.",
    ),
)
