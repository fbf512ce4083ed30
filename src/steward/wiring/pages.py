"""Every page of the web app, and what slices show on the pages of others."""

from functools import partial

import jinja2

from steward.alert_rules import pages as alert_rules_pages
from steward.alert_rules.alerts import pages as alerts_pages
from steward.api_keys import pages as api_keys_pages
from steward.asset_types import pages as asset_types_pages
from steward.assets import pages as assets_pages
from steward.assets.chirpstack import pages as chirpstack_pages
from steward.assets.commands import pages as commands_pages
from steward.bookings import pages as bookings_pages
from steward.bookings.grid import pages as grid_pages
from steward.bookings.resources import pages as resources_pages
from steward.bookings.tablets import pages as tablets_pages
from steward.decks import pages as decks_pages
from steward.events import pages as events_pages
from steward.forms import pages as forms_pages
from steward.forms.submissions import pages as submissions_pages
from steward.kit.http.openapi.answers import Json
from steward.kit.web.page import Panel, WebPage
from steward.locations import pages as locations_pages
from steward.reports import pages as reports_pages
from steward.sor_quotations import pages as sor_quotations_pages
from steward.sor_schedules import pages as sor_schedules_pages
from steward.sor_schedules.items import pages as sor_items_pages
from steward.visitors import pages as visitors_pages
from steward.visitors.reception import pages as reception_pages
from steward.web import (
    account,
    docs,
    integrations,
    invitations,
    location_panels,
    login,
    password_resets,
    search,
)
from steward.web.asset_charts import pages as asset_charts
from steward.web.decks import pages as deck_views
from steward.web.decks import screens as deck_screens
from steward.web.live import pages as live_pages
from steward.web.settings import pages as settings_pages
from steward.web.settings import roles as settings_roles
from steward.web.settings import users as settings_users
from steward.web.static import StaticFiles
from steward.web.today import pages as today
from steward.webhooks import pages as webhooks_pages
from steward.webhooks.deliveries import pages as deliveries_pages
from steward.webhooks.editor import pages as webhooks_editor
from steward.webhooks.replays import pages as replays_pages
from steward.wiring.parts import Parts
from steward.wiring.routes import apply_rules
from steward.work_orders import pages as work_orders_pages
from steward.work_orders.bulk import pages as work_orders_bulk
from steward.work_orders.sla import pages as sla_pages
from steward.work_orders.views import pages as work_orders_views


def all_pages(
    parts: Parts, document: Json, static: StaticFiles, templates: jinja2.Environment
) -> tuple[WebPage, ...]:
    return (
        *_entrance_pages(parts),
        *today.PAGES,
        *search.PAGES,
        *_work_pages(parts),
        *_place_pages(parts),
        *_people_pages(parts),
        *_integration_pages(parts),
        *_setting_pages(parts),
        *live_pages.pages(parts.live, live_pages.SessionAccess(parts.pool)),
        *docs.pages(document, templates),
        *static.pages(),
    )


def _entrance_pages(parts: Parts) -> tuple[WebPage, ...]:
    accepting = invitations.AcceptanceContext(parts.bus, parts.credentials, parts.login_context)
    return (
        *login.pages(parts.login_context, parts.bus),
        *account.pages(parts.login_context, parts.bus),
        *invitations.pages(accepting),
        *password_resets.pages(parts.bus, parts.reset_mail),
    )


def _work_pages(parts: Parts) -> tuple[WebPage, ...]:
    return (
        *work_orders_views.pages(parts.policies),
        *work_orders_bulk.pages(parts.policies),
        *work_orders_pages.pages(parts.policies),
        *sor_schedules_pages.PAGES,
        *sor_items_pages.PAGES,
        *sor_quotations_pages.PAGES,
        *forms_pages.PAGES,
        *submissions_pages.PAGES,
        *reports_pages.PAGES,
    )


def _place_pages(parts: Parts) -> tuple[WebPage, ...]:
    return (
        *locations_pages.PAGES,
        *assets_pages.pages(parts.settings.public_url),
        *commands_pages.PAGES,
        *asset_types_pages.PAGES,
        *asset_charts.PAGES,
        *alerts_pages.PAGES,
        *alert_rules_pages.pages(parts.bus, partial(apply_rules, parts.pool)),
        *decks_pages.pages(),
        *deck_views.pages(parts.bus, parts.settings.public_url),
        *deck_screens.pages(parts.live, deck_screens.ScreenAccess(parts.pool)),
    )


def _people_pages(parts: Parts) -> tuple[WebPage, ...]:
    return (
        *grid_pages.PAGES,
        *bookings_pages.PAGES,
        *resources_pages.pages(parts.settings.public_url),
        *tablets_pages.pages(parts.limiter),
        *reception_pages.PAGES,
        *visitors_pages.PAGES,
    )


def _integration_pages(parts: Parts) -> tuple[WebPage, ...]:
    allow_local = parts.settings.webhook_allow_local
    return (
        *api_keys_pages.pages(parts.bus, parts.limiter, parts.usage),
        *integrations.pages(parts.settings),
        *chirpstack_pages.pages(parts.encryption, allow_local=allow_local),
        *webhooks_pages.pages(parts.encryption, allow_local=allow_local),
        *webhooks_editor.pages(parts.encryption, allow_local=allow_local),
        *deliveries_pages.PAGES,
        *replays_pages.PAGES,
        *events_pages.pages(),
    )


def _setting_pages(parts: Parts) -> tuple[WebPage, ...]:
    return (
        *settings_pages.pages(parts.settings),
        *settings_users.pages(parts.bus, parts.invitation_context),
        *settings_roles.pages(parts.bus),
        *sla_pages.pages(parts.bus),
    )


def all_panels() -> tuple[Panel, ...]:
    """What slices show on the pages of records that others keep, in the order in which it stands there."""
    return (
        *alerts_pages.PANELS,
        *alert_rules_pages.PANELS,
        *commands_pages.PANELS,
        *work_orders_pages.PANELS,
        *sor_quotations_pages.PANELS,
        *location_panels.PANELS,
        *events_pages.PANELS,
    )
