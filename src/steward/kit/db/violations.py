"""Constraint violations as Citus reports them: with the name of the shard's constraint, perhaps only in the message, and sometimes as an
internal error. They become the errors of a plain server.
"""

import re

import asyncpg

_KINDS: tuple[tuple[str, type[asyncpg.IntegrityConstraintViolationError]], ...] = (
    ("violates foreign key constraint", asyncpg.ForeignKeyViolationError),
    ("violates unique constraint", asyncpg.UniqueViolationError),
    ("violates check constraint", asyncpg.CheckViolationError),
    ("violates exclusion constraint", asyncpg.ExclusionViolationError),
    ("violates not-null constraint", asyncpg.NotNullViolationError),
)
_NAMED = re.compile(r'violates \S+(?: \S+)? constraint "([^"]+)"')
# The number of the shard; before it a digest, if the name was too long for both.
_OF_SHARD = re.compile(r"(?:_[0-9a-f]{8})?_\d+$")


def without_shard(name: str) -> str:
    return _OF_SHARD.sub("", name)


def as_violation(error: Exception) -> asyncpg.IntegrityConstraintViolationError | None:
    """The error of a plain server; None if it is the same, or no violation."""
    if not isinstance(error, asyncpg.IntegrityConstraintViolationError | asyncpg.InternalServerError):
        return None
    message = str(error)
    kind = next((kind for words, kind in _KINDS if words in message), None)
    if kind is None:
        return None
    named = _NAMED.search(message)
    violation = kind(message)
    violation.constraint_name = without_shard(named[1]) if named else None
    return violation
