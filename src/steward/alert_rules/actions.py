"""The verbs. A change of a rule is answered when every process knows it and its assets show it."""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from steward.alert_rules import queries
from steward.alert_rules.events import CREATED, DELETED, UPDATED
from steward.alert_rules.model import (
    AlertRule,
    AlertRuleChanges,
    Firing,
    NewAlertRule,
    RulePreview,
    WatchedAsset,
)
from steward.alert_rules.replay import Reading, RuleReplay, preview_keys, preview_window
from steward.alert_rules.rules import changed, effective_rule, new_alert_rule, require_room
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import TenantId
from steward.organizations import queries as organizations
from steward.telemetry import queries as telemetry
from steward.telemetry.rules import point_from_row

# If the process crashes before the assets of a change have been checked, a job does so after this long: by then every process
# has dropped the old rule, or has lost its lease and with it its cache.
_FALLBACK_SECONDS = 15

# A preview looks at this many assets: those that reported last.
PREVIEW_ASSETS = 20
# It reads at most this many readings and skips the rest.
_PREVIEW_READINGS = 100_000

# Applies a stored change to its assets.
ApplyChange = Callable[[TenantId, str], Awaitable[object]]


class RulePropagation(NamedTuple):
    """How a changed rule is announced."""

    bus: Invalidator
    apply_change: ApplyChange


async def create(propagation: RulePropagation, ctx: Context, new: NewAlertRule) -> AlertRule:
    rule = new_alert_rule(new, ctx.now)
    async with ctx.transaction() as ctx:
        # Locked, so that two concurrent creations can't both take the last free place.
        await organizations.lock(ctx.tx, ctx.tenant)
        require_room(*await queries.count(ctx.tx, ctx.tenant, rule))
        await records.create(ctx, queries.ALERT_RULES, rule, CREATED)
        await _propagate(propagation, ctx, None, rule)
    return rule


async def change(propagation: RulePropagation, ctx: Target, changes: AlertRuleChanges) -> AlertRule:
    async with ctx.transaction() as ctx:
        old = await records.lock(ctx, queries.ALERT_RULES)
        new = changed(old, changes)
        new = await records.write(ctx, queries.ALERT_RULES, old, new, UPDATED)
        if new != old:
            await _propagate(propagation, ctx, old, new)
    return new


async def delete(propagation: RulePropagation, ctx: Target) -> None:
    async with ctx.transaction() as ctx:
        old = await records.delete(ctx, queries.ALERT_RULES, DELETED)
        await _propagate(propagation, ctx, old, None)


async def _propagate(
    propagation: RulePropagation, ctx: Context, old: AlertRule | None, new: AlertRule | None
) -> None:
    """Invalidates the old rule everywhere; then evaluates its assets under the new one where that matters."""
    await propagation.bus.invalidate(ctx.tx, ctx.tenant)
    rule = new or old
    if rule is None or effective_rule(old) == effective_rule(new):
        return
    change_id = new_id("arc")
    await queries.note_change(ctx.tx, ctx.tenant, change_id, rule, ctx.now + _FALLBACK_SECONDS)

    async def apply() -> None:
        await propagation.apply_change(ctx.tenant, change_id)

    # After the invalidation, so that no process evaluates the old rule once the assets have been checked.
    ctx.tx.after_commit(apply)


async def preview(db: Database, tenant: TenantId, rule: AlertRule, *, now: int) -> RulePreview:
    """What the rule would have found in the last days. A sample of assets represents very many."""
    assets, total = await queries.watched_assets(db, tenant, rule, PREVIEW_ASSETS)
    firings: list[Firing] = []
    looked_at = readings = 0
    time_slice = TimeSlice()
    for watched in assets:
        if readings >= _PREVIEW_READINGS:
            break
        replay = RuleReplay(rule, watched, now)
        for at, values in await _readings(db, tenant, rule, watched, now):
            replay.read(at, values)
            readings += 1
            if time_slice.expired:
                await time_slice.yield_control()
        firings += replay.finish()
        looked_at += 1
    firings.sort(key=lambda firing: firing.raised_at, reverse=True)
    return RulePreview(firings, looked_at, total)


async def _readings(
    db: Database, tenant: TenantId, rule: AlertRule, watched: WatchedAsset, now: int
) -> list[Reading]:
    """Oldest first, with the values that arrived together; several in a short time become their average."""
    keys = preview_keys(rule, watched.keys)
    if watched.series is None or not keys:
        return []
    positions = [number for number, key in enumerate(watched.keys, start=1) if key in keys]
    rows = await telemetry.read_history(
        db, tenant, watched.series, positions, preview_window(now, len(keys)), now
    )
    found: dict[int, dict[str, float]] = defaultdict(dict)
    time_slice = TimeSlice()
    for row in rows:
        point = point_from_row(row[1:])
        found[point.timestamp][watched.keys[row[0] - 1]] = point.average
        if time_slice.expired:
            await time_slice.yield_control()
    return sorted(found.items())
