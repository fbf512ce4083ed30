import csv
import html
import time
from collections.abc import Callable

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.records.collection import Record

NO_STORE = "no-store"


def _lists(page: str) -> dict[str, str]:
    """The three lists of the front desk, by the id of their headings."""
    parts = page.split('<section class="card" aria-labelledby="')[1:]
    return {part.split('"')[0]: part for part in parts}


def _visitors(organization: Organization) -> dict[str, Record]:
    return {visitor["name"]: visitor for visitor in organization.visitors.listed()}


def test_the_front_desk_shows_expected_present_and_departed_visitors(
    organization: Organization, admin: BrowserClient
) -> None:
    now = int(time.time())
    visitors = organization.visitors
    visitors.create(name="Later today", expectedArrival=now)
    visitors.create(name="Without a time")
    visitors.create(name="In three days", expectedArrival=now + 3 * 86_400)
    visitors.create_in_status("Cancelled", name="Stays away", expectedArrival=now)
    visitors.create_in_status("CheckedIn", name="Is <here>")
    visitors.create_in_status("CheckedOut", name="Has gone")
    answer = admin.get("/app/visitors")
    assert NO_STORE in answer.headers["cache-control"]
    lists = _lists(answer.text)
    assert "Later today" in lists["expected"]
    assert "Without a time" in lists["expected"]
    assert "Is &lt;here&gt;" in lists["on-site"]
    assert "Has gone" in lists["left"]
    for absent in ("In three days", "Stays away", "<here>"):
        assert absent not in answer.text


def test_a_desk_can_select_several_locations_and_the_browser_keeps_them(
    organization: Organization, admin: BrowserClient
) -> None:
    houses = [
        organization.locations.create(name=name, type="Building")["id"] for name in ("North", "South", "East")
    ]
    floor = organization.locations.create(name="First", type="Floor", parentId=houses[0])["id"]
    for name, place in (("Nora", floor), ("Sue", houses[1]), ("Eve", houses[2])):
        organization.visitors.create_in_status("CheckedIn", name=name, locationId=place)

    def seen(address: str) -> set[str]:
        page = admin.sees(address)
        return {name for name in ("Nora", "Sue", "Eve") if name in page}

    both = f"locationId={houses[0]}&locationId={houses[1]}&locationId=&desk=chosen"
    assert seen("/app/visitors") == {"Nora", "Sue", "Eve"}
    assert seen(f"/app/visitors?{both}") == {"Nora", "Sue"}
    page = admin.sees("/app/visitors")
    assert "Eve" not in page
    assert f"/app/visitors/evacuation?locationId={houses[0]}%2C{houses[1]}" in page
    assert seen(f"/app/visitors/evacuation?locationId={houses[0]},{houses[1]}") == {"Nora", "Sue"}
    strange = admin.get("/app/visitors", params={"locationId": "x; Domain=example.com\r\n"})
    assert "Domain=" not in strange.headers["set-cookie"]
    assert seen(f"/app/visitors?locationId={houses[2]}") == {"Eve"}
    assert seen("/app/visitors") == {"Eve"}
    assert seen("/app/visitors?desk=chosen") == {"Nora", "Sue", "Eve"}
    assert seen("/app/visitors") == {"Nora", "Sue", "Eve"}


def test_one_tap_checks_in_and_another_checks_out(organization: Organization, admin: BrowserClient) -> None:
    id = organization.visitors.create(name="Ada Lovelace")["id"]
    for verb, list_id, status in (
        ("check-in", "on-site", "CheckedIn"),
        ("check-out", "left", "CheckedOut"),
    ):
        action = f"/app/visitors/{id}/{verb}?next=/app/visitors"
        assert f'action="{action}"' in admin.sees("/app/visitors")
        answer = admin.post(action)
        assert (answer.status_code, answer.headers["location"]) == (303, "/app/visitors")
        assert "Ada Lovelace" in _lists(admin.sees("/app/visitors"))[list_id]
        assert organization.visitors.read(id)["status"] == status
    answer = admin.post(f"/app/visitors/{id}/check-in?next=/app/visitors")
    assert answer.status_code == 409
    assert "A visitor that is CheckedOut can't check-in" in html.unescape(answer.text)


def test_the_desk_can_be_filtered_by_name_company_and_location(
    organization: Organization, admin: BrowserClient
) -> None:
    house = organization.locations.create(name="House", type="Building")
    floor = organization.locations.create(name="Floor", type="Floor", parentId=house["id"])
    other = organization.locations.create(name="Annex", type="Building")
    organization.visitors.create(name="Ada Lovelace", company="Engines", locationId=floor["id"])
    organization.visitors.create_in_status(
        "CheckedIn", name="Alan Kay", company="Dynabook", locationId=other["id"]
    )
    for query, seen, unseen in (
        ("q=lovel", "Ada", "Alan"),
        ("q=dynabook", "Alan", "Ada"),
        (f"locationId={house['id']}", "Ada", "Alan"),
        (f"locationId={other['id']}&q=kay", "Alan", "Ada"),
    ):
        page = admin.sees(f"/app/visitors?{query}").split('id="reception"')[1]
        assert seen in page
        assert unseen not in page
    # What is too short to search for narrows nothing yet.
    assert "Alan Kay" in admin.sees("/app/visitors?q=z")
    # The part that is fetched by itself brings the buttons that know the place.
    part = admin.get(f"/app/visitors?locationId={house['id']}", headers={"HX-Target": "reception"}).text
    assert "<h1>" not in part
    assert f'href="/app/visitors/evacuation?locationId={house["id"]}"' in part.split("hx-swap-oob")[1]
    page = admin.sees(f"/app/visitors/evacuation?locationId={house['id']}")
    assert "No visitor is on site" in page


def test_a_visitor_is_registered_in_local_time(organization: Organization, admin: BrowserClient) -> None:
    admin.cookies.set("steward_zone", "America%2FNew_York")
    data = {"name": "Ada Lovelace", "company": "Engines", "expectedArrival": "2027-01-05T09:30"}
    answer = admin.post("/app/visitors", data=data)
    visitor = _visitors(organization)["Ada Lovelace"]
    assert answer.headers["location"] == f"/app/visitors/{visitor['id']}"
    assert (visitor["expectedArrival"], visitor["hostId"]) == (1_799_159_400, organization.user_id)
    page = admin.get(answer.headers["location"])
    assert "5 January 2027, 09:30 EST" in page.text
    assert NO_STORE in page.headers["cache-control"]
    answer = admin.post("/app/visitors", data={"name": " ", "email": "nobody", "company": "Kept"})
    assert answer.status_code == 422
    assert 'id="name-error">Fill this in.' in answer.text
    assert 'id="email-error"' in answer.text
    assert 'value="Kept"' in answer.text


def test_walk_ins_are_registered_and_checked_in_at_once(
    organization: Organization, admin: BrowserClient
) -> None:
    answer = admin.post("/app/visitors/walk-in", data={"name": "Grace Hopper"})
    visitor = _visitors(organization)["Grace Hopper"]
    assert (answer.status_code, answer.headers["location"]) == (303, f"/app/visitors/{visitor['id']}")
    assert visitor["status"] == "CheckedIn"
    assert visitor["expectedArrival"] == visitor["checkedInAt"]
    assert [event["type"] for event in organization.events()] == ["visitor.registered", "visitor.checked_in"]
    answer = admin.post("/app/visitors/walk-in", data={"name": "Alan Kay", "locationId": "loc_nowhere"})
    assert answer.status_code == 422
    assert "Names no location" in answer.text
    assert "Walk-in" in answer.text
    assert "Alan Kay" not in _visitors(organization)


def test_a_visitor_can_be_changed_and_cleared(organization: Organization, admin: BrowserClient) -> None:
    visitor = organization.visitors.create(expectedArrival=1_799_159_400)
    page = admin.sees(f"/app/visitors/{visitor['id']}")
    version = page.split("?version=")[1].split('"')[0]
    data = {"name": "Ada Byron", "company": "", "email": "byron@example.com", "expectedArrival": ""}
    path = f"/app/visitors/{visitor['id']}?version={version}"
    assert admin.post(path, data=data).status_code == 303
    changed = organization.visitors.read(visitor)
    assert (changed["name"], changed["company"], changed["email"], changed["expectedArrival"]) == (
        "Ada Byron",
        None,
        "byron@example.com",
        None,
    )
    assert admin.post(path, data={**data, "name": "Too late"}).status_code == 412
    assert organization.visitors.read(visitor)["name"] == "Ada Byron"


@pytest.mark.parametrize("status", ["Registered", "CheckedOut", "Cancelled"])
def test_a_person_is_erased_and_the_visit_stays(
    organization: Organization, admin: BrowserClient, status: str
) -> None:
    path = f"/app/visitors/{organization.visitors.create_in_status(status)['id']}"
    assert "Erase for good" in admin.sees(path)
    answer = admin.post(f"{path}/delete?next={path}")
    assert (answer.status_code, answer.headers["location"]) == (303, path)
    page = admin.sees(path)
    assert "Erased visitor" in page
    assert "Ada Lovelace" not in page
    for absent in ("Erase for good", "/check-in", "/badge", "Edit</summary>"):
        assert absent not in page
    assert admin.get(f"{path}/badge").status_code == 409


def test_visitors_on_site_are_not_erased(organization: Organization, admin: BrowserClient) -> None:
    path = f"/app/visitors/{organization.visitors.create_in_status('CheckedIn')['id']}"
    assert "Erase for good" not in admin.sees(path)
    answer = admin.post(f"{path}/delete")
    assert answer.status_code == 409
    assert "check them out first" in answer.text


def test_a_badge_and_the_evacuation_list_can_be_printed(
    organization: Organization, admin: BrowserClient
) -> None:
    place = organization.locations.create(name="Tower <1>", type="Building")
    here = organization.visitors.create_in_status("CheckedIn", name="Ada & Co", locationId=place["id"])
    organization.visitors.create(name="Not here yet")
    for path in (f"/app/visitors/{here['id']}/badge", "/app/visitors/evacuation"):
        answer = admin.get(path)
        assert answer.status_code == 200
        assert NO_STORE in answer.headers["cache-control"]
        for text in ("data-print", "Ada &amp; Co", "Tower &lt;1&gt;"):
            assert text in answer.text
        assert "Not here yet" not in answer.text
    assert admin.sees("/app/visitors/evacuation").count("data-found") == 1


def test_all_visits_are_filtered_by_status_and_day_sorted_and_exported(
    organization: Organization, admin: BrowserClient
) -> None:
    # 1 March 2027, 12:00 UTC, and the two days after it, in another order.
    for name, day in (("Third", 2), ("First", 0), ("Second", 1)):
        organization.visitors.create(name=name, expectedArrival=1_803_902_400 + day * 86_400)
    organization.visitors.create_in_status("Cancelled", name="Cancelled one")
    page = admin.get("/app/visitors/visits?sort=expectedArrival&status=Registered")
    assert NO_STORE in page.headers["cache-control"]
    assert page.text.index("First") < page.text.index("Second") < page.text.index("Third")
    assert "Cancelled one" not in page.text
    path = "/app/visitors/visits?from=2027-03-01&until=2027-03-02"
    some = admin.sees(path)
    assert ("First" in some, "Second" in some, "Third" in some) == (True, True, False)
    answer = admin.get(path.replace("visits?", "visits.csv?"))
    assert NO_STORE in answer.headers["cache-control"]
    rows = csv.DictReader(answer.text.splitlines())
    assert [row["name"] for row in rows] == ["Second", "First"]
    assert admin.get("/app/visitors/visits?from=tomorrow").status_code == 422


def test_a_forged_form_and_another_tenant_change_nothing(
    organization: Organization, other_organization: Organization, admin: BrowserClient
) -> None:
    visitor = organization.visitors.create()
    path = f"/app/visitors/{visitor['id']}/check-in"
    assert admin.post(path, headers={"Origin": "https://elsewhere.example"}).status_code == 403
    assert organization.visitors.read(visitor)["status"] == "Registered"
    foreign = other_organization.visitors.create()["id"]
    for rest in ("", "/badge"):
        assert admin.get(f"/app/visitors/{foreign}{rest}").status_code == 404
    assert admin.post(f"/app/visitors/{foreign}/check-in").status_code == 404


def test_read_only_users_see_no_buttons_and_technicians_no_page(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    paths = [
        f"/app/visitors/{organization.visitors.create_in_status(s)['id']}"
        for s in ("Registered", "CheckedIn")
    ]
    viewer = logged_in(organization.new_user("Viewer")["email"])
    for path in ("/app/visitors", "/app/visitors/visits", *paths):
        page = viewer.sees(path)
        assert "Ada Lovelace" in page
        for action in ("/check-in", "/check-out", "/cancel", "/delete", "/new", "/walk-in", "?version="):
            assert action not in page
    for path in (f"{paths[0]}/check-in", "/app/visitors/walk-in", "/app/visitors"):
        assert viewer.post(path, data={"name": "x"}).status_code == 403
    technician = logged_in(organization.new_user("Technician")["email"])
    for path in ("/app/visitors", "/app/visitors/visits", "/app/visitors/evacuation", paths[0]):
        assert technician.get(path).status_code == 403
    assert "/app/visitors" not in technician.sees("/app/work-orders")
