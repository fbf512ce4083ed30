"""The same pages, in a real browser."""

from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.organizations import Organization


def test_a_key_is_made_used_and_revoked(app: Page, organization: Organization) -> None:
    app.goto("/app/api-keys")
    app.locator("summary", has_text="New API key").click()
    app.get_by_role("textbox", name="Name").fill("ERP integration")
    tick = app.get_by_label("View work orders")
    expect(tick).not_to_be_visible()
    app.get_by_label("Only selected permissions").check()
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
    app.goto("/app/work-orders")
    app.locator("summary", has_text="Account menu").click()
    app.get_by_role("button", name="Log out").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Log in")
    app.go_back()
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


def test_an_administrator_creates_a_password_reset_link(
    app: Page, organization: Organization, new_page: Callable[[], Page]
) -> None:
    person = organization.new_user("Technician")
    app.goto(f"/app/users/{person['id']}/reset-link")
    app.get_by_role("button", name="Create link").click()
    link = app.get_by_label("Link", exact=True).input_value()
    page = new_page()
    # What the browser sends of the page's address to others, and to ourselves.
    referrers: list[str] = []
    page.on("request", lambda request: referrers.append(request.all_headers().get("referer", "")))
    page.goto("/app/work-orders?status=Open")
    page.get_by_role("link", name="Forgot your password?").click()
    expect(page.get_by_text("an administrator of your organization")).to_be_visible()
    referrers.clear()
    page.goto(link)
    page.get_by_label("New password").fill("a password of my own")
    page.get_by_label("The same again").fill("a password of my own")
    page.get_by_label("The same again").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hello")
    assert not [referrer for referrer in referrers if link.rpartition("/")[2] in referrer]
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
