"""How a row becomes a line that people and programs can read."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from steward.operations.tenants.model import DERIVED_COLUMNS, TEXTS_IN_BYTES

README = """What this organization has in Steward, as it was at the moment that manifest.json names.

Each file in data/ is one kind of record: a JSON object a line (NDJSON), in UTF-8. Names are those of the columns in which Steward
keeps it; times are Unix seconds, or milliseconds where a number is that long; organization_id is the same everywhere.
readings.ndjson holds what devices have reported, by asset and second. accounts.ndjson holds with which e-mail addresses the
organization's people log in.

Not in here: passwords, keys and signing secrets, which are stored sealed or as digests and open nothing elsewhere; sessions; and
what is made of other columns for search. manifest.json names all of it.
"""


def exported_columns(table: str, columns: Iterable[tuple[str, bool]]) -> tuple[list[str], list[str]]:
    """Those that are handed over, and those that aren't."""
    shown: list[str] = []
    left_out: list[str] = []
    for name, is_bytes in columns:
        is_secret = is_bytes and (table, name) not in TEXTS_IN_BYTES
        (left_out if is_secret or name in DERIVED_COLUMNS else shown).append(name)
    return shown, left_out


def line(row: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({name: _readable(value) for name, value in row.items()}) + b"\n"


def _readable(value: Any) -> Any:
    """Bytes are JSON or a text for the most part; otherwise they are written in base64."""
    if not isinstance(value, bytes):
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        pass
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}
