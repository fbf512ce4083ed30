"""Alert rules in the web app: the list, the page of one, its form, and the preview of last week."""

from functools import partial
from typing import Any

from steward.alert_rules import actions, queries
from steward.alert_rules import cells as rule_cells
from steward.alert_rules.actions import ApplyChange, RulePropagation
from steward.alert_rules.alerts import pages as alerts_pages
from steward.alert_rules.alerts import queries as alerts
from steward.alert_rules.cells import ListedRules
from steward.alert_rules.editing.model import AlertRuleForm, RuleSwitch
from steward.alert_rules.editing.pages import (
    preview_form,
    preview_values,
    show_edit,
    show_keys,
    show_new,
)
from steward.alert_rules.editing.rules import changes as changes_of
from steward.alert_rules.editing.rules import new_rule
from steward.alert_rules.model import (
    AlertRule,
    AlertRuleChanges,
    AlertRuleQuery,
    RulePreview,
    Severity,
)
from steward.alert_rules.rules import in_words
from steward.asset_types import queries as asset_types
from steward.assets import queries as assets
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.security.permissions import Both, Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import Choice, EmptyState, ListPage, Pick, choices
from steward.kit.web.page import PageRequest, Panel, View, WebPage
from steward.kit.web.record_pages import RecordPages

PATH = "/app/alert-rules"
# A rule's page shows its alerts, and what it would have found last week.
READS = Both(Permission.ASSETS_READ, Permission.IOT_READ)
WRITES = Both(Permission.ASSETS_WRITE, Permission.IOT_READ)
_ALERTS = 10


async def _list_context(request: PageRequest[Any, Any], rows: list[AlertRule]) -> ListedRules:
    db, tenant = request.db, request.caller.tenant
    return ListedRules(
        await _words(request, rows),
        await asset_types.LOOKUP.names(db, tenant, (rule.asset_type_id for rule in rows)),
        await assets.LOOKUP.names(db, tenant, (rule.asset_id for rule in rows)),
    )


async def _words(request: PageRequest[Any, Any], rules: list[AlertRule]) -> dict[str, str]:
    properties = await queries.properties_of(request.db, request.caller.tenant, rules)
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
    changes = AlertRuleChanges(enabled=form.enabled)
    return await actions.change(propagation, ctx, changes)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    rule = await _rule(request)
    if request.form.name == "change":
        return await show_edit(request, status, rule=rule)
    return await _one(request, rule, status)


async def _one(
    request: PageRequest[Any, Any], rule: AlertRule, status: int, preview: RulePreview | None = None
) -> View:
    db, tenant = request.db, request.caller.tenant
    raised = await alerts.of_rule(db, tenant, rule.id, _ALERTS)
    values = {
        "rule": rule,
        "words": (await _words(request, [rule]))[rule.id],
        "type_name": await asset_types.LOOKUP.name(db, tenant, rule.asset_type_id),
        "asset_name": await assets.LOOKUP.name(db, tenant, rule.asset_id),
        "alerts": raised,
        "alert_words": await alerts_pages.in_words(request, raised),
        "may_write": request.may(WRITES),
        "form": request.form,
        "rule_path": f"{PATH}/{rule.id}",
        **preview_values(preview),
    }
    return View("alert_rules/rule.html", values, status, fragments={"preview": "alert_rules/preview.html"})


async def _rule(request: PageRequest[Any, Any]) -> AlertRule:
    return await records.get(
        request.db, queries.ALERT_RULES, request.caller.tenant, request.params["alertRuleId"]
    )


async def show_edit_page(request: PageRequest[Any, Any]) -> View:
    return await show_edit(request, 200, rule=await _rule(request))


async def preview_stored(request: PageRequest[Any, Any]) -> View:
    """For a stored rule."""
    rule = await _rule(request)
    found = await actions.preview(request.db, request.caller.tenant, rule, now=request.now)
    return await _one(request, rule, 200, found)


async def _panel(request: PageRequest[Any, Any], rules: list[AlertRule], new: str) -> View:
    return View(
        "alert_rules/panel.html",
        {
            "rules": rules,
            "words": await _words(request, rules),
            "new": new,
            "may_write": request.may(WRITES),
        },
    )


async def show_of_asset(request: PageRequest[Any, Any], asset_id: str) -> View:
    found = await queries.of_asset(request.db, request.caller.tenant, asset_id)
    return await _panel(request, found, f"{PATH}/new?assetId={asset_id}")


async def show_of_type(request: PageRequest[Any, Any], type_id: str) -> View:
    found = await queries.of_type(request.db, request.caller.tenant, type_id)
    return await _panel(request, found, f"{PATH}/new?assetTypeId={type_id}")


_RECORD = RecordPages(
    path=PATH,
    id_name="alertRuleId",
    read_permission=READS,
    write_permission=WRITES,
    show=show_one,
    show_new=show_new,
)
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
