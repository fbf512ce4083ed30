from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from zoneinfo import available_timezones

import msgspec

from steward.kit.domain.archiving import is_archived
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict, Invalid
from steward.kit.domain.shared_fields import new_record
from steward.locations.model import Location, LocationChanges, LocationType, NewLocation

# The usual type of a child.
_WITHIN = {
    LocationType.SITE: LocationType.BUILDING,
    LocationType.BUILDING: LocationType.FLOOR,
    LocationType.FLOOR: LocationType.SPACE,
}
# How many children a refusal names.
_NAMED = 3
# The lines of a postal address, under the names that the form uses.
ADDRESS = {"street": "Street", "postalCode": "Postal code", "city": "City", "country": "Country"}


def new_location(new: NewLocation, now: int) -> Location:
    return check(new_record(Location, "loc", new, now))


def changed(old: Location, changes: LocationChanges) -> Location:
    return check(apply(old, changes))


def check(location: Location) -> Location:
    """Rules that a single field's type can't express."""
    if location.timezone is not None and location.timezone not in time_zones():
        raise Invalid("timezone", "is not a time zone, such as Europe/Berlin")
    return location


@cache
def time_zones() -> tuple[str, ...]:
    """Every time zone, sorted; read once, since they are many files."""
    return tuple(sorted(available_timezones()))


def usual_type(parent: Location | None) -> LocationType:
    """The likely type of a new child of this one."""
    return LocationType.SITE if parent is None else _WITHIN.get(parent.type, LocationType.ZONE)


def address_fields(address: Mapping[str, Any] | None) -> dict[str, str]:
    """The lines of an address that a form can show, by name; other parts aren't texts."""
    texts = {
        name: value
        for name, value in (address or {}).items()
        if isinstance(value, str) and name.replace("_", "").isalnum()
    }
    return {**dict.fromkeys(ADDRESS, ""), **texts}


def address_lines(address: Mapping[str, Any]) -> list[tuple[str, str]]:
    """As on an envelope, each with a label where needed: the parts that forms know, then the others."""
    known = {name: value for name in ADDRESS if isinstance(value := address.get(name), str) and value}
    place = " ".join(known[name] for name in ("postalCode", "city") if name in known)
    lines = [("", line) for line in (known.get("street"), place, known.get("country")) if line]
    rest = ((name, value) for name, value in address.items() if name not in known and value)
    return lines + [
        (name, value if isinstance(value, str) else msgspec.json.encode(value).decode())
        for name, value in rest
    ]


def changed_address(
    address: Mapping[str, Any] | None, sent: Mapping[str, str] | None
) -> dict[str, Any] | None:
    """The form's lines; parts that it could not show stay."""
    shown = address_fields(address)
    kept = {name: value for name, value in (address or {}).items() if name not in shown}
    return {**kept, **(sent or {})} or None


def refuse_cycle(location_id: str, ancestors: list[str]) -> None:
    """`ancestors` are the new parent and everything above it."""
    if location_id in ancestors:
        raise Invalid("parentId", "a location can't lie in itself")


def refuse_children(names: Sequence[str]) -> None:
    """Archiving hides a location's content too."""
    if names:
        shown = ", ".join(names[:_NAMED])
        more = " and others" if len(names) > _NAMED else ""
        raise Conflict(f"This location can't be archived before what lies in it: {shown}{more}.")


def refuse_hidden(parent: Location) -> None:
    if is_archived(parent):
        raise Conflict(f"{parent.name}, in which this location lies, is archived; restore that first.")
