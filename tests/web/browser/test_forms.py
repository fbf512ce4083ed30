"""A form is built, published and filled in."""

from playwright.sync_api import Page, expect
from tests.support.answers import data_of
from tests.support.organizations import Organization


def test_a_form_is_built_published_and_filled_in(app: Page, organization: Organization) -> None:
    app.goto("/app/forms")
    app.get_by_role("link", name="New form").click()
    app.get_by_label("Name", exact=True).fill("Fire round")
    preview = app.get_by_role("region", name="Preview")
    for at, (question, kind) in enumerate(
        (("Is the exit <b>clear</b>?", "passFail"), ("Which doors?", "multiSelect"), ("Pressure", "number"))
    ):
        app.get_by_role("button", name="Add a question").click()
        row = app.locator("[data-row]").nth(at)
        row.get_by_label("Question").fill(question)
        row.get_by_label("Kind").select_option(kind)
        row.get_by_label("Required").set_checked(kind == "passFail")
        expect(row.get_by_label("Options, one in each line")).to_be_visible(visible=kind == "multiSelect")
        if kind == "multiSelect":
            row.get_by_label("Options, one in each line").fill("North\nSouth")
        expect(preview).to_contain_text(question)
    # The last one goes up and comes before the doors.
    app.locator("[data-row]").nth(2).get_by_role("button", name="Up").press("Enter")
    expect(preview.locator(".question").nth(1)).to_contain_text("Pressure")
    app.get_by_role("button", name="Create form").click()
    expect(app.get_by_role("heading", level=1)).to_have_text("Fire round")
    app.get_by_role("button", name="Publish").click()
    app.get_by_role("link", name="Fill in").click()
    app.get_by_role("radio", name="Fail").check()
    app.get_by_label("Pressure").fill("2.5")
    app.get_by_role("checkbox", name="South").check()
    app.get_by_role("button", name="Send").click()
    expect(app.get_by_role("status")).to_contain_text("Sent.")
    expect(app.locator("dl.answers")).to_contain_text("Is the exit <b>clear</b>?")
    expect(app.locator("dl.answers")).to_contain_text("South")
    (form,) = data_of(organization.api.get(f"{organization.path}/forms"))
    path = f"{organization.path}/forms/{form['id']}/submissions"
    (submission,) = data_of(organization.api.get(path))
    assert submission["answers"] == {
        "is_the_exit_b_clear_b": "Fail",
        "pressure": 2.5,
        "which_doors": ["South"],
    }
    app.get_by_role("link", name="Submissions of Fire round").click()
    expect(app.get_by_role("region", name="Submissions")).to_contain_text("Fail")
