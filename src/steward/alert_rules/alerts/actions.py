from steward.alert_rules.alerts import queries
from steward.alert_rules.alerts.events import ACKNOWLEDGED, ToldAlert
from steward.alert_rules.alerts.model import Acknowledgement, Alert
from steward.alert_rules.alerts.rules import MOVES, acknowledged
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.users import queries as users

_BY_CALLER = Acknowledgement()


async def acknowledge(
    db: Database,
    who: Caller,
    id: str,
    body: Acknowledgement = _BY_CALLER,
    *,
    precondition: Precondition,
    now: int,
) -> Alert:
    """Somebody has seen it. It stays open, and is cleared as if nobody had."""
    by = await users.acting_person(db, who, body.acknowledged_by, "acknowledgedBy")
    async with db.transaction() as tx:
        alert = await records.get(tx, queries.ALERTS, who.tenant, id)
        # Readings change alerts under the lock of their asset; the same order for all keeps two from waiting for each other.
        location_id, asset_type_id = await queries.lock_asset(tx, who.tenant, alert.asset_id)

        def told(*versions: Alert) -> list[records.ChangeEvent]:
            old, new = (
                ToldAlert.of(each, location_id=location_id, asset_type_id=asset_type_id) for each in versions
            )
            return [(ACKNOWLEDGED, new, old)]

        return await records.move(
            tx,
            queries.ALERTS,
            MOVES,
            who.tenant,
            id,
            "acknowledge",
            then=lambda alert: acknowledged(alert, by, now),
            precondition=precondition,
            events=told,
            now=now,
        )
