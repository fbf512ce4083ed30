"""Lets the database's constraints speak: their names become problems, and none of its own words get out."""

import re
from collections.abc import Mapping

import asyncpg
import msgspec

from steward.kit.domain.archiving import instead_of_deleting
from steward.kit.domain.problems import Conflict, Invalid, Problem

# A sharded server appends the number of the shard.
_SHARD = re.compile(r"_\d+$")


class Taken(msgspec.Struct, frozen=True):
    """A unique constraint: somebody else has this value already."""

    message: str


class Reference(msgspec.Struct, frozen=True):
    """A foreign key: `field` names a `noun` that is not there, or a `noun` is deleted that `holders` still name."""

    field: str
    noun: str
    holders: str


Constraints = Mapping[str, Taken | Reference]


def explain(
    error: asyncpg.IntegrityConstraintViolationError, constraints: Constraints, *, deleting: bool
) -> Problem | None:
    """The problem behind a violation; None when nobody has said what this constraint means."""
    meaning = constraints.get(_SHARD.sub("", error.constraint_name or ""))
    match meaning:
        case Taken():
            return Conflict(meaning.message)
        case Reference() if deleting:
            instead = instead_of_deleting(meaning.noun)
            return Conflict(f"This {meaning.noun} can't be deleted while {meaning.holders} name it{instead}.")
        case Reference():
            return Invalid(meaning.field, f"names no {meaning.noun} of this organization")
    return None
