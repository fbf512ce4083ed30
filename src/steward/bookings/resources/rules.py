from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from steward.bookings.resources.model import BookableResource, BookableResourceChanges, NewBookableResource
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply


def new_resource(new: NewBookableResource, now: int) -> BookableResource:
    return BookableResource(
        id=new_id("rsc"),
        name=new.name,
        type=new.type,
        location_id=new.location_id,
        capacity=new.capacity,
        features=_features(new.features),
        buffer_minutes=new.buffer_minutes,
        check_in_required=new.check_in_required,
        release_after_minutes=new.release_after_minutes,
        active=new.active,
        external_id=new.external_id,
        metadata=new.metadata,
        created=now,
        updated=now,
    )


def changed(resource: BookableResource, changes: BookableResourceChanges) -> BookableResource:
    if changes.features is not UNSET:
        changes = replace(changes, features=_features(changes.features or ()))
    return apply(resource, changes)


def _features(given: Iterable[str]) -> list[str]:
    """Each once; the way it is written first stays."""
    kept: dict[str, str] = {}
    for feature in given:
        kept.setdefault(feature.casefold(), feature)
    return list(kept.values())
