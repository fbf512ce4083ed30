"""The API reference: found, followed, copied and tried."""

import re

from playwright.sync_api import Browser, Page, expect
from tests.support.organizations import Organization, new_address


def test_the_reference_leads_to_an_operation(page: Page) -> None:
    page.goto("/docs")
    contents = page.locator("label", has_text="Contents")
    on_phone = contents.is_visible()
    for link in ("Work orders", "Create a work order"):
        if on_phone:
            contents.click()
        page.get_by_role("navigation", name="Contents").get_by_role("link", name=link, exact=False).click()
    expect(page.get_by_role("heading", name="Create a work order")).to_be_in_viewport()
    page.get_by_label("Search the reference").fill("approveQuotation")
    page.get_by_role("link", name="Approve a quotation").click()
    expect(page.get_by_role("heading", name="Approve a quotation")).to_be_in_viewport()


def test_an_operation_is_tried_and_copied_and_the_contents_follow(
    browser: Browser, organization: Organization
) -> None:
    # A page of its own: here, a refusal is what is tried.
    context = browser.new_context(
        base_url=organization.base_url, extra_http_headers={"X-Forwarded-For": new_address()}
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto("/docs/api/work-orders")
    current = page.get_by_role("navigation", name="Contents").locator('a[aria-current="true"]')
    expect(current).to_have_count(1)
    operation = page.locator("#createWorkOrder")
    operation.evaluate("part => part.scrollIntoView()")
    expect(current).to_have_text(re.compile("Create a work order"))
    page.locator("#reopenWorkOrder").evaluate("part => part.scrollIntoView()")
    expect(current).to_have_text(re.compile("Reopen a work order"))

    operation.get_by_role("button", name="Copy").first.click()
    expect(operation.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith('curl "$STEWARD_URL/organizations/')

    operation.locator("summary", has_text="Try it").click()
    operation.get_by_label("API key").fill(organization.secret)
    operation.get_by_label("orgId").fill(organization.id)
    operation.get_by_role("button", name="Send POST").click()
    answer = operation.locator(".try-answer")
    expect(answer.locator(".try-status")).to_have_text(re.compile(r"^201 .* in \d+ ms$"))
    expect(answer).to_contain_text("Air handler 3 is noisy")
    answer.locator("summary", has_text="Headers").click()
    expect(answer).to_contain_text("x-request-id: req_")
    # The next one knows the key, which stays in this tab.
    listing = page.locator("#listWorkOrders")
    listing.locator("summary", has_text="Try it").click()
    listing.get_by_label("limit").fill("1")
    listing.get_by_role("button", name="Send GET").click()
    expect(listing.locator(".try-status")).to_have_text(re.compile("^200"))
    assert page.evaluate("localStorage.length") == 0
    assert complaints == []
    listing.get_by_label("API key").fill("svc_live_" + "0" * 32)
    listing.get_by_role("button", name="Send GET").click()
    expect(listing.locator(".try-status")).to_have_text(re.compile("^401"))
    expect(listing.locator(".try-answer")).to_contain_text("Invalid API key")
    context.close()
