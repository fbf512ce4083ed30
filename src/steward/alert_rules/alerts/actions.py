from steward.alert_rules.alerts import queries
from steward.alert_rules.alerts.events import ACKNOWLEDGED, ToldAlert
from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.alerts.rules import MOVES, acknowledged
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller


async def acknowledge(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Alert:
    """Somebody has seen it. It stays open, and is cleared as if nobody had."""
    async with db.transaction() as tx:
        alert = await records.get(tx, queries.ALERTS, who.tenant, id)
        # Readings change alerts under the lock of their asset; the same order for all keeps two from waiting for each other.
        location_id, asset_type_id = await queries.lock_asset(tx, who.tenant, alert.asset_id)

        def told(_old: Alert, new: Alert) -> list[records.ChangeEvent]:
            return [(ACKNOWLEDGED, ToldAlert.of(new, location_id=location_id, asset_type_id=asset_type_id))]

        return await records.move(
            tx,
            queries.ALERTS,
            MOVES,
            who.tenant,
            id,
            "acknowledge",
            then=lambda alert: acknowledged(alert, who.user, now),
            precondition=precondition,
            events=told,
            now=now,
        )
