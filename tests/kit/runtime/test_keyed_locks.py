"""One at a time for each key, and nothing stays of a key that nobody uses."""

import asyncio
import gc

from steward.kit.runtime.keyed_locks import KeyedLocks


async def test_a_key_is_locked_by_one_at_a_time() -> None:
    locks, inside, most = KeyedLocks(), 0, 0

    async def work() -> None:
        nonlocal inside, most
        async with locks.lock("a"):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(work() for _ in range(10)))
    assert most == 1


async def test_locks_of_other_keys_do_not_wait() -> None:
    locks = KeyedLocks()
    async with locks.lock("a"), locks.lock("b"):
        assert locks.lock("a").locked()
        assert not locks.lock("c").locked()


async def test_a_lock_is_dropped_with_its_last_user() -> None:
    locks = KeyedLocks()
    async with locks.lock("a"):
        waiting = asyncio.create_task(locks.lock("a").acquire())
        await asyncio.sleep(0)
        assert len(locks._locks) == 1
    await waiting
    del waiting
    gc.collect()
    assert len(locks._locks) == 0
