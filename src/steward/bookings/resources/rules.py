from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from steward.bookings.resources.model import BookableResource, BookableResourceChanges, NewBookableResource
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.shared_fields import made_from


def new_resource(new: NewBookableResource, now: int) -> BookableResource:
    return made_from(
        BookableResource,
        new,
        id=new_id("rsc"),
        features=_features(new.features),
        created=now,
        updated=now,
    )


def changed(resource: BookableResource, changes: BookableResourceChanges) -> BookableResource:
    if changes.features is not UNSET:
        changes = replace(changes, features=_features(changes.features or ()))
    return apply(resource, changes)


def _features(given: Iterable[str]) -> list[str]:
    """Each once, in its first spelling."""
    kept: dict[str, str] = {}
    for feature in given:
        kept.setdefault(feature.casefold(), feature)
    return list(kept.values())
