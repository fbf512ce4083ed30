from zoneinfo import available_timezones

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Invalid
from steward.locations.model import Location, LocationChanges, NewLocation


def new_location(new: NewLocation, now: int) -> Location:
    location = Location(
        id=new_id("loc"),
        name=new.name,
        description=new.description,
        parent_id=new.parent_id,
        type=new.type,
        code=new.code,
        address=new.address,
        timezone=new.timezone,
        latitude=new.latitude,
        longitude=new.longitude,
        created=now,
        updated=now,
    )
    return check(location)


def changed(old: Location, changes: LocationChanges) -> Location:
    return check(apply(old, changes))


def check(location: Location) -> Location:
    """What a single field's type can't say."""
    if location.timezone is not None and location.timezone not in available_timezones():
        raise Invalid("timezone", "is not the name of a time zone, such as Europe/Berlin")
    return location


def refuse_cycle(location_id: str, ancestors: list[str]) -> None:
    """`ancestors` are the new parent and everything above it."""
    if location_id in ancestors:
        raise Invalid("parentId", "a location can't lie in itself")
