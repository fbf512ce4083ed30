import html
from collections.abc import Callable

from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

PATH = "/app/asset-types"


def _row(number: int, key: str, name: str, kind: str, unit: str = "") -> dict[str, str]:
    values = {"key": key, "name": name, "type": kind, "unit": unit}
    return {f"properties.{number}.{field}": value for field, value in values.items()}


def test_every_organization_begins_with_five_kinds_of_sensor(admin: BrowserClient) -> None:
    page = admin.sees(PATH)
    assert page.count('class="row-link"') == 5
    assert "Air quality sensor" in page
    assert "and 4 more" in page


def test_a_type_is_created_and_changed_with_its_properties(
    organization: Organization, admin: BrowserClient
) -> None:
    data = {
        "name": "Boiler <b>",
        "isIotDevice": "true",
        "keepAlive": "600",
        "properties": "",
        **_row(0, "Flow", "Flow <temperature>", "float", "°C"),
        **_row(1, "", "", ""),
        **_row(4, "On", "Burner", "boolean"),
    }
    answer = admin.post(PATH, data=data)
    assert answer.status_code == 303, answer.text
    address = answer.headers["location"]
    page = admin.sees(address)
    assert "Boiler &lt;b&gt;" in page
    assert "Flow &lt;temperature&gt;" in page
    stored = organization.asset_types.read(address.rpartition("/")[2])
    assert (stored["isIotDevice"], stored["keepAlive"]) == (True, 600)
    assert [one["key"] for one in stored["properties"]] == ["Flow", "On"]
    answer = admin.post(address, data={"name": "Boiler", "isIotDevice": "false", "properties": ""})
    assert answer.status_code == 303, answer.text
    stored = organization.asset_types.read(stored)
    assert (stored["name"], stored["isIotDevice"], stored["properties"]) == ("Boiler", False, [])


def test_errors_of_a_property_are_shown_in_its_row(organization: Organization, admin: BrowserClient) -> None:
    data = {"name": "Boiler", "properties": "", **_row(2, "Flow", "", ""), **_row(7, "x" * 101, "X", "float")}
    answer = admin.post(PATH, data=data)
    assert answer.status_code == 422
    assert 'id="properties.0-error">Fill this in.' in answer.text
    assert 'name="properties.0.key" value="Flow"' in answer.text
    assert f'name="properties.1.key" value="{"x" * 101}"' in answer.text
    twice = {"name": "Boiler", "properties": "", **_row(0, "A", "A", "float"), **_row(1, "A", "B", "float")}
    answer = admin.post(PATH, data=twice)
    assert answer.status_code == 422
    assert 'id="properties[1].key-error">Is used by another property of this type' in answer.text
    assert len(organization.asset_types.ids()) == 5


def test_a_duplicate_name_is_reported(admin: BrowserClient) -> None:
    answer = admin.post(PATH, data={"name": "Power socket", "properties": ""})
    assert answer.status_code == 409
    assert "An asset type with this name exists already." in answer.text


def test_a_type_that_is_in_use_is_not_deleted(organization: Organization, admin: BrowserClient) -> None:
    used = organization.assets.create()["assetTypeId"]
    free = organization.asset_types.create("Free")["id"]
    assert admin.post(f"{PATH}/{used}/delete").status_code == 409
    assert admin.post(f"{PATH}/{free}/delete").headers["location"] == PATH
    assert admin.get(f"{PATH}/{free}").status_code == 404


def test_read_only_users_see_no_form(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    id = organization.asset_types.create("Boiler")["id"]
    viewer = logged_in(organization.new_user("Viewer")["email"])
    page = html.unescape(viewer.sees(f"{PATH}/{id}")).split('<main id="main"')[1].split("</main>")[0]
    assert 'method="post"' not in page
    assert viewer.get(f"{PATH}/new").status_code == 403
    assert viewer.post(f"{PATH}/{id}", data={"name": "x"}).status_code == 403
    assert viewer.post(f"{PATH}/{id}/delete").status_code == 403
