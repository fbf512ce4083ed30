"""Every screen of the web app: what `make screenshots` shoots and what the accessibility test looks at."""

import re
from collections.abc import Callable
from typing import NamedTuple

ADMINISTRATOR = "Administrator"
NOBODY = ""


class Screen(NamedTuple):
    name: str
    # With names of records in braces, as in the paths of the pages.
    path: str
    # The role of the viewer; empty without a login.
    role: str = ADMINISTRATOR
    status: int = 200

    def address(self, ids: dict[str, str]) -> str:
        return self.path.format(**ids)


class Mode(NamedTuple):
    name: str
    width: int
    height: int
    dark: bool


MODES = (
    Mode("light", 1280, 800, dark=False),
    Mode("dark", 1280, 800, dark=True),
    Mode("phone", 390, 844, dark=False),
)

SCREENS = (
    Screen("login", "/app/login", NOBODY),
    Screen("forgot-password", "/app/forgot-password", NOBODY),
    Screen("docs", "/docs", NOBODY),
    Screen("docs-locations", "/docs/api/locations", NOBODY),
    Screen("docs-api-keys", "/docs/api-keys", NOBODY),
    Screen("docs-search", "/docs/search?q=booking", NOBODY),
    Screen("today", "/app"),
    Screen("today-technician", "/app", "Technician"),
    Screen("today-reception", "/app", "Reception"),
    Screen("today-requester", "/app", "Requester"),
    Screen("today-viewer", "/app", "Viewer"),
    Screen("search", "/app/search?q=room"),
    Screen("work-orders", "/app/work-orders"),
    Screen("work-orders-board", "/app/work-orders/board"),
    Screen("work-orders-calendar", "/app/work-orders/calendar"),
    Screen("work-order-new", "/app/work-orders/new"),
    Screen("work-order", "/app/work-orders/{workOrderId}"),
    Screen("work-order-technician", "/app/work-orders/{workOrderId}", "Technician"),
    Screen("work-order-print", "/app/work-orders/{workOrderId}/print"),
    Screen("alerts", "/app/alerts"),
    Screen("alerts-cleared", "/app/alerts/cleared"),
    Screen("alert", "/app/alerts/{alertId}"),
    Screen("alert-rules", "/app/alert-rules"),
    Screen("alert-rule-new", "/app/alert-rules/new"),
    Screen("alert-rule", "/app/alert-rules/{alertRuleId}"),
    Screen("alert-rule-edit", "/app/alert-rules/{alertRuleId}/edit"),
    Screen("locations-import", "/app/locations/import"),
    Screen("assets", "/app/assets"),
    Screen("assets-tree", "/app/assets/tree"),
    Screen("assets-import", "/app/assets/import"),
    Screen("assets-labels", "/app/assets/labels"),
    Screen("asset-new", "/app/assets/new"),
    Screen("asset", "/app/assets/{assetId}"),
    Screen("asset-label", "/app/assets/{assetId}/label"),
    Screen("asset-types", "/app/asset-types"),
    Screen("asset-type-new", "/app/asset-types/new"),
    Screen("asset-type", "/app/asset-types/{assetTypeId}"),
    Screen("bookings", "/app/bookings"),
    Screen("bookings-free", "/app/bookings/free"),
    Screen("bookings-list", "/app/bookings/list"),
    Screen("booking-new", "/app/bookings/new"),
    Screen("booking", "/app/bookings/{bookingId}"),
    Screen("resources", "/app/bookings/resources"),
    Screen("resource-new", "/app/bookings/resources/new"),
    Screen("resource", "/app/bookings/resources/{resourceId}"),
    Screen("visitors", "/app/visitors"),
    Screen("visits", "/app/visitors/visits"),
    Screen("visitor-new", "/app/visitors/new"),
    Screen("visitor-walk-in", "/app/visitors/walk-in"),
    Screen("visitor", "/app/visitors/{visitorId}"),
    Screen("visitor-badge", "/app/visitors/{visitorId}/badge"),
    Screen("evacuation", "/app/visitors/evacuation"),
    Screen("locations", "/app/locations"),
    Screen("locations-list", "/app/locations/list"),
    Screen("location-new", "/app/locations/new"),
    Screen("location", "/app/locations/{locationId}"),
    Screen("forms", "/app/forms"),
    Screen("form-new", "/app/forms/new"),
    Screen("form", "/app/forms/{formId}"),
    Screen("form-fill", "/app/forms/{formId}/fill"),
    Screen("submissions", "/app/forms/{formId}/submissions"),
    Screen("submission", "/app/forms/{formId}/submissions/{submissionId}"),
    Screen("quotations", "/app/quotations"),
    Screen("quotation-new", "/app/quotations/new"),
    Screen("quotation", "/app/quotations/{quotationId}"),
    Screen("quotation-print", "/app/quotations/{quotationId}/print"),
    Screen("schedules", "/app/schedules"),
    Screen("schedule-new", "/app/schedules/new"),
    Screen("schedule", "/app/schedules/{scheduleId}"),
    Screen("schedule-import", "/app/schedules/{draftScheduleId}/import"),
    Screen("schedule-item", "/app/schedules/{scheduleId}/items/{itemId}"),
    Screen("reports", "/app/reports"),
    Screen("report-sla", "/app/reports/sla"),
    Screen("report-times", "/app/reports/times"),
    Screen("report-backlog", "/app/reports/backlog"),
    Screen("report-by-location", "/app/reports/by-location"),
    Screen("report-bookings", "/app/reports/bookings"),
    Screen("report-devices", "/app/reports/devices"),
    Screen("decks", "/app/decks"),
    Screen("deck-new", "/app/decks/new"),
    Screen("deck", "/app/decks/{deckId}"),
    Screen("deck-edit", "/app/decks/{deckId}/edit"),
    Screen("deck-card", "/app/decks/{deckId}/cards/edit?type=value"),
    Screen("deck-wall", "/app/decks/{deckId}/wall"),
    Screen("integrations", "/app/integrations"),
    Screen("webhooks", "/app/integrations/webhooks"),
    Screen("webhook-new", "/app/integrations/webhooks/new"),
    Screen("webhook", "/app/integrations/webhooks/{webhookId}"),
    Screen("webhook-edit", "/app/integrations/webhooks/{webhookId}/edit"),
    Screen("webhook-delivery", "/app/integrations/webhooks/{webhookId}/deliveries/{deliveryId}"),
    Screen("events", "/app/integrations/events"),
    Screen("chirpstack", "/app/integrations/chirpstack"),
    Screen("event", "/app/integrations/events/{eventId}"),
    Screen("event-types", "/app/integrations/event-types"),
    Screen("api-keys", "/app/api-keys"),
    Screen("api-key", "/app/api-keys/{keyId}"),
    Screen("settings", "/app/settings"),
    Screen("users", "/app/settings/users"),
    Screen("user-new", "/app/settings/users/new"),
    Screen("user", "/app/settings/users/{userId}"),
    Screen("roles", "/app/settings/roles"),
    Screen("role-new", "/app/settings/roles/new"),
    Screen("role", "/app/settings/roles/{roleId}"),
    Screen("sla", "/app/settings/sla"),
    Screen("account", "/app/account"),
    Screen("organizations", "/app/organizations"),
    Screen("not-found", "/app/work-orders/wo_none", status=404),
)

# Where the first record of a kind is found: a page, and what a link to one looks like.
_LISTS = {
    "workOrderId": ("/app/work-orders?status=InProgress", r"/app/work-orders/([a-z]+_[0-9a-z]+)"),
    "alertId": ("/app/alerts", r"/app/alerts/([a-z]+_[0-9a-z]+)"),
    "alertRuleId": ("/app/alert-rules", r"/app/alert-rules/([a-z]+_[0-9a-z]+)"),
    "assetId": ("/app/assets?q=air+quality", r"/app/assets/([a-z]+_[0-9a-z]+)"),
    "assetTypeId": ("/app/asset-types", r"/app/asset-types/([a-z]+_[0-9a-z]+)"),
    "bookingId": ("/app/bookings/list", r"/app/bookings/([a-z]+_[0-9a-z]+)"),
    "resourceId": ("/app/bookings/resources", r"/app/bookings/resources/([a-z]+_[0-9a-z]+)"),
    "visitorId": ("/app/visitors/visits", r"/app/visitors/([a-z]+_[0-9a-z]+)"),
    "locationId": ("/app/locations", r"/app/locations/([a-z]+_[0-9a-z]+)"),
    "formId": ("/app/forms?status=Published", r"/app/forms/([a-z]+_[0-9a-z]+)"),
    "submissionId": ("/app/forms/{formId}/submissions", r"/submissions/([a-z]+_[0-9a-z]+)"),
    "quotationId": ("/app/quotations", r"/app/quotations/([a-z]+_[0-9a-z]+)"),
    "scheduleId": ("/app/schedules", r"/app/schedules/([a-z]+_[0-9a-z]+)"),
    "draftScheduleId": ("/app/schedules?status=Draft", r"/app/schedules/([a-z]+_[0-9a-z]+)"),
    "itemId": ("/app/schedules/{scheduleId}", r"/items/([a-z]+_[0-9a-z]+)"),
    "deckId": ("/app/decks", r"/app/decks/([a-z]+_[0-9a-z]+)"),
    "webhookId": ("/app/integrations/webhooks", r"/app/integrations/webhooks/([a-z]+_[0-9a-z]+)"),
    "deliveryId": ("/app/integrations/webhooks/{webhookId}", r"/deliveries/([a-z]+_[0-9a-z]+)"),
    "eventId": ("/app/integrations/events", r"/app/integrations/events/([a-z]+_[0-9a-z]+)"),
    "keyId": ("/app/api-keys", r"/app/api-keys/([a-z]+_[0-9a-z]+)"),
    "userId": ("/app/settings/users", r"/app/settings/users/([a-z]+_[0-9a-z]+)"),
    "roleId": ("/app/settings/roles", r"/app/settings/roles/([a-z]+_[0-9a-z]+)"),
}


def find_ids(read: Callable[[str], str]) -> dict[str, str]:
    """The first record of each kind, by the pages that link to it; `read` has the text of a page."""
    ids: dict[str, str] = {}
    for name, (path, link) in _LISTS.items():
        found = re.search(link, read(path.format(**ids)))
        if found is None:
            raise LookupError(f"{path} links to nothing like {link}")
        ids[name] = found[1]
    return ids
