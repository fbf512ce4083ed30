"""A place is made below another, and found in the tree by opening what it lies in."""

from playwright.sync_api import Page, expect
from tests.support.organizations import Organization


def test_a_location_is_created_below_another_and_found_in_the_tree(
    app: Page, organization: Organization
) -> None:
    site = organization.locations.create(name="Campus", type="Site")
    house = organization.locations.create(name="House", type="Building", parentId=site["id"])
    organization.locations.create(name="Ground floor", type="Floor", parentId=house["id"])
    app.goto("/app/locations")
    tree = app.locator("#tree")
    # Opened by keyboard; what lies in it comes from the server.
    tree.locator("summary", has_text="What is in House").press("Enter")
    tree.get_by_role("link", name="Ground floor").click()
    expect(app.get_by_role("navigation", name="Where this is")).to_have_text("Locations › Campus › House")  # noqa: RUF001
    app.get_by_role("link", name="New location in here").click()
    expect(app.get_by_role("combobox", name="Inside")).to_have_value("Ground floor")
    app.get_by_label("Name", exact=True).fill("Meeting room <3>")
    app.get_by_label("Time zone").select_option("Europe/Berlin")
    app.get_by_role("button", name="Create location").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Meeting room <3>")
    app.goto("/app/locations")
    for name in ("House", "Ground floor"):
        tree.locator("summary", has_text=f"What is in {name}").click()
    expect(tree.get_by_role("link", name="Meeting room <3>")).to_be_visible()
    app.get_by_label("Search name or code").fill("meeting")
    expect(tree).to_contain_text("Campus › House › Ground floor")  # noqa: RUF001
    expect(tree.get_by_role("link", name="Meeting room <3>")).to_be_visible()
