"""A backup of a cluster is of one moment, and becomes a cluster again, or a plain database."""

import asyncio
from pathlib import Path

import pytest
from tests.operations.command import PASSPHRASE, done
from tests.support.databases import fetch
from tests.support.organizations import Client, Organization
from tests.support.processes import ApiProcess
from tests.support.servers import drop_database, form_cluster, make_database, nodes, own_name

_DISTRIBUTED = (
    "SELECT c.relname FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid ORDER BY 1"
)


@pytest.fixture
def own_url(cluster_nodes: list[str], database_url: str):
    yield asyncio.run(make_database(database_url, own_name("backed_up"), migrated=True))
    asyncio.run(drop_database(database_url, own_name("backed_up")))


@pytest.fixture
def empty_cluster_url(cluster_nodes: list[str], database_url: str):
    name = own_name("restored")
    url = asyncio.run(make_database(database_url, name))
    asyncio.run(form_cluster(asyncio.run(nodes(database_url)), name))
    yield url
    asyncio.run(drop_database(database_url, name))


def test_a_cluster_becomes_a_cluster_again(
    own_url: str, empty_cluster_url: str, empty_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "steward.backup"
    words = ("--passphrase-file", "-", "--database-url")
    api = ApiProcess(tmp_path / "api.log", own_url)
    try:
        api.wait_until_live()
        organization = Organization(api.base_url, own_url, "Enterprise")
        for title in ("Lift is stuck", "Door is stuck"):
            organization.api.post(f"{organization.path}/work-orders", json={"title": title})
        said = done("backup", path, *words, own_url, typed=PASSPHRASE)
    finally:
        api.stop()
    assert "rows of" in said
    titles = "SELECT number, title FROM work_orders ORDER BY number"
    done("restore", path, *words, empty_cluster_url, typed=PASSPHRASE)
    assert fetch(empty_cluster_url, _DISTRIBUTED) == fetch(own_url, _DISTRIBUTED)
    assert fetch(empty_cluster_url, titles) == fetch(own_url, titles)
    # The database of a plain server.
    done("restore", path, *words, empty_url, typed=PASSPHRASE)
    assert fetch(empty_url, titles) == fetch(own_url, titles)
    api = ApiProcess(tmp_path / "plain.log", empty_url)
    try:
        api.wait_until_live()
        again = Client(api.base_url, key=organization.secret)
        answer = again.post(f"{organization.path}/work-orders", json={"title": "Window is stuck"})
        assert answer.status_code == 201, answer.text
    finally:
        api.stop()
