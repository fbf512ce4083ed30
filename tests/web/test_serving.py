"""What holds for every page, whatever stands on it."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from scripts.vendor import vendor_files
from tests.support.app_transport import AppTransport
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.registered_pages import registered_pages, unreachable_parts
from tests.support.waiting import wait_for

from steward.access.slice import credential_cache
from steward.kit.db.cursors import Cursors
from steward.kit.http.router import Router
from steward.kit.web.page import PageRequest, WebPage
from steward.web.app import WebApp
from steward.web.menu import Menu
from steward.web.rendering import renderer
from steward.web.static import StaticFiles
from steward.wiring.site import build_site

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def _client(app: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AppTransport(app), base_url="http://steward.test")


@pytest.mark.parametrize(
    "path", ["/", "/app", "/app/login", "/app/nowhere", "/docs", "/docs/api-keys", "/static/steward.css"]
)
def test_every_answer_carries_the_security_headers(
    new_browser: Callable[[], BrowserClient], path: str
) -> None:
    headers = new_browser().get(path).headers
    assert headers["content-security-policy"] == _POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize("page", [p for p in registered_pages() if not p.public], ids=lambda p: p.name)
def test_no_page_opens_without_a_session(new_browser: Callable[[], BrowserClient], page: WebPage) -> None:
    answer = new_browser().request(page.method, page.path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/app/login")


def test_every_page_with_a_permission_is_closed_without_it(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    nobody = logged_in(organization.new_user()["email"])
    assert "Work orders" not in nobody.sees("/app")
    for page in registered_pages():
        if page.permission is not None:
            answer = nobody.request(page.method, page.path)
            assert (
                answer.status_code,
                str(getattr(page.permission, "permission", page.permission)) in answer.text,
            ) == (403, True), page.name


def test_a_changed_role_applies_to_the_next_request(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    role = organization.created("roles", {"name": "Looker", "permissions": ["work-orders:read"]})
    person = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    person.sees("/app/work-orders")
    organization.api.patch(
        f"{organization.path}/roles/{role['id']}", json={"permissions": []}
    ).raise_for_status()
    assert person.get("/app/work-orders").status_code == 403


def test_a_page_is_asked_for_again_and_sent_only_when_it_has_changed(
    admin: BrowserClient, organization: Organization
) -> None:
    path = f"/app/work-orders/{organization.created('work-orders', {'title': 'Leak'})['id']}"

    def seen_twice() -> tuple[httpx.Response, httpx.Response] | None:
        """None where time has changed it meanwhile: the hours that are left until a deadline, for instance."""
        first = admin.get(path)
        again = admin.get(path, headers={"if-none-match": first.headers["etag"]})
        return (first, again) if again.status_code == 304 else None

    first, again = wait_for("a page that stays as it is", seen_twice)
    assert first.headers["cache-control"] == "private, no-cache"
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    known = {"if-none-match": first.headers["etag"]}
    assert again.headers["content-security-policy"] == _POLICY
    organization.api.patch(
        f"{organization.path}/work-orders/{path.rpartition('/')[2]}", json={"title": "A larger leak"}
    ).raise_for_status()
    changed = admin.get(path, headers=known)
    assert (changed.status_code, "A larger leak" in changed.text) == (200, True)


def test_cached_pages_do_not_bypass_the_login(
    admin: BrowserClient, new_browser: Callable[[], BrowserClient]
) -> None:
    known = {"if-none-match": admin.get("/app/work-orders").headers["etag"]}
    assert new_browser().get("/app/work-orders", headers=known).status_code == 303
    assert admin.post("/app/logout").headers["clear-site-data"] == '"cache"'


def test_pages_with_somebodys_own_data_and_refusals_are_not_kept(admin: BrowserClient) -> None:
    for path in ("/app/account", "/app/nowhere", "/app/work-orders/wo_unknown"):
        answer = admin.get(path)
        assert answer.headers.get_list("cache-control") == ["no-store"], path
        assert "etag" not in answer.headers


def test_the_root_leads_to_the_app_and_so_does_a_slash_at_the_end(admin: BrowserClient) -> None:
    answer = admin.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
    slash = admin.get("/app/")
    assert (slash.status_code, slash.headers["location"]) == (308, "/app")


@pytest.mark.parametrize(
    "path",
    [
        "/app/nowhere",
        "/app/work-orders/wo_unknown",
        "/docs/x",
        "/static/..%2fapp.py",
        "/static/x/..%2f..%2fapp.py",
    ],
)
def test_unknown_paths_get_a_friendly_page(admin: BrowserClient, path: str) -> None:
    answer = admin.get(path)
    assert answer.status_code == 404
    assert "There is nothing here" in answer.text


def test_other_paths_belong_to_the_api(new_browser: Callable[[], BrowserClient]) -> None:
    for path in ("/nowhere", "/application", "/organizations/x/work-orders"):
        assert new_browser().get(path).headers["content-type"] == "application/json"


def test_a_wrong_method_is_refused(admin: BrowserClient) -> None:
    answer = admin.put("/app/work-orders")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")


def _digest(person: BrowserClient) -> str:
    """What stands in the addresses of static files."""
    return person.sees("/app/login").split('rel="stylesheet" href="/static/')[1].partition("/")[0]


def test_the_stylesheet_is_kept_for_good_under_its_digest(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    url = f"/static/{_digest(person)}/steward.css"
    answer = person.get(url)
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert person.get(url, headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    assert person.head(url).content == b""


@pytest.mark.parametrize("path", ["steward.css", "0123456789abcdef/steward.css"])
def test_a_file_under_another_digest_is_the_current_one_and_not_kept(
    new_browser: Callable[[], BrowserClient], path: str
) -> None:
    person = new_browser()
    answer = person.get(f"/static/{path}")
    assert answer.content == person.get(f"/static/{_digest(person)}/steward.css").content
    assert answer.headers["cache-control"] == "no-cache"


def test_libraries_are_served_from_their_folder_under_one_digest(
    new_browser: Callable[[], BrowserClient],
) -> None:
    person = new_browser()
    for name in vendor_files():
        answer = person.get(f"/static/{_digest(person)}/vendor/{name}")
        assert answer.status_code == 200, name
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        if name.endswith(".js"):
            assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert person.get("/static/vendor/htmx.js").headers["cache-control"] == "no-cache"
    assert person.get("/static/vendor/none.js").status_code == 404
    assert person.get("/static/vendor").status_code == 404


def test_static_files_are_packed_ahead(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    url = f"/static/{_digest(person)}/vendor/echarts.js"
    plain = person.get(url, headers={"accept-encoding": "identity"})
    packed = person.get(url, headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) * 0.4
    assert packed.content == plain.content
    assert plain.headers["vary"] == packed.headers["vary"] == "accept-encoding"
    assert plain.headers["etag"] != packed.headers["etag"]
    for tag in (plain.headers["etag"], packed.headers["etag"]):
        assert person.get(url, headers={"if-none-match": tag}).headers["etag"] == tag


@pytest.mark.parametrize("path", ["/favicon.ico", "/favicon.svg"])
def test_there_is_an_icon(new_browser: Callable[[], BrowserClient], path: str) -> None:
    answer = new_browser().get(path, follow_redirects=True)
    assert answer.headers["content-type"] == "image/svg+xml"


async def test_without_a_database_pages_ask_to_wait() -> None:
    async with _client(build_site(unreachable_parts())) as client:
        answer = await client.get("/app", headers={"cookie": "steward_session=org_x.y"})
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"
        assert "Back in a moment" in answer.text
        assert "127.0.0.1" not in answer.text
        assert (await client.get("/docs")).status_code == 200


async def test_errors_reveal_no_internals() -> None:
    async def broken(_visit: PageRequest[Any, Any]) -> Any:
        raise RuntimeError("an inner word")

    parts, templates = unreachable_parts(), renderer(StaticFiles().url)
    app = WebApp(
        router=Router([WebPage(method="GET", path="/app/broken", handler=broken, public=True)]),
        menu=Menu((), (), templates),
        templates=templates,
        db=parts.pool,
        replicas=parts.replicas,
        credentials=parts.once(credential_cache),
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
