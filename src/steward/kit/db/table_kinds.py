"""Of what kind each table is: which rows a Citus cluster keeps together, and which every server has.

A tenant's rows lie together on one shard. What is small, seldom written and looked for before any tenant is known is copied to
every server. Everything else stays on the server that processes connect to.
"""

from enum import StrEnum

# The table that all tenants' tables lie beside, and by which column each is distributed.
ROOT = "organizations"
ROOT_COLUMN = "id"
TENANT_COLUMN = "organization_id"

# The same for the history.
HISTORY_ROOT = "telemetry_hours"
HISTORY_COLUMN = "tenant"


class TableKind(StrEnum):
    TENANT = "tenant"
    # A tenant's, too, but a number stands for the tenant: so it is distributed by a column of its own.
    HISTORY = "history"
    REFERENCE = "reference"
    LOCAL = "local"


def distribution_column(table: str, kind: TableKind) -> str:
    """Of a tenant's table, or one of the history."""
    if kind is TableKind.HISTORY:
        return HISTORY_COLUMN
    return ROOT_COLUMN if table == ROOT else TENANT_COLUMN


def colocated_with(table: str, kind: TableKind) -> str | None:
    """The table whose shards lie on the same servers; None for the first of them."""
    first = HISTORY_ROOT if kind is TableKind.HISTORY else ROOT
    return None if table == first else first
