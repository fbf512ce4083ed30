"""The form of an alert rule, and the preview of what it would have found."""

from typing import Any

import msgspec

from steward.alert_rules import actions, queries
from steward.alert_rules.editing.model import AlertRuleForm
from steward.alert_rules.editing.rules import condition_rows, duration_fields, new_rule
from steward.alert_rules.model import AlertRule, ConditionMatch, ConditionOperator, RulePreview, Severity
from steward.alert_rules.rules import SIGNS, new_alert_rule
from steward.asset_types import queries as asset_types
from steward.asset_types.model import TelemetryProperty
from steward.assets import queries as assets
from steward.kit.domain.fields import Priority
from steward.kit.records import records
from steward.kit.web.page import Outcome, PageRequest, Picked, View
from steward.kit.web.submit import submit


class KeysOffered(msgspec.Struct, frozen=True):
    known: list[TelemetryProperty]


class RuleFormPage(msgspec.Struct, frozen=True, kw_only=True):
    # None for a new one.
    rule: AlertRule | None
    of_type: Picked
    of_asset: Picked
    known: list[TelemetryProperty]
    rows: list[dict[str, str]]
    durations: dict[str, tuple[str, str]]
    preview: RulePreview | None
    signs: tuple[tuple[ConditionOperator, str], ...] = tuple(SIGNS.items())
    severities: tuple[Severity, ...] = tuple(Severity)
    matches: tuple[tuple[ConditionMatch, str], ...] = (
        (ConditionMatch.ALL, "all of them are met"),
        (ConditionMatch.ANY, "one of them is met"),
    )
    priorities: tuple[Priority, ...] = tuple(Priority)
    units: tuple[tuple[str, str], ...] = (("s", "seconds"), ("min", "minutes"), ("h", "hours"), ("d", "days"))


async def show_form(
    request: PageRequest[Any, Any],
    status: int,
    rule: AlertRule | None = None,
    preview: RulePreview | None = None,
) -> View:
    """The address may name the target of a new rule: `?assetTypeId=…` or `?assetId=…`."""
    if rule is None:
        of_type = await request.picked(asset_types.LOOKUP, "assetTypeId")
        of_asset = await request.picked(assets.LOOKUP, "assetId")
    else:
        of_type = Picked(rule.asset_type_id, await request.name(asset_types.LOOKUP, rule.asset_type_id))
        of_asset = Picked(rule.asset_id, await request.name(assets.LOOKUP, rule.asset_id))
    page = RuleFormPage(
        rule=rule,
        of_type=of_type,
        of_asset=of_asset,
        known=await _known(request, of_type.id, of_asset.id),
        rows=condition_rows(request.form, rule.conditions if rule else []),
        durations=duration_fields(rule),
        preview=preview,
    )
    return View("alert_rules/form.html", page, status, fragments={"preview": "alert_rules/preview.html"})


async def _known(
    request: PageRequest[Any, Any], type_id: str | None, asset_id: str | None
) -> list[TelemetryProperty]:
    """The keys that assets of this kind report, as far as their type says."""
    found = await queries.properties_by_scope(
        request.db, request.tenant, [type_id] if type_id else [], [asset_id] if asset_id else []
    )
    return next(iter(found.values()), [])


async def show_keys(request: PageRequest[Any, Any]) -> View:
    """The form's options, once it is known which assets the rule is for."""
    target = (request.arguments.get(name) for name in ("assetTypeId", "assetId"))
    return View("alert_rules/keys.html", KeysOffered(await _known(request, *target)))


async def preview_form(request: PageRequest[AlertRuleForm, Any]) -> Outcome:
    """For a rule that is being edited: the form stays as it is."""
    db, tenant = request.db, request.tenant
    stored_id = request.arguments.get("ruleId")
    stored = await records.get(db, queries.ALERT_RULES, tenant, stored_id) if stored_id else None

    async def act(form: AlertRuleForm) -> View:
        rule = new_alert_rule(new_rule(form, scope=stored), request.now)
        preview = await actions.preview(db, tenant, rule, now=request.now)
        return await show_form(request, 200, stored, preview)

    return await submit(
        request,
        act,
        to=lambda view: view,
        again=lambda status: show_form(request, status, stored),
        name="change" if stored else "new",
    )
