import html
import re
import time
from collections.abc import Callable

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

from steward.kit.web.qr import qr_svg


def test_an_asset_is_created_shown_and_changed(organization: Organization, admin: BrowserClient) -> None:
    type_id = organization.assets.type_id
    answer = admin.post(
        "/app/assets",
        data={
            "name": "Pump <2>",
            "assetTypeId": type_id,
            "externalId": "P-2",
            "metadata": "",
            "metadata.3.key": "serialNumber",
            "metadata.3.value": "<17>",
        },
    )
    assert answer.status_code == 303, answer.text
    address = answer.headers["location"]
    page = admin.sees(address)
    assert "Pump &lt;2&gt;" in page
    assert "&lt;17&gt;" in page
    stored = organization.assets.read(address.rpartition("/")[2])
    assert (stored["externalId"], stored["metadata"]) == ("P-2", {"serialNumber": "<17>"})
    action = html.unescape(page.split(f'action="{address}?version=')[1].split('"')[0])
    answer = admin.post(
        f"{address}?version={action}",
        data={"name": "Pump 3", "assetTypeId": type_id, "externalId": "", "metadata": ""},
    )
    assert answer.status_code == 303, answer.text
    stored = organization.assets.read(stored)
    assert (stored["name"], stored["externalId"], stored["metadata"]) == ("Pump 3", None, {})
    assert address in admin.sees("/app/assets")


def test_unedited_metadata_is_kept(organization: Organization, admin: BrowserClient) -> None:
    made = organization.assets.create(metadata={"power": 24, "service": {"every": "year"}, "room": "old"})
    data = {"name": "Pump 1", "assetTypeId": made["assetTypeId"], "metadata": ""}
    for number, (key, value) in enumerate(
        [("power", "24"), ("service", '{"every":"year"}'), ("room", "3"), ("", "")]
    ):
        data |= {f"metadata.{number}.key": key, f"metadata.{number}.value": value}
    assert admin.post(f"/app/assets/{made['id']}", data=data).status_code == 303
    assert organization.assets.read(made)["metadata"] == {
        "power": 24,
        "service": {"every": "year"},
        "room": "3",
    }


def test_errors_are_shown_at_their_fields_and_input_is_kept(
    organization: Organization, admin: BrowserClient
) -> None:
    organization.assets.create(externalId="P-1")
    sent = {"name": "", "assetTypeId": "aty_1", "metadata.5.value": "lonely", "keepAlive": "0"}
    answer = admin.post("/app/assets", data=sent)
    assert answer.status_code == 422
    for words in (
        'id="name-error">Fill this in.',
        'id="keepAlive-error">Use a number that is at least 1.',
        'id="metadata.0-error">Fill this in.',
    ):
        assert words in answer.text
    assert 'name="metadata.0.value" value="lonely"' in answer.text
    answer = admin.post("/app/assets", data={"name": "x", "assetTypeId": "aty_1"})
    assert answer.status_code == 422
    assert 'id="assetTypeId-error">' in answer.text
    taken = {"name": "x", "assetTypeId": organization.assets.type_id, "externalId": "P-1"}
    answer = admin.post("/app/assets", data=taken)
    assert (answer.status_code, "An asset with this externalId exists already." in answer.text) == (409, True)


def test_a_change_to_a_record_that_changed_meanwhile_is_refused(
    organization: Organization, admin: BrowserClient
) -> None:
    made = organization.assets.create()
    page = admin.sees(f"/app/assets/{made['id']}")
    address = html.unescape(re.findall(r'action="(/app/assets/\w+\?version=[^"]+)"', page)[0])
    organization.assets.change(made, name="Theirs")
    answer = admin.post(address, data={"name": "Mine", "assetTypeId": made["assetTypeId"]})
    assert answer.status_code == 412
    assert "Someone changed this while you were editing. Compare and choose." in answer.text
    assert organization.assets.read(made)["name"] == "Theirs"


def test_a_reading_does_not_make_a_form_stale(organization: Organization, admin: BrowserClient) -> None:
    id = organization.devices.first_id
    page = admin.sees(f"/app/assets/{id}")
    address = html.unescape(re.findall(r'action="(/app/assets/\w+\?version=[^"]+)"', page)[0])
    organization.devices.report(id, {"Temperature": 21})
    answer = admin.post(address, data={"name": "Mine", "assetTypeId": organization.devices.type_id})
    assert answer.status_code == 303


def test_the_list_is_filtered_searched_and_sorted_by_name(
    organization: Organization, admin: BrowserClient
) -> None:
    here = organization.locations.first_id
    for name in ("beta", "Alpha", "gamma"):
        organization.assets.create(name, locationId=here if name != "gamma" else None)
    other = organization.devices.add("Delta")

    def names(query: str) -> list[str]:
        return re.findall(r'class="row-link" href="[^"]*">([^<]*)<', admin.sees(f"/app/assets?{query}"))

    assert names("sort=name") == ["Alpha", "beta", "Delta", "gamma"]
    assert names("sort=-name") == ["gamma", "Delta", "beta", "Alpha"]
    assert names(f"sort=name&locationId={here}") == ["Alpha", "beta"]
    assert names(f"assetTypeId={organization.devices.type_id}") == ["Delta"]
    assert names("q=gam") == ["gamma"]
    assert names("status=Critical") == []
    organization.sql("UPDATE assets SET connection_status = false WHERE id = $1", other)
    assert names("connectionStatus=false") == ["Delta"]
    first = admin.sees("/app/assets?sort=name&limit=3")
    link = html.unescape(first.split('rel="next" href="')[1].split('"')[0])
    assert names(link.partition("?")[2]) == ["gamma"]
    assert admin.get("/app/assets?sort=last_seen").status_code == 422


def test_the_tree_opens_location_by_location(organization: Organization, admin: BrowserClient) -> None:
    site = organization.locations.create("Harbour", type="Site")
    room = organization.locations.create("Room <1>", parentId=site["id"])
    organization.assets.create("Upstairs", locationId=room["id"])
    organization.assets.create("Nowhere")
    tree = admin.sees("/app/assets/tree")
    assert "Harbour" in tree
    assert ">1<span" in tree
    assert "Upstairs" not in tree
    below = admin.get(f"/app/assets/tree?locationId={site['id']}", headers={"HX-Target": f"in-{site['id']}"})
    assert below.text.strip().startswith("<div id=")
    assert "Room &lt;1&gt;" in below.text
    assert "Upstairs" in admin.sees(f"/app/assets/tree?locationId={room['id']}")
    nowhere = admin.sees("/app/assets/tree?locationId=none")
    assert ("Nowhere" in nowhere, "Upstairs" in nowhere) == (True, False)
    assert admin.get("/app/assets/tree?locationId=loc_unknown").status_code == 404


def test_values_have_units_and_metadata_is_text(organization: Organization, admin: BrowserClient) -> None:
    id = organization.devices.first_id
    organization.devices.report(id, {"Temperature": 21.456, "Fan<speed>": 1200, "Mode": True})
    page = admin.sees(f"/app/assets/{id}")
    assert f'data-live-value="{id}:Temperature">21.46</span> <span class="value-unit">°C' in page
    assert f'data-live-value="{id}:Humidity">\N{EN DASH}</span>' in page
    assert f'data-live-value="{id}:Fan&lt;speed&gt;">1,200</span>' in page
    assert f'data-live-value="{id}:Mode">true</span>' in page


def test_a_chart_shows_readings_thresholds_and_alerts(
    organization: Organization, admin: BrowserClient
) -> None:
    id, now = organization.devices.first_id, int(time.time())
    rule = organization.alert_rules.create()
    readings = [(now - 7200, 20), (now - 3600, 31), (now - 60, 22)]
    for at, value in readings:
        organization.devices.report(id, {"Temperature": value, "Humidity": 50}, at)
    organization.alerts.insert(
        rule_id=rule["id"],
        status="Cleared",
        first_seen=now - 3600,
        last_seen=now - 1800,
        cleared_at=now - 1800,
    )
    path = f"/app/assets/{id}/chart.json"
    drawn = admin.get(f"{path}?key=Temperature").json()
    points = drawn["series"][0]["points"]
    assert [point for point in points if point[1] is not None] == [[at, value] for at, value in readings]
    # Longer without a reading than the type allows: the line is broken.
    assert [now - 7199, None] in points
    assert drawn["lines"] == [{"name": "Too warm", "value": 30.0, "tone": "red"}]
    assert {"name": "Too warm", "from": now - 3600, "to": now - 1800, "tone": "amber"} in drawn["spans"]
    assert drawn["unit"] == "°C"
    humidity = admin.get(f"{path}?key=Humidity&range=7d").json()
    assert (humidity["lines"], humidity["spans"]) == ([], [])
    own = admin.get(f"{path}?key=Temperature&range=own&from=2026-01-01T00:00&to=2026-01-02T00:00").json()
    assert own["series"] == [{"name": "Temperature", "points": []}]


def test_a_chart_has_few_points_however_many_readings_there_are(
    organization: Organization, admin: BrowserClient
) -> None:
    id, now = organization.devices.first_id, int(time.time())
    readings = [
        {"assetId": id, "timestamp": now - 60 * number, "values": {"Temperature": number % 40}}
        for number in range(1, 1400)
    ]
    for start in range(0, len(readings), 500):
        assert organization.devices.send_batch(*readings[start : start + 500]).status_code == 200
    drawn = admin.get(f"/app/assets/{id}/chart.json?key=Temperature").json()
    assert [series["name"] for series in drawn["series"]] == ["Temperature", "Lowest", "Highest"]
    assert all(300 < len(series["points"]) <= 501 for series in drawn["series"])


@pytest.mark.parametrize(
    "query",
    [
        "",
        "key=",
        "key=a,b",
        "key=a&range=1y",
        "key=a&range=own",
        "key=a&range=own&from=2026-01-02&to=2026-01-01",
    ],
)
def test_a_chart_with_invalid_parameters_is_refused(
    organization: Organization, admin: BrowserClient, query: str
) -> None:
    assert admin.get(f"/app/assets/{organization.devices.first_id}/chart.json?{query}").status_code == 422


def test_an_invalid_time_is_reported_at_its_field(organization: Organization, admin: BrowserClient) -> None:
    page = admin.sees(
        f"/app/assets/{organization.devices.first_id}?range=own&from=2026-01-02T00:00&to=2026-01-01T00:00"
    )
    assert 'id="to-error">Must be later than the beginning.' in page
    assert 'value="2026-01-02T00:00"' in page


def test_a_label_links_to_the_address_that_the_browser_used(
    organization: Organization, admin: BrowserClient
) -> None:
    first, second = (organization.assets.create(name) for name in ("Pump <1>", "Pump 2"))
    label = admin.sees(f"/app/assets/{first['id']}/label")
    assert "Pump &lt;1&gt;" in label
    assert qr_svg(f"{organization.base_url}/app/assets/{first['id']}") in label
    sheet = admin.sees("/app/assets/labels?sort=name&q=pump")
    assert sheet.count('class="qr"') == 2
    elsewhere = admin.get(f"/app/assets/{second['id']}/label", headers={"Host": "steward.example"}).text
    assert qr_svg(f"http://steward.example/app/assets/{second['id']}") in elsewhere
    assert admin.get(f"/app/assets/{first['id']}/label", headers={"Host": "a b"}).status_code == 400


def test_the_page_of_an_asset_shows_its_work_history(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    made = organization.assets.create()
    for number in range(12):
        organization.created("work-orders", {"title": f"Round <{number:02}>", "assetId": made["id"]})
    page = admin.sees(f"/app/assets/{made['id']}")
    assert "Round &lt;11&gt;" in page
    assert "Round &lt;01&gt;" not in page
    assert f'href="/app/work-orders?assetId={made["id"]}"' in page
    assert f'href="/app/work-orders/new?assetId={made["id"]}"' in page
    role = organization.created("roles", {"name": "Engineer", "permissions": ["assets:read"]})
    engineer = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    assert "Round" not in engineer.sees(f"/app/assets/{made['id']}")


def test_an_asset_can_be_deleted_unless_referenced(organization: Organization, admin: BrowserClient) -> None:
    made, needed = organization.assets.create(), organization.assets.create("Pump 2")
    organization.created("work-orders", {"title": "Repair", "assetId": needed["id"]})
    assert admin.post(f"/app/assets/{made['id']}/delete").headers["location"] == "/app/assets"
    assert admin.get(f"/app/assets/{made['id']}").status_code == 404
    answer = admin.post(f"/app/assets/{needed['id']}/delete")
    assert (answer.status_code, "notice is-bad" in answer.text) == (409, True)


def test_read_only_users_see_working_controls_only(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    made = organization.assets.create(metadata={"a": "b"})
    viewer = logged_in(organization.new_user("Viewer")["email"])
    one = f"/app/assets/{made['id']}"
    for path in ("/app/assets", "/app/assets/tree", one, "/app/asset-types"):
        page = viewer.sees(path).split('<main id="main"')[1].split("</main>")[0]
        assert 'method="post"' not in page
        assert "/new" not in page
        assert "/import" not in page
    assert viewer.get("/app/assets/new").status_code == 403
    assert viewer.get("/app/assets/import").status_code == 403
    for path in ("/app/assets", one, f"{one}/delete", "/app/assets/import", "/app/assets/import/run"):
        assert viewer.post(path, data={"name": "x"}).status_code == 403
    assert organization.assets.read(made)["name"] == "Pump 1"


def test_a_technician_sees_only_links_to_permitted_pages(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    id = organization.devices.first_id
    technician = logged_in(organization.new_user("Technician")["email"])
    page = technician.sees(f"/app/assets/{id}")
    for link in set(re.findall(r'href="(/app/[^"#]*)"', page)):
        if link.startswith(("/app/assets", "/app/asset-types", "/app/work-orders")):
            assert technician.get(html.unescape(link)).status_code == 200, link


def test_a_form_works_only_from_our_own_page(organization: Organization, admin: BrowserClient) -> None:
    made = organization.assets.create()
    for path in ("/app/assets", f"/app/assets/{made['id']}/delete", "/app/assets/import/run"):
        answer = admin.post(path, data={"name": "x"}, headers={"Origin": "https://elsewhere.example"})
        assert answer.status_code == 403
    assert organization.assets.ids() == [made["id"]]


def test_another_tenants_asset_is_not_found(other_organization: Organization, admin: BrowserClient) -> None:
    id = other_organization.devices.first_id
    for path in ("", "/label", "/chart.json?key=Temperature"):
        assert admin.get(f"/app/assets/{id}{path}").status_code == 404
    assert admin.post(f"/app/assets/{id}/delete").status_code == 404
    place = other_organization.locations.first_id
    assert admin.get(f"/app/assets/tree?locationId={place}").status_code == 404


def test_the_page_of_a_device_shows_the_result_of_a_command(
    organization: Organization, admin: BrowserClient
) -> None:
    page = f"/app/assets/{organization.devices.first_id}"
    assert "No commands sent." in admin.sees(page)
    assert "Send a command" not in admin.sees(f"/app/assets/{organization.assets.create()['id']}")
    wrong = admin.post(f"{page}/commands", data={"name": "open", "payload": "valve 2", "confirmed": "true"})
    assert (wrong.status_code, "Write a JSON object" in html.unescape(wrong.text)) == (422, True)
    sent = admin.post(
        f"{page}/commands", data={"name": "open", "payload": '{"valve": "<2>"}', "confirmed": "false"}
    )
    assert sent.status_code == 303, sent.text
    shown = html.unescape(admin.sees(page))
    assert 'Queued</span> <strong>open</strong> <code>{"valve":"<2>"}</code>' in shown
    (made,) = data_of(
        organization.api.get(f"{organization.path}/assets/{organization.devices.first_id}/commands")
    )
    assert (made["payload"], made["confirmed"]) == ({"valve": "<2>"}, False)


def test_chirpstack_can_be_configured_in_the_app(organization: Organization, admin: BrowserClient) -> None:
    path = "/app/integrations/chirpstack"
    local = admin.post(path, data={"url": "https://127.0.0.1", "token": "top-secret"})
    assert (local.status_code, "top-secret" in local.text) == (422, False)
    assert (
        admin.post(path, data={"url": "https://chirpstack.invalid", "token": "top-secret"}).status_code == 303
    )
    page = admin.sees(path)
    assert "https://chirpstack.invalid" in page
    assert ("Ends with cret" in page, "top-secret" in page) == (True, False)
    assert admin.post(path, data={"url": "", "token": ""}).status_code == 303
    settings = f"{organization.path}/integrations/chirpstack/settings"
    assert data_of(organization.api.get(settings))["url"] is None
