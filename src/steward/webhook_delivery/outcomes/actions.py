from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.domain.shared_fields import made_from
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.security.caller import TenantId
from steward.webhooks.events import DISABLED, DisabledWebhook
from steward.webhooks.model import WebhookStatus
from steward.webhooks.queries import WEBHOOKS
from steward.webhooks.rules import disabled


async def disable(db: Database, tenant: TenantId, id: str, reason: str, now_ms: int) -> bool:
    """Disables a webhook and publishes it; False where its owner was faster. After a crash, the next failure does so."""
    async with Context.of_tenant(db, tenant, now_ms // 1000).transaction() as ctx:
        try:
            old = await records.lock(ctx.on(id), WEBHOOKS)
        except NotFound:
            return False
        if old.status != WebhookStatus.ACTIVE:
            return False
        new = disabled(old, reason, now_ms)
        await records.write(
            ctx, WEBHOOKS, old, new, lambda _old, new: [(DISABLED, made_from(DisabledWebhook, new))]
        )
    return True
