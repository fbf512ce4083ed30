"""No policy stalls the service: one whose deadlines are never reached is refused, and one that is stored does no harm."""

import asyncio
import json
from datetime import date, timedelta
from typing import Any

import asyncpg
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

ONE_MINUTE = {"mode": "weekly", "timezone": "Europe/Berlin", "monday": [{"from": "08:00", "to": "08:01"}]}


def _targets(minutes: int) -> dict[str, Any]:
    return {
        name: {"responseMinutes": 1, "resolutionMinutes": minutes}
        for name in ("Low", "Medium", "High", "Critical")
    }


def _mondays(count: int) -> list[str]:
    today = date.today()  # noqa: DTZ011 (whichever day it is, the holidays cover the years after it)
    first = today - timedelta(days=today.weekday())
    return [str(first + timedelta(weeks=n)) for n in range(count)]


@pytest.mark.parametrize(
    ("calendar", "minutes", "field"),
    [
        (ONE_MINUTE, 525_600, "targets.Low.resolutionMinutes"),
        ({**ONE_MINUTE, "holidays": _mondays(500)}, 30, "targets.Low.resolutionMinutes"),
        ({**ONE_MINUTE, "holidays": _mondays(501)}, 1, "calendar.holidays"),
        ({**ONE_MINUTE, "monday": []}, 1, "calendar"),
        ({**ONE_MINUTE, "monday": [{"from": "08:00", "to": "08:01"}] * 11}, 1, "calendar.monday"),
        ({**ONE_MINUTE, "timezone": "x" * 1000}, 1, "calendar.timezone"),
    ],
)
def test_a_policy_that_can_never_be_met_is_refused(
    organization: Organization, calendar: dict[str, Any], minutes: int, field: str
) -> None:
    body = {"targets": _targets(minutes), "calendar": calendar}
    answer = organization.api.put(f"{organization.path}/sla-policy", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"][0]["field"] == field
    assert data_of(organization.api.get(f"{organization.path}/sla-policy"))["calendar"] == {"mode": "24x7"}


def test_a_slow_calendar_that_gets_there_is_accepted(organization: Organization) -> None:
    body = {"targets": _targets(400), "calendar": ONE_MINUTE}
    assert organization.api.put(f"{organization.path}/sla-policy", json=body).status_code == 200
    order = organization.created("work-orders", {"title": "Lift is stuck"})
    assert 7 * 365 * 86_400 < order["slaResolutionDeadline"] - order["created"] < 8 * 365 * 86_400


def test_a_stored_policy_that_is_never_met_gives_no_deadline(organization: Organization) -> None:
    """From before such were refused. Making, changing and reopening an order go on."""
    policy = {"targets": _targets(525_600), "calendar": ONE_MINUTE}

    async def store() -> None:
        connection = await asyncpg.connect(organization.database_url)
        await connection.execute(
            "INSERT INTO sla_policies (organization_id, policy, updated) VALUES ($1, $2::jsonb, 1)",
            organization.id,
            json.dumps(policy),
        )
        await connection.close()

    asyncio.run(store())
    order = organization.created("work-orders", {"title": "Lift is stuck"})
    assert order["slaResolutionDeadline"] is None
    assert order["slaResponseDeadline"] > order["created"]
    path = f"{organization.path}/work-orders/{order['id']}"
    changed = organization.api.patch(path, json={"priority": "Low"})
    assert changed.status_code == 200, changed.text
    for verb, body in (
        ("start", {}),
        ("hold", {"reason": "Part"}),
        ("resume", {}),
        ("complete", {}),
        ("reopen", {}),
    ):
        moved = organization.api.post(f"{path}/{verb}", json=body)
        assert moved.status_code == 200, moved.text
        assert data_of(moved)["slaResolutionDeadline"] is None
