"""Every page asks the database a bounded number of questions, and as many for thirty records as for three."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from tests.support.app_transport import AppTransport
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization, close_clients
from tests.support.registered_pages import parts_over, registered_pages
from tests.support.sample_records import SampleRecords
from tests.support.service import Service

from steward.alert_rules.actions import PREVIEW_ASSETS
from steward.kit.db.pool import Pool, Transaction
from steward.kit.db.sql import Row, Sql
from steward.kit.runtime import clock
from steward.reports.actions import REPORTS
from steward.slices import SLICES
from steward.wiring.site import build_site

pytestmark = pytest.mark.long

# Two of them tell whose session it is and who they are, and what they may do.
_MOST = 12
_SEARCHED = sum(len(one.searched) for one in SLICES)
# What other slices show on the page of a record costs a statement or two each, and so does each kind that is searched.
_MORE = {
    "/app/search": _MOST + _SEARCHED,
    "/app/search.json": _MOST + _SEARCHED,
    "/app/assets/{assetId}": 20,
    "/app/work-orders/{workOrderId}": 18,
    "/app/locations/{locationId}": 18,
    # Reads the week of each of twenty assets, and of no more.
    "/app/alert-rules/{alertRuleId}/preview": 12 + PREVIEW_ASSETS,
}
_GROWS_TO_ITS_BOUND = frozenset({"/app/alert-rules/{alertRuleId}/preview"})
# A stream that stays open; files; what is written once at the start; and what asks nothing before a token is right.
_LEFT_OUT = (
    "/app/live",
    "/static",
    "/favicon",
    "/docs",
    "/app/invitations/",
    "/app/password-reset/",
    "/tablet/",
    "/screen/",
    # They name a card or several decks; the tests of decks count what these ask.
    "/app/decks/{deckId}/cards",
    "/app/decks/{deckId}/chart.json",
    "/app/decks/keys.json",
    "/app/decks/wall",
)
_HOUR = 3600


class _CountingPool(Pool):
    statements = 0

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        self.statements += 1
        return await super().fetch(sql, *args)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        async with super().transaction() as tx:
            fetch = tx.fetch

            async def counted(sql: Sql, *args: Any) -> list[Row]:
                self.statements += 1
                return await fetch(sql, *args)

            tx.fetch = counted  # type: ignore[method-assign]
            yield tx


@pytest.fixture(scope="module")
def samples(running_service: Service) -> Iterator[SampleRecords]:
    api = running_service.another_api(
        STEWARD_KEY_REQUESTS_PER_MINUTE="100000", STEWARD_WEBHOOK_ALLOW_LOCAL="on"
    )
    yield SampleRecords(Organization(api.base_url, running_service.database_url, "Enterprise"))
    close_clients()
    running_service.stop_others()


def _addresses(samples: SampleRecords) -> dict[str, str]:
    """Where each page is, by the path under which it is registered."""
    now, ids = clock.now(), samples.ids
    queries = {
        "/app/search": "?q=boiler",
        "/app/search.json": "?q=boiler",
        "/app/bookings/events.json": f"?from={now}&to={now + 7 * 86400}",
        "/app/assets/{assetId}/chart.json": "?key=Temperature",
        "/app/alert-rules/keys": f"?assetTypeId={ids['assetTypeId']}",
        "/app/locations/branch": f"?parentId={ids['locationId']}",
        "/app/assets/tree": f"?locationId={ids['locationId']}",
    }
    paths = [
        page.path
        for page in registered_pages()
        if page.method == "GET"
        and page.path
        and not page.path.startswith(_LEFT_OUT)
        # Sent as it is read, a batch after the other.
        and not page.path.endswith(".csv")
    ]
    more = {"kind": "asset", "reportId": REPORTS[0].id}
    found = {path: f"{samples.path(path, more)}{queries.get(path, '')}" for path in paths}
    span = {"effectiveFrom": now, "effectiveTo": now + 10**7}
    draft = samples.organization.created("sor/schedules", {"name": "Draft", **span})["id"]
    found["/app/schedules/{scheduleId}/import"] = f"/app/schedules/{draft}/import"
    for report in REPORTS:
        found[f"/app/reports/{report.id}"] = f"/app/reports/{report.id}"
    for path, query in {
        "/app/work-orders": "?sort=due&overdue=false&columns=title,asset_id,reported_by,location_id,assignee_id",
        "/app/assets": "?sort=name&q=boiler",
        "/app/assets/labels": f"?locationId={ids['locationId']}",
        "/app/visitors": "?q=visitor",
        "/app/locations": "?q=room",
        "/app/work-orders/board": "?assigneeId=me",
    }.items():
        found[f"{path} filtered"] = f"{path}{query}"
    return found


def _add(samples: SampleRecords, numbers: range) -> None:
    """So many of everything that lists hold or that belongs to a sample."""
    made, ids, now = samples.organization.created, samples.ids, clock.now()
    for number in numbers:
        place = made("locations", {"name": f"Room {number}", "type": "Space", "parentId": ids["locationId"]})[
            "id"
        ]
        device = {
            "name": f"Boiler {number}",
            "assetTypeId": ids["assetTypeId"],
            "locationId": ids["locationId"],
        }
        asset = made("assets", device)["id"]
        values = {"values": {"Temperature": 95 + number, f"Key {number}": number}}
        for one in (asset, ids["assetId"]):
            samples.organization.api.post(f"{samples.organization.path}/assets/{one}/telemetry", json=values)
        user = samples.organization.new_user("Technician")["id"]
        about = {
            "assetId": ids["assetId"],
            "locationId": ids["locationId"],
            "assigneeId": user,
            "reportedBy": user,
        }
        made("work-orders", {"title": f"Round {number}", "priority": "Critical", **about})
        made(
            "work-orders",
            {
                "title": f"Mine {number}",
                "assetId": asset,
                "locationId": place,
                "assigneeId": samples.organization.user_id,
            },
        )
        made(f"work-orders/{ids['workOrderId']}/comments", {"text": f"Comment {number}"})
        made("roles", {"name": f"Role {number}"})
        made("users/invitations", {"email": f"guest-{number}-{now}@example.com", "name": "Guest"})
        made(
            "visitors",
            {
                "name": f"Visitor {number}",
                "expectedArrival": now + _HOUR,
                "hostId": user,
                "locationId": ids["locationId"],
            },
        )
        start = now + (2 + number) * 24 * _HOUR
        made("bookings", {"resourceId": ids["resourceId"], "startTime": start, "endTime": start + _HOUR})
        room = made("resources", {"name": f"Room {number}", "type": "Room", "locationId": ids["locationId"]})[
            "id"
        ]
        made("bookings", {"resourceId": room, "startTime": now + 60, "endTime": now + _HOUR})
        _add_documents(samples, number, now)


def _add_documents(samples: SampleRecords, number: int, now: int) -> None:
    made, ids = samples.organization.created, samples.ids
    samples.organization.asset_types.create(f"Type {number}")
    condition = [{"key": "Temperature", "operator": "gt", "value": 90}]
    made(
        "alert-rules",
        {
            "name": f"Rule {number}",
            "assetTypeId": ids["assetTypeId"],
            "severity": "Warning",
            "conditions": condition,
        },
    )
    made("forms", {"name": f"Form {number}", "fields": [{"key": "k", "label": "K", "type": "text"}]})
    made(f"forms/{ids['formId']}/submissions", {"answers": {"exit": "Pass"}})
    made("decks", {"title": f"Deck {number}"})
    if number < 9:  # an hour sees no more
        made("api-keys", {"name": f"Key {number}"})
    schedule = made(
        "sor/schedules", {"name": f"Rates {number}", "effectiveFrom": now, "effectiveTo": now + 10**7}
    )["id"]
    made(
        f"sor/schedules/{schedule}/items",
        {"code": "A", "description": "Valve", "unit": "each", "rateCents": 100},
    )
    lines = [{"itemId": ids["itemId"], "quantity": 1}] * (1 + number % 5)
    made(
        "sor/quotations",
        {"scheduleId": ids["scheduleId"], "workOrderId": ids["workOrderId"], "lineItems": lines},
    )


async def _count(url: str, cookie: str, addresses: dict[str, str]) -> dict[str, int]:
    pool = _CountingPool(url, 4)
    app = build_site(parts_over(url, pool))
    counts = {}
    try:
        async with httpx.AsyncClient(transport=AppTransport(app), base_url="http://steward.test") as client:
            client.headers["cookie"] = cookie
            for path, address in addresses.items():
                before = pool.statements
                answer = await client.get(address)
                assert answer.status_code == 200, (address, answer.text)
                counts[path] = pool.statements - before
    finally:
        await pool.close()
    return counts


def test_the_queries_of_a_page_do_not_grow_with_its_records(samples: SampleRecords) -> None:
    person = BrowserClient(samples.organization.base_url)
    assert person.log_in(samples.organization.email).status_code == 303
    cookie = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
    addresses = _addresses(samples)

    def count() -> dict[str, int]:
        return asyncio.run(_count(samples.organization.database_url, cookie, addresses))

    _add(samples, range(3))
    few = count()
    _add(samples, range(3, 30))
    many = count()
    # A search that finds enough among the newest records needn't ask for the others.
    more = {path: (few[path], many[path]) for path in few if few[path] < many[path]}
    assert {path: counts for path, counts in more.items() if path not in _GROWS_TO_ITS_BOUND} == {}
    assert {path: found for path, found in many.items() if found > _MORE.get(path, _MOST)} == {}
