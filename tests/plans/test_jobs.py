"""What the worker does by itself costs next to nothing while nothing is due, however much there is."""

import pytest
from tests.plans.jobs import MOST_PAGES, read_by_idle_jobs
from tests.plans.measuring import MODES

pytestmark = pytest.mark.long


@pytest.mark.parametrize("mode", MODES)
async def test_an_idle_job_reads_few_pages(crowded_url: str, mode: str) -> None:
    read = await read_by_idle_jobs(crowded_url, mode)
    assert {name: pages for name, pages in read.items() if pages > MOST_PAGES} == {}
