"""Every slice, in the order in which the documents of the API list what they bring. Nothing else lists slices by hand."""

from collections.abc import Mapping

from steward.access.slice import SLICE as ACCESS
from steward.alert_rules.slice import SLICE as ALERT_RULES
from steward.api_keys.slice import SLICE as API_KEYS
from steward.asset_types.slice import SLICE as ASSET_TYPES
from steward.assets.slice import SLICE as ASSETS
from steward.bookings.slice import SLICE as BOOKINGS
from steward.decks.slice import SLICE as DECKS
from steward.events.slice import SLICE as EVENTS
from steward.forms.slice import SLICE as FORMS
from steward.ingest.slice import SLICE as INGEST
from steward.kit.db.constraints import Constraints
from steward.kit.db.table_kinds import TableKind
from steward.kit.web.slice import Slice
from steward.locations.slice import SLICE as LOCATIONS
from steward.organizations.slice import SLICE as ORGANIZATIONS
from steward.reports.slice import SLICE as REPORTS
from steward.roles.slice import SLICE as ROLES
from steward.sor_quotations.slice import SLICE as SOR_QUOTATIONS
from steward.sor_schedules.slice import SLICE as SOR_SCHEDULES
from steward.telemetry.slice import SLICE as TELEMETRY
from steward.tokens.slice import SLICE as TOKENS
from steward.upkeep.slice import SLICE as UPKEEP
from steward.users.slice import SLICE as USERS
from steward.visitors.slice import SLICE as VISITORS
from steward.web.slice import SLICE as WEB
from steward.webhook_delivery.slice import SLICE as WEBHOOK_DELIVERY
from steward.webhooks.slice import SLICE as WEBHOOKS
from steward.work_orders.slice import SLICE as WORK_ORDERS

SLICES: tuple[Slice, ...] = (
    ORGANIZATIONS,
    USERS,
    ROLES,
    API_KEYS,
    TOKENS,
    ACCESS,
    LOCATIONS,
    ASSET_TYPES,
    ASSETS,
    TELEMETRY,
    INGEST,
    ALERT_RULES,
    SOR_SCHEDULES,
    FORMS,
    DECKS,
    WORK_ORDERS,
    SOR_QUOTATIONS,
    BOOKINGS,
    VISITORS,
    REPORTS,
    EVENTS,
    WEBHOOKS,
    WEBHOOK_DELIVERY,
    UPKEEP,
    WEB,
)

CONSTRAINTS: Constraints = {name: each for one in SLICES for name, each in one.constraints.items()}
TABLE_KINDS: Mapping[str, TableKind] = {
    **{table: TableKind.TENANT for one in SLICES for table in one.tables},
    **{table: kind for one in SLICES for table, kind in one.other_tables.items()},
}
