"""What is told of alerts, by whatever raises, acknowledges and clears them."""

import time
from functools import partial
from typing import Any

from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.ingest.jobs import run_rule_timers


def _told(organization: Organization, alert: dict[str, Any]) -> dict[str, Any]:
    return {**alert, "locationId": organization.locations.first_id}


def test_an_alert_is_told_with_what_raised_it_until_it_is_cleared(organization: Organization) -> None:
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
    # Seen again with another value: the alert keeps the one that raised it, and nothing more is told.
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


def test_timers_and_changed_rules_tell_of_alerts_too(organization: Organization) -> None:
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
