"""Somebody is invited and comes in; the SLA policy changes, and so does its example."""

from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.organizations import PASSWORD, Organization


def test_somebody_is_invited_and_logs_in_through_the_link(
    desk: Page, organization: Organization, new_page: Callable[..., Page], log_in: Callable[..., Page]
) -> None:
    email = f"ada-{organization.id}@example.com"
    desk.goto("/app/settings/users")
    desk.get_by_role("link", name="Invite a person").click()
    desk.get_by_label("Name", exact=True).fill("Ada Lovelace")
    desk.get_by_label("E-mail").fill(email)
    desk.get_by_label("Technician").check()
    desk.get_by_role("button", name="Invite").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("Ada Lovelace is invited")
    link = desk.get_by_label("Link").input_value()
    new = new_page(390)
    new.goto(link)
    new.get_by_label("Password", exact=True).fill(PASSWORD)
    new.get_by_label("The same again").fill(PASSWORD)
    new.get_by_role("button", name="Create account and join").click()
    expect(new.get_by_role("heading", level=1)).to_have_text("Hello, Ada Lovelace")
    expect(new.get_by_role("region", name="Assigned to me")).to_be_visible()
    again = log_in(email, PASSWORD)
    expect(again.get_by_role("heading", level=1)).to_have_text("Hello, Ada Lovelace")
    desk.get_by_role("link", name="Done").click()
    expect(desk.get_by_role("link", name="Ada Lovelace")).to_be_visible()


def test_the_policy_changes_and_its_example_with_it(desk: Page) -> None:
    desk.goto("/app/settings/sla")
    example = desk.get_by_role("region", name="For example")
    before = example.inner_text()
    desk.get_by_label("Critical: minutes to respond").fill("1440")
    desk.get_by_label("Critical: minutes to resolve").fill("2880")
    desk.get_by_label("In business hours").check()
    desk.get_by_label("Time zone").fill("Europe/Berlin")
    desk.get_by_label("Tuesday").fill("nine to five")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Write hours such as 08:00-12:00, 13:00-17:00")).to_be_visible()
    expect(desk.get_by_label("Tuesday")).to_have_value("nine to five")
    desk.get_by_label("Tuesday").fill("09:00-17:00")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_label("Critical: minutes to respond")).to_have_value("1440")
    expect(desk.get_by_label("Tuesday")).to_have_value("09:00-17:00")
    expect(example).to_contain_text("resolved by")
    assert example.inner_text() != before
