"""An asset from its type to its label, and a value that changes by itself."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.support.organizations import Organization


def _heading(app: Page, text: str) -> None:
    expect(app.get_by_role("heading", level=1)).to_have_text(text)


def test_a_value_changes_without_reload(app: Page, organization: Organization) -> None:
    id = organization.devices.first_id
    organization.devices.report(id, {"Temperature": 21.5, "Humidity": 40})
    app.goto(f"/app/assets/{id}")
    value = app.locator(f'[data-live-value="{id}:Temperature"]')
    expect(value).to_have_text("21.5")
    expect(app.locator("html")).to_have_attribute("data-live", "on")
    chart = app.get_by_role("img", name="Temperature over time")
    chart.scroll_into_view_if_needed()
    expect(chart.locator("canvas").first).to_be_visible()
    app.evaluate("window.unchanged = true")
    organization.devices.report(id, {"Temperature": 24.25})
    expect(value).to_have_text("24.25")
    expect(app.locator(f'[data-live-value="{id}:Humidity"]')).to_have_text("40")
    expect(app.locator("[data-last-reading]")).to_have_text("Last reading just now")
    assert app.evaluate("window.unchanged") is True


def test_an_asset_is_made_from_its_type_to_its_label(app: Page, organization: Organization) -> None:
    site = organization.locations.create("Harbour", type="Site")
    app.goto("/app/asset-types/new")
    app.get_by_label("Name", exact=True).fill("Boiler")
    app.get_by_role("button", name="Add a value").click()
    app.get_by_label("Key in readings").fill("Flow")
    app.get_by_role("group", name="Readings").get_by_label("Name").fill("Flow temperature")
    app.get_by_label("Unit").fill("°C")
    app.get_by_role("button", name="Create asset type").click()
    _heading(app, "Boiler")
    app.get_by_role("link", name="New asset").click()
    app.get_by_label("Name", exact=True).first.fill("Boiler north")
    app.get_by_role("combobox", name="Location").fill("harb")
    app.get_by_role("option", name="Harbour").click()
    app.get_by_role("button", name="Add a fact").click()
    app.get_by_role("group", name="Other details").get_by_label("Name").fill("serialNumber")
    app.get_by_label("Value").fill("17")
    app.get_by_role("button", name="Create asset").click()
    _heading(app, "Boiler north")
    expect(app.locator("dd", has_text="17").first).to_be_visible()
    expect(app.locator(".value", has_text="Flow temperature")).to_contain_text("°C")
    app.get_by_role("link", name="Label").click()
    expect(app.locator(".label")).to_contain_text("Boiler north")
    app.goto("/app/assets/tree")
    app.locator("summary", has_text="Harbour").click()
    app.locator(f"#in-{site['id']}").get_by_role("link", name="Boiler north").click()
    _heading(app, "Boiler north")


def test_a_file_is_checked_and_imported(desk: Page, organization: Organization, tmp_path: Path) -> None:
    kind = organization.assets.type_id
    file = tmp_path / "assets.csv"
    file.write_text("name,assetTypeId\n" + "".join(f"Pump {number},{kind}\n" for number in range(1200)))
    desk.goto("/app/assets/import")
    desk.get_by_label("CSV file").set_input_files(file)
    desk.get_by_role("button", name="Check the file").click()
    desk.get_by_role("button", name="Import 1,200 assets").click()
    expect(desk.get_by_text("1,200 assets were imported.")).to_be_visible()
    desk.get_by_role("link", name="See the assets").click()
    desk.get_by_role("link", name="Name", exact=True).click()
    expect(desk).to_have_url(re.compile("sort=name"))
    expect(desk.get_by_role("link", name="Pump 0", exact=True)).to_be_visible()
