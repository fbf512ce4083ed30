"""The form of an alert rule, and the preview of what it would have found."""

from typing import Any

from steward.alert_rules import actions, queries
from steward.alert_rules.editing.model import AlertRuleForm
from steward.alert_rules.editing.rules import condition_rows, duration_fields, new_rule
from steward.alert_rules.model import AlertRule, ConditionMatch, RulePreview, Severity
from steward.alert_rules.rules import SIGNS, new_alert_rule
from steward.asset_types import queries as asset_types
from steward.asset_types.model import TelemetryProperty
from steward.assets import queries as assets
from steward.kit.domain.fields import Priority
from steward.kit.records import records
from steward.kit.web.page import Outcome, PageRequest, View
from steward.kit.web.submit import submit

_FIRINGS = 50
_UNITS = (("s", "seconds"), ("min", "minutes"), ("h", "hours"), ("d", "days"))


async def show_new(
    request: PageRequest[Any, Any], status: int, *, preview: RulePreview | None = None
) -> View:
    """The address may name the rule's target: `?assetTypeId=…` or `?assetId=…`."""
    db, tenant = request.db, request.caller.tenant
    type_id, asset_id = (
        request.form.value(name, request.arguments.get(name, "")) for name in ("assetTypeId", "assetId")
    )
    values = {
        "rule": None,
        "type_id": type_id,
        "asset_id": asset_id,
        "type_name": await asset_types.LOOKUP.name(db, tenant, type_id),
        "asset_name": await assets.LOOKUP.name(db, tenant, asset_id),
        "known": await _known(request, type_id, asset_id),
    }
    return _form_view(request, values, status, preview)


async def show_edit(
    request: PageRequest[Any, Any], status: int, *, rule: AlertRule, preview: RulePreview | None = None
) -> View:
    db, tenant = request.db, request.caller.tenant
    values = {
        "rule": rule,
        "type_id": rule.asset_type_id or "",
        "asset_id": rule.asset_id or "",
        "type_name": await asset_types.LOOKUP.name(db, tenant, rule.asset_type_id),
        "asset_name": await assets.LOOKUP.name(db, tenant, rule.asset_id),
        "known": await _known(request, rule.asset_type_id or "", rule.asset_id or ""),
    }
    return _form_view(request, values, status, preview)


def _form_view(
    request: PageRequest[Any, Any], values: dict[str, Any], status: int, preview: RulePreview | None
) -> View:
    rule: AlertRule | None = values["rule"]
    common = {
        "form": request.form,
        "rows": condition_rows(request.form, rule.conditions if rule else []),
        "signs": tuple((str(operator), sign) for operator, sign in SIGNS.items()),
        "severities": list(Severity),
        "matches": ((ConditionMatch.ALL, "all of them are met"), (ConditionMatch.ANY, "one of them is met")),
        "priorities": list(Priority),
        "units": _UNITS,
        "durations": duration_fields(rule),
        **preview_values(preview),
    }
    return View(
        "alert_rules/form.html", values | common, status, fragments={"preview": "alert_rules/preview.html"}
    )


def preview_values(preview: RulePreview | None) -> dict[str, Any]:
    firings = preview.firings[:_FIRINGS] if preview else []
    return {"preview": preview, "firings": firings}


async def _known(request: PageRequest[Any, Any], type_id: str, asset_id: str) -> list[TelemetryProperty]:
    """The keys that assets of this kind report, as far as their type says."""
    found = await queries.properties_by_scope(
        request.db,
        request.caller.tenant,
        [type_id] if type_id else [],
        [asset_id] if asset_id else [],
    )
    return next(iter(found.values()), [])


async def show_keys(request: PageRequest[Any, Any]) -> View:
    """The form's options, once it is known which assets the rule is for."""
    type_id, asset_id = (request.arguments.get(name, "") for name in ("assetTypeId", "assetId"))
    return View("alert_rules/keys.html", {"known": await _known(request, type_id, asset_id)})


async def preview_form(request: PageRequest[AlertRuleForm, Any]) -> Outcome:
    """For a rule that is being edited: the form stays as it is."""
    db, tenant = request.db, request.caller.tenant
    stored_id = request.arguments.get("ruleId")
    stored = await records.get(db, queries.ALERT_RULES, tenant, stored_id) if stored_id else None

    async def show(status: int, preview: RulePreview | None = None) -> View:
        if stored is not None:
            return await show_edit(request, status, rule=stored, preview=preview)
        return await show_new(request, status, preview=preview)

    async def act(form: AlertRuleForm) -> View:
        rule = new_alert_rule(new_rule(form, scope=stored), request.now)
        return await show(200, await actions.preview(db, tenant, rule, now=request.now))

    return await submit(request, act, to=lambda view: view, again=show, name="change" if stored else "new")
