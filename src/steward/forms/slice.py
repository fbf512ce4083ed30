from steward.forms import queries
from steward.forms.model import CONSTRAINTS
from steward.forms.submissions.model import CONSTRAINTS as OF_SUBMISSIONS
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Searched, Site, Slice


def site(_parts: Parts) -> Site:
    from steward.forms import api, pages
    from steward.forms.submissions import api as submissions_api
    from steward.forms.submissions import pages as submissions_pages

    return Site(routes=(*api.ROUTES, *submissions_api.ROUTES), pages=(*pages.PAGES, *submissions_pages.PAGES))


SLICE = Slice(
    name="forms",
    tables=("form_submissions", "form_versions", "forms"),
    constraints={**CONSTRAINTS, **OF_SUBMISSIONS},
    site=site,
    menu=(MenuEntry(MenuGroup.RECORDS, 30, "Forms", "/app/forms", "form"),),
    searched=(Searched("Forms", queries.LOOKUP),),
)
