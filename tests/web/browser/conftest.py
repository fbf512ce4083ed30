"""The same pages, in a real browser."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from tests.support.chromium import TIMEOUT_MS, launched
from tests.support.organizations import PASSWORD, Organization, new_address

_WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


# That it did what the answer to a logout asks for, that a refusal was one, that somebody was faster than the autofocus.
_SAID = re.compile(r'Cleared data types: "cache"\.$|status of 4\d\d|^Autofocus processing was blocked')


def _complains(message: ConsoleMessage) -> bool:
    """Chromium also says what is as it should be."""
    return _SAID.search(message.text) is None


WIDTHS = {"desktop": 1280, "phone": 390}
NewPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser, organization: Organization) -> Iterator[NewPage]:
    """Pages of people with a browser each. Fails the test when one complains: of the security policy, for instance."""
    complaints: list[str] = []
    opened: list[tuple[Page, int]] = []

    def open_page(width: int = WIDTHS["desktop"], height: int = 844, **options: Any) -> Page:
        context = browser.new_context(
            base_url=organization.base_url,
            viewport={"width": width, "height": height},
            extra_http_headers={"X-Forwarded-For": new_address()},
            **{"timezone_id": "Europe/Berlin", **options},
        )
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if _complains(message) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        opened.append((page, width))
        return page

    yield open_page
    too_wide = [page.url for page, width in opened if page.evaluate(_WIDTH) > width]
    for page, _ in opened:
        page.context.close()
    assert complaints == []
    assert too_wide == [], "the page is wider than the screen"


@pytest.fixture(params=WIDTHS.values(), ids=list(WIDTHS))
def page(new_page: NewPage, request: pytest.FixtureRequest) -> Page:
    return new_page(request.param)


@pytest.fixture
def log_in(new_page: NewPage) -> Callable[..., Page]:
    """Somebody in front of a browser of their own: `log_in(email)`, `log_in(email, password, width=390)`."""

    def open_app(email: str, password: str = PASSWORD, *, page: Page | None = None, **options: Any) -> Page:
        page = page or new_page(**options)
        page.goto("/")
        page.get_by_label("E-mail").fill(email)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Hello")
        page.wait_for_load_state()  # a key pressed before the script runs is nobody's
        return page

    return open_app


@pytest.fixture
def app(page: Page, organization: Organization, log_in: Callable[..., Page]) -> Page:
    """The administrator, at a desk and with a phone."""
    return log_in(organization.email, organization.password, page=page)


@pytest.fixture
def desk(organization: Organization, log_in: Callable[..., Page]) -> Page:
    """The administrator at a desk only, for what doesn't depend on the width."""
    return log_in(organization.email, organization.password)
