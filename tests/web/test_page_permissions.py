"""Who may open each page and send each form of the web app: one table of all of them.

A page that isn't in the table fails the first test, so that somebody decides who may see it.
"""

import re
from collections.abc import Callable, Collection

import httpx
import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.registered_pages import registered_pages

from steward.kit.security.permissions import ALL_PERMISSIONS, Both, Either, Need, Permission
from steward.kit.web.page import WebPage
from steward.slices import SLICES
from steward.wiring.routes import document_routes

LogIn = Callable[[str], BrowserClient]

# `a|b`: either of them; `a+b`: both. Each line names a permission, a method, and paths under /app. Pages that aren't here need what
# the API needs for the same.
TABLE = """
api-keys:create POST /api-keys /api-keys/{keyId} /api-keys/{keyId}/rotate
api-keys:read GET /api-keys /api-keys/{keyId} /api-keys/{keyId}/usage.json
api-keys:revoke POST /api-keys/{keyId}/revoke
assets:read GET /assets /assets.csv /assets/tree /assets/labels /assets/{assetId}/label /assets/{assetId}
assets:read GET /asset-types /asset-types.csv /asset-types/{assetTypeId}
assets:read+iot:read GET /alert-rules /alert-rules.csv /alert-rules/{alertRuleId} /alert-rules/{alertRuleId}/preview
assets:write GET /assets/import /assets/new /asset-types/new
assets:write POST /assets/import /assets/import/run /assets /assets/{assetId} /assets/{assetId}/delete
assets:write POST /assets/{assetId}/archive /assets/{assetId}/restore
assets:write POST /asset-types /asset-types/{assetTypeId} /asset-types/{assetTypeId}/delete
assets:write+iot:read GET /alert-rules/new /alert-rules/keys /alert-rules/{alertRuleId}/edit
assets:write+iot:read POST /alert-rules /alert-rules/preview /alert-rules/{alertRuleId}
assets:write+iot:read POST /alert-rules/{alertRuleId}/switch /alert-rules/{alertRuleId}/delete
bookings:read|bookings:book GET /bookings /bookings/events.json /bookings/list /bookings/list.csv /bookings/{bookingId}
bookings:read|bookings:book GET /bookings/resources /bookings/resources.csv /bookings/free
bookings:read|bookings:book GET /bookings/resources/{resourceId}
bookings:write GET /bookings/resources/new
bookings:write POST /bookings/resources /bookings/resources/{resourceId} /bookings/resources/{resourceId}/delete
bookings:write POST /bookings/resources/{resourceId}/archive /bookings/resources/{resourceId}/restore
bookings:write POST /bookings/resources/{resourceId}/calendar-link /bookings/resources/{resourceId}/calendar-link/revoke
bookings:write POST /bookings/resources/{resourceId}/tablets /bookings/resources/{resourceId}/tablets/{tabletId}/revoke
bookings:write|bookings:book GET /bookings/new
bookings:write|bookings:book POST /bookings/events.json /bookings/{bookingId}/time.json /bookings /bookings/{bookingId}
bookings:write|bookings:book POST /bookings/{bookingId}/cancel /bookings/{bookingId}/check-in /bookings/{bookingId}/end
decks:read GET /decks /decks.csv /decks/{deckId} /decks/{deckId}/cards /decks/{deckId}/chart.json
decks:read GET /decks/{deckId}/wall /decks/wall
decks:write GET /decks/new /decks/{deckId}/edit /decks/{deckId}/cards/edit /decks/keys.json
decks:write POST /decks /decks/{deckId} /decks/{deckId}/layout /decks/{deckId}/delete /decks/{deckId}/cards/edit
decks:write POST /decks/{deckId}/cards/delete /decks/{deckId}/screens /decks/{deckId}/screens/{screenId}/revoke
events:read GET /integrations /integrations/events /integrations/events/{eventId} /integrations/event-types
forms:read|forms:submit GET /forms /forms.csv /forms/{formId} /forms/{formId}/submissions
forms:read|forms:submit GET /forms/{formId}/submissions.csv /forms/{formId}/submissions/{submissionId}
forms:write GET /forms/new
forms:write POST /forms /forms/preview /forms/{formId} /forms/{formId}/publish /forms/{formId}/archive
forms:write POST /forms/{formId}/delete
forms:write|forms:submit GET /forms/{formId}/fill
forms:write|forms:submit POST /forms/{formId}/fill
iot:read GET /assets/{assetId}/chart.json /alerts /alerts.csv /alerts/cleared /alerts/cleared.csv /alerts/{alertId}
iot:write POST /assets/{assetId}/commands /alerts/{alertId}/acknowledge
locations:read GET /locations /locations/branch /locations/list /locations/list.csv /locations/{locationId}
locations:write GET /locations/import /locations/new
locations:write POST /locations/import /locations/import/run /locations /locations/{locationId}
locations:write POST /locations/{locationId}/move /locations/{locationId}/delete
locations:write POST /locations/{locationId}/archive /locations/{locationId}/restore
organization:read GET /reports /reports/{reportId} /reports/{reportId}/chart.json /reports/{reportId}/rows.csv
organization:read GET /integrations/chirpstack /settings
organization:write POST /integrations/chirpstack /settings /settings/sla
roles:read GET /settings/roles /settings/roles/{roleId}
roles:write GET /settings/roles/new
roles:write POST /settings/roles /settings/roles/{roleId} /settings/roles/{roleId}/delete
sor:approve POST /quotations/{quotationId}/approve /quotations/{quotationId}/reject
sor:read GET /schedules /schedules.csv /schedules/{scheduleId} /schedules/{scheduleId}/items.json
sor:read GET /schedules/{scheduleId}/items.csv /schedules/{scheduleId}/items/{itemId}
sor:read GET /quotations /quotations.csv /quotations/{quotationId} /quotations/{quotationId}/print
sor:write GET /schedules/new /schedules/{scheduleId}/import /quotations/new
sor:write POST /schedules /schedules/{scheduleId} /schedules/{scheduleId}/delete /schedules/{scheduleId}/publish
sor:write POST /schedules/{scheduleId}/withdraw /schedules/{scheduleId}/supersede /schedules/{scheduleId}/items
sor:write POST /schedules/{scheduleId}/items/{itemId} /schedules/{scheduleId}/items/{itemId}/delete
sor:write POST /schedules/{scheduleId}/import /quotations /quotations/{quotationId}
sor:write POST /quotations/{quotationId}/save-and-submit /quotations/{quotationId}/delete
sor:write POST /quotations/{quotationId}/submit
users:read GET /settings/users /settings/users.csv /settings/users/{userId}
users:write GET /users/{userId}/reset-link /settings/users/new
users:write POST /users/{userId}/reset-link /settings/users /settings/users/invitations/{invitationId}/withdraw
users:write POST /settings/users/{userId} /settings/users/{userId}/delete
users:write POST /settings/users/{userId}/archive /settings/users/{userId}/restore /settings/users/{userId}/erase
visitors:read GET /visitors /visitors/evacuation /visitors/{visitorId}/badge /visitors/visits /visitors/visits.csv
visitors:read GET /visitors/{visitorId}
visitors:write GET /visitors/new /visitors/walk-in
visitors:write POST /visitors /visitors/walk-in /visitors/{visitorId} /visitors/{visitorId}/delete
visitors:write POST /visitors/{visitorId}/check-in /visitors/{visitorId}/check-out /visitors/{visitorId}/cancel
webhooks:read GET /integrations/webhooks /integrations/webhooks.csv /integrations/webhooks/{webhookId}
webhooks:read GET /integrations/webhooks/{webhookId}/deliveries/{deliveryId}
webhooks:write GET /integrations/webhooks/new /integrations/webhooks/{webhookId}/edit
webhooks:write POST /integrations/webhooks /integrations/webhooks/{webhookId} /integrations/webhooks/{webhookId}/status
webhooks:write POST /integrations/webhooks/{webhookId}/delete /integrations/webhooks/{webhookId}/rotate-secret
webhooks:write POST /integrations/webhooks/{webhookId}/test /integrations/webhooks/{webhookId}/replays
webhooks:write POST /integrations/webhooks/{webhookId}/deliveries/{deliveryId}/retry
webhooks:write POST /integrations/webhooks/{webhookId}/replays/{replayId}/cancel
work-orders:read GET /today/backlog.json /work-orders/board /work-orders/calendar /settings/sla
work-orders:read|work-orders:request GET /work-orders /work-orders.csv /work-orders/{workOrderId}
work-orders:read|work-orders:request GET /work-orders/{workOrderId}/print
work-orders:write POST /work-orders/{workOrderId}/drop /work-orders/bulk /work-orders/{workOrderId}
work-orders:write POST /work-orders/{workOrderId}/checklist /work-orders/{workOrderId}/delete
work-orders:write POST /work-orders/{workOrderId}/start /work-orders/{workOrderId}/hold /work-orders/{workOrderId}/resume
work-orders:write POST /work-orders/{workOrderId}/complete /work-orders/{workOrderId}/reopen
work-orders:write|work-orders:request GET /work-orders/new
work-orders:write|work-orders:request POST /work-orders /work-orders/{workOrderId}/comments
work-orders:write|work-orders:request POST /work-orders/{workOrderId}/cancel
"""
# For everybody who is logged in: their own account, and parts that show what each may see.
FOR_ALL = {
    "GET /app",
    "GET /app/account",
    "GET /app/live",
    "GET /app/organizations",
    "GET /app/pick/{kind}",
    "GET /app/search",
    "GET /app/search.json",
    "POST /app/account",
    "POST /app/account/email",
    "POST /app/account/log-out-elsewhere",
    "POST /app/organizations",
}


def _table() -> dict[str, str]:
    lines = (line.split() for line in TABLE.strip().splitlines())
    return {f"{method} /app{path}": need for need, method, *paths in lines for path in paths}


def _in_table(need: Need) -> str:
    if isinstance(need, Either):
        return f"{need.permission}|{need.narrower}"
    return f"{need.permission}+{need.also}" if isinstance(need, Both) else str(need)


def _as_in_the_api(page: WebPage) -> str:
    """Of `/app/notices/new` that of `POST /organizations/{orgId}/notices`."""
    noun = page.path.split("/")[2].removesuffix(".csv")
    writes = page.method == "POST" or page.path.endswith("/new")
    needs = {
        _in_table(route.permission)
        for route in document_routes()
        if re.match(rf"(/v2)?/organizations/{{orgId}}/{noun}(\W|$)", route.path)
        if route.permission is not None and (route.method != "GET") is writes
    }
    return " or ".join(sorted(needs))


NEEDS = _table()


def _lacking(need: str) -> list[frozenset[Permission]]:
    """Everything but what opens the page: none of two of which either does, and each of two of which both are needed."""
    if "+" in need:
        return [ALL_PERMISSIONS - {Permission(one)} for one in need.split("+")]
    return [ALL_PERMISSIONS - {Permission(one) for one in need.split("|")}]


def test_the_table_holds_every_page_with_its_permission() -> None:
    pages = [page for page in registered_pages() if not page.public]
    needs = {page.name: _in_table(page.permission) for page in pages if page.permission}
    assert needs == {**{page.name: _as_in_the_api(page) for page in pages if page.permission}, **NEEDS}
    assert {page.name for page in pages if page.permission is None} == FOR_ALL


class Person:
    """Somebody whose one role is given other permissions again and again."""

    def __init__(self, organization: Organization, logged_in: LogIn) -> None:
        self._organization = organization
        self._role = organization.created("roles", {"name": "Changing", "permissions": []})["id"]
        self.page = logged_in(organization.new_user(roleIds=[self._role])["email"])

    def may(self, held: Collection[str]) -> None:
        path = f"{self._organization.path}/roles/{self._role}"
        assert self._organization.api.patch(path, json={"permissions": sorted(held)}).status_code == 200

    def asks(self, name: str) -> httpx.Response:
        method, path = name.split()
        return self.page.request(method, re.sub(r"{(\w+)}", "xxx_0", path))


@pytest.fixture
def person(organization: Organization, logged_in: LogIn) -> Person:
    return Person(organization, logged_in)


def _is_refused(answer: httpx.Response) -> bool:
    is_page = answer.headers["content-type"].startswith("text/html")
    return answer.status_code == 403 and is_page and "This needs the permission" in answer.text


def test_without_the_permission_there_is_no_link(person: Person) -> None:
    entries = {entry.path for one in SLICES for entry in one.menu}
    offenders = []
    for need in sorted(set(NEEDS.values())):
        names = [name for name, needed in NEEDS.items() if needed == need]
        for held in _lacking(need):
            person.may(held)
            offenders += [name for name in names if not _is_refused(person.asks(name))]
            menu = person.page.sees("/app").partition("<main")[0]
            closed = [path for path in entries if f"GET {path}" in names]
            offenders += [f"link to {path}" for path in closed if f'href="{path}"' in menu]
    assert offenders == []


def test_the_permission_is_enough_for_the_page(person: Person) -> None:
    """The refusals above would mean little if the same requests failed anyway."""
    offenders = []
    for need in sorted(set(NEEDS.values())):
        for held in [need.split("+")] if "+" in need else [[one] for one in need.split("|")]:
            person.may(held)
            names = [name for name, needed in NEEDS.items() if needed == need and name.startswith("GET")]
            offenders += [(name, held) for name in names if person.asks(name).status_code in {401, 403, 500}]
    assert offenders == []
