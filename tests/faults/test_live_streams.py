"""Two hundred open pages cost no more statements than one."""

import selectors
import socket
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

from tests.faults.deployment import Deployment
from tests.faults.statements import statements_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.waiting import limit

from steward.web.live.hub import MAX_PER_OWNER

_STREAMS = 200


class _Pages:
    """Streams that are read together, and what each of them has got."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        self._address = (parts.hostname or "", parts.port or 0)
        self._received: dict[socket.socket, bytes] = {}
        self._selector = selectors.DefaultSelector()

    def open(self, cookies: str) -> socket.socket:
        page = socket.create_connection(self._address, timeout=limit(60))
        page.sendall(f"GET /app/live HTTP/1.1\r\nHost: steward\r\nCookie: {cookies}\r\n\r\n".encode())
        self._received[page] = b""
        self._selector.register(page, selectors.EVENT_READ)
        return page

    def wait_until_all_got(self, text: bytes) -> None:
        while lacking := [page for page, received in self._received.items() if text not in received]:
            ready = self._selector.select(timeout=limit(60))
            assert ready, f"{len(lacking)} of {len(self._received)} streams got no {text!r}"
            for key, _ in ready:
                page = key.fileobj
                assert isinstance(page, socket.socket)
                data = page.recv(65536)
                assert data, self._received[page]
                self._received[page] += data


def _cookies(base_url: str, organization: Organization) -> list[str]:
    """Of as many people as it takes."""
    people = []
    for _ in range(_STREAMS // MAX_PER_OWNER):
        person = BrowserClient(base_url)
        person.log_in(organization.new_user("Viewer")["email"])
        people.append("; ".join(f"{name}={value}" for name, value in person.cookies.items()))
    return people


def test_one_look_serves_all_streams_of_an_organization(deployment: Deployment) -> None:
    organization = deployment.new_organization()
    pages = _Pages(deployment.api.base_url)
    with ExitStack() as stack:
        for cookies in _cookies(deployment.api.base_url, organization):
            for _ in range(MAX_PER_OWNER):
                stack.enter_context(pages.open(cookies))
        pages.wait_until_all_got(b"event: hello")

        def change_thrice() -> None:
            for _ in range(3):
                order = organization.work_orders.create()
                pages.wait_until_all_got(f'event: work-orders\ndata: {{"ids":["{order["id"]}"]}}'.encode())

        began = time.monotonic()
        found = statements_of(deployment, change_thrice)
    # Looks for events, alerts and sessions, of three changes and the ticks beside them: far from one for each stream. There
    # are fewer than two ticks' looks in a second, however many seconds it takes here.
    assert len(found) < _STREAMS / 4 + 2 * (time.monotonic() - began), found
