from collections.abc import Awaitable, Callable

from msgspec import to_builtins

from steward.kit.domain.problems import ErrorDetail, all_faults, refuse_faults
from steward.kit.records import records
from steward.kit.records.context import Context, Target
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

# 422 for an address that we won't send to.
CheckUrl = Callable[[str], Awaitable[None]]


async def create(
    encryption: Encryption, check_url: CheckUrl, ctx: Context, new: NewWebhook
) -> WebhookWithSecret:
    await _check(check_url, ctx, new)
    secret = new_secret()
    stored = rules.new_webhook(
        new, ctx.who.permissions, secret, seal_secrets(encryption, [Secret(secret)]), ctx.now_ms
    )
    async with ctx.transaction() as ctx:
        # Locked, so that two concurrent creations can't both take the last free place.
        await organizations.lock(ctx.tx, ctx.tenant)
        rules.require_room(await queries.count(ctx.tx, ctx.tenant))
        await records.create(ctx, queries.WEBHOOKS, stored)
        await queries.note_names(ctx.tx, ctx.tenant, stored.id, stored.filter_criteria or {})
        await records.publish(ctx, CREATED, rules.public(stored))
    return rules.public_with_secret(stored, secret)


async def change(check_url: CheckUrl, ctx: Target, changes: WebhookChanges) -> Webhook:
    await _check(check_url, ctx, changes)
    async with ctx.transaction() as ctx:
        old = await _lock(ctx)
        new = rules.changed(old, changes, ctx.who.permissions, ctx.now_ms)
        if new.filter_criteria != old.filter_criteria:
            await queries.note_names(ctx.tx, ctx.tenant, ctx.id, new.filter_criteria or {})
        await records.write(ctx, queries.WEBHOOKS, old, new)
        if new != old:
            await records.publish(ctx, UPDATED, rules.public(new), old=rules.public(old))
        if new.status == WebhookStatus.PAUSED != old.status:
            await queries.end_waiting(
                ctx.tx, ctx.tenant, ctx.id, status="skipped", reason="webhook_paused", now_ms=ctx.now_ms
            )
        ctx.tx.notify(ctx.tenant)
    return rules.public(new)


async def delete(ctx: Target) -> None:
    async with ctx.transaction() as ctx:
        await _lock(ctx)
        await records.delete(ctx.on(ctx.id), queries.WEBHOOKS)
        await records.publish(ctx, DELETED, DeletedWebhook(ctx.id))
        await queries.end_waiting(
            ctx.tx, ctx.tenant, ctx.id, status="cancelled", reason="webhook_deleted", now_ms=ctx.now_ms
        )
        ctx.tx.notify(ctx.tenant)


async def rotate_secret(encryption: Encryption, ctx: Target, rotation: SecretRotation) -> WebhookWithSecret:
    secret = new_secret()
    async with ctx.transaction() as ctx:
        old = await _lock(ctx)
        secrets = rules.rotated(
            open_secrets(encryption, old.secrets), secret, rotation.grace_seconds, ctx.now_ms
        )
        new = rules.with_secrets(old, secret, seal_secrets(encryption, secrets), ctx.now_ms)
        await records.write(ctx, queries.WEBHOOKS, old, new)
        await records.publish(ctx, ROTATED, rules.public(new), old=rules.public(old))
    return rules.public_with_secret(new, secret)


async def test(ctx: Target) -> SentTest:
    """One delivery to this webhook alone, whatever its subscription."""
    async with ctx.transaction() as ctx:
        rules.require_active(await queries.lock_status(ctx.tx, ctx.tenant, ctx.id))
        event = build_test_event(ctx.id, tenant=ctx.tenant, now=ctx.now)
        sent = SentTest(event.id, delivery_id(event.id, ctx.id))
        await queries.store_test(ctx.tx, ctx.tenant, ctx.id, event, sent.delivery_id, ctx.now_ms)
        ctx.tx.notify(ctx.tenant)
    return sent


async def _check(check_url: CheckUrl, ctx: Context, wanted: NewWebhook | WebhookChanges) -> None:
    """422 for all its faults. The database refuses records that disappear between this and the change."""
    with all_faults() as faults:
        if wanted.events:
            faults.check(require_types, "events", wanted.events)
        faults.check(require_criteria, wanted.filtering)
        if wanted.url:
            await faults.check_awaited(check_url(wanted.url))
        if isinstance(wanted.filtering, Filtering):
            await faults.check_awaited(_require_names(ctx, wanted.filtering))


async def _require_names(ctx: Context, filtering: Filtering) -> None:
    """422 that names the identifiers in a filter that don't exist in this organization."""
    unknown = await queries.unknown_names(ctx.db, ctx.tenant, to_builtins(filtering.criteria))
    refuse_faults(
        ErrorDetail(f"filtering.criteria.{name}[{place}]", f"names no {noun} of this organization")
        for name, place, noun in unknown
    )


async def _lock(ctx: Target) -> StoredWebhook:
    stored = await records.lock(ctx.on(ctx.id), queries.WEBHOOKS)
    ctx.precondition.require(rules.public(stored))
    return stored
