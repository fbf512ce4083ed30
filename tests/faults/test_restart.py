"""A stopping process answers its callers first: none meets a closed port."""

import http.client
import signal
from urllib.parse import urlsplit

from tests.support.organizations import Organization
from tests.support.service import Service
from tests.support.waiting import limit, wait_for


def test_a_stopping_process_reports_unready_before_it_stops(
    service: Service, organization: Organization
) -> None:
    # Long enough for all requests below; the drain is at most a third of the whole.
    drain = round(limit(8))
    api = service.another_api(STEWARD_DRAIN_SECONDS=f"{drain}", STEWARD_SHUTDOWN_SECONDS=f"{3 * drain}")
    address = urlsplit(api.base_url).netloc
    path, headers = f"{organization.path}/work-orders", {"X-API-Key": organization.secret}

    def ask(connection: http.client.HTTPConnection, what: str) -> tuple[int, str | None]:
        connection.request("GET", what, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers["connection"]

    def ready() -> int:
        connection = http.client.HTTPConnection(address, timeout=limit(60))
        try:
            return ask(connection, "/health/ready")[0]
        finally:
            connection.close()

    kept = [http.client.HTTPConnection(address, timeout=limit(60)) for _ in range(20)]
    for connection in kept:
        assert ask(connection, path) == (200, None)
    wait_for("readiness", lambda: ready() == 200)
    api.process.send_signal(signal.SIGTERM)
    wait_for("the word that it stops", lambda: ready() == 503)
    # Those who were here, and those who come although they could know better, are served all the same.
    for connection in [*kept, http.client.HTTPConnection(address, timeout=limit(60))]:
        assert ask(connection, path) == (200, "close")
        connection.close()
    assert api.process.wait(limit(90)) == 0
