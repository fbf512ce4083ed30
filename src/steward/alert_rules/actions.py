"""The verbs. Whoever changes a rule hears that it is done when every process knows it and its assets show it."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from steward.alert_rules import queries
from steward.alert_rules.model import AlertRule, AlertRuleChanges, NewAlertRule
from steward.alert_rules.rules import changed, effective_rule, new_alert_rule, require_room
from steward.kit.db import records
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.ids import new_id
from steward.kit.domain.versions import Precondition
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller, TenantId
from steward.organizations import queries as organizations

# If whoever made a change dies before its assets have been looked at, somebody else does so after this long: by then every
# process has heard of the change, or has lost its lease and with it what it remembered.
_FALLBACK_SECONDS = 15

# Lets the assets of a noted change feel it.
ApplyChange = Callable[[TenantId, str], Awaitable[object]]


class RulePropagation(NamedTuple):
    """How the news of a changed rule gets about."""

    bus: Invalidator
    apply_change: ApplyChange


async def create(
    propagation: RulePropagation, db: Database, who: Caller, new: NewAlertRule, *, now: int
) -> AlertRule:
    rule = new_alert_rule(new, now)
    async with db.transaction() as tx:
        # Locked, so that two creations at once can't both see the last free place.
        await organizations.lock(tx, who.tenant)
        require_room(*await queries.count(tx, who.tenant, rule))
        await records.create(tx, queries.ALERT_RULES, who.tenant, rule, now=now)
        await _propagate(propagation, tx, who.tenant, None, rule, now)
    return rule


async def change(
    propagation: RulePropagation,
    db: Database,
    who: Caller,
    id: str,
    changes: AlertRuleChanges,
    *,
    precondition: Precondition,
    now: int,
) -> AlertRule:
    async with db.transaction() as tx:
        old = await records.lock(tx, queries.ALERT_RULES, who.tenant, id, precondition)
        new = await records.write(tx, queries.ALERT_RULES, who.tenant, old, changed(old, changes), now=now)
        if new != old:
            await _propagate(propagation, tx, who.tenant, old, new, now)
    return new


async def delete(
    propagation: RulePropagation, db: Database, who: Caller, id: str, *, precondition: Precondition, now: int
) -> None:
    async with db.transaction() as tx:
        old = await records.delete(
            tx, queries.ALERT_RULES, who.tenant, id, precondition=precondition, now=now
        )
        await _propagate(propagation, tx, who.tenant, old, None, now)


async def _propagate(
    propagation: RulePropagation,
    tx: Transaction,
    tenant: TenantId,
    old: AlertRule | None,
    new: AlertRule | None,
    now: int,
) -> None:
    """Every process forgets the old rule; then, where it matters to them, its assets are looked at under the new one."""
    await propagation.bus.invalidate(tx, tenant)
    rule = new or old
    if rule is None or effective_rule(old) == effective_rule(new):
        return
    change_id = new_id("arc")
    await queries.note_change(tx, tenant, change_id, rule, now + _FALLBACK_SECONDS)

    async def apply() -> None:
        await propagation.apply_change(tenant, change_id)

    # Behind the announcement's own, so that nobody evaluates by the old rule once the assets have been looked at.
    tx.after_commit(apply)
