"""Explains violated constraints by their names; the database's own messages aren't shown."""

from collections.abc import Mapping
from typing import TypeAlias

import asyncpg
import msgspec

from steward.kit.db.references import BrokenReferences
from steward.kit.domain.archiving import instead_of_deleting
from steward.kit.domain.problems import Conflict, ErrorDetail, Invalid, Problem


class Taken(msgspec.Struct, frozen=True):
    """A unique constraint: another record has this value already."""

    message: str


class Reference(msgspec.Struct, frozen=True):
    """A foreign key: `field` names a missing `noun`, or a `noun` is deleted that `holders` still name."""

    field: str
    noun: str
    holders: str


Constraints = Mapping[str, Taken | Reference]


Violation: TypeAlias = asyncpg.IntegrityConstraintViolationError | BrokenReferences


def explain(error: Violation, constraints: Constraints, *, deleting: bool) -> Problem | None:
    """The problem behind a violation; None if no slice has registered the constraint."""
    if isinstance(error, BrokenReferences):
        meanings = (constraints.get(name) for name in error.constraint_names)
        broken = [meaning for meaning in meanings if isinstance(meaning, Reference)]
        return Invalid.of(_dangling(meaning) for meaning in broken) if broken else None
    meaning = constraints.get(error.constraint_name or "")
    match meaning:
        case Taken():
            return Conflict(meaning.message)
        case Reference() if deleting:
            instead = instead_of_deleting(meaning.noun)
            return Conflict(f"This {meaning.noun} can't be deleted while {meaning.holders} name it{instead}.")
        case Reference():
            return Invalid.of([_dangling(meaning)])
    return None


def _dangling(meaning: Reference) -> ErrorDetail:
    return ErrorDetail(meaning.field, f"names no {meaning.noun} of this organization")
