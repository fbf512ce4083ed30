"""What readings mean: alerts, the status of their asset, and the work orders that alerts open."""

from typing import Any

from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.service import Service
from tests.support.waiting import wait_for


def test_a_rule_is_evaluated_with_the_incoming_reading(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    assert organization.devices.read(device)["status"] == "Online"
    rule = organization.alert_rules.create()
    assert organization.devices.read(device)["status"] == "Normal"
    organization.devices.report(device, {"Temperature": 31}, now - 1)
    assert organization.devices.read(device)["status"] == "Critical"
    (alert,) = organization.alerts.listed()
    assert (alert["assetId"], alert["ruleId"], alert["severity"]) == (device, rule["id"], "Critical")
    assert (alert["status"], alert["count"], alert["firstSeen"]) == ("Active", 1, now - 1)
    organization.devices.report(device, {"Temperature": 29}, now)
    assert organization.devices.read(device)["status"] == "Normal"
    (alert,) = organization.alerts.listed()
    assert (alert["status"], alert["clearedAt"]) == ("Cleared", now)


def _status_events(organization: Organization) -> list[dict[str, Any]]:
    """Without those of the connectivity check, which looks at all devices whenever another test has made it due."""
    events = organization.events(type="asset.status.changed")
    return [event for event in events if "status" in event["data"]["previousAttributes"]]


def test_each_change_of_status_writes_an_event_with_the_previous_one(
    organization: Organization, now: int
) -> None:
    device = organization.devices.add()
    organization.alert_rules.create()
    organization.devices.report(device, {"Temperature": 31}, now - 1)
    organization.devices.report(device, {"Temperature": 32}, now)
    first, second = _status_events(organization)
    assert first["data"]["previousAttributes"] == {"status": "Online"}
    assert second["data"]["previousAttributes"] == {"status": "Normal"}
    asset = organization.devices.read(device)
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


def test_further_matching_readings_are_counted_in_one_alert(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.alert_rules.create()
    readings = [
        {"assetId": device, "values": {"Temperature": 31 + i}, "timestamp": now - 10 + i} for i in range(5)
    ]
    organization.devices.send_batch(*readings)
    organization.devices.report(device, {"Temperature": 40}, now)
    (alert,) = organization.alerts.listed()
    assert (alert["count"], alert["firstSeen"], alert["lastSeen"]) == (6, now - 10, now)


def test_the_worst_of_several_rules_is_the_status(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.alert_rules.create(
        severity="Warning", conditions=[{"key": "Temperature", "operator": "gt", "value": 25}]
    )
    organization.alert_rules.create(assetId=device)
    for second, (temperature, status) in enumerate(
        [(26, "Warning"), (31, "Critical"), (28, "Warning"), (20, "Normal")]
    ):
        organization.devices.report(device, {"Temperature": temperature}, now - 10 + second)
        assert organization.devices.read(device)["status"] == status
    assert {alert["status"] for alert in organization.alerts.listed()} == {"Cleared"}


def test_missing_values_are_taken_from_earlier_readings(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    conditions = [
        {"key": "Temperature", "operator": "gt", "value": 30},
        {"key": "Humidity", "operator": "gt", "value": 80},
    ]
    organization.alert_rules.create(match="all", conditions=conditions)
    organization.devices.report(device, {"Temperature": 31}, now - 1)
    assert organization.devices.read(device)["status"] == "Normal"
    organization.devices.report(device, {"Humidity": 90}, now)
    assert organization.devices.read(device)["status"] == "Critical"


def test_a_timer_fires_without_new_readings(organization: Organization) -> None:
    device = organization.devices.add()
    organization.alert_rules.create(forSeconds=2, clearForSeconds=1)
    organization.devices.report(device, {"Temperature": 31})
    assert organization.alerts.listed() == []
    organization.devices.wait_for_status(device, "Critical")
    organization.devices.report(device, {"Temperature": 20})
    assert organization.devices.read(device)["status"] == "Critical"
    organization.devices.wait_for_status(device, "Normal")
    told = [event["data"]["object"]["status"] for event in _status_events(organization)]
    assert told == ["Normal", "Critical", "Normal"]


def test_being_offline_raises_an_alert_if_a_rule_says_so(organization: Organization) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 20})
    organization.alert_rules.create(name="Silent", conditions=[], noDataSeconds=2, severity="Warning")
    organization.devices.wait_for_status(device, "Warning")
    organization.devices.report(device, {"Temperature": 20})
    organization.devices.wait_for_status(device, "Normal")
    (alert,) = organization.alerts.listed()
    assert alert["status"] == "Cleared"


def test_a_changed_rule_is_applied_to_assets_without_new_readings(
    organization: Organization, now: int
) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 28}, now)
    rule = organization.alert_rules.create()
    path = f"{organization.path}/alert-rules/{rule['id']}"
    limit = [{"key": "Temperature", "operator": "gt", "value": 25}]
    assert organization.api.patch(path, json={"conditions": limit}).status_code == 200
    assert organization.devices.read(device)["status"] == "Critical"
    assert organization.api.patch(path, json={"severity": "Warning"}).status_code == 200
    assert organization.devices.read(device)["status"] == "Warning"
    assert [alert["severity"] for alert in organization.alerts.listed()] == ["Warning"]
    assert organization.api.patch(path, json={"enabled": False}).status_code == 200
    assert organization.devices.read(device)["status"] == "Normal"
    assert organization.api.patch(path, json={"enabled": True}).status_code == 200
    assert organization.devices.read(device)["status"] == "Warning"
    assert organization.api.delete(path).status_code == 200
    assert organization.devices.read(device)["status"] == "Normal"
    assert [alert["status"] for alert in organization.alerts.listed()] == ["Cleared", "Cleared"]


def test_a_changed_rule_reaches_every_process_before_the_answer(
    organization: Organization, service: Service, now: int
) -> None:
    device = organization.devices.add()
    other = organization.client(key=organization.secret, base_url=service.another_api().base_url)
    for round in range(5):
        rule = organization.alert_rules.create()
        at = now - 20 + 2 * round
        assert organization.devices.send(device, {"Temperature": 31}, at, api=other).status_code == 200
        assert organization.devices.read(device)["status"] == "Critical"
        organization.api.delete(f"{organization.path}/alert-rules/{rule['id']}")
        assert organization.devices.send(device, {"Temperature": 32}, at + 1, api=other).status_code == 200
        assert organization.devices.read(device)["status"] == "Normal"


def test_a_rule_for_many_assets_is_applied_to_the_last_of_them(organization: Organization, now: int) -> None:
    header, rows = (
        "name,assetTypeId",
        "\r\n".join(f"Sensor {i},{organization.devices.type_id}" for i in range(1200)),
    )
    answer = organization.api.post(
        f"{organization.path}/assets/import",
        content=f"{header}\r\n{rows}",
        headers={"Content-Type": "text/csv"},
    )
    assert answer.status_code == 200, answer.text
    organization.alert_rules.create()

    def judged() -> bool:
        return (
            data_of(
                organization.api.get(f"{organization.path}/assets", params={"status": "Online", "limit": 1})
            )
            == []
        )

    wait_for("all assets to be judged", judged)


def _work_order(organization: Organization, alert_id: str) -> Any:
    alert = data_of(organization.api.get(f"{organization.path}/alerts/{alert_id}"))
    return alert["workOrderId"]


def test_an_alert_opens_one_work_order(organization: Organization, now: int) -> None:
    location = organization.created("locations", {"name": "Cellar", "type": "Space"})["id"]
    device = organization.devices.add("Boiler", locationId=location)
    organization.alert_rules.create(workOrder={"title": "See to the boiler", "priority": "High"})
    for second in range(5):
        organization.devices.report(device, {"Temperature": 31 + second}, now - 10 + second)
    (alert,) = organization.alerts.listed()
    order_id = wait_for("a work order", lambda: _work_order(organization, alert["id"]))
    orders = data_of(organization.api.get(f"{organization.path}/work-orders", params={"assetId": device}))
    assert [order["id"] for order in orders] == [order_id]
    (order,) = orders
    assert (order["title"], order["priority"], order["locationId"]) == ("See to the boiler", "High", location)
    assert order["status"] == "Open"
    organization.devices.report(device, {"Temperature": 10}, now - 2)
    organization.devices.report(device, {"Temperature": 40}, now - 1)
    (again,) = organization.alerts.listed(status="Active")
    assert wait_for("another work order", lambda: _work_order(organization, again["id"])) != order_id
    assert len(organization.events(type="workorder.created")) == 2


def test_an_acknowledged_alert_stays_open_and_clears_by_itself(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.alert_rules.create()
    organization.devices.report(device, {"Temperature": 31}, now - 2)
    (alert,) = organization.alerts.listed()
    path = f"{organization.path}/alerts/{alert['id']}/acknowledge"
    known = data_of(organization.api.post(path))
    assert (known["status"], known["acknowledgedBy"]) == ("Acknowledged", organization.user_id)
    organization.devices.report(device, {"Temperature": 32}, now - 1)
    (alert,) = organization.alerts.listed()
    assert (alert["status"], alert["count"]) == ("Acknowledged", 2)
    organization.devices.report(device, {"Temperature": 20}, now)
    (alert,) = organization.alerts.listed()
    assert alert["status"] == "Cleared"
    assert organization.api.post(path).status_code == 409


def test_deleting_an_asset_deletes_alerts_and_is_blocked_by_rules(
    organization: Organization, now: int
) -> None:
    device = organization.devices.add()
    rule = organization.alert_rules.create(assetId=device)
    organization.devices.report(device, {"Temperature": 31}, now)
    assert len(organization.alerts.listed()) == 1
    path = f"{organization.path}/assets/{device}"
    assert organization.api.delete(path).status_code == 409
    organization.api.delete(f"{organization.path}/alert-rules/{rule['id']}")
    assert organization.api.delete(path).status_code == 200
    assert organization.alerts.listed() == []


def test_changing_the_type_of_an_asset_applies_its_rules(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 50}, now)
    answer = organization.api.post(
        f"/v2{organization.path}/asset-types", json={"name": "Oven", "isIotDevice": True}
    )
    organization.alert_rules.create(assetTypeId=data_of(answer)["id"])
    assert organization.devices.read(device)["status"] == "Online"
    other = {"assetTypeId": data_of(answer)["id"]}
    assert organization.api.patch(f"{organization.path}/assets/{device}", json=other).status_code == 200
    organization.devices.wait_for_status(device, "Critical")
    back = {"assetTypeId": organization.devices.type_id}
    assert organization.api.patch(f"{organization.path}/assets/{device}", json=back).status_code == 200
    organization.devices.wait_for_status(device, "Normal")
    assert [alert["status"] for alert in organization.alerts.listed()] == ["Cleared"]
