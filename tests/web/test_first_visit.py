"""What a browser that knows nothing yet has to fetch for a page, as it comes over the wire; and how little it fetches again."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

import httpx
import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

_MOST = 300 * 1024
_LINKED = re.compile(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="(/[^"]+)"')
# At the start of a module, and where it asks for another one later.
_IMPORTED = re.compile(r'\b(?:import|from)\s*\(?\s*"(\.{1,2}/[^"]+)"')
_NAMED_IN_CSS = re.compile(r'url\(["\']?([^"\')]+)')
# Charts come when there is something to draw.
_ASIDE = "vendor/echarts.js"


def _size(answer: httpx.Response) -> int:
    """Head and body, as they were sent."""
    head = sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
    return head + answer.num_bytes_downloaded


def _needs(address: str, answer: httpx.Response) -> Iterator[str]:
    kind = answer.headers["content-type"].partition(";")[0]
    found = {"text/html": _LINKED, "text/javascript": _IMPORTED, "text/css": _NAMED_IN_CSS}.get(kind)
    for name in found.findall(answer.text) if found else ():
        # What begins with data: or # is here already.
        if not name.startswith(("data:", "#")):
            yield urljoin(address, name)


def _visit(person: BrowserClient, page: str) -> dict[str, httpx.Response]:
    """The page, and whatever it leads a browser to fetch, by address."""
    answers: dict[str, httpx.Response] = {}
    waiting = [page]
    while waiting:
        address = waiting.pop()
        if address in answers or address.endswith(_ASIDE):
            continue
        answer = person.get(address, headers={"accept-encoding": "gzip"})
        assert answer.status_code == 200, address
        answers[address] = answer
        waiting += _needs(address, answer)
    return answers


@pytest.mark.parametrize(
    ("page", "needed"),
    [
        ("/app", ("steward.css", "js/app.js", "js/live.js", "vendor/htmx.js")),
        ("/app/work-orders", ("steward.css", "js/app.js", "vendor/htmx.js")),
        ("/app/work-orders/board", ("steward.css", "vendor/sortable.js")),
        ("/app/bookings", ("steward.css", "vendor/event-calendar.js", "vendor/event-calendar.css")),
    ],
)
def test_a_first_visit_fetches_little(
    admin: BrowserClient, organization: Organization, page: str, needed: tuple[str, ...]
) -> None:
    for number in range(20):
        organization.created("work-orders", {"title": f"Air handler {number} is noisy"})
    answers = _visit(admin, page)
    names = {re.sub(r"^/static/\w+/", "", address) for address in answers}
    assert set(needed) <= names
    sizes = {address: _size(answer) for address, answer in answers.items()}
    assert sum(sizes.values()) < _MOST, sizes


def test_a_second_visit_fetches_nothing_that_has_not_changed(admin: BrowserClient) -> None:
    for address, answer in _visit(admin, "/app/work-orders").items():
        if address.startswith("/static/"):
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable", address
            continue
        known = {"if-none-match": answer.headers["etag"], "accept-encoding": "gzip"}
        again = admin.get(address, headers=known)
        assert (again.status_code, again.num_bytes_downloaded) == (304, 0), address


@pytest.mark.parametrize("path", ["/app", "/app/work-orders", "/app/pick/work-order", "{css}"])
def test_pages_styles_and_data_are_packed(
    admin: BrowserClient, organization: Organization, path: str
) -> None:
    for _ in range(12):
        organization.created("work-orders", {"title": "Air handler on the third floor is noisy" * 3})
    [css] = re.findall(r'rel="stylesheet" href="(/[^"]*steward\.css)"', admin.sees("/app"))
    address = path.format(css=css)
    packed = admin.get(address, headers={"accept-encoding": "gzip"})
    plain = admin.get(address, headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.num_bytes_downloaded < len(plain.content) * 0.5
