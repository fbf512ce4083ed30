"""Tenants take turns on the event loop; the seconds that work takes are made up."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from steward.kit.runtime.fair_turns import FairTurns, current_tenant, take_turn


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Process:
    """One event loop with requests whose steps take as long as they say."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.turns = FairTurns(self.clock, cpu=self.clock)
        # Whose step ran, one after the other.
        self.ran: list[str] = []
        self._ticking: asyncio.Handle | None = None

    def request(self, tenant: str, *steps: float) -> "asyncio.Task[None]":
        return asyncio.create_task(self._run(self.turns.of(self._work(tenant, steps))))

    async def _run(self, work: Awaitable[None]) -> None:
        await work

    async def _work(self, tenant: str, steps: tuple[float, ...]) -> None:
        await take_turn(tenant)
        for number, seconds in enumerate(steps):
            if number:
                await asyncio.sleep(0)
            self.ran.append(tenant)
            self.clock.now += seconds

    def let_time_pass(self) -> None:
        """A millisecond in each round of the loop, whatever else happens."""
        self.clock.now += 0.001
        self._ticking = asyncio.get_running_loop().call_soon(self.let_time_pass)

    def stop(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()

    async def made_heavy(self, *tenants: str) -> None:
        for tenant in tenants:
            await self.request(tenant, *[0.004] * 50)
        self.ran.clear()


@pytest.fixture
async def process() -> AsyncIterator[Process]:
    process = Process()
    yield process
    process.stop()


async def test_a_new_task_does_not_wait_for_all_ready_ones(process: Process) -> None:
    await process.made_heavy("loud")
    loud = [process.request("loud", 0.01) for _ in range(50)]
    await asyncio.sleep(0)
    await process.request("quiet", 0.001, 0.001, 0.001)
    process.let_time_pass()
    ahead = process.ran.index("quiet")
    # One of a round and what was on its way when the newcomer came; in the order of arrival it would be all fifty.
    assert ahead <= 3
    assert process.ran[ahead : ahead + 3] == ["quiet"] * 3
    await asyncio.gather(*loud)
    assert process.ran.count("loud") == 50


async def test_a_new_tenant_is_not_delayed_by_long_waiting_ones(process: Process) -> None:
    await process.made_heavy("loud")
    loud = [process.request("loud", *[0.004] * 3) for _ in range(20)]
    await loud[0]
    await process.request("quiet", *[0.001] * 8)
    begun = process.ran.index("quiet")
    # One was on its way when the newcomer came.
    assert process.ran[begun:].count("loud") <= 1
    process.let_time_pass()
    await asyncio.gather(*loud)


async def test_time_that_other_programs_took_is_not_charged(process: Process) -> None:
    process.turns.cpu = lambda: 0.0
    await process.request("unlucky", 1.0, 1.0, 1.0)
    assert process.turns.use("unlucky").used(process.clock()) == 0


async def test_a_single_tenant_gets_the_whole_event_loop(process: Process) -> None:
    await process.made_heavy("loud")
    began = process.clock.now
    await asyncio.gather(*(process.request("loud", 0.01, 0.01) for _ in range(20)))
    assert process.clock.now - began == pytest.approx(0.4)


async def test_of_two_heavy_tenants_the_lighter_goes_first(process: Process) -> None:
    await process.made_heavy("first", "first", "second")
    process.let_time_pass()
    await asyncio.gather(*(process.request(name, 0.004) for name in ("first", "second") * 20))
    # The one that was ahead by 0.2 s lets the other catch up.
    assert process.ran[2:20].count("second") == 18


async def test_short_steps_of_a_heavy_tenant_run_beside_light_ones(process: Process) -> None:
    await process.made_heavy("loud")
    release = asyncio.Event()

    async def light() -> None:
        await take_turn("quiet")
        await release.wait()

    asyncio.create_task(process._run(process.turns.of(light())))  # noqa: RUF006 (ends below)
    await asyncio.sleep(0)
    loud = process.request("loud", 0.0001, 0.0001)
    # The light request waits for something else by now.
    process.let_time_pass()
    await loud
    release.set()


async def test_a_long_step_pauses_while_others_are_waiting(process: Process) -> None:
    await process.made_heavy("loud")
    await process.request("quiet", 0.001)
    await process.request("loud", 0.05)
    waits = process.request("loud", 0.05)
    for _ in range(10):
        await asyncio.sleep(0)
    assert process.ran == ["quiet", "loud"]
    process.let_time_pass()
    await waits


async def test_a_lone_task_does_not_pause(process: Process) -> None:
    await process.made_heavy("loud")
    await process.request("quiet", 0.001)
    process.clock.now += 1
    began = process.clock.now
    await asyncio.gather(*(process.request("loud", 0.05) for _ in range(10)))
    assert process.clock.now - began == pytest.approx(0.5)


async def test_a_request_cancelled_while_queued_delays_no_other(process: Process) -> None:
    await process.made_heavy("loud")
    requests = [process.request("loud", 0.01) for _ in range(5)]
    await asyncio.sleep(0)
    requests[2].cancel()
    process.let_time_pass()
    done = await asyncio.gather(*requests, return_exceptions=True)
    assert [isinstance(each, asyncio.CancelledError) for each in done] == [False, False, True, False, False]
    await process.request("loud", 0.01)


async def test_failed_steps_are_charged_and_leave_nothing_behind(process: Process) -> None:
    async def failing() -> None:
        await take_turn("loud")
        await asyncio.sleep(0)
        process.clock.now += 0.2
        raise ValueError

    with pytest.raises(ValueError):
        await process.turns.of(failing())
    assert process.turns.use("loud").requests == 0
    assert process.turns.use("loud").used(process.clock.now) == pytest.approx(0.2)


async def test_measured_usage_decays(process: Process) -> None:
    await process.made_heavy("loud")
    use = process.turns.use("loud")
    used = use.used(process.clock.now)
    assert used == pytest.approx(0.2, rel=0.1)
    assert use.used(process.clock.now + 2) == pytest.approx(used / 4)


async def test_only_recently_active_tenants_are_kept_in_memory(process: Process) -> None:
    for number in range(3000):
        await process.request(f"tenant {number}", 0.0001)
        process.clock.now += 1
    assert len(process.turns._uses) <= 1024


async def test_background_work_has_no_tenant(process: Process) -> None:
    seen: list[str | None] = [current_tenant()]

    async def work(look: Callable[[], str | None]) -> None:
        seen.append(look())
        await take_turn("a tenant")
        seen.append(look())

    await asyncio.create_task(process._run(process.turns.of(work(current_tenant))))
    assert seen == [None, "", "a tenant"]
