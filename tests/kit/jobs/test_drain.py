import pytest

from steward.kit.jobs.drain import drain


@pytest.mark.parametrize(
    ("waiting", "max_batches", "taken", "batches"),
    [
        (0, None, 0, 1),
        (7, None, 7, 1),
        (10, None, 10, 2),
        (25, None, 25, 3),
        (25, 2, 20, 2),
        (25, 3, 25, 3),
        (5, 3, 5, 1),
    ],
)
async def test_batches_are_claimed_until_one_is_not_full_or_a_limit(
    waiting: int, max_batches: int | None, taken: int, batches: int
) -> None:
    found: list[int] = []

    async def take_batch() -> int:
        found.append(min(10, waiting - sum(found)))
        return found[-1]

    assert await drain(take_batch, batch_size=10, max_batches=max_batches) == taken
    assert len(found) == batches
