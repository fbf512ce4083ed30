"""The same pages, in a real browser."""

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.support.organizations import Organization, new_address

_ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        missing = "Chromium is not installed: make browser"
        if os.environ.get("STEWARD_TEST_BROWSER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def organization(new_organization: Callable[..., Organization]) -> Organization:
    # Playwright keeps an event loop running in this thread, and founding needs one of its own.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(new_organization).result()


@pytest.fixture(params=[1280, 390], ids=["desktop", "phone"])
def page(browser: Browser, organization: Organization, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Fails the test when the browser complains: of the content security policy, for instance."""
    complaints: list[str] = []
    context = browser.new_context(
        base_url=organization.base_url,
        viewport={"width": request.param, "height": 844},
        extra_http_headers={"X-Forwarded-For": new_address()},
    )
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert complaints == []
    assert width == request.param, "the page is wider than the screen"


@pytest.fixture
def app(page: Page, organization: Organization) -> Page:
    page.goto("/")
    page.get_by_label("E-mail").fill(organization.email)
    page.get_by_label("Password").fill(organization.password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hello")
    return page


def _open(app: Page, name: str) -> None:
    app.get_by_role("navigation", name="Main").get_by_role("link", name=name).click()


def test_a_work_order_is_made_and_found_in_the_list(app: Page) -> None:
    _open(app, "Work orders")
    expect(app.get_by_text("No work orders yet")).to_be_visible()
    app.locator("summary", has_text="New work order").click()
    app.get_by_label("Title").fill("Lift is stuck")
    app.get_by_label("Priority").select_option("Critical")
    app.get_by_label("Description").fill("Second floor.")
    app.get_by_role("button", name="Create work order").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Lift is stuck")
    expect(app.get_by_text("Second floor.")).to_be_visible()
    _open(app, "Work orders")
    row = app.get_by_role("row", name="Lift is stuck")
    expect(row).to_contain_text("Critical")
    expect(row).to_contain_text("Open")
    app.get_by_role("navigation", name="Status").get_by_role("link", name="On hold").click()
    expect(app.get_by_text("Nothing is on hold")).to_be_visible()


def test_a_key_is_made_used_and_revoked(app: Page, organization: Organization) -> None:
    _open(app, "API keys")
    app.locator("summary", has_text="New API key").click()
    app.get_by_label("Name").fill("ERP integration")
    tick = app.get_by_label("View work orders")
    expect(tick).not_to_be_visible()
    app.get_by_label("Only what I choose").check()
    tick.check()
    app.get_by_role("button", name="Create key").click()
    secret = app.get_by_label("API key", exact=True).input_value()
    assert organization.client(key=secret).get(f"{organization.path}/work-orders").status_code == 200
    app.get_by_role("link", name="I have copied it").click()
    row = app.get_by_role("row", name="ERP integration")
    expect(row).to_contain_text("1 permission")
    row.locator("summary", has_text="Revoke").click()
    row.get_by_role("button", name="Revoke for good").click()
    expect(row).to_contain_text("Revoked")
    assert organization.client(key=secret).get(f"{organization.path}/work-orders").status_code == 401


def test_people_log_out(app: Page) -> None:
    app.locator("summary", has_text="Account menu").click()
    app.get_by_role("button", name="Log out").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Log in")
    app.goto("/app/work-orders")
    expect(app.get_by_role("heading", level=1)).to_have_text("Log in")


def test_somebody_who_is_invited_makes_an_account(page: Page, organization: Organization) -> None:
    assert page.viewport_size is not None
    invitation = organization.invite(f"grace-{page.viewport_size['width']}@example.com", "Technician")
    page.goto(invitation["link"])
    expect(page.get_by_role("heading", level=1)).to_have_text("Join Test house")
    page.get_by_label("Password").fill("a password of my own")
    page.get_by_label("The same again").fill("a password of my own")
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hello")
    assert invitation["email"] in organization.users()


def test_the_reference_leads_to_an_operation(page: Page) -> None:
    page.goto("/docs")
    contents = page.locator("label", has_text="Contents")
    if contents.is_visible():
        contents.click()
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Create a work order").click()
    expect(page.get_by_role("heading", name="Create a work order")).to_be_in_viewport()
