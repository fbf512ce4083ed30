"""Another system receives events: the webhook is made, tested and fixed in the browser."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.support.answers import data_of
from tests.support.organizations import Organization, close_clients
from tests.support.servers import drop_database, make_database, own_name
from tests.support.service import Service

from steward.webhooks import verify


class Receiver(HTTPServer):
    """Refuses deliveries until the test lets it accept them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 503
        self.taken: list[tuple[bytes, dict[str, str]]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/steward"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, Receiver)
        if self.server.status == 200:
            self.server.taken.append((body, {name.lower(): value for name, value in self.headers.items()}))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(b"taken" if self.server.status == 200 else b"<i>out of order</i>")

    def log_message(self, *_words: Any) -> None:
        """The test says what came."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        yield receiver
        receiver.shutdown()


def _in_a_thread(work: Callable[[], Any]) -> Any:
    """Playwright keeps an event loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


@pytest.fixture
def organization(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Organization]:
    """One whose worker may send to this machine, over a database that no other worker looks into."""
    name = own_name("receiving")
    url = _in_a_thread(lambda: asyncio.run(make_database(database_url, name, migrated=True)))
    service = Service(tmp_path_factory.mktemp("receiving"), url, STEWARD_WEBHOOK_ALLOW_LOCAL="on")
    try:
        yield _in_a_thread(lambda: Organization(service.base_url, url, "Enterprise"))
    finally:
        close_clients()
        service.stop()
        _in_a_thread(lambda: asyncio.run(drop_database(database_url, name)))


def test_a_webhook_is_made_and_its_test_arrives(
    desk: Page, organization: Organization, receiver: Receiver
) -> None:
    place = organization.locations.create(name="North wing")["id"]
    desk.get_by_role("link", name="Integrations").click()
    desk.get_by_role("link", name="Webhooks", exact=True).click()
    desk.get_by_role("link", name="New webhook").click()
    desk.get_by_role("textbox", name="Address").fill(receiver.url)
    one = desk.get_by_label("Work order opened.")
    expect(one).to_be_visible()
    desk.get_by_label("workorder.*", exact=False).first.check()
    # Who takes the whole group needs no single ones.
    expect(one).not_to_be_visible()
    desk.get_by_label("Only events that match").check()
    field = desk.get_by_role("combobox", name="Locations")
    field.fill("North")
    desk.get_by_role("option", name="North wing").click()
    expect(desk.get_by_role("checkbox", name="North wing")).to_be_checked()
    expect(field).to_have_value("")
    desk.get_by_role("button", name="Create webhook").click()
    secret = desk.get_by_label("Signing secret", exact=True).input_value()
    (made,) = data_of(organization.api.get(organization.webhooks.path))
    assert (made["events"], made["filtering"]["criteria"]) == (["workorder.*"], {"locationId": [place]})
    desk.get_by_role("link", name="I have copied it").click()

    desk.get_by_role("button", name="Send a test").click()
    attempts = desk.locator("#attempts")
    # Without a reload: the page looks again by itself.
    expect(attempts).to_contain_text("503")
    expect(attempts).to_contain_text("<i>out of order</i>")
    receiver.status = 200
    desk.get_by_role("button", name="Send again").click()
    expect(attempts).to_contain_text("Succeeded")
    expect(attempts).to_contain_text("taken")
    ((body, headers),) = receiver.taken
    verify(body, headers, secret)

    desk.goto(f"/app/integrations/webhooks/{made['webhookId']}")
    desk.locator("#deliveries").get_by_role("link", name="Failed").click()
    expect(desk.locator("#deliveries")).to_contain_text("None is failed.")
    desk.locator("summary", has_text="New replay").click()
    desk.get_by_label("What", exact=True).select_option("all")
    desk.get_by_role("button", name="Start replay").click()
    # The worker does it, and the page follows.
    expect(desk.locator("#replays")).to_contain_text("Completed")
