from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.shared_fields import new_record
from steward.sor_schedules.items.model import NewRateItem, RateItem


def new_item(schedule_id: str, new: NewRateItem, now: int) -> RateItem:
    return new_record(RateItem, "soi", new, now, schedule_id=schedule_id)


def copied(item: RateItem, schedule_id: str, now: int) -> RateItem:
    """The same rate in another schedule."""
    return replace(item, id=new_id("soi"), schedule_id=schedule_id, created=now, updated=now)
