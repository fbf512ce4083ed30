"""What follows a change of rules: every process is notified, and only then its assets are evaluated."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.organizations import Organization

from steward.alert_rules import actions, queries
from steward.alert_rules.actions import RulePropagation
from steward.alert_rules.alerts import queries as alert_queries
from steward.alert_rules.model import (
    AlertRuleChanges,
    AlertWorkOrder,
    Condition,
    ConditionOperator,
    NewAlertRule,
    Severity,
)
from steward.kit.coordination.cache_invalidation import Invalidation, InvalidationBus
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Database, Pool
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS

# Far ahead, so that the worker of the session finds nothing that is due.
NOW = 4_102_444_800


def _changes(**fields: Any) -> AlertRuleChanges:
    return AlertRuleChanges(**fields)


class Process:
    """What a process of the service keeps of rules, and what it is asked to apply to assets."""

    def __init__(self, url: str, tenant: str) -> None:
        self.pool = Pool(url, 4)
        self.books = TenantCache(queries.load_rule_index)
        self.bus = InvalidationBus(url, self.pool, [self, self.books])
        self.books.trusted = self.bus.trusted
        self.who = Caller(tenant=TenantId(tenant), plan="Enterprise", permissions=ALL_PERMISSIONS)
        self.propagation = RulePropagation(self.bus, self.apply_change)
        self.heard = 0
        # How often the notification had arrived, its row, and the rules that this process would judge by.
        self.applied: list[tuple[int, dict[str, Any], list[str]]] = []

    async def reset(self, _database: Database) -> None:
        pass

    def invalidate(self, _invalidation: Invalidation) -> None:
        self.heard += 1

    async def apply_change(self, tenant: TenantId, change_id: str) -> None:
        row = await self.pool.fetchrow(
            "SELECT * FROM alert_rule_changes WHERE organization_id = $1 AND id = $2",  # type: ignore[arg-type]
            tenant,
            change_id,
        )
        assert row is not None
        book = await self.books.get(self.pool, tenant)
        asset = row["asset_id"] or "", row["asset_type_id"] or ""
        self.applied.append((self.heard, dict(row), [each.rule.name for each in book.for_asset(*asset)]))

    async def changes(self) -> int:
        count = "SELECT count(*) FROM alert_rule_changes WHERE organization_id = $1"
        return int(await self.pool.fetchval(count, self.who.tenant))  # type: ignore[arg-type]


@pytest.fixture
async def process(organization: Organization) -> AsyncIterator[Process]:
    process = Process(organization.database_url, organization.id)
    await process.bus.start()
    yield process
    await process.bus.stop()
    await process.pool.close()


def new(organization: Organization, **fields: Any) -> NewAlertRule:
    hot = Condition(key="Temperature", operator=ConditionOperator.GT, value=27)
    scope = {} if "asset_id" in fields else {"asset_type_id": organization.devices.type_id}
    values: dict[str, Any] = {"name": "Too warm", "severity": Severity.WARNING, "conditions": [hot]}
    return NewAlertRule(**{**values, **scope, **fields})


async def test_assets_are_evaluated_once_every_process_knows_the_new_rule(
    organization: Organization, process: Process
) -> None:
    await process.books.get(process.pool, process.who.tenant)
    await actions.create(
        process.propagation, Context(process.pool, process.who, NOW * 1000), new(organization)
    )
    ((heard, row, judged_by),) = process.applied
    assert (heard, judged_by) == (1, ["Too warm"])
    assert (row["asset_type_id"], row["asset_id"], row["after_asset"]) == (
        organization.devices.type_id,
        None,
        "",
    )
    assert row["id"].startswith("arc_")
    assert row["due"] == NOW + 15


async def test_a_changed_and_a_deleted_rule_reach_every_process(
    organization: Organization, process: Process
) -> None:
    made = await actions.create(
        process.propagation,
        Context(process.pool, process.who, NOW * 1000),
        new(organization, asset_id=organization.devices.first_id),
    )
    stricter = _changes(name="Stricter", for_seconds=5)
    await actions.change(
        process.propagation, Context(process.pool, process.who, NOW * 1000).on(made.id), stricter
    )
    await actions.delete(process.propagation, Context(process.pool, process.who, NOW * 1000).on(made.id))
    assert [judged_by for _, _, judged_by in process.applied] == [["Too warm"], ["Stricter"], []]
    assert {row["asset_id"] for _, row, _ in process.applied} == {organization.devices.first_id}
    assert [heard for heard, _, _ in process.applied] == [1, 2, 3]


async def test_in_a_larger_transaction_the_assets_wait_for_its_end(
    organization: Organization, process: Process
) -> None:
    async with process.pool.transaction() as tx:
        await actions.create(process.propagation, Context(tx, process.who, NOW * 1000), new(organization))
        assert (process.applied, process.heard, await process.changes()) == ([], 0, 0)
    assert [(heard, judged_by) for heard, _, judged_by in process.applied] == [(1, ["Too warm"])]


async def test_a_change_without_effect_is_not_stored(organization: Organization, process: Process) -> None:
    made = await actions.create(
        process.propagation, Context(process.pool, process.who, NOW * 1000), new(organization)
    )
    for changes in (_changes(), _changes(name=made.name, enabled=True, for_seconds=0)):
        same = await actions.change(
            process.propagation, Context(process.pool, process.who, NOW * 1000).on(made.id), changes
        )
        assert same == made
    assert (process.heard, await process.changes()) == (1, 1)


async def test_changes_without_effect_on_assets_are_received_but_not_applied(
    organization: Organization, process: Process
) -> None:
    off = await actions.create(
        process.propagation, Context(process.pool, process.who, NOW * 1000), new(organization, enabled=False)
    )
    for changes in (_changes(name="X"), _changes(work_order=AlertWorkOrder(title="Look"))):
        await actions.change(
            process.propagation, Context(process.pool, process.who, NOW * 1000).on(off.id), changes
        )
    await actions.delete(process.propagation, Context(process.pool, process.who, NOW * 1000).on(off.id))
    assert (process.heard, process.applied, await process.changes()) == (4, [], 0)


async def test_changes_that_affect_assets_are_applied(organization: Organization, process: Process) -> None:
    made = await actions.create(
        process.propagation, Context(process.pool, process.who, NOW * 1000), new(organization)
    )
    for number, changes in enumerate(
        (
            _changes(severity=Severity.CRITICAL),
            _changes(hysteresis=1.0),
            _changes(no_data_seconds=60),
            _changes(clear_for_seconds=60),
            _changes(enabled=False),
            _changes(enabled=True, for_seconds=5),
        ),
        start=2,
    ):
        await actions.change(
            process.propagation, Context(process.pool, process.who, NOW * 1000).on(made.id), changes
        )
        assert len(process.applied) == number, changes


async def test_open_alerts_get_the_current_severity_of_their_rule(
    organization: Organization, process: Process
) -> None:
    made = await actions.create(
        process.propagation, Context(process.pool, process.who, NOW * 1000), new(organization)
    )
    insert = """INSERT INTO alerts (organization_id, id, asset_id, rule_id, severity, status, first_seen, last_seen, count)
                VALUES ($1, $2, $3, $4, 'Critical', $5, 1, 1, 1)"""
    for id, asset, rule, status in (
        ("open", organization.devices.first_id, made.id, "Acknowledged"),
        ("over", organization.devices.first_id, made.id, "Cleared"),
        ("orphan", organization.devices.first_id, "arl_gone", "Active"),
        ("elsewhere", organization.devices.second_id, made.id, "Active"),
    ):
        await process.pool.execute(insert, process.who.tenant, id, asset, rule, status)  # type: ignore[arg-type]
    changed = await alert_queries.follow_rule_severity(
        process.pool, process.who.tenant, [organization.devices.first_id]
    )
    assert [(old.id, old.severity, new.severity) for old, new in changed] == [("open", "Critical", "Warning")]
    assert all(replace(new, severity=old.severity) == old for old, new in changed)
    rows = await process.pool.fetch(
        "SELECT id FROM alerts WHERE organization_id = $1 AND severity = 'Warning'",  # type: ignore[arg-type]
        process.who.tenant,
    )
    assert [row["id"] for row in rows] == ["open"]
