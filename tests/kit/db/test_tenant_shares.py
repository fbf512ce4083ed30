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
async def test_some_connections_are_left_for_others(size: int, most: int) -> None:
    shares = TenantShares(size, 60)
    loud = [_request("loud", shares) for _ in range(size + 3)]
    await _settled()
    assert [task.done() for task in loud] == [True] * most + [False] * (size + 3 - most)
    assert await _request("quiet", shares) == "quiet"
    for _ in loud:
        shares.give_back("loud")
    assert await asyncio.gather(*loud) == ["loud"] * len(loud)


async def test_the_service_itself_takes_no_share() -> None:
    shares = TenantShares(1, 60)
    assert [await shares.take() for _ in range(3)] == [None] * 3
    shares.give_back(None)


async def test_a_share_goes_to_the_next_when_its_taker_is_cancelled() -> None:
    shares = TenantShares(2, 60)
    await _request("loud", shares)
    cancelled, waiting = _request("loud", shares), _request("loud", shares)
    await _settled()
    shares.give_back("loud")
    cancelled.cancel()
    assert await waiting == "loud"


async def test_nobody_waits_for_ever() -> None:
    shares = TenantShares(2, 0)
    await _request("loud", shares)
    with pytest.raises(Unavailable, match="requests of yours wait"):
        await _request("loud", shares)
    shares.give_back("loud")
    assert await _request("loud", shares) == "loud"
