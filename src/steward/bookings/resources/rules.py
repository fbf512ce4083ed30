from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from steward.bookings.resources.model import BookableResource, BookableResourceChanges, NewBookableResource
from steward.kit.domain.patch import apply
from steward.kit.domain.shared_fields import new_record


def new_resource(new: NewBookableResource, now: int) -> BookableResource:
    return new_record(BookableResource, "rsc", new, now, features=_features(new.features))


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
