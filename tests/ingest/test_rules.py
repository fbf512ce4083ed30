"""What readings mean: alerts, the status of their asset, and the work orders that alerts open."""

from typing import Any

from tests.conftest import Service
from tests.support.processes import wait_for

from .conftest import Site


def test_a_rule_judges_with_the_reading_that_comes(site: Site, now: int) -> None:
    device = site.device()
    assert site.asset(device)["status"] == "Online"
    rule = site.rule()
    assert site.asset(device)["status"] == "Normal"
    site.sent(device, {"Temperature": 31}, now - 1)
    assert site.asset(device)["status"] == "Critical"
    (alert,) = site.alerts()
    assert (alert["assetId"], alert["ruleId"], alert["severity"]) == (device, rule["id"], "Critical")
    assert (alert["status"], alert["count"], alert["firstSeen"]) == ("Active", 1, now - 1)
    site.sent(device, {"Temperature": 29}, now)
    assert site.asset(device)["status"] == "Normal"
    (alert,) = site.alerts()
    assert (alert["status"], alert["clearedAt"]) == ("Cleared", now)


def test_each_change_of_status_is_told_with_what_it_was(site: Site, now: int) -> None:
    device = site.device()
    site.rule()
    site.sent(device, {"Temperature": 31}, now - 1)
    site.sent(device, {"Temperature": 32}, now)
    first, second = site.events("asset.status.changed")
    assert first["data"]["previousAttributes"] == {"status": "Online"}
    assert second["data"]["previousAttributes"] == {"status": "Normal"}
    asset = site.asset(device)
    shown = [
        "id",
        "name",
        "organizationId",
        "assetTypeId",
        "locationId",
        "status",
        "connectionStatus",
        "isOnline",
    ]
    assert second["data"]["object"] == {name: asset[name] for name in shown}


def test_an_alert_counts_the_readings_that_show_it_and_stays_one(site: Site, now: int) -> None:
    device = site.device()
    site.rule()
    readings = [
        {"assetId": device, "values": {"Temperature": 31 + i}, "timestamp": now - 10 + i} for i in range(5)
    ]
    site.send_many(*readings)
    site.sent(device, {"Temperature": 40}, now)
    (alert,) = site.alerts()
    assert (alert["count"], alert["firstSeen"], alert["lastSeen"]) == (6, now - 10, now)


def test_the_worst_of_several_rules_is_the_status(site: Site, now: int) -> None:
    device = site.device()
    site.rule(severity="Warning", conditions=[{"key": "Temperature", "operator": "gt", "value": 25}])
    site.rule(assetTypeId=None, assetId=device)
    for second, (temperature, status) in enumerate(
        [(26, "Warning"), (31, "Critical"), (28, "Warning"), (20, "Normal")]
    ):
        site.sent(device, {"Temperature": temperature}, now - 10 + second)
        assert site.asset(device)["status"] == status
    assert {alert["status"] for alert in site.alerts()} == {"Cleared"}


def test_values_that_came_earlier_count_where_a_reading_leaves_them_out(site: Site, now: int) -> None:
    device = site.device()
    conditions = [
        {"key": "Temperature", "operator": "gt", "value": 30},
        {"key": "Humidity", "operator": "gt", "value": 80},
    ]
    site.rule(match="all", conditions=conditions)
    site.sent(device, {"Temperature": 31}, now - 1)
    assert site.asset(device)["status"] == "Normal"
    site.sent(device, {"Humidity": 90}, now)
    assert site.asset(device)["status"] == "Critical"


def test_a_timer_needs_no_message(site: Site) -> None:
    device = site.device()
    site.rule(forSeconds=2, clearForSeconds=1)
    site.sent(device, {"Temperature": 31})
    assert site.alerts() == []
    site.status_becomes(device, "Critical")
    site.sent(device, {"Temperature": 20})
    assert site.asset(device)["status"] == "Critical"
    site.status_becomes(device, "Normal")
    told = [e["data"]["object"]["status"] for e in site.events("asset.status.changed")]
    assert told == ["Normal", "Critical", "Normal"]


def test_silence_is_an_alert_where_a_rule_says_so(site: Site) -> None:
    device = site.device()
    site.sent(device, {"Temperature": 20})
    site.rule(name="Silent", conditions=None, noDataSeconds=2, severity="Warning")
    site.status_becomes(device, "Warning")
    site.sent(device, {"Temperature": 20})
    site.status_becomes(device, "Normal")
    (alert,) = site.alerts()
    assert alert["status"] == "Cleared"


def test_a_changed_rule_is_applied_to_assets_that_stand_still(site: Site, now: int) -> None:
    device = site.device()
    site.sent(device, {"Temperature": 28}, now)
    rule = site.rule()
    path = f"{site.org.path}/alert-rules/{rule['id']}"
    limit = [{"key": "Temperature", "operator": "gt", "value": 25}]
    assert site.api.patch(path, json={"conditions": limit}).status_code == 200
    assert site.asset(device)["status"] == "Critical"
    assert site.api.patch(path, json={"severity": "Warning"}).status_code == 200
    assert site.asset(device)["status"] == "Warning"
    assert [alert["severity"] for alert in site.alerts()] == ["Warning"]
    assert site.api.patch(path, json={"enabled": False}).status_code == 200
    assert site.asset(device)["status"] == "Normal"
    assert site.api.patch(path, json={"enabled": True}).status_code == 200
    assert site.asset(device)["status"] == "Warning"
    assert site.api.delete(path).status_code == 200
    assert site.asset(device)["status"] == "Normal"
    assert [alert["status"] for alert in site.alerts()] == ["Cleared", "Cleared"]


def test_a_changed_rule_reaches_every_process_before_it_is_answered(
    site: Site, service: Service, now: int
) -> None:
    device = site.device()
    other = site.org.client(key=site.org.secret, base_url=service.another_api().base_url)
    for round in range(5):
        rule = site.rule()
        at = now - 20 + 2 * round
        assert site.send(device, {"Temperature": 31}, at, api=other).status_code == 200
        assert site.asset(device)["status"] == "Critical"
        site.api.delete(f"{site.org.path}/alert-rules/{rule['id']}")
        assert site.send(device, {"Temperature": 32}, at + 1, api=other).status_code == 200
        assert site.asset(device)["status"] == "Normal"


def test_a_rule_for_many_assets_is_applied_to_the_last_of_them(site: Site, now: int) -> None:
    header, rows = "name,assetTypeId", "\r\n".join(f"Sensor {i},{site.type_id}" for i in range(1200))
    answer = site.api.post(
        f"{site.org.path}/assets/import", content=f"{header}\r\n{rows}", headers={"Content-Type": "text/csv"}
    )
    assert answer.status_code == 200, answer.text
    site.rule()

    def judged() -> bool:
        return (
            site.api.get(f"{site.org.path}/assets", params={"status": "Online", "limit": 1}).json()["data"]
            == []
        )

    wait_for("all assets to be judged", judged)


def _work_order(site: Site, alert_id: str) -> Any:
    alert = site.api.get(f"{site.org.path}/alerts/{alert_id}").json()["data"]
    return alert["workOrderId"]


def test_an_alert_opens_one_work_order(site: Site, now: int) -> None:
    location = site.org.created("locations", {"name": "Cellar", "type": "Space"})["id"]
    device = site.device("Boiler", locationId=location)
    site.rule(workOrder={"title": "See to the boiler", "priority": "High"})
    for second in range(5):
        site.sent(device, {"Temperature": 31 + second}, now - 10 + second)
    (alert,) = site.alerts()
    order_id = wait_for("a work order", lambda: _work_order(site, alert["id"]))
    orders = site.api.get(f"{site.org.path}/work-orders", params={"assetId": device}).json()["data"]
    assert [order["id"] for order in orders] == [order_id]
    (order,) = orders
    assert (order["title"], order["priority"], order["locationId"]) == ("See to the boiler", "High", location)
    assert order["status"] == "Open"
    site.sent(device, {"Temperature": 10}, now - 2)
    site.sent(device, {"Temperature": 40}, now - 1)
    (again,) = site.alerts(status="Active")
    assert wait_for("another work order", lambda: _work_order(site, again["id"])) != order_id
    assert len(site.events("workorder.created")) == 2


def test_an_acknowledged_alert_stays_open_and_clears_by_itself(site: Site, now: int) -> None:
    device = site.device()
    site.rule()
    site.sent(device, {"Temperature": 31}, now - 2)
    (alert,) = site.alerts()
    path = f"{site.org.path}/alerts/{alert['id']}/acknowledge"
    known = site.api.post(path).json()["data"]
    assert (known["status"], known["acknowledgedBy"]) == ("Acknowledged", site.org.user_id)
    site.sent(device, {"Temperature": 32}, now - 1)
    (alert,) = site.alerts()
    assert (alert["status"], alert["count"]) == ("Acknowledged", 2)
    site.sent(device, {"Temperature": 20}, now)
    (alert,) = site.alerts()
    assert alert["status"] == "Cleared"
    assert site.api.post(path).status_code == 409


def test_alerts_go_with_their_asset_and_rules_hold_it(site: Site, now: int) -> None:
    device = site.device()
    rule = site.rule(assetTypeId=None, assetId=device)
    site.sent(device, {"Temperature": 31}, now)
    assert len(site.alerts()) == 1
    path = f"{site.org.path}/assets/{device}"
    assert site.api.delete(path).status_code == 409
    site.api.delete(f"{site.org.path}/alert-rules/{rule['id']}")
    assert site.api.delete(path).status_code == 200
    assert site.alerts() == []


def test_an_asset_of_another_type_comes_under_its_rules(site: Site, now: int) -> None:
    device = site.device()
    site.sent(device, {"Temperature": 50}, now)
    answer = site.api.post(f"/v2{site.org.path}/asset-types", json={"name": "Oven", "isIotDevice": True})
    site.rule(assetTypeId=answer.json()["data"]["id"])
    assert site.asset(device)["status"] == "Online"
    other = {"assetTypeId": answer.json()["data"]["id"]}
    assert site.api.patch(f"{site.org.path}/assets/{device}", json=other).status_code == 200
    site.status_becomes(device, "Critical")
    back = {"assetTypeId": site.type_id}
    assert site.api.patch(f"{site.org.path}/assets/{device}", json=back).status_code == 200
    site.status_becomes(device, "Normal")
    assert [alert["status"] for alert in site.alerts()] == ["Cleared"]
