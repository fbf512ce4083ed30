import html
import re

from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.pages import compact

PATH = "/app/locations/import"


def test_locations_are_checked_and_then_imported(organization: Organization, admin: BrowserClient) -> None:
    organization.locations.create("Hamburg", externalId="HH", type="Site")
    text = "externalId,name,type,parentExternalId\nHH,Hamburg,Site,\nHH-3,Third floor,Floor,HH\n"
    answer = admin.post(PATH, files={"file": ("locations.csv", text.encode(), "text/csv")})
    page = compact(answer.text)
    assert "<dt>New</dt><dd>1</dd><dt>Changed</dt><dd>0</dd><dt>Unchanged</dt><dd>1</dd>" in page
    assert len(organization.locations.listed()) == 1
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\d+)">', answer.text))
    fields["file"] = html.unescape(
        answer.text.split('<textarea name="file" hidden>\n')[1].split("</textarea>", maxsplit=1)[0]
    )
    done = admin.post(f"{PATH}/run", files={name: (None, value) for name, value in fields.items()})
    assert "2 locations were imported." in done.text
    assert {location["name"] for location in organization.locations.listed()} == {"Hamburg", "Third floor"}
    wrong = admin.post(PATH, files={"file": ("a.csv", b"name,type\nA,Hole\n", "text/csv")})
    assert wrong.status_code == 422
    assert "Must be one of Site, Building" in wrong.text
