import csv
import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

from steward.locations.rules import address_lines


def _campus(organization: Organization) -> tuple[str, str, str]:
    site = organization.locations.create(name="Campus", type="Site")
    house = organization.locations.create(name="House", type="Building", parentId=site["id"], code="H")
    floor = organization.locations.create(name="Floor 1", type="Floor", parentId=house["id"])
    return site["id"], house["id"], floor["id"]


def _nodes(page: str) -> list[str]:
    return re.findall(r'class="node-name">([^<]*)<', page)


def test_the_tree_shows_two_levels_and_loads_the_rest(
    organization: Organization, admin: BrowserClient
) -> None:
    assert "No locations yet" in admin.sees("/app/locations")
    _, house, _ = _campus(organization)
    page = admin.sees("/app/locations")
    assert _nodes(page) == ["Campus", "House"]
    address = f"/app/locations/branch?parentId={house}"
    assert f'hx-get="{address}"' in page
    assert _nodes(admin.sees(address)) == ["Floor 1"]


def test_many_locations_are_sorted_by_name_and_paged(
    organization: Organization, admin: BrowserClient
) -> None:
    organization.sql(
        """INSERT INTO locations (organization_id, id, name, type, created, updated, search_text, search_grams)
           SELECT $1, 'loc_' || lpad((500 - n)::text, 28, '0'), 'Room ' || lpad(n::text, 3, '0'), 'Space', 1, 1, '', '{}'
           FROM generate_series(1, 450) n""",
        organization.id,
    )
    page, seen = admin.sees("/app/locations"), []
    while True:
        seen += _nodes(page)
        more = re.search(r'<button[^>]*hx-get="([^"]+)"[^>]*>Show more', page)
        if more is None:
            break
        page = admin.sees(html.unescape(more[1]))
    assert seen == [f"Room {n:03}" for n in range(1, 451)]


def test_a_location_is_found_with_its_parents(organization: Organization, admin: BrowserClient) -> None:
    site, house, floor = _campus(organization)
    page = admin.sees("/app/locations?q=floor")
    found = page.split('id="tree"')[1]
    for id in (site, house, floor):
        assert f'href="/app/locations/{id}"' in found
    assert "Nothing matches" in admin.sees("/app/locations?q=cellar")
    assert "at least two characters" in admin.sees("/app/locations?q=f")
    rows = csv.DictReader(admin.sees("/app/locations/list.csv?type=Building").splitlines())
    assert [row["name"] for row in rows] == ["House"]


def test_a_location_is_created_below_another(organization: Organization, admin: BrowserClient) -> None:
    _, house, _ = _campus(organization)
    page = admin.sees(f"/app/locations/new?parentId={house}")
    assert f'value="{house}" data-label="House"' in page
    assert '<option value="Floor" selected>' in page
    data = {
        "name": "Floor <2>",
        "type": "Floor",
        "parentId": house,
        "timezone": "Europe/Berlin",
        "address": "",
        "address.city": "Hamburg",
        "address.street": "",
        "latitude": "53.5",
        "longitude": "9.9",
    }
    answer = admin.post("/app/locations", data=data)
    assert answer.status_code == 303, answer.text
    page = admin.sees(answer.headers["location"])
    for text in ("Floor &lt;2&gt;", "Europe/Berlin", "Hamburg", "53.5, 9.9", ">Campus</a>", ">House</a>"):
        assert text in page
    assert "Floor &lt;2&gt;" in admin.sees(f"/app/locations/branch?parentId={house}")
    stored = organization.locations.read(answer.headers["location"].rpartition("/")[2])
    assert (stored["address"], stored["latitude"]) == ({"city": "Hamburg"}, 53.5)


def test_errors_are_shown_at_their_fields(organization: Organization, admin: BrowserClient) -> None:
    _campus(organization)
    data = {"name": " ", "type": "Floor", "latitude": "91", "address.city": "Hamburg"}
    answer = admin.post("/app/locations", data=data)
    assert answer.status_code == 422
    assert 'id="name-error">Fill this in.' in answer.text
    assert 'id="latitude-error">Use a number that is at most 90' in answer.text
    assert 'value="Hamburg"' in answer.text
    answer = admin.post("/app/locations", data={"name": "x", "type": "Floor", "timezone": "Mars/Olympus"})
    assert answer.status_code == 422
    assert 'id="timezone-error"' in answer.text
    answer = admin.post("/app/locations", data={"name": "x", "type": "Floor", "code": "H"})
    assert answer.status_code == 409
    assert "A location with this code exists already." in answer.text


def test_an_edit_keeps_fields_that_the_form_does_not_show(
    organization: Organization, admin: BrowserClient
) -> None:
    address = {"street": "Quay 1", "city": "Hamburg", "gate": "3", "plan": {"sheet": 4}}
    location = organization.locations.create(name="House", type="Building", address=address, timezone="UTC")
    page = admin.sees(f"/app/locations/{location['id']}")
    assert 'name="address.gate"' in page
    data = {
        "name": "The house",
        "type": "Building",
        "timezone": "",
        "address": "",
        "address.street": "Quay 2",
        "address.city": "",
        "address.gate": "4",
    }
    assert admin.post(f"/app/locations/{location['id']}", data=data).status_code == 303
    stored = organization.locations.read(location)
    assert (stored["name"], stored["timezone"]) == ("The house", None)
    assert stored["address"] == {"street": "Quay 2", "gate": "4", "plan": {"sheet": 4}}
    data = {"name": "The house", "address": "", "address.street": "", "address.gate": ""}
    assert admin.post(f"/app/locations/{location['id']}", data=data).status_code == 303
    assert organization.locations.read(location)["address"] == {"plan": {"sheet": 4}}


def test_a_location_moves_but_not_into_itself(organization: Organization, admin: BrowserClient) -> None:
    site, house, floor = _campus(organization)
    answer = admin.post(f"/app/locations/{house}/move", data={"parentId": floor})
    assert answer.status_code == 422
    assert 'id="parentId-error">A location can&#39;t lie in itself' in answer.text
    assert admin.post(f"/app/locations/{floor}/move", data={"parentId": site}).status_code == 303
    assert organization.locations.read(floor)["parentId"] == site
    assert admin.post(f"/app/locations/{house}/move", data={"parentId": ""}).status_code == 303
    assert organization.locations.read(house)["parentId"] is None


def test_a_location_can_be_deleted_once_unreferenced(
    organization: Organization, admin: BrowserClient
) -> None:
    site, house, floor = _campus(organization)
    answer = admin.post(f"/app/locations/{house}/delete")
    assert answer.status_code == 409
    assert "can&#39;t be deleted while other locations name it" in answer.text
    visitor = organization.visitors.create(locationId=floor)
    answer = admin.post(f"/app/locations/{floor}/delete")
    assert (answer.status_code, "while visitors name it" in answer.text) == (409, True)
    organization.visitors.change(visitor, locationId=None)
    answer = admin.post(f"/app/locations/{floor}/delete?next=/app/locations/{house}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/app/locations/{house}")
    assert organization.locations.ids(parentId=house) == []
    assert site in organization.locations.ids()


def test_the_page_of_a_location_shows_its_contents(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    site, _, floor = _campus(organization)
    organization.visitors.create_in_status("CheckedIn", locationId=floor)
    organization.visitors.create_in_status("CheckedIn", locationId=site)
    organization.visitors.create(locationId=site)
    page = "".join(admin.sees(f"/app/locations/{site}").split())
    assert (
        f'<ahref="/app/visitors?locationId={site}">Visitorsonsite</a></th><tdclass="number">1</td><tdclass="number">2</td>'
        in page
    )
    technician = logged_in(organization.new_user("Technician")["email"])
    page = technician.sees(f"/app/locations/{site}")
    assert ("Assets</a>" in page, "Visitors on site" in page) == (True, False)


def test_read_only_users_see_no_buttons(
    organization: Organization,
    other_organization: Organization,
    admin: BrowserClient,
    logged_in: Callable[[str], BrowserClient],
) -> None:
    site, _, _ = _campus(organization)
    viewer = logged_in(organization.new_user("Viewer")["email"])
    for path in ("/app/locations", "/app/locations/list", f"/app/locations/{site}"):
        page = viewer.sees(path)
        for action in ("/app/locations/new", "/delete", "/move", "?version="):
            assert action not in page
    for path in ("", f"/{site}", f"/{site}/move", f"/{site}/delete"):
        answer = viewer.post(f"/app/locations{path}", data={"name": "x", "type": "Site"})
        assert answer.status_code == 403
    forged = admin.post(f"/app/locations/{site}/move", headers={"Origin": "https://elsewhere.example"})
    assert forged.status_code == 403
    foreign, _, _ = _campus(other_organization)
    assert admin.get(f"/app/locations/{foreign}").status_code == 404
    assert _nodes(admin.sees(f"/app/locations/branch?parentId={foreign}")) == []


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ({}, []),
        (
            {"city": "Hamburg", "street": "Quay 1", "country": "DE", "postalCode": "20457"},
            [("", "Quay 1"), ("", "20457 Hamburg"), ("", "DE")],
        ),
        ({"city": "Hamburg", "street": ""}, [("", "Hamburg")]),
        (
            {"gate": "3", "country": "DE", "city": 7, "plan": {"sheet": 4}},
            [("", "DE"), ("gate", "3"), ("city", "7"), ("plan", '{"sheet":4}')],
        ),
    ],
)
def test_an_address_is_formatted_for_mail(address: dict[str, Any], lines: list[tuple[str, str]]) -> None:
    assert address_lines(address) == lines


def test_archived_records_are_not_in_the_trees(organization: Organization, admin: BrowserClient) -> None:
    _, house, floor = _campus(organization)
    pump = organization.assets.create("Hidden pump", locationId=house)
    organization.locations.post_verb(floor, "archive")
    organization.assets.move(pump, "archive")
    for page in ("/app/locations", f"/app/locations/branch?parentId={house}", f"/app/locations/{house}"):
        assert f"/app/locations/{floor}" not in admin.sees(page)
    tree = admin.sees(f"/app/assets/tree?locationId={house}")
    assert (floor in tree, "Hidden pump" in tree) == (False, False)
