"""Which tables an organization has rows in, and what of them it is given."""

from collections.abc import Callable, Mapping

import msgspec

from steward.kit.db.table_kinds import TableKind
from steward.slices import TABLE_KINDS

# Reference tables with rows of one organization. Accounts are people's: they may be of several.
KEYS = "api_keys"

# By the organization's identifier; the order is found in the database.
OWNED = (*(table for table, kind in TABLE_KINDS.items() if kind is TableKind.TENANT), KEYS)
# By a number that stands for it.
HISTORY = tuple(table for table, kind in TABLE_KINDS.items() if kind is TableKind.HISTORY)

# What is no record of the organization's doings.
NOT_EXPORTED: Mapping[str, str] = {
    "idempotent_answers": "answers that are kept for a day for callers who ask again",
    "refresh_tokens": "credentials of people who are logged in",
    "web_sessions": "credentials of people who are logged in",
    "telemetry_layouts": "how readings are laid out in storage; readings.ndjson has them by name",
}
# Bytes are secrets, sealed or as digests, which open nothing outside of this deployment; but for these, which are texts.
TEXTS_IN_BYTES = frozenset({("events", "body"), ("delivery_attempts", "response")})
# What is made of other columns so that they are found, or says which process is at work on a row.
DERIVED_COLUMNS = frozenset(
    {"search_text", "search_grams", "claims", "claimed_by", "lease_until", "series", "layout"}
)

# Called with a table, or the file of one, and the number of its rows that were exported or deleted.
OnRows = Callable[[str, int], None]


class ExportedFile(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    rows: int
    # Columns that are not in it.
    left_out: list[str]


class Manifest(msgspec.Struct, frozen=True, rename="camel"):
    organization_id: str
    organization: str
    steward: str
    schema: int
    exported_at: int
    files: list[ExportedFile]
    tables_left_out: dict[str, str]
