from functools import partial

from steward.alert_rules import actions, queries
from steward.alert_rules.actions import ApplyChange, RulePropagation
from steward.alert_rules.model import EXAMPLE, AlertRuleChanges, AlertRuleQuery, NewAlertRule
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission

_RULES = Resource(
    path="/organizations/{orgId}/alert-rules",
    example=EXAMPLE,
    table=queries.ALERT_RULES,
    listing=queries.LISTING,
    query=AlertRuleQuery,
    read_permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
)
_WHEN_APPLIED = (
    "When the answer comes, the assets that the rule is for show what it finds about them; where they are very many, the "
    "last of them follow shortly after."
)


def routes(bus: Invalidator, apply_change: ApplyChange) -> tuple[Route, ...]:
    propagation = RulePropagation(bus, apply_change)
    return (
        *_RULES.reads(),
        _RULES.create(
            partial(actions.create, propagation),
            NewAlertRule,
            description=_WHEN_APPLIED,
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
        _RULES.change(
            partial(actions.change, propagation),
            AlertRuleChanges,
            description=_WHEN_APPLIED,
            body_example={"forSeconds": 600},
        ),
        _RULES.delete(
            partial(actions.delete, propagation),
            description="Its open alerts are cleared before the answer comes; all of its alerts can still be read.",
        ),
    )
