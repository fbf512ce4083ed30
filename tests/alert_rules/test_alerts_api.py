"""Alerts over HTTP. Readings and timers write to the table, and so do these tests."""

import asyncio

import asyncpg
import httpx
import pytest
from tests.alert_rules.helpers import refused_fields
from tests.support.answers import data_of
from tests.support.locks import waiting_backends
from tests.support.organizations import Organization
from tests.support.waiting import wait_for_async


def acknowledge(organization: Organization, id: str, **headers: str) -> httpx.Response:
    return organization.api.post(f"{organization.alerts.path}/{id}/acknowledge", headers=headers)


def test_the_page_of_an_alert_shows_its_details(organization: Organization) -> None:
    alert = organization.alerts.insert(severity="Critical", rule_id="arl_7")
    assert alert == {
        "id": alert["id"],
        "assetId": organization.devices.first_id,
        "ruleId": "arl_7",
        "severity": "Critical",
        "status": "Active",
        "firstSeen": 1767225600,
        "lastSeen": 1767225660,
        "count": 2,
        "property": None,
        "operator": None,
        "value": None,
        "threshold": None,
        "workOrderId": None,
        "acknowledgedBy": None,
        "acknowledgedAt": None,
        "clearedAt": None,
    }
    assert organization.api.get(organization.alerts.path).json() == {
        "data": [alert],
        "lastEvaluatedKey": None,
    }


def test_lists_can_be_filtered(organization: Organization) -> None:
    a = organization.alerts.insert(rule_id="arl_1")["id"]
    b = organization.alerts.insert(rule_id="arl_2", severity="Critical", status="Acknowledged")["id"]
    c = organization.alerts.insert(
        rule_id="arl_2", asset_id=organization.devices.second_id, status="Cleared", cleared_at=1
    )["id"]
    for query, found in (
        ({}, [c, b, a]),
        ({"status": "Active"}, [a]),
        ({"status": "Cleared"}, [c]),
        ({"severity": "Critical"}, [b]),
        ({"assetId": organization.devices.first_id}, [b, a]),
        ({"ruleId": "arl_2"}, [c, b]),
        ({"ruleId": "arl_2", "assetId": organization.devices.first_id}, [b]),
        ({"limit": 1}, [c]),
    ):
        assert organization.alerts.ids(**query) == found, query
    assert refused_fields(organization.api.get(organization.alerts.path, params={"status": "Open"})) == [
        "status"
    ]


def test_the_acknowledging_user_is_stored(organization: Organization) -> None:
    alert = organization.alerts.insert()
    answer = acknowledge(organization, alert["id"])
    assert answer.status_code == 200, answer.text
    seen = data_of(answer)
    assert seen == {
        **alert,
        "status": "Acknowledged",
        "acknowledgedBy": organization.user_id,
        "acknowledgedAt": seen["acknowledgedAt"],
    }
    assert seen["acknowledgedAt"] > alert["lastSeen"]
    assert data_of(organization.api.get(f"{organization.alerts.path}/{alert['id']}")) == seen


@pytest.mark.parametrize("status", ["Acknowledged", "Cleared"])
def test_only_an_active_alert_can_be_acknowledged(organization: Organization, status: str) -> None:
    alert = organization.alerts.insert(status=status)
    answer = acknowledge(organization, alert["id"])
    assert answer.status_code == 409
    assert status in answer.json()["message"]
    assert data_of(organization.api.get(f"{organization.alerts.path}/{alert['id']}")) == alert


def test_an_acknowledgement_can_require_the_version_seen(organization: Organization) -> None:
    alert = organization.alerts.insert()
    etag = organization.api.get(f"{organization.alerts.path}/{alert['id']}").headers["etag"]
    organization.sql("UPDATE alerts SET count = 3 WHERE organization_id = $1", organization.id)
    assert acknowledge(organization, alert["id"], **{"If-Match": etag}).status_code == 412
    assert acknowledge(organization, alert["id"]).status_code == 200


async def test_an_acknowledgement_waits_for_the_lock_of_the_asset(organization: Organization) -> None:
    """And holds nothing that they could wait for: they may change the alert meanwhile."""
    alert = await asyncio.to_thread(organization.alerts.insert)
    holder = await asyncpg.connect(organization.database_url)
    try:
        async with holder.transaction():
            await holder.execute("SET LOCAL lock_timeout = '60s'")
            await holder.execute(
                "SELECT 1 FROM assets WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
                organization.id,
                organization.devices.first_id,
            )
            answer = asyncio.create_task(asyncio.to_thread(acknowledge, organization, alert["id"]))
            await wait_for_async(
                "the wait for the lock", lambda: waiting_backends(organization.database_url, "%FROM assets%")
            )
            await holder.execute(
                "UPDATE alerts SET status = 'Cleared' WHERE organization_id = $1 AND id = $2",
                organization.id,
                alert["id"],
            )
        refused = await answer
    finally:
        await holder.close()
    assert (refused.status_code, "Cleared" in refused.json()["message"]) == (409, True)


def test_alerts_are_deleted_with_their_asset(organization: Organization) -> None:
    alert = organization.alerts.insert(status="Cleared")
    assert (
        organization.api.delete(f"{organization.path}/assets/{organization.devices.first_id}").status_code
        == 200
    )
    assert organization.api.get(f"{organization.alerts.path}/{alert['id']}").status_code == 404
    assert acknowledge(organization, alert["id"]).status_code == 404


def test_alerts_follow_the_permissions_of_devices(organization: Organization) -> None:
    alert = organization.alerts.insert()
    one = f"{organization.alerts.path}/{alert['id']}"
    reader = organization.client(key=organization.new_key("iot:read")["secret"])
    stranger = organization.client(key=organization.new_key("assets:read", "assets:write")["secret"])
    writer = organization.client(key=organization.new_key("iot:write")["secret"])
    assert reader.get(organization.alerts.path).status_code == reader.get(one).status_code == 200
    assert stranger.get(organization.alerts.path).status_code == stranger.get(one).status_code == 403
    assert writer.get(one).status_code == 403
    for client in (reader, stranger):
        assert client.post(f"{one}/acknowledge").status_code == 403
    assert writer.post(f"{one}/acknowledge").status_code == 200


def test_alerts_of_other_organizations_are_not_found(
    organization: Organization, other_organization: Organization
) -> None:
    foreign = other_organization.alerts.insert()
    assert organization.api.get(f"{organization.alerts.path}/{foreign['id']}").status_code == 404
    assert acknowledge(organization, foreign["id"]).status_code == 404
    assert organization.alerts.ids() == []
