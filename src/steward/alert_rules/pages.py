"""Alert rules in the web app: the list, the page of one, its form, and the preview of last week."""

from functools import partial
from typing import Any

import msgspec

from steward.alert_rules import actions, queries
from steward.alert_rules import cells as rule_cells
from steward.alert_rules.actions import ApplyChange, RulePropagation
from steward.alert_rules.alerts import pages as alerts_pages
from steward.alert_rules.alerts import queries as alerts
from steward.alert_rules.alerts.cells import AlertInWords
from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.cells import ListedRules
from steward.alert_rules.editing.model import AlertRuleForm, RuleSwitch
from steward.alert_rules.editing.pages import preview_form, show_form, show_keys
from steward.alert_rules.editing.rules import changes as changes_of
from steward.alert_rules.editing.rules import new_rule
from steward.alert_rules.model import AlertRule, AlertRuleChanges, AlertRuleQuery, RulePreview, Severity
from steward.alert_rules.rules import in_words
from steward.asset_types import queries as asset_types
from steward.assets import queries as assets
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.records.context import Context, Target
from steward.kit.security.permissions import Both, Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, Panel, View, WebPage
from steward.kit.web.record_pages import RecordPages

PATH = "/app/alert-rules"
# A rule's page shows its alerts, and what it would have found last week.
READS = Both(Permission.ASSETS_READ, Permission.IOT_READ)
WRITES = Both(Permission.ASSETS_WRITE, Permission.IOT_READ)
_ALERTS = 10


async def _list_context(request: PageRequest[Any, Any], rows: list[AlertRule]) -> ListedRules:
    return ListedRules(
        await _words(request, rows),
        await request.names(asset_types.LOOKUP, (rule.asset_type_id for rule in rows)),
        await request.names(assets.LOOKUP, (rule.asset_id for rule in rows)),
    )


async def _words(request: PageRequest[Any, Any], rules: list[AlertRule]) -> dict[str, str]:
    properties = await queries.properties_of(request.db, request.tenant, rules)
    return {
        rule.id: in_words(rule, properties.get(rule.asset_type_id or rule.asset_id or "", []))
        for rule in rules
    }


LIST = ListPage(
    path=PATH,
    title="Alert rules",
    listing=queries.LISTING,
    record=AlertRule,
    query=AlertRuleQuery,
    permission=READS,
    write_permission=WRITES,
    new="New alert rule",
    template="alert_rules/rules.html",
    columns=(
        Column("name", "Name", cells.link),
        Column("severity", "Severity", cells.status),
        Column("conditions", "Alert when", rule_cells.conditions),
        Column("asset_type_id", "Watches", rule_cells.watched),
        Column("enabled", "On", rule_cells.switch),
        Column("updated", "Updated", cells.when, shown=False),
    ),
    filters=(
        Choice(name="severity", title="Severity", options=choices(reversed(Severity))),
        Pick(name="assetTypeId", title="Asset type", lookup=asset_types.LOOKUP),
        Pick(name="assetId", title="Asset", lookup=assets.LOOKUP),
        Choice(name="enabled", title="On or off", options=(("true", "On"), ("false", "Off"))),
    ),
    empty=EmptyState(
        "No alert rules yet", "A rule says when a value needs a look. Make the first with “New alert rule”."
    ),
    context=_list_context,
)


async def _create(propagation: RulePropagation, ctx: Context, form: AlertRuleForm) -> AlertRule:
    return await actions.create(propagation, ctx, new_rule(form))


async def _change(propagation: RulePropagation, ctx: Target, form: AlertRuleForm) -> AlertRule:
    return await actions.change(propagation, ctx, changes_of(form))


async def _switch(propagation: RulePropagation, ctx: Target, form: RuleSwitch) -> AlertRule:
    return await actions.change(propagation, ctx, AlertRuleChanges(enabled=form.enabled))


class RulePage(msgspec.Struct, frozen=True, kw_only=True):
    rule: AlertRule
    words: str
    type_name: str | None
    asset_name: str | None
    alerts: list[Alert]
    alert_words: dict[str, AlertInWords]
    preview: RulePreview | None


class RulesPanel(msgspec.Struct, frozen=True):
    rules: list[AlertRule]
    words: dict[str, str]
    new: str


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    rule = await request.get(queries.ALERT_RULES, "alertRuleId")
    if request.form.name == "change":
        return await show_form(request, status, rule)
    return await _one(request, rule, status)


async def _one(
    request: PageRequest[Any, Any], rule: AlertRule, status: int, preview: RulePreview | None = None
) -> View:
    raised = await alerts.of_rule(request.db, request.tenant, rule.id, _ALERTS)
    page = RulePage(
        rule=rule,
        words=(await _words(request, [rule]))[rule.id],
        type_name=await request.name(asset_types.LOOKUP, rule.asset_type_id),
        asset_name=await request.name(assets.LOOKUP, rule.asset_id),
        alerts=raised,
        alert_words=await alerts_pages.in_words(request, raised),
        preview=preview,
    )
    return View("alert_rules/rule.html", page, status, fragments={"preview": "alert_rules/preview.html"})


async def show_edit_page(request: PageRequest[Any, Any]) -> View:
    return await show_form(request, 200, await request.get(queries.ALERT_RULES, "alertRuleId"))


async def preview_stored(request: PageRequest[Any, Any]) -> View:
    """For a stored rule."""
    rule = await request.get(queries.ALERT_RULES, "alertRuleId")
    found = await actions.preview(request.db, request.tenant, rule, now=request.now)
    return await _one(request, rule, 200, found)


async def _panel(request: PageRequest[Any, Any], rules: list[AlertRule], target: str) -> View:
    """`target` is the argument of the form for a new one."""
    panel = RulesPanel(rules, await _words(request, rules), f"{PATH}/new?{target}")
    return View("alert_rules/panel.html", panel)


async def show_of_asset(request: PageRequest[Any, Any], asset_id: str) -> View:
    found = await queries.of_asset(request.db, request.tenant, asset_id)
    return await _panel(request, found, f"assetId={asset_id}")


async def show_of_type(request: PageRequest[Any, Any], type_id: str) -> View:
    found = await queries.of_type(request.db, request.tenant, type_id)
    return await _panel(request, found, f"assetTypeId={type_id}")


_RECORD = RecordPages.of(LIST, "alertRuleId", show_one, show_form)
PANELS = (
    Panel("asset", "alert-rules", "Alert rules", show_of_asset, READS, place=-1),
    Panel("asset type", "alert-rules", "Alert rules", show_of_type, READS),
)


def pages(bus: Invalidator, apply_change: ApplyChange) -> tuple[WebPage, ...]:
    propagation = RulePropagation(bus, apply_change)
    return (
        *LIST.pages(),
        _RECORD.new(),
        _RECORD.create(partial(_create, propagation), form=AlertRuleForm),
        WebPage("GET", f"{PATH}/keys", show_keys, WRITES),
        WebPage("POST", f"{PATH}/preview", preview_form, WRITES, form=AlertRuleForm),
        _RECORD.read(),
        WebPage("GET", f"{PATH}/{{alertRuleId}}/edit", show_edit_page, WRITES),
        WebPage("GET", f"{PATH}/{{alertRuleId}}/preview", preview_stored, READS),
        _RECORD.change(partial(_change, propagation), form=AlertRuleForm),
        _RECORD.change(partial(_switch, propagation), form=RuleSwitch, name="switch", path="/switch"),
        _RECORD.delete(partial(actions.delete, propagation)),
    )
