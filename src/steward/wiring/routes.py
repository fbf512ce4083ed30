"""Everything that the API offers."""

from functools import cache, partial

from steward.alert_rules import api as alert_rules_api
from steward.alert_rules import model as alert_rules_model
from steward.alert_rules.alerts import api as alerts_api
from steward.api_keys import api as api_keys_api
from steward.asset_types import api as asset_types_api
from steward.asset_types import model as asset_types_model
from steward.assets import api as assets_api
from steward.assets import model as assets_model
from steward.assets.chirpstack import api as chirpstack_api
from steward.assets.commands import api as commands_api
from steward.bookings import api as bookings_api
from steward.bookings import model as bookings_model
from steward.bookings.feeds import api as feeds_api
from steward.bookings.resources import api as resources_api
from steward.bookings.resources import model as resources_model
from steward.decks import api as decks_api
from steward.decks import model as decks_model
from steward.events import api as events_api
from steward.events.feed.actions import FeedReader
from steward.forms import api as forms_api
from steward.forms import model as forms_model
from steward.forms.submissions import api as submissions_api
from steward.forms.submissions import model as submissions_model
from steward.ingest import api as ingest_api
from steward.ingest.jobs import apply_change
from steward.ingest.lorawan import api as lorawan_api
from steward.kit.db.constraints import Constraints
from steward.kit.db.pool import Pool
from steward.kit.http.openapi.answers import Json
from steward.kit.http.openapi.route import with_document
from steward.kit.http.route import Route
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption
from steward.locations import api as locations_api
from steward.locations import model as locations_model
from steward.organizations import api as organizations_api
from steward.roles import api as roles_api
from steward.roles import model as roles_model
from steward.settings import Settings
from steward.sor_quotations import api as sor_quotations_api
from steward.sor_quotations import model as sor_quotations_model
from steward.sor_schedules import api as sor_schedules_api
from steward.sor_schedules import model as schedules_model
from steward.sor_schedules.items import api as sor_items_api
from steward.sor_schedules.items import model as sor_items_model
from steward.telemetry import api as telemetry_api
from steward.telemetry.raw import api as raw_api
from steward.tokens import api as tokens_api
from steward.tokens.signing import Signer, new_signing_key
from steward.users import api as users_api
from steward.users import model as users_model
from steward.users.invitations import api as invitation_api
from steward.visitors import api as visitors_api
from steward.visitors import model as visitors_model
from steward.web import health
from steward.webhooks import api as webhooks_api
from steward.webhooks import model as webhooks_model
from steward.webhooks.deliveries import api as delivery_api
from steward.webhooks.replays import api as replay_api
from steward.wiring.parts import Parts, assemble, time_window
from steward.work_orders import api as work_orders_api
from steward.work_orders import model as work_orders_model
from steward.work_orders.comments import api as comments_api
from steward.work_orders.comments import model as comments_model
from steward.work_orders.sla import api as sla_api

CONSTRAINTS: Constraints = {
    **users_model.CONSTRAINTS,
    **roles_model.CONSTRAINTS,
    **locations_model.CONSTRAINTS,
    **asset_types_model.CONSTRAINTS,
    **assets_model.CONSTRAINTS,
    **alert_rules_model.CONSTRAINTS,
    **schedules_model.CONSTRAINTS,
    **sor_items_model.CONSTRAINTS,
    **forms_model.CONSTRAINTS,
    **submissions_model.CONSTRAINTS,
    **decks_model.CONSTRAINTS,
    **work_orders_model.CONSTRAINTS,
    **comments_model.CONSTRAINTS,
    **resources_model.CONSTRAINTS,
    **bookings_model.CONSTRAINTS,
    **visitors_model.CONSTRAINTS,
    **sor_quotations_model.CONSTRAINTS,
    **webhooks_model.CONSTRAINTS,
}


def all_routes(parts: Parts) -> tuple[Route, ...]:
    return (
        *organizations_api.ROUTES,
        *users_api.routes(parts.bus),
        *invitation_api.routes(parts.invitation_context),
        *roles_api.routes(parts.bus),
        *api_keys_api.routes(parts.bus, parts.limiter, parts.usage),
        *tokens_api.routes(parts.login_context),
        *locations_api.ROUTES,
        *asset_types_api.ROUTES,
        *assets_api.ROUTES,
        *commands_api.ROUTES,
        *chirpstack_api.routes(parts.encryption, allow_local=parts.settings.webhook_allow_local),
        *telemetry_api.ROUTES,
        *raw_api.ROUTES,
        *ingest_api.routes(parts.telemetry, time_window(parts.settings)),
        *lorawan_api.routes(parts.telemetry, time_window(parts.settings)),
        *alert_rules_api.routes(parts.bus, partial(apply_rules, parts.pool)),
        *alerts_api.ROUTES,
        *sor_schedules_api.ROUTES,
        *sor_items_api.ROUTES,
        *forms_api.ROUTES,
        *submissions_api.ROUTES,
        *decks_api.ROUTES,
        *work_orders_api.routes(parts.policies),
        *comments_api.ROUTES,
        *sla_api.routes(parts.bus, parts.policies),
        *sor_quotations_api.ROUTES,
        *resources_api.ROUTES,
        *bookings_api.ROUTES,
        *feeds_api.routes(parts.limiter, parts.settings.public_url),
        *visitors_api.ROUTES,
        *events_api.routes(FeedReader(parts.hints, parts.stopping)),
        *webhooks_api.routes(parts.encryption, allow_local=parts.settings.webhook_allow_local),
        *delivery_api.ROUTES,
        *replay_api.ROUTES,
        *health.routes(parts.pool, parts.settings.worker_stale_seconds, parts.stopping),
    )


async def apply_rules(pool: Pool, tenant: TenantId, change_id: str) -> None:
    await apply_change(pool, tenant, change_id, clock.now())


@cache
def document_routes() -> tuple[Route, ...]:
    """What the OpenAPI document tells of, without a database to serve it from."""
    url = "postgresql://"
    parts = assemble(Settings(), Encryption(bytes(32)), url, Pool(url, 1), Signer(new_signing_key()))
    return all_routes(parts)


@cache
def api_document() -> Json:
    """The OpenAPI document; not to be changed by its readers."""
    return with_document(document_routes())[1]
