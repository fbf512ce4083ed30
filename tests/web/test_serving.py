"""What holds for every page, whatever stands on it."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.support.exchanges import AppTransport
from tests.support.organizations import Organization
from tests.web.people import Person

from steward.kit.db.pagination import Cursors
from steward.kit.db.pool import Pool
from steward.kit.http.web_page import PageRequest, WebPage
from steward.kit.security.encryption import Encryption
from steward.settings import Settings
from steward.tokens.signing import Signer, new_signing_key
from steward.web.app import WebApp
from steward.web.rendering import renderer
from steward.web.static import StaticFiles
from steward.wiring.parts import Parts, assemble
from steward.wiring.routes import api_document
from steward.wiring.site import all_pages, build_site

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_NOWHERE = "postgresql://steward@127.0.0.1:1/steward"


def _parts() -> Parts:
    """A service whose database can't be reached."""
    return assemble(Settings(), Encryption(bytes(32)), _NOWHERE, Pool(_NOWHERE, 1), Signer(new_signing_key()))


def _pages() -> tuple[WebPage, ...]:
    static = StaticFiles()
    return all_pages(_parts(), api_document(), static, renderer(static.url))


def _client(app: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AppTransport(app), base_url="http://steward.test")


@pytest.mark.parametrize(
    "path", ["/", "/app", "/app/login", "/app/nowhere", "/docs", "/docs/api-keys", "/static/steward.css"]
)
def test_every_answer_carries_the_security_headers(visitor: Callable[[], Person], path: str) -> None:
    headers = visitor().get(path).headers
    assert headers["content-security-policy"] == _POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize("page", [p for p in _pages() if not p.public], ids=lambda p: p.name)
def test_no_page_opens_without_a_session(visitor: Callable[[], Person], page: WebPage) -> None:
    answer = visitor().request(page.method, page.path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/app/login")


def test_every_page_with_a_permission_is_closed_without_it(
    org: Organization, logged_in: Callable[[str], Person]
) -> None:
    nobody = logged_in(org.new_user()["email"])
    assert "Work orders" not in nobody.sees("/app")
    for page in _pages():
        if page.permission is not None:
            answer = nobody.request(page.method, page.path)
            assert (answer.status_code, page.permission in answer.text) == (403, True), page.name


def test_a_role_that_changes_acts_on_the_next_request(
    org: Organization, logged_in: Callable[[str], Person]
) -> None:
    role = org.created("roles", {"name": "Looker", "permissions": ["work-orders:read"]})
    person = logged_in(org.new_user(roleIds=[role["id"]])["email"])
    person.sees("/app/work-orders")
    org.api.patch(f"{org.path}/roles/{role['id']}", json={"permissions": []}).raise_for_status()
    assert person.get("/app/work-orders").status_code == 403


def test_pages_with_content_of_the_organization_are_not_kept(admin: Person) -> None:
    for path in ("/app", "/app/work-orders", "/app/account"):
        assert admin.get(path).headers["cache-control"] == "no-store"


def test_the_root_leads_to_the_app_and_a_slash_at_the_end_does_not_matter(admin: Person) -> None:
    answer = admin.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
    assert admin.sees("/app/")


@pytest.mark.parametrize(
    "path", ["/app/nowhere", "/app/work-orders/wo_unknown", "/docs/x", "/static/..%2fapp.py"]
)
def test_what_is_not_there_gets_a_friendly_page(admin: Person, path: str) -> None:
    answer = admin.get(path)
    assert answer.status_code == 404
    assert "There is nothing here" in answer.text


def test_other_paths_belong_to_the_api(visitor: Callable[[], Person]) -> None:
    for path in ("/nowhere", "/application", "/organizations/x/work-orders"):
        assert visitor().get(path).headers["content-type"] == "application/json"


def test_a_wrong_method_is_refused(admin: Person) -> None:
    answer = admin.put("/app/work-orders")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")


def test_the_stylesheet_is_kept_for_good_under_its_digest(visitor: Callable[[], Person]) -> None:
    person = visitor()
    url = person.sees("/app/login").split('rel="stylesheet" href="')[1].split('"')[0]
    answer = person.get(url)
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert person.get(url, headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    assert person.get("/static/steward.css?v=old").headers["cache-control"] == "no-cache"
    assert person.head(url).content == b""


@pytest.mark.parametrize("path", ["/favicon.ico", "/favicon.svg"])
def test_there_is_an_icon(visitor: Callable[[], Person], path: str) -> None:
    answer = visitor().get(path, follow_redirects=True)
    assert answer.headers["content-type"] == "image/svg+xml"


async def test_without_a_database_people_are_told_to_wait() -> None:
    async with _client(build_site(_parts())) as client:
        answer = await client.get("/app", headers={"cookie": "steward_session=org_x.y"})
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"
        assert "Back in a moment" in answer.text
        assert "127.0.0.1" not in answer.text
        assert (await client.get("/docs")).status_code == 200


async def test_the_inside_stays_inside() -> None:
    async def broken(_visit: PageRequest[Any, Any]) -> Any:
        raise RuntimeError("an inner word")

    parts, static = _parts(), StaticFiles()
    app = WebApp(
        [WebPage(method="GET", path="/app/broken", handler=broken, public=True)],
        templates=renderer(static.url),
        db=parts.pool,
        credentials=parts.credentials,
        cursors=Cursors(parts.encryption),
        constraints={},
        trusted_proxies=(),
    )
    async with _client(app) as client:
        answer = await client.get("/app/broken")
    assert answer.status_code == 500
    assert "Something went wrong" in answer.text
    assert answer.headers["x-request-id"] in answer.text
    assert "an inner word" not in answer.text
