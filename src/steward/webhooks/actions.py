from collections.abc import Awaitable, Callable

from msgspec import to_builtins

from steward.kit.db.pool import Database
from steward.kit.domain.problems import ErrorDetail, Invalid, all_faults
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import EventType, build_event
from steward.kit.events.publish import publish
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.kit.security.encryption import Encryption
from steward.organizations import queries as organizations
from steward.webhooks import queries, rules
from steward.webhooks.deliveries.rules import delivery_id
from steward.webhooks.events import CREATED, DELETED, ROTATED, UPDATED, DeletedWebhook, build_test_event
from steward.webhooks.model import (
    NewWebhook,
    SecretRotation,
    SentTest,
    StoredWebhook,
    Webhook,
    WebhookChanges,
    WebhookStatus,
    WebhookWithSecret,
)
from steward.webhooks.signing import Secret, new_secret, open_secrets, seal_secrets
from steward.webhooks.subscription import Filtering, require_criteria, require_types

# Times of webhooks are Unix milliseconds: so is `now`, here alone. Events count in seconds.

# 422 for an address that we won't send to.
CheckUrl = Callable[[str], Awaitable[None]]


async def create(
    encryption: Encryption, check_url: CheckUrl, db: Database, who: Caller, new: NewWebhook, *, now: int
) -> WebhookWithSecret:
    await _check(check_url, db, who, new)
    secret = new_secret()
    stored = rules.new_webhook(new, who.permissions, secret, seal_secrets(encryption, [Secret(secret)]), now)
    async with db.transaction() as tx:
        # Locked, so that two creations at once can't both see the last free place.
        await organizations.lock(tx, who.tenant)
        rules.require_room(await queries.count(tx, who.tenant))
        await records.create(tx, queries.WEBHOOKS, who.tenant, stored, now=now)
        await queries.note_names(tx, who.tenant, stored.id, rules.named(stored))
        await _publish(tx, who, CREATED, rules.public(stored), now=now)
    return rules.public_with_secret(stored, secret)


async def change(
    check_url: CheckUrl,
    db: Database,
    who: Caller,
    id: str,
    changes: WebhookChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Webhook:
    await _check(check_url, db, who, changes)
    async with db.transaction() as tx:
        old = await _lock(tx, who, id, precondition)
        new = rules.changed(old, changes, who.permissions, now)
        if new.filter_criteria != old.filter_criteria:
            await queries.note_names(tx, who.tenant, id, rules.named(new))
        await records.write(tx, queries.WEBHOOKS, who.tenant, old, new, now=now)
        if new != old:
            await _publish(tx, who, UPDATED, rules.public(new), old=rules.public(old), now=now)
        if new.status == WebhookStatus.PAUSED != old.status:
            await queries.end_waiting(
                tx, who.tenant, id, status="skipped", reason="webhook_paused", now_ms=now
            )
        tx.notify(who.tenant)
    return rules.public(new)


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    async with db.transaction() as tx:
        await _lock(tx, who, id, precondition)
        await records.delete(tx, queries.WEBHOOKS, who.tenant, id, now=now)
        await _publish(tx, who, DELETED, DeletedWebhook(id), now=now)
        await queries.end_waiting(
            tx, who.tenant, id, status="cancelled", reason="webhook_deleted", now_ms=now
        )
        tx.notify(who.tenant)


async def rotate_secret(
    encryption: Encryption,
    db: Database,
    who: Caller,
    id: str,
    rotation: SecretRotation,
    *,
    precondition: Precondition,
    now: int,
) -> WebhookWithSecret:
    secret = new_secret()
    async with db.transaction() as tx:
        old = await _lock(tx, who, id, precondition)
        secrets = rules.rotated(open_secrets(encryption, old.secrets), secret, rotation.grace_seconds, now)
        new = rules.with_secrets(old, secret, seal_secrets(encryption, secrets), now)
        await records.write(tx, queries.WEBHOOKS, who.tenant, old, new, now=now)
        await _publish(tx, who, ROTATED, rules.public(new), old=rules.public(old), now=now)
    return rules.public_with_secret(new, secret)


async def test(db: Database, who: Caller, id: str, *, now: int) -> SentTest:
    """One delivery to this webhook alone, whatever it wants to hear."""
    async with db.transaction() as tx:
        rules.require_active(await queries.lock_status(tx, who.tenant, id))
        event = build_test_event(id, tenant=who.tenant, now=now // 1000)
        sent = SentTest(event.id, delivery_id(event.id, id))
        await queries.store_test(tx, who.tenant, id, event, sent.delivery_id, now)
        tx.notify(who.tenant)
    return sent


async def _check(check_url: CheckUrl, db: Database, who: Caller, wanted: NewWebhook | WebhookChanges) -> None:
    """422 for all that is wrong with it. What goes between this and the change, the database refuses."""
    with all_faults() as faults:
        if wanted.events:
            faults.check(require_types, "events", wanted.events)
        faults.check(require_criteria, wanted.filtering)
        if wanted.url:
            await faults.check_awaited(check_url(wanted.url))
        if isinstance(wanted.filtering, Filtering):
            await faults.check_awaited(_require_names(db, who, wanted.filtering))


async def _require_names(db: Database, who: Caller, filtering: Filtering) -> None:
    """422 that says which of the identifiers in a filter name nothing of this organization."""
    unknown = await queries.unknown_names(db, who.tenant, to_builtins(filtering.criteria))
    if details := [
        ErrorDetail(f"filtering.criteria.{name}[{place}]", f"names no {noun} of this organization")
        for name, place, noun in unknown
    ]:
        raise Invalid.of(details)


async def _publish(
    tx: Database,
    who: Caller,
    kind: EventType,
    webhook: Webhook | DeletedWebhook,
    *,
    now: int,
    old: Webhook | None = None,
) -> None:
    event = build_event(kind, webhook, tenant=who.tenant, now=now // 1000, old=old)
    await publish(tx, who.tenant, [event], now // 1000)


async def _lock(tx: Database, who: Caller, id: str, precondition: Precondition) -> StoredWebhook:
    stored = await records.lock(tx, queries.WEBHOOKS, who.tenant, id)
    precondition.require(rules.public(stored))
    return stored
