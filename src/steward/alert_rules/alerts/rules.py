from msgspec.structs import replace

from steward.alert_rules.alerts.model import Alert, AlertStatus
from steward.kit.domain.moves import Move, Moves

_OPEN = (AlertStatus.ACTIVE, AlertStatus.ACKNOWLEDGED)
MOVES = Moves(
    "alert",
    [
        Move("acknowledge", (AlertStatus.ACTIVE,), AlertStatus.ACKNOWLEDGED),
        # By readings, timers and changes of rules.
        Move("clear", _OPEN, AlertStatus.CLEARED, automatic=True),
    ],
)


def acknowledged(alert: Alert, by: str | None, now: int) -> Alert:
    return replace(alert, acknowledged_by=by, acknowledged_at=now)
