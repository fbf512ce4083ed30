"""Visitors are forgotten by themselves, a while after their visit."""

import asyncio
from typing import Any

import pytest
from tests.visitors.conftest import ADA, Reception

from steward.kit.db.pool import Pool
from steward.settings import Settings, from_environment
from steward.visitors import jobs as upkeep

DAY = 86_400
LATE = 4_000_000_000  # so far ahead that nothing of other tests is younger


def run(reception: Reception, now: int, days: int = 90, **more: int) -> int:
    async def main() -> int:
        pool = Pool(reception.org.database_url, 2)
        try:
            return await upkeep.erase_old_visitors(pool, now, days, **more)
        finally:
            await pool.close()

    return asyncio.run(main())


def is_erased(reception: Reception, visitor: dict[str, Any]) -> bool:
    found = reception.read(visitor)
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
    reception: Reception, status: str, expected: int | None
) -> None:
    visitor = reception.visitor_that_is(status, expectedArrival=expected)
    end = end_of_visit(visitor)
    run(reception, end + 7 * DAY, days=7)
    assert not is_erased(reception, visitor)
    run(reception, end + 7 * DAY + 1, days=7)
    assert is_erased(reception, visitor)
    assert reception.read(visitor) == {
        **visitor,
        **dict.fromkeys(ADA),
        "erasedAt": end + 7 * DAY + 1,
    }


def test_events_are_rewritten_with_their_visitor(reception: Reception) -> None:
    visitor = reception.visitor_that_is("CheckedOut")
    run(reception, visitor["checkedOutAt"] + 90 * DAY + 1)
    told = reception.events()
    assert [event["type"] for event in told] == [
        "visitor.registered",
        "visitor.checked_in",
        "visitor.checked_out",
    ]
    assert [event["data"]["object"]["name"] for event in told] == [None, None, None]
    assert (told[0]["data"]["object"]["email"], told[0]["data"]["object"]["company"]) == (None, None)


def test_every_tenant_is_served_in_as_many_batches_as_it_takes(
    reception: Reception, other_reception: Reception
) -> None:
    visitors = [(context, context.register()) for context in (reception, other_reception) for _ in range(3)]
    assert run(reception, LATE, batch_size=2) >= len(visitors)
    assert all(is_erased(context, visitor) for context, visitor in visitors)
    assert run(reception, LATE) == 0


def test_who_forgot_to_check_out_can_still_be_checked_out_afterwards(reception: Reception) -> None:
    visitor = reception.visitor_that_is("CheckedIn")
    run(reception, LATE)
    assert [found["id"] for found in reception.listed(status="CheckedIn")] == [visitor["id"]]
    assert reception.org.api.delete(f"{reception.path}/{visitor['id']}").status_code == 200
    assert reception.move(visitor, "check-out")["status"] == "CheckedOut"
    assert reception.events()[-1]["data"]["object"]["name"] is None
    assert reception.listed(status="CheckedIn") == []


def test_two_workers_at_once_erase_each_visitor_once(reception: Reception) -> None:
    made = [reception.register() for _ in range(6)]

    async def main() -> list[int]:
        pools = [Pool(reception.org.database_url, 2) for _ in range(3)]
        try:
            return await asyncio.gather(*(upkeep.erase_old_visitors(pool, LATE, 90) for pool in pools))
        finally:
            for pool in pools:
                await pool.close()

    assert sum(asyncio.run(main())) >= len(made)
    assert all(is_erased(reception, visitor) for visitor in made)


def test_the_time_is_a_setting() -> None:
    assert Settings().visitor_retention_days == 90
    assert from_environment({"STEWARD_VISITOR_RETENTION_DAYS": "30"}).visitor_retention_days == 30
