"""Everything that a page offers works for its viewer: each link has a target, each form may be sent."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization, close_clients
from tests.support.sample_records import SampleRecords
from tests.support.service import Service

pytestmark = pytest.mark.long

_MOST_PAGES = 400
# Where a link leaves the app, or ends the visit.
_ELSEWHERE = ("/docs", "/openapi.json", "/static/")


# What everybody may do about their own visit.
_ONES_OWN = ("/app/logout", "/app/account", "/app/organizations")


class _Offers(HTMLParser):
    """The links and forms of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.posts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        if tag == "form" and given.get("method", "get") == "post":
            self.posts.append(given.get("action") or "")


def _pattern(address: str) -> str:
    """Addresses that differ in an identifier or in filters only are the same page."""
    parts = urlsplit(address)
    names = sorted(re.findall(r"([A-Za-z]+)=", parts.query))
    return re.sub(r"/[a-z]{3}_\w+|/wo_\w+", "/*", parts.path) + "?" + "&".join(names)


def _crawl(person: BrowserClient) -> tuple[dict[str, int], set[str]]:
    """The status of every page that can be reached by links, and the forms that were found on the way."""
    seen: dict[str, int] = {}
    posts: set[str] = set()
    waiting = ["/app"]
    while waiting and len(seen) < _MOST_PAGES:
        address = waiting.pop(0)
        answer = person.get(address)
        seen[address] = answer.status_code
        if "text/html" not in answer.headers.get("content-type", ""):
            continue
        offers = _Offers(answer.text)
        posts |= {urljoin(address, post) for post in offers.posts}
        known = {_pattern(each) for each in (*seen, *waiting)}
        for link in offers.links:
            found = urljoin(address, link).split("#")[0]
            if found.startswith(("http:", "https:", *_ELSEWHERE)) or _pattern(found) in known:
                continue
            known.add(_pattern(found))
            waiting.append(found)
    return seen, posts


@pytest.fixture(scope="module")
def samples(running_service: Service) -> Iterator[SampleRecords]:
    api = running_service.another_api(
        STEWARD_KEY_REQUESTS_PER_MINUTE="100000", STEWARD_WEBHOOK_ALLOW_LOCAL="on"
    )
    yield SampleRecords(Organization(api.base_url, running_service.database_url, "Enterprise"))
    close_clients()
    running_service.stop_others()


def _somebody(organization: Organization, email: str) -> BrowserClient:
    person = BrowserClient(organization.base_url)
    assert person.log_in(email).status_code == 303
    return person


@pytest.mark.parametrize(
    "role", ["Administrator", "Manager", "Technician", "Reception", "Requester", "Viewer"]
)
def test_every_listed_operation_works(samples: SampleRecords, role: str) -> None:
    person = _somebody(samples.organization, samples.organization.new_user(role)["email"])
    seen, posts = _crawl(person)
    assert {address: status for address, status in seen.items() if status != 200} == {}
    # Sent empty, a form may be wrong in many ways, but never forbidden; what can't be undone is left alone.
    refused = {
        post: person.post(post).status_code
        for post in sorted(posts)
        if not post.startswith(_ONES_OWN)
        and not re.search(r"/(delete|revoke|withdraw|erase|cancel|reset-link|rotate|archive)", post)
    }
    assert {post: status for post, status in refused.items() if status in {403, 404, 405, 500}} == {}
    if role == "Viewer":
        assert [post for post in posts if not post.startswith(_ONES_OWN)] == []


def test_markup_in_what_people_write_stays_text(samples: SampleRecords) -> None:
    organization = samples.organization
    evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    organization.created("work-orders", {"title": evil, "description": evil, "checklist": [{"text": evil}]})
    organization.created("locations", {"name": evil, "type": "Site"})
    organization.created("visitors", {"name": evil, "company": evil})
    organization.created("forms", {"name": evil, "fields": [{"key": "k", "label": evil, "type": "text"}]})
    organization.created("decks", {"title": evil})
    admin = _somebody(organization, organization.email)
    seen, _ = _crawl(admin)
    for address in seen:
        answer = admin.get(address)
        page = answer.text if "text/html" in answer.headers["content-type"] else ""
        assert "<script>alert" not in page, address
        assert "<img src=x" not in page, address
