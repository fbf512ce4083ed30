"""Limits over many processes: never more than the limit, and all of it usable however the requests are spread."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from tests.support import waiting
from tests.support.waiting import wait_for_async

from steward.kit.coordination.rate_limiter import Limit, Limiter
from steward.kit.coordination.rate_windows import CHANNEL
from steward.kit.db.connection import connect
from steward.kit.db.pool import Pool
from steward.kit.domain.ids import new_id
from steward.kit.runtime import clock

# No window ends while a test runs.
HOUR = 3600

Spread = Callable[[int, Sequence[Limiter]], Limiter]

SPREADS: dict[str, Spread] = {
    "in turn": lambda number, limiters: limiters[number % len(limiters)],
    "by chance": lambda _number, limiters: random.choice(limiters),
    "all to one": lambda _number, limiters: limiters[0],
    "most to one": lambda _number, limiters: (
        limiters[0] if random.random() < 0.9 else random.choice(limiters)
    ),
    # All of them take something, and then only one is asked.
    "to one in the end": lambda number, limiters: limiters[number % len(limiters) if number < 60 else 0],
}


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    pool = Pool(database_url, 5)
    yield pool
    await pool.close()


@asynccontextmanager
async def limiters_of(
    processes: int,
    pool: Pool,
    url: str,
    heard: asyncio.Event | None = None,
    now_ms: Callable[[], int] = clock.now_ms,
) -> AsyncIterator[list[Limiter]]:
    """As many as there are processes; what one says, all of them hear."""
    limiters = [Limiter(pool, now_ms) for _ in range(processes)]

    def hear(*notification: str) -> None:
        for limiter in limiters:
            limiter.on_message(notification[-1])
        if heard is not None:
            heard.set()

    connection = await connect(url)
    await connection.add_listener(CHANNEL, hear)
    try:
        yield limiters
    finally:
        await connection.close()


async def ask(
    limiters: Sequence[Limiter], limit: Limit, spread: Spread, *, requests: int, at_once: int = 1
) -> list[bool]:
    """Which of them were allowed, in the order of their answers."""
    allowed: list[bool] = []
    numbers = iter(range(requests))

    async def caller() -> None:
        for number in numbers:
            limiter = spread(number, limiters)
            allowance = limiter.take_held(limit, "caller") or await limiter.take(limit, "caller")
            allowed.append(allowance.allowed)

    await asyncio.gather(*(caller() for _ in range(at_once)))
    return allowed


@pytest.mark.parametrize("at_once", [1, 32])
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("processes", [1, 4, 8, 20])
async def test_all_of_a_limit_can_be_used_and_nothing_beyond_it(
    pool: Pool, database_url: str, processes: int, spread: str, at_once: int
) -> None:
    limit = Limit(new_id("tst"), 1000, HOUR, "requests")
    async with limiters_of(processes, pool, database_url) as limiters:
        allowed = await ask(limiters, limit, SPREADS[spread], requests=1100, at_once=at_once)
        # What came back too late for one is there for the next.
        used = sum(allowed)

        async def nearly_all() -> bool:
            nonlocal used
            used += sum(await ask(limiters, limit, SPREADS[spread], requests=10))
            return used >= 990

        await wait_for_async("the use of nearly all of the limit", nearly_all)
    assert used <= 1000


@pytest.mark.parametrize("limited", [1, 5, 10, 51, 100])
@pytest.mark.parametrize("processes", [1, 4, 20])
async def test_small_limits_are_exact(pool: Pool, database_url: str, processes: int, limited: int) -> None:
    limit = Limit(new_id("tst"), limited, HOUR, "attempts")
    async with limiters_of(processes, pool, database_url) as limiters:
        allowed = await ask(limiters, limit, SPREADS["by chance"], requests=2 * limited + 10)
    assert allowed == [True] * limited + [False] * (limited + 10)


async def test_returned_shares_are_usable_at_once(pool: Pool, database_url: str) -> None:
    limit, heard = Limit(new_id("tst"), 5, HOUR, "attempts"), asyncio.Event()
    async with limiters_of(2, pool, database_url, heard) as limiters:
        here, there = limiters
        assert await ask([here], limit, SPREADS["all to one"], requests=5) == [True] * 5
        assert not (await there.take(limit, "caller")).allowed
        assert not (await there.take(limit, "caller")).allowed, "a refusal is remembered"
        here.give_back(limit, "caller")
        await here.return_all()
        await asyncio.wait_for(heard.wait(), waiting.limit(60))
        # Although what is remembered is younger than a second.
        assert (await there.take(limit, "caller")).allowed
        assert not (await here.take(limit, "caller")).allowed


async def test_a_process_without_notifications_still_obeys_the_limit(pool: Pool) -> None:
    limit = Limit(new_id("tst"), 1000, HOUR, "requests")
    allowed = await ask([Limiter(pool) for _ in range(4)], limit, SPREADS["to one in the end"], requests=1500)
    assert 800 <= sum(allowed) <= 1000
    # By itself within two rounds: what nobody uses goes back.
    deaf = [Limiter(pool), Limiter(pool)]
    other = Limit(new_id("tst"), 1000, HOUR, "requests")
    await deaf[1].take(other, "caller")
    assert sum(await ask(deaf[:1], other, SPREADS["all to one"], requests=1000)) < 999
    for _ in range(2):
        await deaf[1].return_idle()
    assert (await Limiter(pool).take(other, "caller")).allowed


async def test_refusing_costs_no_statement(pool: Pool, database_url: str) -> None:
    """A flood over the limit is refused from memory: without queries, again and again."""
    limit, now = Limit(new_id("tst"), 200, HOUR, "requests"), clock.now_ms()
    # A refusal is remembered for a second, which is never over here.
    async with limiters_of(4, pool, database_url, now_ms=lambda: now) as limiters:
        assert sum(await ask(limiters, limit, SPREADS["in turn"], requests=210)) == 200
        await pool.close()
        assert not any(await ask(limiters, limit, SPREADS["in turn"], requests=1000))


async def test_the_remaining_limit_is_shared_by_all_processes(pool: Pool, database_url: str) -> None:
    """A caller who alternates between two processes sees it fall, whichever of them took the last chunk."""
    limit = Limit(new_id("tst"), 1000, HOUR, "requests")
    async with limiters_of(2, pool, database_url) as limiters:
        one, other = limiters
        seen = [(await one.take(limit, "x")).remaining]
        for _ in range(400):
            assert (await other.take(limit, "x")).allowed
        used = 401
        await wait_for_async(
            "word of what the other took", lambda: one.known(limit, "x").remaining < 1000 - used
        )
        for number in range(100):
            seen.append((await limiters[number % 2].take(limit, "x")).remaining)
            used += 1
            told = [limiter.known(limit, "x").remaining for limiter in limiters]
            left = 1000 - used
            # Neither is farther from what there is than what is held, or was taken a moment ago.
            in_flight = sum(limiter._windows[limit.scope, "x"].held for limiter in limiters)
            assert all(abs(each - left) <= in_flight for each in told), (number, told, left, in_flight)
    for here, there in zip(seen[1::2], seen[3::2], strict=False):
        assert here > there
