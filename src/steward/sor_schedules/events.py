from steward.kit.events.event_types import event_type
from steward.sor_schedules.model import EXAMPLE, ScheduleStatus

PUBLISHED = event_type(
    "sor.schedule.published",
    "Schedule published and active.",
    EXAMPLE,
    "id name status effective_from effective_to item_count published_by published_at created",
    previous="status",
    was={"status": ScheduleStatus.DRAFT},
)
