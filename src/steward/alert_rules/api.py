from functools import partial

from steward.alert_rules import actions, model, queries
from steward.alert_rules.actions import ApplyChange, RulePropagation
from steward.alert_rules.alerts import model as alerts
from steward.alert_rules.alerts.model import Alert, AlertQuery
from steward.alert_rules.model import AlertRule, AlertRuleChanges, AlertRuleQuery, NewAlertRule
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.permissions import Permission

_RULES = Resource(
    tag="Alert rules",
    path="/organizations/{orgId}/alert-rules",
    id_name="alertRuleId",
    gives=AlertRule,
    example=model.EXAMPLE,
    table=queries.ALERT_RULES,
    listing=queries.LISTING,
    read_permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
)
_ALERTS = Resource(
    tag="Alerts",
    path="/organizations/{orgId}/alerts",
    id_name="alertId",
    gives=Alert,
    example=alerts.EXAMPLE,
    table=queries.ALERTS,
    listing=queries.ALERT_LISTING,
    read_permission=Permission.IOT_READ,
    write_permission=Permission.IOT_WRITE,
)
_BATCH_SIZE = (
    "When the answer comes, the assets that the rule is for show what it finds about them; where they are very many, the "
    "last of them follow shortly after."
)


def routes(bus: Invalidator, apply_change: ApplyChange) -> tuple[Route, ...]:
    propagation = RulePropagation(bus, apply_change)
    return (
        _RULES.list("listAlertRules", "List alert rules", query=AlertRuleQuery),
        _RULES.create(
            partial(actions.create, propagation),
            "createAlertRule",
            "Create an alert rule",
            description=_BATCH_SIZE,
            body=NewAlertRule,
            body_example={
                "name": "Server room too warm",
                "assetTypeId": "aty_00064a1b2c3d4e5f60718293a4b5",
                "severity": "Critical",
                "conditions": [{"key": "Temperature", "operator": "gt", "value": 27}],
                "forSeconds": 300,
                "hysteresis": 0.5,
                "workOrder": {"title": "Check the cooling", "priority": "High"},
            },
        ),
        _RULES.read("readAlertRule", "Read an alert rule"),
        _RULES.change(
            partial(actions.change, propagation),
            "changeAlertRule",
            "Change an alert rule",
            description=_BATCH_SIZE,
            body=AlertRuleChanges,
            body_example={"forSeconds": 600},
        ),
        _RULES.delete(
            partial(actions.delete, propagation),
            "deleteAlertRule",
            "Delete an alert rule",
            description="Its open alerts are cleared before the answer comes; all of its alerts can still be read.",
        ),
        _ALERTS.list("listAlerts", "List alerts", query=AlertQuery),
        _ALERTS.read("readAlert", "Read an alert"),
        _ALERTS.move(
            "acknowledge",
            actions.acknowledge,
            "acknowledgeAlert",
            "Acknowledge an alert",
            description="Says that somebody has seen it, and who. It stays open until what it tells of is gone.",
        ),
    )
