"""Twenty API processes over one database, without a pooler and with one: limits and revocation hold over all of them."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from tests.support.organizations import Client, Organization, close_clients
from tests.support.pgbouncer import PgBouncer, require_pgbouncer
from tests.support.processes import ApiProcess

pytestmark = pytest.mark.long

PROCESSES = 20
LIMIT = 1000
WINDOW_SECONDS = 60

Spread = Callable[[int], int]
SPREADS: dict[str, Spread] = {
    "in turn": lambda number: number % PROCESSES,
    "most to one": lambda _number: 0 if random.random() < 0.9 else random.randrange(PROCESSES),
}


@pytest.fixture(scope="module", params=["direct", "session", "transaction"])
def fleet(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, database_url: str
) -> Iterator[list[str]]:
    """The addresses of all of them."""
    folder = tmp_path_factory.mktemp("fleet")
    settings = {
        "STEWARD_DATABASE_CONNECTIONS": "2",
        "STEWARD_KEY_REQUESTS_PER_MINUTE": str(LIMIT),
        "STEWARD_LOG_LEVEL": "warning",
    }
    url, mode = database_url, request.param
    with ExitStack() as stack:
        if mode != "direct":
            require_pgbouncer(prepared_statements=mode == "transaction")
            # In session mode every connection of a process has a server process of its own.
            size = "150" if mode == "session" else "10"
            pooler = PgBouncer(folder / "pooler", database_url, mode, default_pool_size=size)
            stack.callback(pooler.stop)
            url = pooler.url
        if mode == "transaction":
            settings["STEWARD_DATABASE_LISTEN_URL"] = database_url
        processes = []
        for number in range(PROCESSES):
            process = ApiProcess(folder / f"api-{number}.log", url, **settings)
            stack.callback(process.kill)
            processes.append(process)
        for process in processes:
            process.wait_until_live()
        yield [process.base_url for process in processes]


@pytest.fixture
def organization(fleet: list[str], database_url: str) -> Iterator[Organization]:
    yield Organization(fleet[0], database_url, "Enterprise")
    close_clients()


def callers(organization: Organization, fleet: list[str], key: str) -> list[Client]:
    return [organization.client(key=key, base_url=url) for url in fleet]


def statuses(organization: Organization, clients: Sequence[Client]) -> set[int]:
    return {client.get(f"{organization.path}/work-orders?limit=1").status_code for client in clients}


def test_a_revoked_key_is_refused_by_all_of_them(organization: Organization, fleet: list[str]) -> None:
    for number in range(5):
        key = organization.new_key()
        clients = callers(organization, fleet, key["secret"])
        assert statuses(organization, clients) == {200}
        owner = organization.client(key=organization.secret, base_url=fleet[-number])
        assert owner.delete(f"{organization.path}/api-keys/{key['keyId']}").status_code == 200
        assert statuses(organization, clients) == {401}


@pytest.mark.parametrize("at_once", [1, 8])
@pytest.mark.parametrize("spread", SPREADS)
def test_all_of_a_limit_can_be_used_and_nothing_beyond_it(
    organization: Organization, fleet: list[str], spread: str, at_once: int
) -> None:
    key = organization.new_key()
    clients = callers(organization, fleet, key["secret"])

    def ask(number: int) -> int:
        # What isn't found costs an allowance like anything else, and little besides.
        return clients[SPREADS[spread](number)].get(f"{organization.path}/assets/ast_none").status_code

    began = time.monotonic()
    with ThreadPoolExecutor(at_once) as threads:
        answers = list(threads.map(ask, range(LIMIT + 100)))
    # On a slow machine the window is over before all were asked, and another one begins.
    windows = 1 + int((time.monotonic() - began) // WINDOW_SECONDS)
    assert set(answers) == {404, 429} if windows == 1 else set(answers) <= {404, 429}
    assert answers.count(404) <= LIMIT * windows
    assert answers[:LIMIT].count(404) >= 0.99 * LIMIT
