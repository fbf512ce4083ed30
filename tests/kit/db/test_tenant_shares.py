"""One tenant's statements never take all connections of a pool."""

import asyncio
from collections.abc import Awaitable

import pytest

from steward.kit.db.tenant_shares import TenantShares
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.fair_turns import FairTurns, take_turn


async def _take(tenant: str, shares: TenantShares) -> str | None:
    await take_turn(tenant)
    return await shares.take()


def _request(tenant: str, shares: TenantShares) -> "asyncio.Task[str | None]":
    async def run(work: Awaitable[str | None]) -> str | None:
        return await work

    return asyncio.create_task(run(FairTurns().of(_take(tenant, shares))))


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("size", "most"), [(1, 1), (2, 1), (4, 3), (5, 4), (10, 8)])
async def test_some_connections_are_reserved(size: int, most: int) -> None:
    shares = TenantShares(size, 60)
    loud = [_request("loud", shares) for _ in range(size + 3)]
    await _settled()
    assert [task.done() for task in loud] == [True] * most + [False] * (size + 3 - most)
    assert await _request("quiet", shares) == "quiet"
    for _ in loud:
        shares.give_back("loud")
    assert await asyncio.gather(*loud) == ["loud"] * len(loud)


async def test_work_without_a_tenant_takes_no_share() -> None:
    shares = TenantShares(1, 60)
    assert [await shares.take() for _ in range(3)] == [None] * 3
    shares.give_back(None)


async def test_a_share_passes_on_when_its_holder_is_cancelled() -> None:
    shares = TenantShares(2, 60)
    await _request("loud", shares)
    cancelled, waiting = _request("loud", shares), _request("loud", shares)
    await _settled()
    shares.give_back("loud")
    cancelled.cancel()
    assert await waiting == "loud"


async def test_waiting_for_a_share_times_out() -> None:
    shares = TenantShares(2, 0)
    await _request("loud", shares)
    with pytest.raises(Unavailable, match="requests of yours wait"):
        await _request("loud", shares)
    shares.give_back("loud")
    assert await _request("loud", shares) == "loud"


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def _hold(shares: TenantShares, clock: _Clock, *, beside: str | None, seconds: int) -> int:
    """How many connections a loud tenant has in the end that wants all of them, each for 400 ms."""
    taken = [_request("loud", shares) for _ in range(20)]
    for _ in range(10 * seconds):
        clock.now += 0.1
        if beside is not None:
            shares.give_back(await _request(beside, shares))
        await _settled()
        for task in [task for task in taken if task.done()][::4]:
            taken.remove(task)
            shares.give_back("loud")
            taken.append(_request("loud", shares))
        await _settled()
    held = [task for task in taken if task.done()]
    for task in taken:
        task.cancel()
    await _settled()
    for _ in held:
        shares.give_back("loud")
    return len(held)


@pytest.mark.parametrize(("size", "most"), [(4, 2), (10, 3), (20, 6)])
async def test_heavy_tenants_get_fewer_connections_beside_others(size: int, most: int) -> None:
    clock = _Clock()
    assert await _hold(TenantShares(size, 60, clock), clock, beside="quiet", seconds=10) <= most


async def test_a_lone_caller_keeps_all_connections() -> None:
    clock = _Clock()
    assert await _hold(TenantShares(10, 60, clock), clock, beside=None, seconds=10) == 8


async def test_slow_statements_leave_connections_to_quick_ones() -> None:
    clock = _Clock()
    shares = TenantShares(10, 60, clock)
    await _request("quiet", shares)
    slow = [await _request("loud", shares) for _ in range(2)]
    clock.now += 0.9
    await _request("quiet", shares)
    quick = [_request("loud", shares) for _ in range(6)]
    await _settled()
    assert slow == ["loud"] * 2
    assert all(task.done() for task in quick)


async def test_past_use_of_shares_is_forgotten() -> None:
    clock = _Clock()
    shares = TenantShares(10, 60, clock)
    await _hold(shares, clock, beside="quiet", seconds=10)
    clock.now += 10
    await _request("quiet", shares)
    taken = [_request("loud", shares) for _ in range(8)]
    await _settled()
    assert all(task.done() for task in taken)
