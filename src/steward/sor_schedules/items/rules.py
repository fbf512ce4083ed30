from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.sor_schedules.items.model import NewRateItem, RateItem


def new_item(schedule_id: str, new: NewRateItem, now: int) -> RateItem:
    return RateItem(
        id=new_id("soi"),
        schedule_id=schedule_id,
        code=new.code,
        description=new.description,
        unit=new.unit,
        rate_cents=new.rate_cents,
        created=now,
        updated=now,
    )


def copied(item: RateItem, schedule_id: str, now: int) -> RateItem:
    """The same rate in another schedule."""
    return replace(item, id=new_id("soi"), schedule_id=schedule_id, created=now, updated=now)
