"""Versions of records: a name that changes whenever a byte of a record's public form does, and what callers saw of it."""

import hashlib
from typing import Any

import msgspec

from steward.kit.domain.problems import PreconditionFailed

# The database keeps the keys of free-form objects in an order of its own. Sorted, a record has the same bytes, and so the
# same version, when it is made as when it is read.
encode_record = msgspec.json.Encoder(order="deterministic").encode


def version_of(record: Any, encoded: bytes | None = None) -> str:
    """Two parts where fields of the record change all the time by themselves: one of everything else, and one of these."""
    volatile = getattr(record, "volatile_fields", ())
    if not volatile:
        return _digest(encode_record(record) if encoded is None else encoded)
    lasting = msgspec.structs.replace(record, **dict.fromkeys(volatile))
    values = [getattr(record, field) for field in volatile]
    return f"{_digest(encode_record(lasting))}.{_digest(encode_record(values))}"


def _digest(encoded: bytes) -> str:
    return hashlib.blake2b(encoded, digest_size=12).hexdigest()


def _matches(version: str, seen: str) -> bool:
    """Whether both are of one record of which at most the volatile fields differ."""
    lasting, dot, _ = version.partition(".")
    return seen.startswith(lasting + dot) if dot else seen == version


class Precondition(msgspec.Struct, frozen=True):
    """A change is made only to a record that the caller has seen as it is now, save for its volatile fields.

    `seen` are the versions that the caller knows of; None: whatever the record is by now.
    """

    seen: tuple[str, ...] | None = None

    def require(self, record: Any) -> None:
        """412 unless it holds."""
        if self.seen is None:
            return
        version = version_of(record)
        if not any(_matches(version, seen) for seen in self.seen):
            raise PreconditionFailed("The resource has changed since you read it; read it again.")


UNCONDITIONAL = Precondition()
