from steward.alert_rules.alerts import queries
from steward.alert_rules.alerts.events import ACKNOWLEDGED, LocatedAlert
from steward.alert_rules.alerts.model import Acknowledgement, Alert
from steward.alert_rules.alerts.rules import MOVES
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.records.moves import MoveDetails
from steward.users import queries as users

_BY_CALLER = Acknowledgement()


async def acknowledge(ctx: Target, body: Acknowledgement = _BY_CALLER) -> Alert:
    """The alert stays open, and is cleared as any other."""
    by = await users.acting_person(ctx, body.acknowledged_by, "acknowledgedBy")
    async with ctx.transaction() as ctx:
        alert = await records.get(ctx.tx, queries.ALERTS, ctx.tenant, ctx.id)
        # Readings change alerts under the lock of their asset; one lock order for all avoids deadlocks.
        location_id, asset_type_id = await queries.lock_asset(ctx.tx, ctx.tenant, alert.asset_id)

        def change_events(*versions: Alert) -> list[records.ChangeEvent]:
            old, new = (
                LocatedAlert.of(each, location_id=location_id, asset_type_id=asset_type_id)
                for each in versions
            )
            return [(ACKNOWLEDGED, new, old)]

        details = MoveDetails(ctx.now, by)
        return await records.move(ctx, queries.ALERTS, MOVES, "acknowledge", details, events=change_events)
