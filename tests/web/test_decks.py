"""Decks in the web app: made, edited, shown, and put on screens without login."""

import html
import json
import re
import time
from collections.abc import Callable
from datetime import UTC
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.live_events import LiveEvents
from tests.support.organizations import Organization

from steward.decks.model import NewCard
from steward.decks.rules import new_cards
from steward.decks.screens.model import MAX_SCREENS
from steward.kit.db.pool import Pool
from steward.kit.db.sql import Row, Sql
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.web.decks.cards import contents

LogIn = Callable[[str], BrowserClient]
NewBrowser = Callable[[], BrowserClient]
WIDE = {"x": 0, "y": 0, "w": 12, "h": 2}
PLACE = {"x": "0", "y": "0", "w": "4", "h": "2"}


def card(kind: str, title: str | None = None, **configuration: Any) -> dict[str, Any]:
    return {"type": kind, "title": title, "layout": WIDE, "configuration": configuration}


def deck_with(organization: Organization, *cards: dict[str, Any], title: str = "Lobby") -> dict[str, Any]:
    return organization.created("decks", {"title": title, "cards": list(cards)})


def stored(organization: Organization, deck: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data_of(organization.api.get(f"{organization.path}/decks/{deck['id']}"))
    return found


def all_types(organization: Organization) -> list[dict[str, Any]]:
    device = organization.devices.first_id
    return [
        card("value", assetId=device, key="Temperature"),
        card("gauge", assetId=device, key="Humidity", min=0, max=100),
        card("chart", assetId=device, key="Temperature", hours=24),
        card("status"),
        card("workOrders"),
        card("workOrders", status="Open"),
        card("sla"),
        card("alerts"),
        card("bookings"),
        card("text", text="Mind the <step>"),
    ]


def link_of(admin: BrowserClient, deck: dict[str, Any], **fields: Any) -> str:
    answer = admin.post(f"/app/decks/{deck['id']}/screens", data={"name": "Lobby, left", **fields})
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    url = re.search(r'id="link" value="([^"]+)"', answer.text)
    assert url is not None
    return url[1].removeprefix(str(admin.base_url).rstrip("/"))


def test_a_deck_is_made_listed_and_deleted(organization: Organization, admin: BrowserClient) -> None:
    assert "No decks yet" in admin.sees("/app/decks")
    answer = admin.post("/app/decks", data={"title": "Lobby <b>", "refreshSeconds": "60"})
    assert answer.status_code == 303
    path = answer.headers["location"]
    assert "Lobby &lt;b&gt;" in admin.sees(path)
    assert f'href="{path}"' in admin.sees("/app/decks")
    assert admin.post(f"{path}/delete").headers["location"] == "/app/decks"
    assert admin.get(path).status_code == 404
    refused = admin.post("/app/decks", data={"title": "", "refreshSeconds": "4"})
    assert refused.status_code == 422
    assert 'id="title-error">Fill this in.' in refused.text
    assert 'id="refreshSeconds-error">Use a number that is at least 5.' in refused.text


def test_a_card_is_added_changed_and_removed(organization: Organization, admin: BrowserClient) -> None:
    deck, device = deck_with(organization), organization.devices.first_id
    path = f"/app/decks/{deck['id']}"
    form = f"{path}/cards/edit?type=gauge"
    assert "New card: Gauge" in admin.sees(form)
    fields = {"assetId": device, "key": "Humidity", "min": "20", "max": "80", **PLACE}
    assert admin.post(form, data=fields).headers["location"] == f"{path}/edit"
    [made] = stored(organization, deck)["cards"]
    assert made["configuration"] == {"assetId": device, "key": "Humidity", "min": 20, "max": 80}
    assert made["layout"] == {"x": 0, "y": 0, "w": 4, "h": 2}
    change = f"{path}/cards/edit?card={made['id']}"
    assert f'value="{device}" data-label="Sensor 1"' in admin.sees(change)
    assert admin.post(change, data={**fields, "title": "Air", "x": "8"}).status_code == 303
    [changed] = stored(organization, deck)["cards"]
    assert (changed["id"], changed["title"], changed["layout"]["x"]) == (made["id"], "Air", 8)
    assert admin.post(f"{path}/cards/delete?card={made['id']}").status_code == 303
    assert stored(organization, deck)["cards"] == []
    assert admin.post(f"{path}/cards/delete?card={made['id']}").status_code == 404


@pytest.mark.parametrize(
    ("kind", "fields", "errors"),
    [
        ("value", {}, ["assetId", "key"]),
        ("value", {"assetId": "ast_foreign", "key": "CO2"}, ["assetId"]),
        ("chart", {"assetId": "ast_foreign", "key": "CO2", "hours": "0"}, ["hours"]),
        ("gauge", {"assetId": "ast_foreign", "key": "CO2", "min": "9", "max": "1"}, ["max"]),
        ("text", {"text": " "}, ["text"]),
        ("text", {"text": "x", "x": "9", "w": "4"}, ["w"]),
        ("text", {"text": "x", "h": "no"}, ["h"]),
        ("workOrders", {"status": "Completed"}, ["status"]),
    ],
)
def test_errors_of_a_card_are_shown_at_their_fields(
    organization: Organization, admin: BrowserClient, kind: str, fields: dict[str, str], errors: list[str]
) -> None:
    deck = deck_with(organization)
    path = f"/app/decks/{deck['id']}/cards/edit?type={kind}"
    answer = admin.post(path, data={"title": "Kept", **PLACE, "assetId": "", "key": "", **fields})
    assert answer.status_code == 422, answer.text
    assert re.findall(r'id="(\w+)-error"', answer.text) == errors
    assert 'value="Kept"' in answer.text
    assert stored(organization, deck)["cards"] == []


def test_a_form_keeps_unknown_keys_of_a_configuration(
    organization: Organization, admin: BrowserClient
) -> None:
    deck = deck_with(organization, card("text", text="Old", colour="red"))
    address = f"/app/decks/{deck['id']}/cards/edit?card={deck['cards'][0]['id']}"
    assert admin.post(address, data={"text": "New", **PLACE}).status_code == 303
    assert stored(organization, deck)["cards"][0]["configuration"] == {"text": "New", "colour": "red"}


def test_the_layout_is_saved_at_once_unless_it_changed_meanwhile(
    organization: Organization, admin: BrowserClient
) -> None:
    deck = deck_with(organization, card("text", "One", text="a"), card("text", "Two", text="b"))
    path = f"/app/decks/{deck['id']}"
    found = re.search(r'action="([^"]+/layout[^"]+)"', admin.sees(f"{path}/edit"))
    assert found is not None
    save = html.unescape(found[1])
    places = {
        f"cards.{at}.{name}": str(value)
        for at, one in enumerate(deck["cards"])
        for name, value in {"id": one["id"], "x": 6 * at, "y": 3, "w": 6, "h": 4}.items()
    }
    assert admin.post(save, data=places).status_code == 303
    cards = stored(organization, deck)["cards"]
    assert [one["layout"] for one in cards] == [
        {"x": 0, "y": 3, "w": 6, "h": 4},
        {"x": 6, "y": 3, "w": 6, "h": 4},
    ]
    assert admin.post(save, data=places).status_code == 412
    too_far = admin.post(f"{path}/layout", data={**places, "cards.1.x": "11"})
    assert too_far.status_code == 422
    assert stored(organization, deck)["cards"] == cards


def test_every_card_shows_existing_records(organization: Organization, admin: BrowserClient) -> None:
    device = organization.devices.first_id
    organization.devices.report(device, {"Temperature": 21.456, "Humidity": 48})
    organization.alerts.insert()
    organization.work_orders.create(title="Lift <is> stuck")
    page = admin.sees(f"/app/decks/{deck_with(organization, *all_types(organization))['id']}")
    assert f'<span data-live-value="{device}:Temperature">21.46</span>' in page
    gauge = re.search(r'data-gauge="([^"]+)"', page)
    assert gauge is not None
    assert json.loads(html.unescape(gauge[1]))["value"] == 48
    assert "Mind the &lt;step&gt;" in page
    assert page.count("Lift &lt;is&gt; stuck") == 2
    assert 'class="deck-status is-' in page
    assert "badge is-warning" in page
    assert "Nothing more is booked today." in page
    chart = re.search(r'data-chart="([^"]+)"', page)
    assert chart is not None
    drawn = admin.get(html.unescape(chart[1])).json()
    assert [value for _, value in drawn["series"][0]["points"]] == [21.456]
    assert drawn["unit"] == "°C"


def test_cards_for_a_location_include_its_descendants(
    organization: Organization, admin: BrowserClient
) -> None:
    house = organization.locations.create("House")["id"]
    room = organization.locations.create("Room", parentId=house)["id"]
    organization.assets.create("Inside", locationId=room)
    organization.assets.create("Outside")
    organization.work_orders.create(title="In the room", locationId=room)
    organization.work_orders.create(title="Elsewhere")
    deck = deck_with(
        organization, card("status", locationId=house), card("workOrders", status="Open", locationId=house)
    )
    page = admin.sees(f"/app/decks/{deck['id']}")
    assert "Inside" in page
    assert "In the room" in page
    assert "Outside" not in page
    assert "Elsewhere" not in page
    assert '<p class="deck-value is-count">1 ' in page


def test_a_card_whose_record_is_missing_shows_a_message(
    organization: Organization, admin: BrowserClient
) -> None:
    deck = deck_with(organization, card("value"), card("value", assetId="ast_gone", key="a"))
    page = admin.sees(f"/app/decks/{deck['id']}")
    assert "This card is not set up yet." in page
    assert "has been deleted" in page


def test_a_card_shows_itself_alone(organization: Organization, admin: BrowserClient) -> None:
    odd = {**card("text", "Odd", text="x"), "id": "a/b &c"}
    deck = deck_with(organization, card("workOrders"), odd)
    path = f"/app/decks/{deck['id']}"
    page = admin.sees(path)
    address = html.unescape(re.findall(r'hx-get="([^"]+)"', page)[0])
    assert admin.sees(address).lstrip().startswith("<section")
    assert admin.get(f"{path}/cards?card=none").status_code == 404
    edit = re.findall(r'href="([^"]+/cards/edit\?card=[^"]+)"', admin.sees(f"{path}/edit"))
    assert all(admin.get(html.unescape(one)).status_code == 200 for one in edit)
    assert len(edit) == 2


class CountingDatabase:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.statements = 0

    async def fetch(self, statement: Sql, *args: Any) -> list[Row]:
        self.statements += 1
        return await self._pool.fetch(statement, *args)


@pytest.mark.parametrize("times", [1, 5])
def test_many_cards_cost_as_many_statements_as_one_of_each_type(
    organization: Organization, times: int
) -> None:
    cards = new_cards(msgspec.convert(all_types(organization) * times, list[NewCard]))
    caller = Caller(tenant=TenantId(organization.id), plan="", permissions=ALL_PERMISSIONS)

    async def look(pool: Pool) -> tuple[int, int]:
        db = CountingDatabase(pool)
        request: Any = SimpleNamespace(db=db, caller=caller, now=int(time.time()), zone=UTC)
        found = await contents(request, cards)
        return len(found), db.statements

    assert organization.with_pool(look) == (10 * times, 7)


def test_read_only_users_see_no_buttons(organization: Organization, logged_in: LogIn) -> None:
    deck = deck_with(organization, card("workOrders"))
    path = f"/app/decks/{deck['id']}"
    viewer = logged_in(organization.new_user("Viewer")["email"])
    page = viewer.sees(path) + viewer.sees("/app/decks")
    assert "/edit" not in page
    assert "New deck" not in page
    assert "Make a link" not in page
    for answer in (
        viewer.get(f"{path}/edit"),
        viewer.get(f"{path}/cards/edit?type=text"),
        viewer.post(f"{path}/layout", data={"cards": ""}),
        viewer.post(f"{path}/screens", data={"name": "x"}),
        viewer.post(f"{path}/delete"),
    ):
        assert answer.status_code == 403


def test_a_card_is_empty_without_permission_for_its_records(
    organization: Organization, logged_in: LogIn
) -> None:
    device = organization.devices.first_id
    organization.devices.report(device, {"Temperature": 33.25})
    organization.work_orders.create(title="Secret repair")
    deck = deck_with(organization, *all_types(organization))
    role = organization.created("roles", {"name": "Desk", "permissions": ["decks:read"]})
    person = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    page = person.sees(f"/app/decks/{deck['id']}")
    assert page.count("You don't have permission to see this card.") == 9
    assert "Secret repair" not in page
    assert "33.25" not in page
    chart = f"/app/decks/{deck['id']}/chart.json?card={deck['cards'][2]['id']}"
    assert person.get(chart).status_code == 403


def test_a_forged_form_changes_nothing(organization: Organization, admin: BrowserClient) -> None:
    deck = deck_with(organization)
    for path in ("screens", "cards/edit?type=text", "layout", "delete", ""):
        answer = admin.post(
            f"/app/decks/{deck['id']}/{path}".rstrip("/"),
            data={"title": "x", "name": "x"},
            headers={"Origin": "https://elsewhere.example"},
        )
        assert answer.status_code == 403
    assert stored(organization, deck) == deck


def test_a_wall_shows_decks_in_turn(organization: Organization, admin: BrowserClient) -> None:
    first = deck_with(organization, card("text", text="First deck"), title="One")
    second = deck_with(organization, card("text", text="Second deck"), title="Two")
    page = admin.sees(f"/app/decks/wall?decks={first['id']},{second['id']},dck_gone&seconds=10")
    assert "First deck" in page
    assert 'data-seconds="10"' in page
    assert 'class="menu"' not in page
    onward = html.unescape(re.findall(r'data-next="([^"]+)"', page)[0])
    page = admin.sees(onward)
    assert "Second deck" in page
    assert "First deck" in admin.sees(html.unescape(re.findall(r'data-next="([^"]+)"', page)[0]))
    assert admin.get("/app/decks/wall?decks=dck_gone").status_code == 404
    assert admin.get(f"/app/decks/wall?decks={first['id']}&seconds=1").status_code == 422
    assert "First deck" in admin.sees(f"/app/decks/{first['id']}/wall")


def test_a_screen_shows_its_decks_without_login_until_it_is_revoked(
    organization: Organization, admin: BrowserClient, new_browser: NewBrowser
) -> None:
    device = organization.devices.first_id
    organization.devices.report(device, {"Temperature": 21.5})
    deck = deck_with(organization, *all_types(organization))
    other = deck_with(organization, card("text", text="The other"), title="Other")
    unlisted = deck_with(organization, card("text", text="Not shown"), title="Unlisted")
    link = link_of(admin, deck, decks=other["id"], seconds="20")
    screen = new_browser()
    answer = screen.get(link)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "strict-origin"
    page = answer.text
    assert "21.5" in page
    assert "You don't have permission" not in page
    assert 'href="/app' not in page
    assert "The other" in screen.sees(html.unescape(re.findall(r'data-next="([^"]+)"', page)[0]))
    for address in re.findall(r'(?:hx-get|data-chart)="([^"]+)"', page):
        assert screen.get(html.unescape(address)).status_code == 200, address
    assert screen.get(f"{link}/decks/{unlisted['id']}/cards?card=x").status_code == 404
    assert screen.get(f"/app/decks/{deck['id']}").status_code == 303
    revoke = re.findall(r'action="([^"]+/revoke)"', admin.sees(f"/app/decks/{deck['id']}"))
    assert admin.post(revoke[0]).status_code == 303
    for path in (link, f"{link}/live", f"{link}/decks/{deck['id']}/cards?card={deck['cards'][0]['id']}"):
        assert screen.get(path).status_code == 404
    assert admin.post(revoke[0]).status_code == 404


def test_a_made_up_link_is_refused(
    organization: Organization, admin: BrowserClient, new_browser: NewBrowser
) -> None:
    link = link_of(admin, deck_with(organization))
    for wrong in (f"{link}x", f"/screen/{organization.id}.", "/screen/x", f"/screen/{organization.id}"):
        assert new_browser().get(wrong).status_code == 404


def test_a_screen_shows_no_more_than_its_maker_could_see(
    organization: Organization, logged_in: LogIn, new_browser: NewBrowser
) -> None:
    organization.work_orders.create(title="Secret repair")
    deck = deck_with(organization, card("workOrders"), card("text", text="For everybody"))
    role = organization.created("roles", {"name": "Decks", "permissions": ["decks:read", "decks:write"]})
    maker = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    page = new_browser().sees(link_of(maker, deck))
    assert "For everybody" in page
    assert "Secret repair" not in page


def test_a_screen_is_notified_of_its_own_cards_only(
    organization: Organization, admin: BrowserClient, new_browser: NewBrowser
) -> None:
    shown, other = organization.devices.first_id, organization.devices.second_id
    deck = deck_with(organization, card("value", assetId=shown, key="Temperature"), card("alerts"))
    link = link_of(admin, deck)
    with new_browser().stream("GET", f"{link}/live?assets={shown},{other}") as answer:
        events = LiveEvents(answer.iter_lines())
        assert events.next() == ("hello", {})
        organization.work_orders.create()
        organization.devices.report(other, {"Temperature": 5})
        organization.devices.report(shown, {"Temperature": 22})
        values: dict[str, Any] = {}
        while values != {"Temperature": 22}:
            name, told = events.next()
            assert (name, told["assetId"]) == ("telemetry", shown)
            values = told["values"]
        admin.post(re.findall(r'action="([^"]+/revoke)"', admin.sees(f"/app/decks/{deck['id']}"))[0])
        assert events.wait_for("end") == {"reason": "session"}
        assert events.is_over()


def test_a_deleted_deck_leaves_its_screens(
    organization: Organization, admin: BrowserClient, new_browser: NewBrowser
) -> None:
    first = deck_with(organization, card("text", text="First deck"), title="One")
    second = deck_with(organization, card("text", text="Second deck"), title="Two")
    both, one = link_of(admin, first, decks=second["id"]), link_of(admin, first)
    admin.post(f"/app/decks/{first['id']}/delete")
    assert "Second deck" in new_browser().sees(both)
    assert new_browser().get(one).status_code == 404


def test_a_screen_of_another_organization_can_not_be_revoked(
    organization: Organization, other_organization: Organization, admin: BrowserClient, logged_in: LogIn
) -> None:
    deck = deck_with(organization)
    link = link_of(admin, deck)
    path = re.findall(r'action="([^"]+/revoke)"', admin.sees(f"/app/decks/{deck['id']}"))[0]
    assert logged_in(other_organization.email).post(path).status_code == 404
    assert admin.get(link).status_code == 200
    refused = admin.post(
        f"/app/decks/{deck['id']}/screens",
        data={"name": "x", "decks": deck_with(other_organization)["id"]},
    )
    assert refused.status_code == 422


def test_the_number_of_screen_links_is_bounded(organization: Organization, admin: BrowserClient) -> None:
    deck = deck_with(organization)
    link_of(admin, deck)
    organization.sql(
        """INSERT INTO deck_screens (organization_id, id, name, deck_ids, rotate_seconds, permissions, created, token_hash)
           SELECT s.organization_id, 'scr_' || n, s.name, s.deck_ids, s.rotate_seconds, s.permissions, s.created,
                  decode(md5(n::text), 'hex')
           FROM deck_screens s, generate_series(2, $2::integer) n WHERE s.organization_id = $1""",
        organization.id,
        MAX_SCREENS,
    )
    refused = admin.post(f"/app/decks/{deck['id']}/screens", data={"name": "One more"})
    assert refused.status_code == 409
    assert f"There are {MAX_SCREENS} links for screens already" in refused.text
    revoke = re.findall(r'action="([^"]+/revoke)"', admin.sees(f"/app/decks/{deck['id']}"))[0]
    assert admin.post(revoke).status_code == 303
    link_of(admin, deck)
