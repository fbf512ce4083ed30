import asyncio

import pytest
from structlog.testing import capture_logs

from steward.kit.domain.problems import Unavailable
from steward.kit.jobs.background import BackgroundTasks


async def test_started_tasks_run_before_the_stop() -> None:
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


async def test_the_bound_frees_places_afterwards() -> None:
    background, go = BackgroundTasks(1), asyncio.Event()
    background.start("first", go.wait())
    with pytest.raises(Unavailable):
        background.start("second", go.wait())
    go.set()
    await background.finish()
    background.start("third", go.wait())
    await background.finish()


async def test_failures_are_logged_without_their_messages() -> None:
    background = BackgroundTasks(1)

    async def work() -> None:
        raise ValueError("ada@example.com")

    with capture_logs() as logs:
        background.start("mail", work())
        await background.finish()
    assert "ValueError" in str(logs)
    assert "ada@example.com" not in str(logs)
