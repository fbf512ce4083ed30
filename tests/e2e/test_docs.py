"""Every page as a reader goes through it: its blocks, one after the other, against a running service."""

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.site.navigation import ROOT
from tests.demo.seeded import SeededDemo, running_demo
from tests.docs.pages import Page, pages
from tests.docs.runner import is_run, run_page
from tests.support import databases
from tests.support.launching import remove_cluster
from tests.support.servers import drop_database, make_database, own_name

_OUR_VARIABLES = {"STEWARD_URL", "STEWARD_API_KEY", "STEWARD_ORG"}


def _sql_of(page: Page) -> list[str]:
    return [block.code for block in page.blocks if block.language == "sql" and block.note is None]


_PAGES = [page for page in pages() if any(is_run(block) for block in page.blocks)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[SeededDemo]:
    """As `make run`: with a demo organization that many records are in already, and receivers on the reader's own machine."""
    # The worker of the session's service, which refuses such receivers, must not find their deliveries.
    folder = tmp_path_factory.mktemp("readers")
    with running_demo(database_url, folder, "readers", STEWARD_WEBHOOK_ALLOW_LOCAL="on") as demo:
        yield demo


@pytest.mark.long
@pytest.mark.parametrize("page", _PAGES, ids=repr)
def test_the_steps_of_a_page_work(page: Page, demo: SeededDemo, tmp_path: Path) -> None:
    if missing := [program for program in ("bash", "curl", "jq") if shutil.which(program) is None]:
        pytest.skip(f"not installed: apt-get install {' '.join(missing)}")
    variables = {
        "STEWARD_URL": demo.base_url,
        "STEWARD_ORG": demo.demo.organization_id,
        "STEWARD_API_KEY": demo.demo.api_key,
    }
    reader = tmp_path / "reader"
    try:
        run_page(page, reader, variables)
    finally:
        # A page may make embedded databases, which for root lie elsewhere.
        for place in reader.rglob("postgres.location"):
            remove_cluster(place.parent)


def test_examples_everywhere_use_the_same_variables() -> None:
    """In the web app and in `/docs`, too; a token is what the deprecated way needs."""
    files = [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "src").rglob("templates/**/*.html")]
    used = {
        name for file in files for name in re.findall(r"\$([A-Z][A-Z_]*)", file.read_text(encoding="utf-8"))
    }
    assert used - {"TOKEN", "LAST_EVALUATED_KEY"} == _OUR_VARIABLES


@pytest.mark.long
def test_the_sql_of_a_page_runs(database_url: str) -> None:
    """Each page in a database that has nothing in it."""
    for number, page in enumerate(page for page in pages() if _sql_of(page)):
        name = own_name(f"sql_{number}")
        url = asyncio.run(make_database(database_url, name))
        try:
            asyncio.run(databases.run_commands(url, *_sql_of(page)))
        finally:
            asyncio.run(drop_database(database_url, name))
