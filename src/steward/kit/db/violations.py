"""Violations as a sharded server reports them: by the name that a constraint has on the shard, which may stand in the message
only, and now and again as an internal error. Here they become what a plain server would have said.
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
# The number of the shard; before it a digest, where the name was too long to have room for both.
_OF_SHARD = re.compile(r"(?:_[0-9a-f]{8})?_\d+$")


def without_shard(name: str) -> str:
    return _OF_SHARD.sub("", name)


def as_violation(error: Exception) -> asyncpg.IntegrityConstraintViolationError | None:
    """What a plain server would have said; None where it would have said the same, or it is no violation."""
    if not isinstance(error, asyncpg.IntegrityConstraintViolationError | asyncpg.InternalServerError):
        return None
    message = str(error)
    kind = next((kind for words, kind in _KINDS if words in message), None)
    if kind is None:
        return None
    named = _NAMED.search(message)
    said = kind(message)
    said.constraint_name = without_shard(named[1]) if named else None
    return said
