import asyncio

import pytest
from structlog.testing import capture_logs

from steward.kit.domain.problems import Unavailable
from steward.kit.jobs.background import BackgroundTasks


async def test_nobody_waits_until_the_stop() -> None:
    background, go, done = BackgroundTasks(2), asyncio.Event(), []

    async def work() -> None:
        await go.wait()
        done.append(1)

    background.start("work", work())
    await asyncio.sleep(0)
    assert done == []
    go.set()
    await background.finish()
    assert done == [1]
    await background.finish()


async def test_there_is_a_bound_and_room_again_afterwards() -> None:
    background, go = BackgroundTasks(1), asyncio.Event()
    background.start("first", go.wait())
    with pytest.raises(Unavailable):
        background.start("second", go.wait())
    go.set()
    await background.finish()
    background.start("third", go.wait())
    await background.finish()


async def test_what_fails_is_logged_without_its_words() -> None:
    background = BackgroundTasks(1)

    async def work() -> None:
        raise ValueError("ada@example.com")

    with capture_logs() as logs:
        background.start("mail", work())
        await background.finish()
    assert "ValueError" in str(logs)
    assert "ada@example.com" not in str(logs)
