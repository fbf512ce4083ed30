import html
import re

import httpx
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.pages import compact

PATH = "/app/assets/import"


def _check(admin: BrowserClient, text: str) -> httpx.Response:
    return admin.post(PATH, files={"file": ("assets.csv", text.encode(), "text/csv")})


def _fields(page: str) -> dict[str, str]:
    """What the form that goes on with the import would send."""
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\d+)">', page))
    fields["file"] = html.unescape(
        page.split('<textarea name="file" hidden>\n')[1].split("</textarea>", maxsplit=1)[0]
    )
    return fields


def _run(admin: BrowserClient, fields: dict[str, str], *, part: bool = False) -> httpx.Response:
    """As a browser sends a form that may hold files."""
    files = {name: (None, value.replace("\n", "\r\n")) for name, value in fields.items()}
    headers = {"HX-Request": "true", "HX-Target": "import"} if part else {}
    return admin.post(f"{PATH}/run{'?part=yes' if part else ''}", files=files, headers=headers)


def test_a_file_is_checked_before_anything_is_stored(
    organization: Organization, admin: BrowserClient
) -> None:
    kind = organization.assets.type_id
    answer = _check(admin, f"name,assetTypeId,externalId\nPump <1>,{kind},A\n,{kind},B\nPump 3,aty_no,A\n")
    assert answer.status_code == 422
    page = " ".join(answer.text.split())
    assert "2 of 3 rows can't be imported" in html.unescape(page)
    assert re.findall(r'<td class="number">(\d+)</td>', page) == ["3", "4", "4"]
    assert "Names no asset type of this organization" in page
    assert organization.assets.ids() == []


def test_a_valid_file_is_imported_without_javascript(
    organization: Organization, admin: BrowserClient
) -> None:
    kind = organization.assets.type_id
    text = f'name,assetTypeId,metadata.note\n"Pump, ""1"" <b>",{kind},"two\nlines"\nPump 2,{kind},\n'
    answer = _check(admin, text)
    assert answer.status_code == 200
    assert "Import 2 assets" in answer.text
    assert organization.assets.ids() == []
    done = _run(admin, _fields(answer.text))
    assert (done.status_code, "2 assets were imported." in done.text) == (200, True)
    found = {asset["name"]: asset for asset in organization.assets.listed()}
    assert found.keys() == {'Pump, "1" <b>', "Pump 2"}
    assert found['Pump, "1" <b>']["metadata"] == {"note": "two\nlines"}


def test_a_long_file_is_imported_part_by_part(organization: Organization, admin: BrowserClient) -> None:
    kind = organization.assets.type_id
    text = "name,assetTypeId\n" + "".join(f"Pump {number},{kind}\n" for number in range(2500))
    fields = _fields(_check(admin, text).text)
    shown = []
    for _ in range(3):
        part = _run(admin, fields, part=True)
        assert part.status_code == 200
        assert "<html" not in part.text
        shown.append(re.findall(r'<progress max="(\d+)" value="(\d+)"', part.text)[0])
        if 'hx-trigger="load, submit"' in part.text:
            fields = _fields(part.text)
    assert shown == [("2500", "1000"), ("2500", "2000"), ("2500", "2500")]
    assert (
        organization.sql("SELECT count(*) FROM assets WHERE organization_id = $1", organization.id)[0][0]
        == 2500
    )


def test_a_record_deleted_meanwhile_stops_the_import_resumably(
    organization: Organization, admin: BrowserClient
) -> None:
    kind, cellar = organization.assets.type_id, organization.locations.create()
    text = f"name,assetTypeId,externalId,locationId\nPump 1,{kind},A,\nPump 2,{kind},B,{cellar['id']}\n"
    fields = _fields(_check(admin, text).text)
    organization.api.delete(organization.locations.path_of(cellar))
    answer = _run(admin, fields, part=True)
    assert answer.status_code == 422
    assert "line 3: locationId" in answer.text
    assert 'hx-trigger="submit"' in answer.text
    assert organization.assets.ids() == []
    mended = {**_fields(answer.text), "file": text.replace(cellar["id"], organization.locations.first_id)}
    assert "2 assets were imported." in _run(admin, mended, part=True).text


def test_changing_rows_are_counted_in_the_preview(organization: Organization, admin: BrowserClient) -> None:
    organization.assets.create("Pump", externalId="A")
    organization.assets.create("Fan", externalId="B")
    page = compact(_check(admin, "externalId,name\nA,Pump\nB,Large fan\n").text)
    assert "<dt>New</dt><dd>0</dd><dt>Changed</dt><dd>1</dd><dt>Unchanged</dt><dd>1</dd>" in page


def test_a_missing_upload_is_reported_at_its_field(admin: BrowserClient) -> None:
    for text, words in (
        ("", "Fill this in."),
        ("colour\nred\n", "colour is not a column that this takes"),
        ("name,assetTypeId\n" + "x" * (1020 * 1024), "send it in parts of at most 1000 KB"),
    ):
        answer = _check(admin, text)
        assert answer.status_code == 422
        assert 'id="file-error">' in answer.text
        assert words in html.unescape(answer.text)
    answer = admin.post(PATH, files={"file": ("a.csv", b"\xff\xfe", "text/csv")})
    assert (answer.status_code, "not text in UTF-8" in answer.text) == (400, True)
    assert "The file has no rows." in _check(admin, "name,assetTypeId\n").text
