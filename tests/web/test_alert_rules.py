"""Alert rules in the web app: made, changed, switched, deleted, and held against the last week."""

import html
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.pages import compact

NOW = int(time.time())
_BLANK = {"conditions.1.key": "", "conditions.1.operator": "gt", "conditions.1.value": ""}


def _form(**fields: str) -> dict[str, str]:
    """What a browser sends: every field, also those that were left blank."""
    return {
        "name": "Too warm",
        "severity": "Critical",
        "assetTypeId": "",
        "assetId": "",
        "match": "all",
        "conditions.0.key": "Temperature",
        "conditions.0.operator": "gt",
        "conditions.0.value": "30",
        **_BLANK,
        "forTime.amount": "",
        "forTime.unit": "min",
        "clearForTime.amount": "",
        "clearForTime.unit": "min",
        "noDataTime.amount": "",
        "noDataTime.unit": "min",
        "hysteresis": "",
        "workOrderTitle": "",
        "workOrderPriority": "Medium",
        "enabled": "true",
        **fields,
    }


def _shown(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_rule_is_made_shown_listed_changed_switched_and_deleted(
    organization: Organization, admin: BrowserClient
) -> None:
    kind = organization.devices.type_id
    more = {
        "conditions.1.key": "Humidity",
        "conditions.1.operator": "lte",
        "conditions.1.value": "20.5",
        "forTime.amount": "5",
        "clearForTime.amount": "1.5",
        "clearForTime.unit": "h",
        "noDataTime.amount": "2",
        "noDataTime.unit": "d",
        "hysteresis": "0.5",
        "workOrderTitle": "Check the cooling",
        "workOrderPriority": "High",
    }
    answer = admin.post("/app/alert-rules", data=_form(assetTypeId=kind, **more))
    assert answer.status_code == 303, answer.text
    path = answer.headers["location"]
    (rule,) = organization.alert_rules.listed()
    assert path == f"/app/alert-rules/{rule['id']}"
    assert rule["conditions"] == [
        {"key": "Temperature", "operator": "gt", "value": 30},
        {"key": "Humidity", "operator": "lte", "value": 20.5},
    ]
    times = (rule["forSeconds"], rule["clearForSeconds"], rule["noDataSeconds"], rule["hysteresis"])
    assert times == (300, 5400, 172_800, 0.5)
    assert rule["workOrder"] == {"title": "Check the cooling", "priority": "High"}
    words = "Temperature > 30 °C and Relative humidity ≤ 20.5 % for 5 min, or no data for 2 d"
    assert words in _shown(admin.sees(path))
    assert words in _shown(admin.sees("/app/alert-rules"))

    form = admin.sees(f"{path}/edit")
    for name, value in (("forTime.amount", "5"), ("clearForTime.amount", "90"), ("noDataTime.amount", "2")):
        assert re.search(rf'name="{re.escape(name)}"[^>]* value="{value}"', form)
    target = html.unescape(form.split('<form class="card" method="post" action="')[1].split('"')[0])
    assert admin.post(target, data=_form(name="Hot", match="any")).status_code == 303
    changed = organization.alert_rules.read(rule)
    assert (changed["name"], changed["match"], len(changed["conditions"])) == ("Hot", "any", 1)
    assert (changed["forSeconds"], changed["noDataSeconds"], changed["workOrder"]) == (0, None, None)
    assert (changed["assetTypeId"], changed["created"]) == (kind, rule["created"])
    # The form was made from an older version than there is now.
    assert admin.post(target, data=_form(name="Later")).status_code == 412

    assert "Switch off" in admin.sees(path)
    assert admin.post(f"{path}/switch", data={"enabled": "false"}).status_code == 303
    assert organization.alert_rules.read(rule)["enabled"] is False
    assert "Switch on" in admin.sees(path)
    assert "Hot" in admin.sees("/app/alert-rules?enabled=false")
    assert "Nothing matches" in admin.sees("/app/alert-rules?enabled=true")
    assert admin.post(f"{path}/delete").headers["location"] == "/app/alert-rules"
    assert organization.alert_rules.listed() == []


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"name": " "}, 'id="name-error">Fill this in.'),
        ({"assetTypeId": ""}, 'id="assetTypeId-error">Choose an asset type, or one asset'),
        ({"assetId": "ast_1"}, 'id="assetId-error">Choose either an asset type or one asset'),
        ({"assetTypeId": "aty_none"}, 'id="assetTypeId-error">'),
        ({"conditions.0.value": ""}, 'id="conditions.0.value-error">Fill this in'),
        ({"conditions.0.value": "warm"}, 'id="conditions.0.value-error">Use a number'),
        ({"conditions.1.value": "5"}, 'id="conditions.1.key-error">Fill this in'),
        ({"conditions.0.key": "", "conditions.0.value": ""}, 'id="conditions-error">Fill in a condition'),
        ({"conditions.0.operator": "like"}, "Choose one of the values"),
        ({"forTime.amount": "-1"}, 'id="forTime.amount-error">Use a number that is at least 0'),
        ({"forTime.amount": "366", "forTime.unit": "d"}, 'id="forTime.amount-error">Use at most 365 days'),
        ({"hysteresis": "some"}, 'id="hysteresis-error">Use a number'),
    ],
)
@pytest.mark.parametrize("path", ["/app/alert-rules", "/app/alert-rules/preview"])
def test_errors_are_shown_at_their_fields_and_input_is_kept(
    organization: Organization, admin: BrowserClient, path: str, fields: dict[str, str], error: str
) -> None:
    form = _form(**{"assetTypeId": organization.devices.type_id, "workOrderTitle": "Look & see", **fields})
    if path.endswith("preview") and fields.get("assetTypeId") == "aty_none":
        assert "no such assets" in admin.post(path, data=form).text
        return
    answer = admin.post(path, data=form)
    assert answer.status_code == 422, answer.text
    assert error in answer.text
    assert 'value="Look &amp; see"' in answer.text
    assert organization.alert_rules.listed() == []


def test_the_form_offers_the_keys_of_its_asset_or_type(
    organization: Organization, admin: BrowserClient
) -> None:
    kind, sensor = organization.devices.type_id, organization.devices.first_id
    page = admin.sees(f"/app/alert-rules/new?assetTypeId={kind}")
    assert f'value="{kind}"' in page
    assert '<option value="Humidity">Relative humidity, %</option>' in page
    assert "Climate sensor" in page
    for query in (f"assetTypeId={kind}", f"assetId={sensor}"):
        keys = admin.sees(f"/app/alert-rules/keys?{query}")
        assert keys.count("<option") == 2
        assert "<html" not in keys
    assert "<option" not in admin.sees("/app/alert-rules/keys")


def _history(organization: Organization, asset: str, *spans: tuple[int, int]) -> None:
    """Three days ago, a reading every two minutes for two hours: 35 °C in these spans of minutes, 20 °C otherwise."""
    start = NOW - 3 * 86_400
    readings = [
        {
            "assetId": asset,
            "timestamp": start + minute * 60,
            "values": {"Temperature": 35 if any(a <= minute < b for a, b in spans) else 20},
        }
        for minute in range(0, 120, 2)
    ]
    answer = organization.devices.send_batch(*readings)
    assert answer.status_code == 200, answer.text


def test_a_preview_counts_exactly_what_there_would_have_been(
    organization: Organization, admin: BrowserClient
) -> None:
    devices = organization.devices
    _history(organization, devices.first_id, (10, 20), (40, 44), (60, 80))
    _history(organization, devices.second_id, (30, 50))
    _history(organization, devices.add("Sensor 3"))
    pumps = organization.assets.create("Not of this type")["id"]
    kind = devices.type_id

    def preview(**fields: str) -> str:
        answer = admin.post("/app/alert-rules/preview", data=_form(**{"assetTypeId": kind, **fields}))
        assert answer.status_code == 200, answer.text
        return compact(answer.text)

    page = preview()
    assert "Would have fired 4 times over the last week, on 2 of 3 assets." in _shown(page)
    assert "Looked at all 3 assets of this rule." in _shown(page)
    lasted = re.findall(r"<td>(Sensor \d)</td><td class=\"nowrap\">([^<]+)</td>", page)
    assert lasted == [
        ("Sensor 1", "20 min"),
        ("Sensor 1", "4 min"),
        ("Sensor 2", "20 min"),
        ("Sensor 1", "10 min"),
    ]
    # What lasts for four minutes is no longer one; what clears late enough is one with the next.
    assert "Would have fired 3 times" in preview(**{"forTime.amount": "5"})
    assert "Would have fired 2 times" in preview(**{"clearForTime.amount": "30"})
    assert "Would have fired 1 time over" in _shown(preview(assetTypeId="", assetId=devices.second_id))
    assert "Would not have fired" in preview(**{"conditions.0.value": "40"})
    assert "Would not have fired" in preview(assetTypeId="", assetId=pumps)
    # The form is still what it was, and nothing was stored.
    assert re.search(r'name="conditions.0.value" value="30"', page)
    assert organization.alert_rules.listed() == []


def test_a_preview_can_be_fetched_alone_and_of_a_stored_rule(
    organization: Organization, admin: BrowserClient
) -> None:
    _history(organization, organization.devices.first_id, (10, 20))
    rule = organization.alert_rules.create(name="Too warm")["id"]
    path = f"/app/alert-rules/{rule}"
    assert "Would have fired 1 time over the last week." in _shown(admin.sees(f"{path}/preview"))
    form = _form(**{"conditions.0.value": "50"})
    part = admin.post(f"/app/alert-rules/preview?ruleId={rule}", data=form, headers={"HX-Target": "preview"})
    assert part.text.startswith('<div id="preview"')
    assert "Would not have fired" in part.text
    whole = admin.post(f"/app/alert-rules/preview?ruleId={rule}", data=form)
    assert f'action="{path}?version=' in whole.text
    wrong = admin.post(
        f"/app/alert-rules/preview?ruleId={rule}",
        data=_form(**{"conditions.0.value": ""}),
        headers={"HX-Target": "preview"},
    )
    assert (wrong.status_code, "Threshold 1: Fill this in" in wrong.text) == (422, True)


def test_many_assets_are_previewed_by_those_that_reported_last(
    organization: Organization, admin: BrowserClient
) -> None:
    rows = [{"name": f"Sensor {n}", "assetTypeId": organization.devices.type_id} for n in range(25)]
    made = [organization.devices.create(**row)["id"] for row in rows]
    _history(organization, made[0], (10, 20))
    answer = admin.post("/app/alert-rules/preview", data=_form(assetTypeId=organization.devices.type_id))
    assert "Would have fired 1 time over the last week, on 1 of 20 assets." in _shown(answer.text)
    assert "Looked at the 20 of 25 assets that have reported last." in _shown(answer.text)


def test_read_only_users_see_no_buttons(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    rule = organization.alert_rules.create(name="Too <i>warm</i>")["id"]
    viewer = logged_in(organization.new_user("Viewer")["email"])
    page, listed = viewer.sees(f"/app/alert-rules/{rule}"), viewer.sees("/app/alert-rules")
    for text in (page, listed):
        assert "Too &lt;i&gt;warm&lt;/i&gt;" in text
        assert "<i>warm" not in text
    assert "New alert rule" not in listed
    for action in ("edit", "switch", "delete"):
        assert f"/app/alert-rules/{rule}/{action}" not in page
    assert viewer.sees(f"/app/alert-rules/{rule}/preview")
    assert viewer.post("/app/alert-rules", data=_form()).status_code == 403
    assert viewer.post("/app/alert-rules/preview", data=_form()).status_code == 403
    assert viewer.post(f"/app/alert-rules/{rule}/delete").status_code == 403
    assert viewer.get(f"/app/alert-rules/{rule}/edit").status_code == 403


def test_rules_need_permission_for_alerts(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    """Neither by links nor by their address, and not on the page of an asset."""
    asset = organization.devices.create()["id"]
    rule = organization.alert_rules.create(name="Too warm", assetTypeId=None, assetId=asset)["id"]
    requester = logged_in(organization.new_user("Requester")["email"])
    assert "alert-rules" not in requester.sees("/app")
    for address in ("", ".csv", "/new", f"/{rule}", f"/{rule}/preview"):
        refused = requester.get(f"/app/alert-rules{address}")
        assert refused.status_code == 403, address
        assert "This needs the permission" in refused.text
    assert "Too warm" not in requester.sees(f"/app/assets/{asset}")


def test_a_forged_form_is_refused(organization: Organization, admin: BrowserClient) -> None:
    rule: dict[str, Any] = organization.alert_rules.create()
    elsewhere = {"Origin": "https://evil.example"}
    path = f"/app/alert-rules/{rule['id']}"
    for target, data in ((f"{path}/delete", {}), (f"{path}/switch", {"enabled": "false"}), (path, _form())):
        assert admin.post(target, data=data, headers=elsewhere).status_code == 403
    assert organization.alert_rules.read(rule) == rule


def test_another_tenants_rule_is_not_found(
    new_organization: Callable[..., Organization], admin: BrowserClient
) -> None:
    foreign = new_organization().alert_rules.create()["id"]
    for path in (foreign, f"{foreign}/edit", f"{foreign}/preview"):
        assert admin.get(f"/app/alert-rules/{path}").status_code == 404
    answer = admin.post(f"/app/alert-rules/preview?ruleId={foreign}", data=_form())
    assert answer.status_code == 404
