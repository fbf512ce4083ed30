from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller
from steward.kit.security.encryption import Encryption
from steward.organizations import queries as organizations
from steward.webhooks import queries
from steward.webhooks.deliveries.model import delivery_id, require_active
from steward.webhooks.events import probe
from steward.webhooks.model import (
    NewWebhook,
    Rotation,
    SentTest,
    StoredWebhook,
    Webhook,
    WebhookChanges,
    WebhookStatus,
    WebhookWithSecret,
    changed,
    new_webhook,
    require_room,
    rotated,
    shown,
    shown_with_secret,
)
from steward.webhooks.signing import Secret, new_secret, open_secrets, seal_secrets
from steward.webhooks.subscription import require_criteria, require_known

# 422 for an address that we won't send to.
CheckUrl = Callable[[str], Awaitable[None]]


async def create(
    encryption: Encryption, check_url: CheckUrl, db: Database, who: Caller, new: NewWebhook
) -> WebhookWithSecret:
    require_known("events", new.events)
    require_criteria(new.filtering)
    await check_url(new.url)
    secret = new_secret()
    stored = new_webhook(new, secret, seal_secrets(encryption, [Secret(secret)]), clock.now_ms())
    async with db.transaction() as tx:
        # Locked, so that two creations at once can't both see the last free place.
        await organizations.lock(tx, who.tenant)
        require_room(await queries.count(tx, who.tenant))
        await records.create(tx, queries.WEBHOOKS, who.tenant, stored)
    return shown_with_secret(stored, secret)


async def change(
    check_url: CheckUrl, db: Database, who: Caller, id: str, changes: WebhookChanges, if_match: str | None
) -> Webhook:
    if changes.events:
        require_known("events", changes.events)
    require_criteria(changes.filtering)
    if changes.url:
        await check_url(changes.url)
    now_ms = clock.now_ms()
    async with db.transaction() as tx:
        old = await _lock(tx, who, id, if_match)
        new = await records.write(tx, queries.WEBHOOKS, who.tenant, old, changed(old, changes, now_ms))
        if new.status == WebhookStatus.PAUSED != old.status:
            await queries.end_waiting(
                tx, who.tenant, id, status="skipped", reason="webhook_paused", now_ms=now_ms
            )
    return shown(new)


async def delete(db: Database, who: Caller, id: str, if_match: str | None) -> None:
    async with db.transaction() as tx:
        await _lock(tx, who, id, if_match)
        await records.delete(tx, queries.WEBHOOKS, who.tenant, id)
        await queries.end_waiting(
            tx, who.tenant, id, status="cancelled", reason="webhook_deleted", now_ms=clock.now_ms()
        )


async def rotate_secret(
    encryption: Encryption, db: Database, who: Caller, id: str, rotation: Rotation, if_match: str | None
) -> WebhookWithSecret:
    secret, now_ms = new_secret(), clock.now_ms()
    async with db.transaction() as tx:
        old = await _lock(tx, who, id, if_match)
        secrets = rotated(open_secrets(encryption, old.secrets), secret, rotation.grace_seconds, now_ms)
        new = replace(
            old, secrets=seal_secrets(encryption, secrets), secret_last_four=secret[-4:], updated_at=now_ms
        )
        await records.write(tx, queries.WEBHOOKS, who.tenant, old, new)
    return shown_with_secret(new, secret)


async def test(db: Database, who: Caller, id: str) -> SentTest:
    """One delivery to this webhook alone, whatever it wants to hear."""
    async with db.transaction() as tx:
        require_active(await queries.hold(tx, who.tenant, id))
        event = probe(id, tenant=who.tenant, now=clock.now())
        sent = SentTest(event.id, delivery_id(event.id, id))
        await queries.store_test(tx, who.tenant, id, event, sent.delivery_id, clock.now_ms())
    return sent


async def _lock(tx: Database, who: Caller, id: str, if_match: str | None) -> StoredWebhook:
    stored = await records.lock(tx, queries.WEBHOOKS, who.tenant, id)
    records.require_match(shown(stored), if_match)
    return stored
