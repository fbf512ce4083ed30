from steward.alert_rules.alerts import actions, queries
from steward.alert_rules.alerts.model import EXAMPLE, Acknowledgement, Alert, AlertQuery
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission

_ALERTS = Resource(
    tag="Alerts",
    path="/organizations/{orgId}/alerts",
    id_name="alertId",
    gives=Alert,
    example=EXAMPLE,
    table=queries.ALERTS,
    listing=queries.LISTING,
    read_permission=Permission.IOT_READ,
    write_permission=Permission.IOT_WRITE,
)

ROUTES: tuple[Route, ...] = (
    _ALERTS.list("listAlerts", "List alerts", query=AlertQuery),
    *_ALERTS.exports("exportAlerts", "alerts", query=AlertQuery),
    _ALERTS.read("readAlert", "Read an alert"),
    _ALERTS.move_with(
        "acknowledge",
        actions.acknowledge,
        "acknowledgeAlert",
        "Acknowledge an alert",
        description="Records that the caller has seen it. It stays open until its condition ends.",
        body=Acknowledgement,
        body_example={},
    ),
)
