"""The documentation as a site: built without a warning, drawn in a browser, and with nothing from elsewhere."""

import functools
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect
from playwright.sync_api import Page as BrowserPage
from scripts.site.navigation import DOCS, ROOT
from tests.docs.pages import all_pages
from tests.support.chromium import launched
from tests.support.waiting import limit

pytestmark = pytest.mark.long

_DIAGRAMS = {
    f"{page}:{block.line}": block.code
    for page in all_pages()
    for block in page.blocks
    if block.language == "mermaid"
}
_PARSE = """async diagrams => {
  const wrong = {};
  for (const [place, text] of Object.entries(diagrams)) {
    try { await mermaid.parse(text); } catch (error) { wrong[place] = String(error); }
  }
  return wrong;
}"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "scripts.site", "build", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    # A build that said nothing would have hidden its warnings, too.
    assert "Building documentation" in built.stderr
    assert "WARNING" not in built.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


OpenPage = Callable[..., BrowserPage]


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[OpenPage]:
    """Fails the test when a page asks for anything from elsewhere, or complains."""
    elsewhere: list[str] = []
    complaints: list[str] = []

    def look(route: Route) -> None:
        if route.request.url.startswith((f"{address}/", "data:", "blob:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    def open_page(place: str, width: int = 1280, **options: Any) -> BrowserPage:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        context.route("**/*", look)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("response", lambda answer: complaints.append(answer.url) if answer.status >= 400 else None)
        page.goto(f"{address}/{place}")
        return page

    yield open_page
    for context in browser.contexts:
        context.close()
    assert (elsewhere, complaints) == ([], [])


def test_every_page_is_in_the_site(site: Path) -> None:
    expected = {
        page.with_name("index.html" if page.name == "README.md" else f"{page.stem}.html").relative_to(DOCS)
        for page in DOCS.rglob("*.md")
    }
    assert {place for place in expected if not (site / place).exists()} == set()


def test_nothing_in_the_site_names_another_host_to_load_from(site: Path) -> None:
    """Links to elsewhere are for people; what a browser fetches by itself is ours."""
    wrong = []
    for file in site.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        wrong += [
            f"{file.relative_to(site)}: {word}"
            for word in ('src="http', 'src="//', "fonts.g", "cdn.")
            if word in text
        ]
    assert wrong == []


def test_the_start_page_shows_pictures_and_finds_pages(open_page: OpenPage) -> None:
    page = open_page("index.html")
    expect(page.locator("h1")).to_contain_text("Steward")
    loaded = "() => [...document.querySelectorAll('article img')].every(one => one.complete && one.naturalWidth > 0)"
    page.wait_for_function(loaded)
    # Typed as people do: the page looks at what stands there when a key is let go. Its index is read in a worker, which takes a while.
    expect(page.locator(".md-search-result__meta")).not_to_contain_text("Initializing", timeout=limit(60_000))
    page.get_by_role("textbox", name="Search").press_sequentially("evacuation")
    expect(page.locator(".md-search-result__link").first).to_be_visible(timeout=limit(60_000))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_site_follows_the_colour_scheme_of_the_reader(open_page: OpenPage, scheme: str) -> None:
    page = open_page("reference/permissions.html", color_scheme=scheme)
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", {"light": "default", "dark": "slate"}[scheme])


@pytest.mark.parametrize(
    "place",
    ["index.html", "reference/api/work-orders.html", "reference/permissions.html", "concepts/delivery.html"],
)
def test_a_page_fits_the_width_of_a_phone(open_page: OpenPage, place: str) -> None:
    page = open_page(place, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("place", ["settings", "commands", "metrics", "limits", "api/work-orders"])
def test_a_table_of_the_reference_is_seen_whole(open_page: OpenPage, place: str) -> None:
    page = open_page(f"reference/{place}.html")
    wide = """() => [...document.querySelectorAll('.md-typeset__scrollwrap')]
        .filter(one => one.scrollWidth > one.clientWidth)
        .map(one => one.innerText.slice(0, 60))"""
    assert page.evaluate(wide) == []


def test_every_diagram_is_parsed_by_mermaid(open_page: OpenPage) -> None:
    assert _DIAGRAMS
    page = open_page("index.html")
    page.wait_for_function("() => typeof mermaid === 'object'")
    assert page.evaluate(_PARSE, _DIAGRAMS) == {}


@pytest.mark.parametrize("place", ["index.html", "reference/moves.html", "concepts/delivery.html"])
def test_diagrams_are_drawn(open_page: OpenPage, place: str) -> None:
    """Material draws each into an element that is closed to scripts: it has a height then, and its text is gone."""
    page = open_page(place)
    diagrams = page.locator("div.mermaid")
    expect(diagrams.first).to_be_visible(timeout=limit(60_000))
    expect(page.locator("pre.mermaid")).to_have_count(0, timeout=limit(60_000))
    assert all(box and box["height"] > 50 for box in (one.bounding_box() for one in diagrams.all()))
