"""An alert comes by itself, is acknowledged, and leads to a work order."""

import time

from playwright.sync_api import Page, Route, expect
from tests.support.organizations import Organization


def test_an_alert_appears_without_a_reload_and_leads_to_a_work_order(
    app: Page, organization: Organization
) -> None:
    place = organization.locations.create("Server room")["id"]
    sensor = organization.devices.add("Rack 1", locationId=place)
    organization.alert_rules.create(name="Too warm")
    organization.devices.report(sensor, {"Temperature": 21})
    app.goto("/app/alerts")
    expect(app.get_by_text("All quiet")).to_be_visible()
    expect(app.locator("html")).to_have_attribute("data-live", "on")
    app.evaluate("window.sameDocument = true")
    organization.devices.report(sensor, {"Temperature": 31.2})
    row = app.get_by_role("row", name="Rack 1")
    expect(row).to_contain_text("Temperature 31.2 °C > 30 °C")
    row.get_by_role("button", name="Acknowledge").press("Enter")
    expect(row).to_contain_text("just now")
    expect(row.get_by_role("button", name="Acknowledge")).to_have_count(0)
    assert app.evaluate("window.sameDocument")
    (alert,) = organization.alerts.listed()
    assert alert["status"] == "Acknowledged"
    row.get_by_role("link", name="New order for Rack 1").press("Enter")
    expect(app.get_by_label("Title")).to_have_value("Too warm: Rack 1")
    app.get_by_role("button", name="Create work order").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Too warm: Rack 1")
    (order,) = organization.work_orders.listed()
    assert (order["assetId"], order["locationId"]) == (sensor, place)
    organization.devices.report(sensor, {"Temperature": 20})
    app.goto("/app/alerts/cleared")
    expect(app.get_by_role("row", name="Rack 1")).to_contain_text("Temperature 31.2 °C > 30 °C")


def test_keys_typed_faster_than_results_choose_from_the_typed_text(app: Page) -> None:
    app.goto("/app/alert-rules/new")
    kind = app.get_by_role("combobox", name="Asset type")
    kind.focus()
    offered = app.get_by_role("listbox").get_by_role("option")
    expect(offered.nth(1)).to_be_visible()
    wanted = offered.last.inner_text()
    # All in one turn of the browser: the list is surely that of the empty field still.
    kind.evaluate(
        """(field, text) => {
          field.value = text;
          field.dispatchEvent(new Event("input", { bubbles: true }));
          for (const key of ["ArrowDown", "Enter"])
            field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        }""",
        wanted[:-1],
    )
    expect(kind).to_have_value(wanted)


def test_a_picker_works_only_after_the_page_is_ready(app: Page) -> None:
    held: list[Route] = []
    app.route("**/js/alert_rules*.js", lambda route, _request: held.append(route))
    with app.expect_request("**/js/alert_rules*.js"):
        app.goto("/app/alert-rules/new", wait_until="commit")
    field = app.locator("#assetTypeId")
    # The app's own script has run, and that of the page has not come yet.
    expect(app.locator("[data-search]")).to_have_attribute("role", "combobox")
    expect(field).not_to_have_attribute("role", "combobox")
    (script,) = held
    script.continue_()
    expect(field).to_have_attribute("role", "combobox")


def test_a_rule_is_previewed_before_it_is_made(app: Page, organization: Organization) -> None:
    sensor, start = organization.devices.first_id, int(time.time()) - 86_400
    values = (20, 31, 20, 20, 33, 33, 20)
    readings = [
        {
            "assetId": sensor,
            "timestamp": start + 120 * number,
            "values": {"Temperature": value, "Humidity": 50},
        }
        for number, value in enumerate(values)
    ]
    assert organization.devices.send_batch(*readings).status_code == 200
    app.goto("/app/alerts")
    app.get_by_role("link", name="Alert rules").click()
    app.get_by_role("link", name="New alert rule").click()
    app.get_by_label("Name", exact=True).fill("Too warm")
    kind = app.get_by_role("combobox", name="Asset type")
    kind.fill("clim")
    expect(app.get_by_role("option", name="Climate sensor")).to_be_visible()
    kind.press("ArrowDown")
    kind.press("Enter")
    expect(app.locator("datalist#keys option")).to_have_count(2)
    app.get_by_label("Value 1").fill("Temperature")
    app.get_by_label("Threshold 1").fill("30")
    preview = app.get_by_role("button", name="Preview over the last week")
    preview.click()
    expect(app.get_by_role("status")).to_contain_text("Would have fired 2 times over the last week")
    app.get_by_role("button", name="Add a condition").press("Enter")
    expect(app.get_by_label("Value 2")).to_be_focused()
    app.get_by_label("Value 2").fill("Humidity")
    app.get_by_label("Comparison 2").select_option("≥")
    app.get_by_label("Threshold 2").fill("60")
    preview.click()
    expect(app.get_by_role("status")).to_contain_text("Would not have fired over the last week")
    app.get_by_role("button", name="Create alert rule").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Too warm")
    (rule,) = organization.alert_rules.listed()
    assert [(each["key"], each["operator"], each["value"]) for each in rule["conditions"]] == [
        ("Temperature", "gt", 30),
        ("Humidity", "gte", 60),
    ]
    app.get_by_role("link", name="Test this rule").click()
    expect(app.get_by_role("status")).to_contain_text("Would not have fired")
    app.locator("summary", has_text="Delete").click()
    app.get_by_role("button", name="Delete for good").click()
    expect(app.get_by_text("No alert rules yet")).to_be_visible()
