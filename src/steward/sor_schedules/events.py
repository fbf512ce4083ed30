from functools import partial

from msgspec.structs import replace

from steward.kit.events.event_types import event_type, record_events
from steward.kit.security.permissions import Permission
from steward.sor_schedules.model import EXAMPLE, ScheduleStatus

_define = partial(event_type, permission=Permission.SOR_READ)

CREATED, UPDATED, DELETED = record_events(
    "sor.schedule",
    "Draft of a schedule of rates",
    EXAMPLE,
    permission=Permission.SOR_READ,
    was={"name": "Plumbing"},
)
PUBLISHED = _define(
    "sor.schedule.published",
    "Schedule published and active.",
    EXAMPLE,
    "id name status effective_from effective_to item_count published_by published_at created",
    was_status=ScheduleStatus.DRAFT,
)
SUPERSEDED = _define(
    "sor.schedule.superseded",
    "A next version was published, at whose beginning this one ends.",
    replace(EXAMPLE, superseded_by="sch_00064a1b2c3d4e5f60718293a4b6", effective_to=1782864000),
    "id name status version superseded_by effective_from effective_to created updated",
    previous="effective_to superseded_by",
    was={"effective_to": 1798761600, "superseded_by": None},
)
WITHDRAWN = _define(
    "sor.schedule.withdrawn",
    "Schedule ended before its time.",
    replace(
        EXAMPLE,
        status=ScheduleStatus.WITHDRAWN,
        effective_to=1782864000,
        withdrawn_by="usr_00064a1b2c3d4e5f60718293a4b5",
        withdrawn_at=1782864000,
        withdrawn_reason="The framework contract was ended.",
    ),
    "id name status version effective_from effective_to withdrawn_by withdrawn_at withdrawn_reason created updated",
    previous="status effective_to",
    was={"status": ScheduleStatus.PUBLISHED, "effective_to": 1798761600},
)
