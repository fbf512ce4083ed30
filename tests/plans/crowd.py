"""Databases in which every list is long: one large tenant among many small ones, with rows that lie between each other.

Values are as unkind as they can be. Two filters of a list, each of which many records fulfil, are fulfilled by none together;
what was changed last was made first; and the newest records have none of the words that many of the older ones have.
"""

import asyncio
import importlib
import pkgutil
from collections.abc import Mapping

import asyncpg

import steward
from steward.kit.db import search
from steward.kit.db.listing import LISTINGS, Listing
from steward.kit.security.caller import TenantId
from steward.wiring.schema import migrate

# So that there is no list that isn't known here.
for _module in pkgutil.walk_packages(steward.__path__, "steward."):
    if not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)

LARGE = TenantId("org_large")
# With so many rows in a table, the large tenant has more than any page may look at.
ROWS = 24_000
# Of so many rows one belongs to a small tenant, of which each has a few rows.
_SHARE = 6
_ROWS_OF_SMALL = 20

OFTEN, RARE, OTHER, ABSENT = "often", "rare", "other", "absent"
# How many of the oldest have what is rare.
_FEW = 100

COMMON_WORD, OLD_WORD, RARE_WORD = "common", "ancient", "unique"

# What no list is read from and jobs look through.
WITHOUT_LIST = (
    "api_key_usage_days",
    "idempotent_answers",
    "password_resets",
    "refresh_tokens",
    "web_sessions",
)
_NEVER = "4102444800 + n"

_COLUMNS = """SELECT column_name, udt_name, is_nullable = 'YES' AS nullable, column_default IS NOT NULL AS has_default
              FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position"""
_INDEXES = """SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
              FROM pg_index WHERE indrelid = $1::regclass
              AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)"""
_CONSTRAINTS = """SELECT conrelid::regclass::text AS holder, conname AS name FROM pg_constraint
             WHERE conparentid = 0
             AND (conrelid = $1::regclass AND contype IN ('c', 'f') OR confrelid = $1::regclass)"""
# Of columns that have to be there; others are left out where they may be.
_PLAIN = {
    "int8": "n",
    "int4": "n % 1000000",
    "float8": "n",
    "bool": "true",
    "jsonb": "'{}'::jsonb",
    "bytea": "sha256(n::text::bytea)",
    "_text": "'{}'::text[]",
    "_int8": "'{}'::bigint[]",
}


def listings() -> dict[str, list[Listing]]:
    """Every list of the program, by the table that it is read from."""
    found: dict[str, list[Listing]] = {}
    for listing in LISTINGS:
        found.setdefault(listing.name, []).append(listing)
    return found


def large_tables() -> list[str]:
    """All that grow with what tenants do, and that a page or a job reads."""
    return sorted([*listings(), *WITHOUT_LIST])


def fill_all(url: str, rows: Mapping[str, int]) -> None:
    """A database with the schema of this code, and so many rows in each of these tables."""

    async def run() -> None:
        await migrate(url)
        connection = await asyncpg.connect(url)
        for table, number in rows.items():
            await fill(connection, table, number)
        await connection.close()

    asyncio.run(run())


async def fill(connection: asyncpg.Connection, table: str, rows: int) -> None:
    """With so many rows and no others, of which the large tenant has nearly all."""
    indexes = await connection.fetch(_INDEXES, table)
    for index in indexes:
        await connection.execute(f"DROP INDEX {index['name']}")
    # Which values mean something makes no difference here.
    for constraint in await connection.fetch(_CONSTRAINTS, table):
        await connection.execute(f"ALTER TABLE {constraint['holder']} DROP CONSTRAINT {constraint['name']}")
    values = await _values(connection, table, rows)
    await connection.execute(f"TRUNCATE {table}")
    await connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())} FROM generate_series(1, {rows}) n"
    )
    for index in indexes:
        # Of a partitioned table it names the table alone.
        await connection.execute(index["definition"].replace(" ON ONLY ", " ON "))
    await connection.execute(f"VACUUM (ANALYZE) {table}")


async def _values(connection: asyncpg.Connection, table: str, rows: int) -> dict[str, str]:
    """An expression over `n` for each column."""
    asked, ordering = _asked_for(table), _ordering(table)
    key = await connection.fetchval(
        """SELECT a.attname FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[2]
           WHERE c.conrelid = $1::regclass AND c.contype = 'p'""",
        table,
    )
    found: dict[str, str] = {}
    for name, type, nullable, has_default in await connection.fetch(_COLUMNS, table):
        value = _SPECIAL.get((table, name)) or _SPECIAL.get(("", name))
        if value is not None:
            found[name] = value.replace("ROWS", str(rows))
        elif name == key and type == "text":
            found[name] = identifier(table, "n")
        elif name in asked and type == "text":
            found[name] = _by_turns(asked.index(name), len(asked))
        elif type in _PLAIN and not has_default and (not nullable or name in ordering):
            found[name] = _PLAIN[type]
        elif type == "text" and not (nullable or has_default):
            found[name] = f"'{name} ' || n"
    return found


def identifier(table: str, number: str) -> str:
    """Sorts as the numbers do, which are the seconds in which the records were made."""
    prefix = {"events": "evt", "deliveries": "dlv"}.get(table, "id")
    return f"'{prefix}_' || lpad(to_hex({number}::bigint * 1000000), 14, '0') || '00000000000000'"


def _grams(word: str) -> str:
    return f"'{{{','.join(map(str, search.grams(LARGE, word)))}}}'::bigint[]"


def _with_words(common: str, old: str, rare: str, none: str) -> str:
    few = "n % (ROWS / 3) = 1"
    return f"{common} || CASE WHEN n <= ROWS / 4 THEN {old} ELSE {none} END || CASE WHEN {few} THEN {rare} ELSE {none} END"


# Columns whose values have a meaning, of one table or of all.
_SPECIAL = {
    (
        "",
        "organization_id",
    ): f"CASE WHEN n % {_SHARE} = 0 THEN 'org_' || n % (ROWS / {_SHARE * _ROWS_OF_SMALL}) ELSE '{LARGE}' END",
    ("", "updated"): "ROWS - n",
    ("", "external_id"): "'external ' || n",
    # Nothing is due.
    ("", "expires_at"): _NEVER,
    ("", "expires"): _NEVER,
    ("webhook_replays", "updated"): _NEVER,
    ("idempotent_answers", "created"): _NEVER,
    ("api_key_usage_days", "day"): _NEVER,
    ("asset_types", "applied_keep_alive"): "n % 1000000",
    ("asset_types", "applied_iot_device"): "true",
    ("", "archived_at"): f"CASE WHEN n <= {_FEW} THEN n END",
    ("", "search_text"): _with_words(f"'{COMMON_WORD}'", f"' {OLD_WORD}'", f"' {RARE_WORD}'", "''"),
    ("", "search_grams"): _with_words(
        _grams(COMMON_WORD), _grams(OLD_WORD), _grams(RARE_WORD), "'{}'::bigint[]"
    ),
    # One alert of a rule and an asset is open at most.
    ("alerts", "status"): f"CASE WHEN n <= {_FEW} THEN 'Active' ELSE 'Cleared' END",
    ("alerts", "rule_id"): f"CASE WHEN n <= {_FEW} THEN 'rule ' || n ELSE '{OFTEN}' END",
    ("bookings", "end_time"): "n + 1",
    ("events", "body"): "'{}'::bytea",
}


def _asked_for(table: str) -> list[str]:
    """Columns by which records of the table can be asked for."""
    of_table = listings().get(table, [])
    filters = [known for listing in of_table for known in listing.declared.known.values()]
    names = {known.column.rpartition(".")[2] for known in filters if known.column}
    return sorted(names)


def _by_turns(place: int, places: int) -> str:
    """The last has one value only, whatever it is asked for."""
    often = "true" if place == places - 1 and places > 1 else f"n % {max(places, 2)} = {place}"
    return f"CASE WHEN n <= {_FEW} THEN '{RARE}' WHEN {often} THEN '{OFTEN}' ELSE '{OTHER}' END"


def _ordering(table: str) -> str:
    """All that records are sorted by, or have to lie between."""
    of_table = listings().get(table, [])
    sorts = [sort.expression for listing in of_table for sort in listing.sorts.values()]
    bounds = [
        known.range.expression
        for listing in of_table
        for known in listing.declared.known.values()
        if known.range
    ]
    return " ".join([*sorts, *bounds])
