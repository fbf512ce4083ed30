"""Alerts over HTTP. Readings and timers write to the table, and so do these tests."""

import asyncio

import asyncpg
import httpx
import pytest

from .conftest import Plant, refused_fields


def acknowledge(plant: Plant, id: str, **headers: str) -> httpx.Response:
    return plant.api.post(f"{plant.alerts}/{id}/acknowledge", headers=headers)


def test_an_alert_shows_what_is_known_of_it(plant: Plant) -> None:
    alert = plant.new_alert(severity="Critical", rule_id="arl_7")
    assert alert == {
        "id": alert["id"],
        "assetId": plant.asset_id,
        "ruleId": "arl_7",
        "severity": "Critical",
        "status": "Active",
        "firstSeen": 1767225600,
        "lastSeen": 1767225660,
        "count": 2,
        "workOrderId": None,
        "acknowledgedBy": None,
        "acknowledgedAt": None,
        "clearedAt": None,
    }
    assert plant.api.get(plant.alerts).json() == {"data": [alert], "lastEvaluatedKey": None}


def test_lists_can_be_narrowed(plant: Plant) -> None:
    a = plant.new_alert(rule_id="arl_1")["id"]
    b = plant.new_alert(rule_id="arl_2", severity="Critical", status="Acknowledged")["id"]
    c = plant.new_alert(rule_id="arl_2", asset_id=plant.other_id, status="Cleared", cleared_at=1)["id"]
    for query, found in (
        ({}, [c, b, a]),
        ({"status": "Active"}, [a]),
        ({"status": "Cleared"}, [c]),
        ({"severity": "Critical"}, [b]),
        ({"assetId": plant.asset_id}, [b, a]),
        ({"ruleId": "arl_2"}, [c, b]),
        ({"ruleId": "arl_2", "assetId": plant.asset_id}, [b]),
        ({"limit": 1}, [c]),
    ):
        assert plant.listed(plant.alerts, **query) == found, query
    assert refused_fields(plant.api.get(plant.alerts, params={"status": "Open"})) == ["status"]


def test_whoever_acknowledges_an_alert_is_remembered(plant: Plant) -> None:
    alert = plant.new_alert()
    answer = acknowledge(plant, alert["id"])
    assert answer.status_code == 200, answer.text
    seen = answer.json()["data"]
    assert seen == {
        **alert,
        "status": "Acknowledged",
        "acknowledgedBy": plant.org.user_id,
        "acknowledgedAt": seen["acknowledgedAt"],
    }
    assert seen["acknowledgedAt"] > alert["lastSeen"]
    assert plant.api.get(f"{plant.alerts}/{alert['id']}").json()["data"] == seen


@pytest.mark.parametrize("status", ["Acknowledged", "Cleared"])
def test_only_an_active_alert_can_be_acknowledged(plant: Plant, status: str) -> None:
    alert = plant.new_alert(status=status)
    answer = acknowledge(plant, alert["id"])
    assert answer.status_code == 409
    assert status in answer.json()["message"]
    assert plant.api.get(f"{plant.alerts}/{alert['id']}").json()["data"] == alert


def test_an_acknowledgement_can_ask_for_the_alert_as_it_was_seen(plant: Plant) -> None:
    alert = plant.new_alert()
    etag = plant.api.get(f"{plant.alerts}/{alert['id']}").headers["etag"]
    plant.run("UPDATE alerts SET count = 3 WHERE organization_id = $1", plant.org.id)
    assert acknowledge(plant, alert["id"], **{"If-Match": etag}).status_code == 412
    assert acknowledge(plant, alert["id"]).status_code == 200


async def test_an_acknowledgement_waits_for_whoever_holds_the_asset(plant: Plant) -> None:
    """And holds nothing that they could wait for: they may change the alert meanwhile."""
    alert = await asyncio.to_thread(plant.new_alert)
    holder = await asyncpg.connect(plant.org.database_url)
    watcher = await asyncpg.connect(plant.org.database_url)
    try:
        async with holder.transaction():
            await holder.execute("SET LOCAL lock_timeout = '10s'")
            await holder.execute("SELECT 1 FROM assets WHERE id = $1 FOR NO KEY UPDATE", plant.asset_id)
            answer = asyncio.create_task(asyncio.to_thread(acknowledge, plant, alert["id"]))
            waiting = "SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT granted AND query LIKE '%FROM assets%'"
            async with asyncio.timeout(20):
                while not await watcher.fetch(waiting):  # noqa: ASYNC110 (locks ring no bell)
                    await asyncio.sleep(0.02)
            await holder.execute("UPDATE alerts SET status = 'Cleared' WHERE id = $1", alert["id"])
        refused = await answer
    finally:
        await holder.close()
        await watcher.close()
    assert (refused.status_code, "Cleared" in refused.json()["message"]) == (409, True)


def test_alerts_go_with_their_asset(plant: Plant) -> None:
    alert = plant.new_alert(status="Cleared")
    assert plant.api.delete(f"{plant.org.path}/assets/{plant.asset_id}").status_code == 200
    assert plant.api.get(f"{plant.alerts}/{alert['id']}").status_code == 404
    assert acknowledge(plant, alert["id"]).status_code == 404


def test_alerts_follow_the_permissions_of_devices(plant: Plant) -> None:
    alert = plant.new_alert()
    one = f"{plant.alerts}/{alert['id']}"
    reader = plant.org.client(key=plant.org.new_key("iot:read")["secret"])
    stranger = plant.org.client(key=plant.org.new_key("assets:read", "assets:write")["secret"])
    writer = plant.org.client(key=plant.org.new_key("iot:write")["secret"])
    assert reader.get(plant.alerts).status_code == reader.get(one).status_code == 200
    assert stranger.get(plant.alerts).status_code == stranger.get(one).status_code == 403
    assert writer.get(one).status_code == 403
    for client in (reader, stranger):
        assert client.post(f"{one}/acknowledge").status_code == 403
    assert writer.post(f"{one}/acknowledge").status_code == 200


def test_alerts_of_others_are_as_good_as_absent(plant: Plant, neighbour: Plant) -> None:
    foreign = neighbour.new_alert()
    assert plant.api.get(f"{plant.alerts}/{foreign['id']}").status_code == 404
    assert acknowledge(plant, foreign["id"]).status_code == 404
    assert plant.listed(plant.alerts) == []
