"""axe finds nothing to complain of on any screen: in light, in dark and on a phone."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization, close_clients, new_address
from tests.support.sample_records import SampleRecords
from tests.support.screens import ADMINISTRATOR, MODES, NOBODY, SCREENS, Mode, Screen
from tests.support.service import Service

_AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """async options => (
    await axe.run(document, {preload: false, resultTypes: ["violations"], ...options})
).violations.flatMap(
    violation => violation.nodes.map(node => `${violation.id}: ${node.target.join(" ")}`))"""
# The dark scheme renames colours and does nothing else.
_COLOURS = {"runOnly": ["color-contrast"]}
_ROLES = sorted({screen.role for screen in SCREENS} - {NOBODY})


class _People:
    """An organization with one of everything, and the cookies of somebody of every role in it."""

    def __init__(self, service: Service) -> None:
        api = service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="100000", STEWARD_WEBHOOK_ALLOW_LOCAL="on")
        self.base_url = api.base_url
        organization = Organization(api.base_url, service.database_url, "Enterprise")
        draft = organization.created("sor/schedules", {"name": "Rates of next year"})
        self.ids = {**SampleRecords(organization).ids, "draftScheduleId": draft["id"]}
        self.cookies: dict[str, list[Any]] = {NOBODY: []}
        for role in _ROLES:
            email = organization.email if role == ADMINISTRATOR else organization.new_user(role)["email"]
            person = BrowserClient(api.base_url)
            assert person.log_in(email).status_code == 303
            self.cookies[role] = [
                {"name": cookie.name, "value": cookie.value or "", "url": api.base_url}
                for cookie in person.cookies.jar
            ]


@pytest.fixture(scope="module")
def people(running_service: Service) -> Iterator[_People]:
    # Playwright keeps an event loop running in this thread, and founding needs one of its own.
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(_People, running_service).result()
    close_clients()
    running_service.stop_others()


def _findings(page: Page, mode: Mode) -> list[str]:
    page.set_viewport_size({"width": mode.width, "height": mode.height})
    page.emulate_media(color_scheme="dark" if mode.dark else "light", reduced_motion="reduce")
    found: list[str] = page.evaluate(_RUN, _COLOURS if mode.dark else {})
    width = page.evaluate("document.documentElement.scrollWidth")
    return [*found, *([f"{width} pixels wide"] if width > mode.width else [])]


@pytest.mark.long
def test_axe_finds_nothing_on_any_screen(browser: Browser, people: _People) -> None:
    _look_at(browser, people, SCREENS)


def _look_at(browser: Browser, people: _People, screens: Iterable[Screen]) -> None:
    """Each screen is loaded once and looked at in every mode."""
    context = browser.new_context(
        base_url=people.base_url,
        extra_http_headers={"X-Forwarded-For": new_address()},
        # Our policy forbids the script that looks at the page, as it should.
        bypass_csp=True,
    )
    page = context.new_page()
    findings: dict[tuple[str, str], list[str]] = {}
    for screen in screens:
        context.clear_cookies()
        context.add_cookies(people.cookies[screen.role])
        answer = page.goto(screen.address(people.ids))
        assert answer is not None
        assert answer.status == screen.status, screen
        page.add_script_tag(path=_AXE)
        for mode in MODES:
            if found := _findings(page, mode):
                findings[screen.name, mode.name] = found
    context.close()
    assert findings == {}
