from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.records import records
from steward.kit.security.caller import TenantId
from steward.webhooks.events import DISABLED, DisabledWebhook
from steward.webhooks.model import StoredWebhook, WebhookStatus
from steward.webhooks.queries import WEBHOOKS
from steward.webhooks.rules import disabled


async def disable(db: Database, tenant: TenantId, id: str, reason: str, now_ms: int) -> bool:
    """Switches a webhook off and tells the others; False where its owner was faster.

    Who dies before this leaves it to the next failure.
    """
    async with db.transaction() as tx:
        try:
            old = await records.lock(tx, WEBHOOKS, tenant, id)
        except NotFound:
            return False
        if old.status != WebhookStatus.ACTIVE:
            return False
        new = disabled(old, reason, now_ms)
        await records.write(
            tx,
            WEBHOOKS,
            tenant,
            old,
            new,
            now=now_ms // 1000,
            events=lambda _old, new: [(DISABLED, _told(new))],
        )
    return True


def _told(webhook: StoredWebhook) -> DisabledWebhook:
    return DisabledWebhook(
        webhook.id, webhook.url, webhook.description, webhook.status, webhook.disabled_reason
    )
