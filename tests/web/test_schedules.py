import html
import re
from collections.abc import Callable

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.pages import compact
from tests.support.schedules_of_rates import (
    DAY,
    new_item,
    new_schedule,
    publish,
    published_schedule,
    schedule_now,
)

_PATH = "/app/schedules"
_FILE = "code,description,unit,rateCents\nPLB-010,Renew valve,each,4250\nPNT-200,Paint walls,m2,1875\n"


def _path(schedule: dict[str, str]) -> str:
    return f"{_PATH}/{schedule['id']}"


def _items(organization: Organization, schedule: dict[str, str]) -> list[tuple[str, str, int]]:
    answer = organization.api.get(f"{organization.path}/sor/schedules/{schedule['id']}/items?sort=code")
    return [(item["code"], item["unit"], item["rateCents"]) for item in data_of(answer)]


def _upload(admin: BrowserClient, path: str, text: str, **fields: str) -> httpx.Response:
    return admin.post(f"{path}/import", files={"file": ("rates.csv", text, "text/csv")}, data=fields)


def test_a_schedule_is_made_changed_and_listed(organization: Organization, admin: BrowserClient) -> None:
    answer = admin.post(_PATH, data={"name": "Fabric <2026>", "effectiveFrom": "2026-01-01T00:00"})
    assert answer.status_code == 303
    path = answer.headers["location"]
    page = admin.sees(path)
    assert "Fabric &lt;2026&gt;" in page
    version = re.search(r"\?version=([^\"]+)\"", page)
    assert version
    changed = {"name": "Fabric", "description": "Agreed", "effectiveFrom": "2026-02-01T00:00"}
    assert admin.post(f"{path}?version={version[1]}", data=changed).status_code == 303
    assert admin.post(f"{path}?version={version[1]}", data=changed).status_code == 412
    schedule = schedule_now(organization, {"id": path.rpartition("/")[2]})
    assert (schedule["name"], schedule["description"]) == ("Fabric", "Agreed")
    assert path in admin.sees(f"{_PATH}?status=Draft")
    assert "Nothing matches" in admin.sees(f"{_PATH}?status=Published")


def test_rates_are_added_found_changed_and_removed(organization: Organization, admin: BrowserClient) -> None:
    schedule = new_schedule(organization)
    path = _path(schedule)
    rate = {"code": "PLB-010", "description": "Renew <valve>", "unit": "each", "rate": "42,50"}
    assert admin.post(f"{path}/items", data=rate).status_code == 303
    assert admin.post(f"{path}/items", data={**rate, "code": "PNT-1", "rate": "1000"}).status_code == 303
    page = admin.sees(path)
    assert "Renew &lt;valve&gt;" in page
    assert page.index("PLB-010") < page.index("PNT-1")
    assert "1\u202f000.00" in page
    item = re.search(rf'{path}/items/(soi_\w+)">PLB-010', page)
    assert item
    one = f"{path}/items/{item[1]}"
    assert 'value="42.50"' in admin.sees(one)
    assert admin.post(one, data={**rate, "rate": "43"}).status_code == 303
    assert admin.post(one, data={**rate, "code": "PNT-1"}).status_code == 409
    assert _items(organization, schedule) == [("PLB-010", "each", 4300), ("PNT-1", "each", 100000)]
    assert admin.post(f"{one}/delete").status_code == 303
    assert schedule_now(organization, schedule)["itemCount"] == 1


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("code", " ", "Fill this in."),
        ("rate", "1.005", "Must be an amount such as 42.50"),
        ("rate", "-1", "Must be an amount such as 42.50"),
        ("rate", "10000000000.01", "at most 10\u202f000"),
        ("unit", "x" * 51, "Use at most 50 characters."),
    ],
)
def test_an_invalid_rate_is_reported_at_its_field(
    organization: Organization, admin: BrowserClient, field: str, value: str, message: str
) -> None:
    schedule = new_schedule(organization)
    rate = {"code": "PLB-010", "description": "Renew valve", "unit": "each", "rate": "42.50", field: value}
    answer = admin.post(f"{_path(schedule)}/items", data=rate)
    assert answer.status_code == 422
    told = re.search(rf'id="{field}-error">([^<]+)', answer.text)
    assert told
    assert message in html.unescape(told[1])
    assert 'value="Renew valve"' in answer.text
    assert _items(organization, schedule) == []


def test_rates_are_searched_and_paged_by_code(organization: Organization, admin: BrowserClient) -> None:
    schedule = new_schedule(organization)
    for start in (0, 30):
        rows = "".join(f"C-{n:03},Work {n},h,{n}\n" for n in range(start, start + 30))
        _upload(admin, _path(schedule), "code,description,unit,rateCents\n" + rows, confirmed="true")
    first = admin.sees(_path(schedule))
    assert re.findall(r">(C-\d{3})<", first) == [f"C-{n:03}" for n in range(50)]
    link = html.unescape(first.split('rel="next" href="')[1].split('"')[0])
    assert re.findall(r">(C-\d{3})<", admin.sees(link)) == [f"C-{n:03}" for n in range(50, 60)]
    assert re.findall(r">(C-\d{3})<", admin.sees(f"{_path(schedule)}?q=c-03")) == [
        f"C-03{n}" for n in range(10)
    ]
    assert "No rate matches" in admin.sees(f"{_path(schedule)}?q=nothing")
    # What is too short to search for narrows nothing yet.
    assert ">C-000<" in admin.sees(f"{_path(schedule)}?q=c")
    assert admin.get(f"{_path(schedule)}?lastEvaluatedKey=forged").status_code == 422
    found = admin.get(f"{_path(schedule)}/items.json?q=c-03").json()
    assert [rate["code"] for rate in found] == [f"C-03{n}" for n in range(10)]
    assert (found[1]["rateCents"], found[1]["detail"]) == (31, "0.31 per h")
    assert [rate["code"] for rate in admin.get(f"{_path(schedule)}/items.json?q=c").json()][:2] == [
        "C-000",
        "C-001",
    ]


def test_a_file_is_previewed_then_imported(organization: Organization, admin: BrowserClient) -> None:
    schedule = new_schedule(organization)
    path = _path(schedule)
    looked = _upload(admin, path, _FILE)
    assert looked.status_code == 200
    assert "Import 2 rates" in looked.text
    assert _items(organization, schedule) == []
    text = html.unescape(looked.text.split('aria-hidden="true" tabindex="-1">\n')[1].split("</textarea>")[0])
    answer = admin.post(f"{path}/import", data={"text": text.replace("\n", "\r\n"), "confirmed": "true"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{path}?imported=2")
    assert "2 rates imported." in admin.sees(answer.headers["location"])
    assert _items(organization, schedule) == [("PLB-010", "each", 4250), ("PNT-200", "m2", 1875)]
    exported = admin.get(f"{path}/items.csv")
    assert sorted(exported.text.split("\r\n")) == sorted(_FILE.split("\n"))
    other = new_schedule(organization)
    assert _upload(admin, _path(other), exported.text, confirmed="true").status_code == 303


def test_errors_of_a_file_are_reported_by_row(organization: Organization, admin: BrowserClient) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    wrong = "code,description,unit,rateCents\nPLB-010,Again,each,1\nX,,each,1\nY,<b>,each,12.50\nZ,Good,h,1\n"
    answer = _upload(admin, _path(schedule), wrong)
    assert answer.status_code == 200
    assert "3 things are wrong in 4 rows" in answer.text
    rows = re.findall(
        r'<tr><td class="number">(\d+)</td><td>(?:<code>(\w+)</code>)?</td>', compact(answer.text)
    )
    assert rows == [("2", "code"), ("3", "description"), ("4", "rateCents")]
    assert "Y,&lt;b&gt;,each,12.50" in answer.text
    assert "confirmed" not in answer.text
    confirmed = _upload(admin, _path(schedule), wrong, confirmed="true")
    assert (confirmed.status_code, schedule_now(organization, schedule)["itemCount"]) == (422, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Choose a file"),
        ("price\n1\n", "Is not a column that this takes"),
        ("code,description,unit\nx,y,z\n", "Is a column that must be there"),
        ('code,description,unit,rateCents\n"x', "Is not CSV"),
    ],
)
def test_invalid_rate_files_are_reported(
    organization: Organization, admin: BrowserClient, text: str, message: str
) -> None:
    answer = _upload(admin, _path(new_schedule(organization)), text)
    assert answer.status_code == 422
    assert message in answer.text


def test_publishing_says_what_is_missing_and_is_final(
    organization: Organization, admin: BrowserClient
) -> None:
    schedule = new_schedule(organization, effectiveTo=None)
    path = _path(schedule)
    answer = admin.post(f"{path}/publish")
    assert answer.status_code == 422
    assert "Rates: A schedule needs at least one item" in answer.text
    assert "In effect until: Must be set" in answer.text
    new_item(organization, schedule)
    organization.api.patch(
        f"{organization.path}/sor/schedules/{schedule['id']}",
        json={"effectiveTo": schedule["effectiveFrom"] + 2 * DAY},
    )
    assert f'action="{path}/publish"' in admin.sees(path)
    assert admin.post(f"{path}/publish").status_code == 303
    page = admin.sees(path)
    assert "In effect" in page
    for button in ("publish", "delete", "items", "import"):
        assert f'action="{path}/{button}"' not in page
    assert admin.post(f"{path}/delete").status_code == 409
    assert admin.get(f"{path}/import").status_code == 409
    answer = admin.post(f"{path}/items", data={"code": "x", "description": "x", "unit": "h", "rate": "1"})
    assert answer.status_code == 409
    assert "only while it is Draft" in answer.text


def test_a_draft_is_deleted_with_its_rates(organization: Organization, admin: BrowserClient) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    answer = admin.post(f"{_path(schedule)}/delete")
    assert (answer.status_code, answer.headers["location"]) == (303, _PATH)
    assert admin.get(_path(schedule)).status_code == 404


def test_read_only_users_see_no_buttons(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    viewer = logged_in(organization.new_user("Viewer")["email"])
    page = viewer.sees(_path(schedule))
    main = page[page.index("<main") : page.index("</main")]
    assert "PLB-010" in main
    assert 'method="post"' not in main
    assert "New schedule" not in viewer.sees(_PATH)
    for path in ("/items", "/publish", "/delete", "/import"):
        assert viewer.post(_path(schedule) + path, data={}).status_code == 403
    assert viewer.get(f"{_path(schedule)}/import").status_code == 403


def test_rates_of_other_organizations_are_not_found(
    organization: Organization, other_organization: Organization, admin: BrowserClient
) -> None:
    foreign, item = published_schedule(other_organization)
    own = new_schedule(organization)
    for path in ("", "/items.json", "/items.csv", f"/items/{item['id']}"):
        assert admin.get(f"{_path(foreign)}{path}").status_code == 404
    assert admin.get(f"{_path(own)}/items/{item['id']}").status_code == 404


def test_a_form_of_another_site_does_nothing(organization: Organization, admin: BrowserClient) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    answer = admin.post(f"{_path(schedule)}/publish", headers={"Origin": "https://elsewhere.example"})
    assert (answer.status_code, schedule_now(organization, schedule)["status"]) == (403, "Draft")


def test_a_published_schedule_leads_to_a_quotation(organization: Organization, admin: BrowserClient) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    assert "quotations/new" not in admin.sees(_path(schedule))
    publish(organization, schedule)
    assert f"/app/quotations/new?scheduleId={schedule['id']}" in admin.sees(_path(schedule))


def test_a_schedule_gets_a_next_version_and_is_withdrawn(
    organization: Organization, admin: BrowserClient
) -> None:
    schedule, _ = published_schedule(organization)
    path = _path(schedule)
    assert f'action="{path}/supersede"' in admin.sees(path)
    answer = admin.post(f"{path}/supersede")
    draft = answer.headers["location"]
    assert (answer.status_code, draft.startswith(_PATH), draft != path) == (303, True, True)
    assert f'href="{path}"' in admin.sees(draft)
    page = admin.sees(path)
    assert f'href="{draft}"' in page
    assert f'action="{path}/supersede"' not in page
    again = admin.post(f"{path}/supersede")
    assert (again.status_code, "has a next version already" in again.text) == (409, True)
    assert admin.post(f"{path}/withdraw", data={"reason": "Contract <ended>"}).status_code == 303
    assert "Contract &lt;ended&gt;" in admin.sees(path)
    assert schedule_now(organization, schedule)["status"] == "Withdrawn"
