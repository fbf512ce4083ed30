"""PostgreSQL goes and comes back under running processes; workers and processes end in the middle of things."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import asyncpg
import httpx
from tests.faults.deployment import Deployment
from tests.faults.statements import statements_of
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.organizations import Organization
from tests.support.waiting import limit, wait_for

from steward.kit.db.connection import connect


def get(deployment: Deployment, path: str) -> httpx.Response:
    return httpx.get(f"{deployment.api.base_url}{path}", timeout=limit(60), verify=False)


def is_ready(deployment: Deployment) -> bool:
    return get(deployment, "/health/ready").status_code == 200


def is_unavailable(answer: httpx.Response) -> bool:
    return (
        (answer.status_code, answer.json()["error"]) == (503, "Unavailable")
        and int(answer.headers["retry-after"]) >= 1
        and answer.json()["requestId"] == answer.headers["x-request-id"]
    )


def end_all_connections(deployment: Deployment) -> None:
    fetch(
        deployment.database_url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'steward'",
    )


@contextmanager
def hammering(organization: Organization) -> Iterator[list[httpx.Response]]:
    """Reads and writes all the while, and keeps what was answered."""
    answers: list[httpx.Response] = []
    stop = threading.Event()

    def hammer(number: int) -> None:
        client = organization.client(key=organization.secret)
        while not stop.is_set():
            if number % 2:
                answers.append(client.post(f"{organization.path}/work-orders", json={"title": "Leak"}))
            else:
                answers.append(client.get(f"{organization.path}/work-orders"))
            stop.wait(0.01)

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(hammer, number) for number in range(4)]
        try:
            yield answers
        finally:
            stop.set()
    for one in running:
        one.result()


def test_without_postgresql_answers_are_503_until_it_returns(deployment: Deployment) -> None:
    organization = deployment.new_organization()
    key = organization.new_key()
    wait_for("readiness", lambda: is_ready(deployment))
    with hammering(organization) as answers:
        wait_for("some traffic", lambda: len(answers) > 20)
        deployment.postgres.stop()
        wait_for("a refusal", lambda: answers[-1].status_code == 503)
        assert is_unavailable(get(deployment, "/health/ready"))
        assert get(deployment, "/health/live").status_code == 200
        login = {"account": organization.email, "password": organization.password}
        assert is_unavailable(organization.client().post("/authentications/tokens", json=login))
        deployment.postgres.start()
        wait_for("readiness", lambda: is_ready(deployment))
        wait_for("traffic again", lambda: answers[-1].status_code in {200, 201})
    assert {answer.status_code for answer in answers} <= {200, 201, 503}
    assert all(is_unavailable(answer) for answer in answers if answer.status_code == 503)
    caller = organization.client(key=key["secret"])
    assert caller.get(organization.path).status_code == 200
    assert organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}").status_code == 200
    assert caller.get(organization.path).status_code == 401


def test_every_order_that_was_answered_201_is_there_after_a_crash_of_all_connections(
    deployment: Deployment,
) -> None:
    organization = deployment.new_organization()
    with hammering(organization) as answers:
        for _ in range(3):
            seen = len(answers)
            end_all_connections(deployment)
            wait_for("traffic", lambda: any(a.status_code == 201 for a in answers[seen:]))  # noqa: B023
    assert {answer.status_code for answer in answers} <= {200, 201, 503}
    made = {data_of(answer)["id"] for answer in answers if answer.status_code == 201}
    stored = fetch(
        deployment.database_url, "SELECT id FROM work_orders WHERE organization_id = $1", organization.id
    )
    assert made <= {row["id"] for row in stored}


def test_after_all_connections_died_a_revocation_still_acts_on_the_next_request(
    deployment: Deployment,
) -> None:
    organization = deployment.new_organization()
    other = deployment.start_api()
    try:
        key = organization.new_key()
        callers = [
            organization.client(key=key["secret"], base_url=url)
            for url in (organization.base_url, other.base_url)
        ]
        assert [caller.get(organization.path).status_code for caller in callers] == [200, 200]
        end_all_connections(deployment)
        path = f"{organization.path}/api-keys/{key['keyId']}"
        wait_for("the revocation", lambda: organization.api.delete(path).status_code == 200)
        assert [caller.get(organization.path).status_code for caller in callers] == [401, 401]
    finally:
        other.stop()


def test_the_worker_ends_a_transaction_whose_connection_was_lost_before_a_statement_ran(
    deployment: Deployment,
) -> None:
    async def is_ended() -> None:
        connection = await connect(deployment.database_url)
        try:
            await connection.begin()
            # The server waits for the order to run it, and none of its timeouts is running.
            await connection.prepare("SELECT pg_current_xact_id()")
            ended = asyncio.Event()
            connection.add_termination_listener(lambda _: ended.set())
            await asyncio.wait_for(ended.wait(), limit(60))
        finally:
            connection.terminate()

    asyncio.run(is_ended())


def test_after_reconnecting_a_process_trusts_its_cache_again(deployment: Deployment) -> None:
    organization = deployment.new_organization()
    end_all_connections(deployment)

    def costs_no_look_at_the_key() -> bool:
        found = statements_of(deployment, lambda: organization.api.get(f"{organization.path}/work-orders"))
        return not any("api_keys" in statement.text for statement in found)

    wait_for("trust", costs_no_look_at_the_key)


def test_the_service_is_not_ready_without_a_worker_and_ready_again_with_one(deployment: Deployment) -> None:
    wait_for("readiness", lambda: is_ready(deployment))
    assert deployment.worker.stop() == 0
    wait_for("unreadiness", lambda: not is_ready(deployment))
    assert is_unavailable(get(deployment, "/health/ready"))
    deployment.worker = deployment.start_worker()
    wait_for("readiness", lambda: is_ready(deployment))


def test_sigterm_lets_requests_in_flight_finish(deployment: Deployment) -> None:
    organization = deployment.new_organization()
    process = deployment.start_api()
    clients = [organization.client(key=organization.secret, base_url=process.base_url) for _ in range(6)]
    assert {client.get(organization.path).status_code for client in clients} == {200}

    def waiting() -> bool:
        statement = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'work_orders'::regclass"
        return fetch(deployment.database_url, statement)[0][0] == len(clients)

    async def hold(release: asyncio.Event) -> None:
        connection = await asyncpg.connect(deployment.database_url)
        async with connection.transaction():
            await connection.execute("LOCK TABLE work_orders IN ACCESS EXCLUSIVE MODE")
            held.set()
            await release.wait()
        await connection.close()

    held = threading.Event()
    loop = asyncio.new_event_loop()
    release = asyncio.Event()
    holder = threading.Thread(target=loop.run_until_complete, args=(hold(release),))
    holder.start()
    try:
        assert held.wait(limit(60))
        with ThreadPoolExecutor(len(clients)) as threads:
            posts = [
                threads.submit(client.post, f"{organization.path}/work-orders", json={"title": "Leak"})
                for client in clients
            ]
            try:
                wait_for("all to wait for the lock", waiting)
                process.process.terminate()
                assert process.process.poll() is None
            finally:
                loop.call_soon_threadsafe(release.set)
            assert [post.result().status_code for post in posts] == [201] * len(clients)
        assert process.process.wait(limit(60)) == 0
    finally:
        loop.call_soon_threadsafe(release.set)
        holder.join()
        loop.close()
        process.stop()
