"""Every slice, in the order in which the documents of the API list what they bring. Nothing else lists slices by hand."""

from collections.abc import Mapping
from importlib import import_module

from steward.kit.db.constraints import Constraints
from steward.kit.db.table_kinds import TableKind
from steward.kit.web.slice import Slice

# Each package declares its own in `slice.py`.
SLICES: tuple[Slice, ...] = tuple(
    import_module(f"steward.{name}.slice").SLICE
    for name in (
        "organizations",
        "users",
        "roles",
        "api_keys",
        "tokens",
        "access",
        "locations",
        "asset_types",
        "assets",
        "telemetry",
        "ingest",
        "alert_rules",
        "sor_schedules",
        "forms",
        "decks",
        "work_orders",
        "sor_quotations",
        "bookings",
        "visitors",
        "reports",
        "events",
        "webhooks",
        "webhook_delivery",
        "upkeep",
        "web",
    )
)

CONSTRAINTS: Constraints = {name: each for one in SLICES for name, each in one.constraints.items()}
TABLE_KINDS: Mapping[str, TableKind] = {
    **{table: TableKind.TENANT for one in SLICES for table in one.tables},
    **{table: kind for one in SLICES for table, kind in one.other_tables.items()},
}
