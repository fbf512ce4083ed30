"""Events of alerts, whatever raises, acknowledges and clears them."""

import time
from functools import partial
from typing import Any

from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import wait_for

from steward.ingest.jobs import run_rule_timers
from steward.work_orders.jobs import open_work_orders

HOT, COLD = {"Temperature": 31}, {"Temperature": 20}


def _told(organization: Organization, alert: dict[str, Any]) -> dict[str, Any]:
    return {**alert, "locationId": organization.locations.first_id}


def _with_orders(organization: Organization) -> list[dict[str, Any]] | None:
    """All alerts, once each has the work order that it asks for: the service's worker may hold some of them."""
    organization.with_pool(partial(open_work_orders, now=int(time.time())))
    found = organization.alerts.listed()
    return found if all(alert["workOrderId"] for alert in found) else None


def _without_count(alert: dict[str, Any]) -> dict[str, Any]:
    return {name: alert[name] for name in alert if name not in {"count", "lastSeen", "locationId"}}


def test_events_of_an_alert_have_the_cause_until_it_clears(organization: Organization) -> None:
    devices = organization.devices
    device = devices.add(locationId=organization.locations.first_id)
    other = devices.add()
    organization.alert_rules.create(assetId=device)
    here = {"mode": "include", "criteria": {"locationId": [organization.locations.first_id]}}
    of_type = {"mode": "include", "criteria": {"assetTypeId": [devices.type_id]}}
    elsewhere = {"mode": "include", "criteria": {"assetId": [other]}}
    by_place, by_type, by_other = (
        organization.webhooks.create("alert.*", filtering=filtering)
        for filtering in (here, of_type, elsewhere)
    )
    devices.report(device, {"Temperature": 31.5, "Humidity": 40})
    (raised,) = organization.alerts.listed()
    assert [raised[name] for name in ("property", "operator", "value", "threshold")] == [
        "Temperature",
        "gt",
        31.5,
        30,
    ]
    # Seen again with another value: the alert keeps the one that raised it, and there is no further event.
    devices.report(device, {"Temperature": 35})
    path = f"{organization.alerts.path}/{raised['id']}"
    acknowledged = data_of(organization.api.post(f"{path}/acknowledge"))
    devices.report(device, {"Temperature": 20})
    cleared = data_of(organization.api.get(path))
    events = organization.events(type="alert.*")
    assert [(event["type"], event["data"]) for event in events] == [
        ("alert.raised", {"object": _told(organization, raised)}),
        (
            "alert.acknowledged",
            {"object": _told(organization, acknowledged), "previousAttributes": {"status": "Active"}},
        ),
        (
            "alert.cleared",
            {"object": _told(organization, cleared), "previousAttributes": {"status": "Acknowledged"}},
        ),
    ]
    assert cleared["value"] == 31.5
    names = [event["type"] for event in events]
    assert organization.webhooks.queued_types(by_place) == names
    assert organization.webhooks.queued_types(by_type) == names
    assert organization.webhooks.queued_types(by_other) == []


def test_timers_and_changed_rules_write_alert_events_too(organization: Organization) -> None:
    device = organization.devices.add()
    rule = organization.alert_rules.create(assetId=device, conditions=[], noDataSeconds=60)
    later = int(time.time()) + 61
    organization.with_pool(partial(run_rule_timers, now=later))
    (raised,) = organization.events(type="alert.*")
    shown = raised["data"]["object"]
    assert (raised["type"], shown["assetId"], shown["firstSeen"] <= later) == ("alert.raised", device, True)
    assert [shown[name] for name in ("property", "operator", "value", "threshold")] == [None] * 4
    assert organization.api.delete(organization.alert_rules.path_of(rule)).status_code == 200
    (_, cleared) = organization.events(type="alert.*")
    assert (cleared["type"], cleared["data"]["object"]["id"]) == ("alert.cleared", shown["id"])
    assert cleared["data"]["previousAttributes"] == {"status": "Active"}


def test_an_open_alert_follows_the_severity_of_its_rule_and_writes_an_event(
    organization: Organization,
) -> None:
    place = organization.locations.first_id
    device = organization.devices.add(locationId=place)
    rule = organization.alert_rules.create(assetId=device)
    inside, outside = (
        organization.webhooks.create(
            "alert.updated", filtering={"mode": mode, "criteria": {"locationId": [place]}}
        )
        for mode in ("include", "exclude")
    )
    organization.devices.report(device, HOT)
    (raised,) = organization.alerts.listed()
    for change in ({"name": "Hot"}, {"severity": "Warning"}, {"severity": "Warning"}):
        assert organization.api.patch(organization.alert_rules.path_of(rule), json=change).is_success
    changed = organization.alerts.read(raised)
    assert changed == {**raised, "severity": "Warning"}
    (event,) = organization.events(type="alert.updated", include="actor")
    assert event["data"] == {
        "object": _told(organization, changed),
        "previousAttributes": {"severity": "Critical"},
    }
    assert event["actor"] == {"type": "Key", "id": organization.key_id}
    assert organization.webhooks.queued_types(inside) == ["alert.updated"]
    assert organization.webhooks.queued_types(outside) == []


def test_a_location_filter_covers_all_events_of_an_alert(
    organization: Organization,
) -> None:
    place = organization.locations.first_id
    device = organization.devices.add(locationId=place)
    organization.alert_rules.create(assetId=device)
    inside, outside = (
        organization.webhooks.create("alert.*", filtering={"mode": mode, "criteria": {"locationId": [place]}})
        for mode in ("include", "exclude")
    )
    for values in (HOT, COLD):
        organization.devices.report(device, values)
        for alert in organization.alerts.listed(status="Active"):
            assert organization.api.post(f"{organization.alerts.path}/{alert['id']}/acknowledge").is_success
    types = ["alert.raised", "alert.acknowledged", "alert.cleared"]
    assert organization.webhooks.queued_types(inside) == types
    assert organization.webhooks.queued_types(outside) == []


def test_the_event_of_an_alert_names_its_work_order(organization: Organization) -> None:
    device = organization.devices.add(locationId=organization.locations.first_id)
    organization.alert_rules.create(assetId=device, workOrder={"title": "Look"})
    organization.devices.report(device, HOT)
    (alert,) = wait_for("the work order", partial(_with_orders, organization))
    created, updated = organization.events(include="actor")[-2:]
    assert (created["type"], created["data"]["object"]["id"]) == ("workorder.created", alert["workOrderId"])
    assert (updated["type"], updated["data"]) == (
        "alert.updated",
        {"object": _told(organization, alert), "previousAttributes": {"workOrderId": None}},
    )
    assert updated["actor"] == {"type": "System", "id": None}


def test_a_copy_built_from_events_alone_shows_current_alerts(organization: Organization) -> None:
    """All but how often their reason was seen."""
    acknowledged, cleared, raised_later = (organization.devices.add() for _ in range(3))
    rule = organization.alert_rules.create(workOrder={"title": "Look"})
    for device in (acknowledged, cleared):
        organization.devices.report(device, HOT)
    wait_for("the work orders", partial(_with_orders, organization))
    for alert in organization.alerts.listed(assetId=acknowledged):
        assert organization.api.post(f"{organization.alerts.path}/{alert['id']}/acknowledge").is_success
    organization.devices.report(acknowledged, HOT)
    path = organization.alert_rules.path_of(rule)
    assert organization.api.patch(path, json={"severity": "Warning"}).is_success
    organization.devices.report(cleared, COLD)
    organization.devices.report(raised_later, HOT)
    shown = wait_for("the last work order", partial(_with_orders, organization))
    told = {
        event["data"]["object"]["id"]: event["data"]["object"]
        for event in organization.events(type="alert.*")
    }
    assert len(shown) == 3
    assert [_without_count(told[alert["id"]]) for alert in shown] == [
        _without_count(alert) for alert in shown
    ]
