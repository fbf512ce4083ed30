"""A requester reports a problem in two fields, and finds it again."""

from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.organizations import Organization


def test_a_requester_reports_a_problem_on_a_phone(
    organization: Organization, log_in: Callable[..., Page]
) -> None:
    organization.locations.create(name="Kitchen, second floor", type="Space")
    user = organization.new_user("Requester")
    phone = log_in(user["email"], width=390)
    mine = phone.get_by_role("region", name="My requests")
    expect(mine).to_contain_text("You have not reported anything yet.")
    phone.get_by_label("What is wrong?").fill("The tap <i>drips</i>")
    phone.get_by_role("combobox", name="Where?").fill("kitchen")
    phone.get_by_role("option", name="Kitchen, second floor").click()
    phone.get_by_role("button", name="Report").click()
    expect(mine).to_contain_text("The tap <i>drips</i>")
    expect(mine).to_contain_text("Kitchen, second floor")
    (order,) = organization.work_orders.listed()
    assert order["reportedBy"] == user["id"]
    # What happens to it comes onto the page by itself.
    organization.work_orders.move(order, "start")
    expect(mine).to_contain_text("In progress")
