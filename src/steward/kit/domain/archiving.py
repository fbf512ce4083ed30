"""Archived records stay, with everything that refers to them, and are hidden from lists."""

from typing import Any, TypeVar

import msgspec

R = TypeVar("R", bound=msgspec.Struct)

# For request bodies: how the field is set.
NOT_TAKEN = {"archivedAt": "is set by archive and restore, and can't be set by callers"}

_archivable: set[str] = set()


def register_archivable(noun: str) -> None:
    _archivable.add(noun)


def instead_of_deleting(noun: str) -> str:
    """The end of a sentence that refuses to delete one of these; empty where there is nothing else to do."""
    return "; archive it instead" if noun in _archivable else ""


def is_archived(record: Any) -> bool:
    return record.archived_at is not None


def archived(record: R, now: int) -> R:
    return msgspec.structs.replace(record, archived_at=now)


def restored(record: R) -> R:
    return msgspec.structs.replace(record, archived_at=None)
