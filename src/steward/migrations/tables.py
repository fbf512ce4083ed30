"""Of what kind each table is: one register, which a sharded server is told from and in which no table may be missing.

A tenant's rows stand together on one shard. What is small, seldom written and looked for before any tenant is known stands on
every server. All else is the affair of the server that processes talk to.
"""

from enum import StrEnum


class TableKind(StrEnum):
    TENANT = "tenant"
    # A tenant's, too, which a number stands for there: so it is spread in a way of its own.
    HISTORY = "history"
    REFERENCE = "reference"
    LOCAL = "local"


# The table that all tenants' tables lie beside, and by which column each is spread.
ROOT = "organizations"
ROOT_COLUMN = "id"
TENANT_COLUMN = "organization_id"

# The same for the history.
HISTORY_ROOT = "telemetry_hours"
HISTORY_COLUMN = "tenant"

_TENANT = (
    "alert_rule_changes",
    "alert_rules",
    "alerts",
    "api_key_usage",
    "api_key_usage_days",
    "asset_types",
    "assets",
    "bookable_resources",
    "bookings",
    "calendar_links",
    "chirpstack_servers",
    "commands",
    "counters",
    "deck_screens",
    "decks",
    "deliveries",
    "delivery_attempts",
    "events",
    "form_submissions",
    "form_versions",
    "forms",
    "idempotent_answers",
    "invitation_roles",
    "invitations",
    "late_answers",
    "locations",
    "membership_roles",
    "memberships",
    "organizations",
    "refresh_tokens",
    "resource_tablets",
    "roles",
    "sla_policies",
    "sor_items",
    "sor_quotations",
    "sor_schedules",
    "telemetry_layouts",
    "visitors",
    "web_sessions",
    "webhook_filter_names",
    "webhook_replays",
    "webhooks",
    "work_order_comments",
    "work_orders",
)
# A key and an account tell the organization, and so can't be found by it.
_REFERENCE = ("accounts", "api_keys", "password_resets")
_LOCAL = (
    "duties",
    "event_positions",
    "processes",
    "rate_windows",
    "schema_migrations",
    "search_forms",
    "service_secrets",
)
_HISTORY = ("telemetry_hours", "telemetry_recent")

TABLE_KINDS: dict[str, TableKind] = {
    **dict.fromkeys(_TENANT, TableKind.TENANT),
    **dict.fromkeys(_HISTORY, TableKind.HISTORY),
    **dict.fromkeys(_REFERENCE, TableKind.REFERENCE),
    **dict.fromkeys(_LOCAL, TableKind.LOCAL),
}


def distribution_column(table: str) -> str:
    """Of a tenant's table, or one of the history."""
    if TABLE_KINDS[table] is TableKind.HISTORY:
        return HISTORY_COLUMN
    return ROOT_COLUMN if table == ROOT else TENANT_COLUMN


def stands_beside(table: str) -> str | None:
    """The table whose shards those of this one stand beside; None for the first of them."""
    first = HISTORY_ROOT if TABLE_KINDS[table] is TableKind.HISTORY else ROOT
    return None if table == first else first
