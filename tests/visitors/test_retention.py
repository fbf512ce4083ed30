"""Visitors are forgotten by themselves, a while after their visit."""

import asyncio
from typing import Any

import pytest
from tests.support.organizations import Organization
from tests.support.records.visitors import ADA

from steward.kit.db.pool import Pool
from steward.settings import Settings, from_environment
from steward.visitors import jobs as upkeep

DAY = 86_400
LATE = 4_000_000_000  # so far ahead that nothing of other tests is younger


def run(organization: Organization, now: int, days: int = 90, **more: int) -> int:
    async def main() -> int:
        pool = Pool(organization.database_url, 2)
        try:
            return await upkeep.erase_old_visitors(pool, now, days, **more)
        finally:
            await pool.close()

    return asyncio.run(main())


def is_erased(organization: Organization, visitor: dict[str, Any]) -> bool:
    found = organization.visitors.read(visitor)
    erased = found["erasedAt"] is not None
    assert {found[name] for name in ADA} == ({None} if erased else {visitor[name] for name in ADA})
    return erased


def end_of_visit(visitor: dict[str, Any]) -> int:
    return next(
        visitor[name]
        for name in ("checkedOutAt", "checkedInAt", "expectedArrival", "created")
        if visitor[name] is not None
    )


@pytest.mark.parametrize("status", ["Registered", "CheckedIn", "CheckedOut", "Cancelled"])
@pytest.mark.parametrize("expected", [None, 1_000_000_000])
def test_a_visitor_is_erased_when_the_time_after_the_visit_is_over(
    organization: Organization, status: str, expected: int | None
) -> None:
    visitor = organization.visitors.create_in_status(status, expectedArrival=expected)
    end = end_of_visit(visitor)
    run(organization, end + 7 * DAY, days=7)
    assert not is_erased(organization, visitor)
    run(organization, end + 7 * DAY + 1, days=7)
    assert is_erased(organization, visitor)
    assert organization.visitors.read(visitor) == {
        **visitor,
        **dict.fromkeys(ADA),
        "erasedAt": end + 7 * DAY + 1,
        "updated": end + 7 * DAY + 1,
    }


def test_events_are_rewritten_with_their_visitor(organization: Organization) -> None:
    visitor = organization.visitors.create_in_status("CheckedOut")
    run(organization, visitor["checkedOutAt"] + 90 * DAY + 1)
    told = organization.events()
    assert [event["type"] for event in told] == [
        "visitor.registered",
        "visitor.checked_in",
        "visitor.checked_out",
        "visitor.erased",
    ]
    assert [event["data"]["object"]["name"] for event in told[:3]] == [None, None, None]
    assert told[3]["data"]["object"]["id"] == visitor["id"]
    assert (told[0]["data"]["object"]["email"], told[0]["data"]["object"]["company"]) == (None, None)


def test_every_tenant_is_served_in_as_many_batches_as_it_takes(
    organization: Organization, other_organization: Organization
) -> None:
    visitors = [
        (where, where.visitors.create()) for where in (organization, other_organization) for _ in range(3)
    ]
    assert run(organization, LATE, batch_size=2) >= len(visitors)
    assert all(is_erased(where, visitor) for where, visitor in visitors)
    assert run(organization, LATE) == 0


def test_visitors_can_be_checked_out_later(organization: Organization) -> None:
    visitor = organization.visitors.create_in_status("CheckedIn")
    run(organization, LATE)
    assert [found["id"] for found in organization.visitors.listed(status="CheckedIn")] == [visitor["id"]]
    assert organization.api.delete(f"{organization.visitors.path}/{visitor['id']}").status_code == 200
    assert organization.visitors.move(visitor, "check-out")["status"] == "CheckedOut"
    assert organization.events()[-1]["data"]["object"]["name"] is None
    assert organization.visitors.listed(status="CheckedIn") == []


def test_two_workers_at_once_erase_each_visitor_once(organization: Organization) -> None:
    made = [organization.visitors.create() for _ in range(6)]

    async def main() -> list[int]:
        pools = [Pool(organization.database_url, 2) for _ in range(3)]
        try:
            return await asyncio.gather(*(upkeep.erase_old_visitors(pool, LATE, 90) for pool in pools))
        finally:
            for pool in pools:
                await pool.close()

    assert sum(asyncio.run(main())) >= len(made)
    assert all(is_erased(organization, visitor) for visitor in made)


def test_the_time_is_a_setting() -> None:
    assert Settings().visitor_retention_days == 90
    assert from_environment({"STEWARD_VISITOR_RETENTION_DAYS": "30"}).visitor_retention_days == 30
