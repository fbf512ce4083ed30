"""From a file of rates to an approved quotation, by keyboard."""

from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.answers import data_of
from tests.support.organizations import Organization

_HEAD = "code,description,unit,rateCents\n"
_RATES = 'PLB-010,"Renew isolating valve, 15 mm",each,4250\nPLB-020,Clear blocked waste,h,6800\nPNT-200,Paint walls,m2,1875\n'


def _choose_file(page: Page, text: str) -> None:
    file = {"name": "rates.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.get_by_label("CSV file").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Check the file").press("Enter")


def _publish_rates(page: Page) -> None:
    page.goto("/app/schedules")
    page.keyboard.press("n")
    page.get_by_label("Name").fill("Building fabric")
    page.get_by_label("In effect from").fill("2026-01-01T00:00")
    page.get_by_label("In effect until").fill("2126-01-01T00:00")
    page.get_by_label("Name").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Building fabric")
    page.get_by_role("link", name="Import from CSV").press("Enter")
    _choose_file(page, _HEAD + _RATES + "PNT-200,Twice,m2,12.50\n")
    expect(page.get_by_role("row", name="5 rateCents")).to_contain_text("whole number")
    expect(page.get_by_role("row", name="5 code")).to_contain_text("stands in line 4 already")
    _choose_file(page, _HEAD + _RATES)
    page.get_by_role("button", name="Import 3 rates").press("Enter")
    expect(page.get_by_text("3 rates imported.")).to_be_visible()
    page.locator("summary", has_text="Publish").press("Enter")
    page.get_by_role("button", name="Publish for good").press("Enter")
    expect(page.get_by_text("In effect", exact=True)).to_be_visible()


def _add_rate(page: Page, words: str, found: str, quantity: str) -> None:
    search = page.get_by_role("combobox", name="Add a rate")
    search.press_sequentially(words)
    expect(page.get_by_role("option")).to_have_count(1)
    expect(page.get_by_role("option", name=found)).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Quantity").last).to_be_focused()
    page.keyboard.type(quantity)
    page.keyboard.press("Enter")
    expect(search).to_be_focused()


def _add_star_rate(page: Page) -> None:
    page.get_by_role("button", name="Add a star rate").press("Enter")
    for text in ("Night access", "1.5", "h", "65.05"):
        page.keyboard.type(text)
        page.keyboard.press("Tab")


def test_rates_are_imported_quoted_and_approved_by_a_second_person(
    desk: Page, organization: Organization, log_in: Callable[..., Page]
) -> None:
    order = organization.work_orders.create("Waste is blocked")
    _publish_rates(desk)
    desk.goto(f"/app/work-orders/{order['id']}")
    desk.get_by_role("link", name="New quotation").press("Enter")
    desk.get_by_role("button", name="Create and add lines").press("Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("Quotation for Waste is blocked")
    _add_rate(desk, "valve", "PLB-010", "2.5")
    _add_rate(desk, "pnt", "Paint walls", "100.333")
    _add_star_rate(desk)
    total = desk.locator("[data-total]")
    # 106.25, 1881.24375 and 97.575: each half of a cent is a cent.
    expect(total).to_have_text("2\u202f085.07")
    expect(desk.get_by_text("Not saved")).to_be_visible()
    desk.get_by_role("button", name="Save", exact=True).press("Enter")
    expect(desk.get_by_text("Saved", exact=True)).to_be_visible()
    expect(total).to_have_text("2\u202f085.07")
    path = f"sor/quotations/{desk.url.split('/')[-1].split('?')[0]}"
    stored = data_of(organization.api.get(f"{organization.path}/{path}"))
    assert (stored["totalAmountCents"], stored["lineItemCount"]) == (208507, 3)
    desk.get_by_role("button", name="Remove this line").nth(2).press("Enter")
    expect(total).to_have_text("1\u202f987.49")
    desk.get_by_role("button", name="Save and submit for approval").press("Enter")
    expect(desk.get_by_text("someone else must approve it")).to_be_visible()
    expect(desk.get_by_role("button", name="Approve")).to_have_count(0)
    _approve(log_in(organization.new_user("Manager")["email"], width=390), path)
    desk.goto(f"/app/work-orders/{order['id']}")
    expect(desk.locator("#quotation")).to_contain_text("Approved")
    expect(desk.locator("#quotation")).to_contain_text("1\u202f987.49")


def _approve(second: Page, path: str) -> None:
    second.goto(f"/app/quotations/{path.rpartition('/')[2]}")
    second.get_by_role("button", name="Approve").press("Enter")
    expect(second.get_by_text("Approved", exact=True).first).to_be_visible()
    expect(second.get_by_role("button", name="Approve")).to_have_count(0)
