"""Items from a CSV file: all of them or none, with a dry run that says what is wrong."""

import csv
import io
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import new_item, new_schedule, publish, refused_fields, schedule_now

HEAD = "code,description,unit,rateCents\n"


def send(organization: Organization, schedule: dict[str, Any], text: str, **query: str) -> httpx.Response:
    return organization.api.post(
        f"{organization.path}/sor/schedules/{schedule['id']}/items/import",
        content=text.encode(),
        headers={"Content-Type": "text/csv"},
        params=query,
    )


def codes(organization: Organization, schedule: dict[str, Any]) -> list[str]:
    items = data_of(
        organization.api.get(f"{organization.path}/sor/schedules/{schedule['id']}/items?limit=100")
    )
    return [item["code"] for item in items]


def test_a_file_becomes_items(organization: Organization) -> None:
    schedule = new_schedule(organization)
    text = 'unit,code,rateCents,description\r\nm2,A-1,1250,"Paint, two coats"\r\n\r\nh,A-2,6500,Labour\r\n'
    answer = send(organization, schedule, text)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "data": {"dryRun": False, "rows": 2, "created": 2, "changed": 0, "unchanged": 0, "errors": []}
    }
    path = f"{organization.path}/sor/schedules/{schedule['id']}/items"
    labour, paint = data_of(organization.api.get(path))
    assert paint == {
        "id": paint["id"],
        "scheduleId": schedule["id"],
        "code": "A-1",
        "description": "Paint, two coats",
        "unit": "m2",
        "rateCents": 1250,
        "created": paint["created"],
        "updated": paint["created"],
    }
    assert (labour["code"], labour["rateCents"]) == ("A-2", 6500)
    assert data_of(organization.api.get(path, params={"q": "two coats"})) == [paint]
    assert organization.api.get(f"{path}/{paint['id']}").json() == {"data": paint}
    assert schedule_now(organization, schedule)["itemCount"] == 2


def test_a_dry_run_changes_nothing(organization: Organization) -> None:
    schedule = new_schedule(organization)
    answer = send(organization, schedule, f"{HEAD}A-1,Paint,m2,1250\n", dryRun="true")
    assert answer.json() == {
        "data": {"dryRun": True, "rows": 1, "created": 1, "changed": 0, "unchanged": 0, "errors": []}
    }
    assert schedule_now(organization, schedule) == schedule


BROKEN = (
    f"{HEAD}"
    "A-1,Paint,m2,1250\n"  # 2: good
    "A-1,Paint again,m2,1250\n"  # 3: repeated in the file
    "OLD,Known,m2,1\n"  # 4: in the schedule already
    "A-2,Labour,h,12.50\n"  # 5: no integer
    "A-3,,h,1\n"  # 6: no description
    "A-4,Too many,h,1,2\n"  # 7: a cell too many
    "A-5,Labour,h,12.00\n"  # 8: no integer, though a float would pass for one
)
BROKEN_AT = [(3, "code"), (4, "code"), (5, "rateCents"), (6, "description"), (7, ""), (8, "rateCents")]


def test_a_dry_run_reports_errors_by_line(organization: Organization) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule, code="OLD")
    report = data_of(send(organization, schedule, BROKEN, dryRun="true"))
    assert (report["dryRun"], report["rows"], report["created"]) == (True, 7, 0)
    assert [(error["line"], error["field"]) for error in report["errors"]] == BROKEN_AT
    assert report["errors"][0]["message"] == "A-1 stands in line 2 already"
    assert report["errors"][1]["message"] == "OLD belongs to another item already"


def test_a_file_with_something_wrong_is_refused_as_a_whole(organization: Organization) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule, code="OLD")
    answer = send(organization, schedule, BROKEN)
    assert refused_fields(answer) == [f"line {line}: {field}" for line, field in BROKEN_AT]
    assert codes(organization, schedule) == ["OLD"]
    assert schedule_now(organization, schedule)["itemCount"] == 1


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "code"),
        ("code,description,unit\n", "rateCents"),
        ("code,description,unit,rateCents,colour\n", "colour"),
        ("code,code,description,unit,rateCents\n", ""),
        (f'{HEAD}"A-1,Paint,m2,1\n', "line 2"),
    ],
)
def test_a_file_of_another_form_is_refused(organization: Organization, text: str, field: str) -> None:
    assert refused_fields(send(organization, new_schedule(organization), text)) == [field]


def test_a_body_that_is_no_csv_is_refused(organization: Organization) -> None:
    path = f"{organization.path}/sor/schedules/{new_schedule(organization)['id']}/items/import"
    assert organization.api.post(path, json={"code": "A"}).status_code == 415


def test_ten_thousand_items_come_in_at_once_and_one_more_does_not(organization: Organization) -> None:
    schedule = new_schedule(organization)
    rows = [f"C-{i:05},Renew fitting number {i} and make good the surfaces,each,{i}\n" for i in range(10_000)]
    answer = send(organization, schedule, HEAD + "".join(rows))
    assert answer.json() == {
        "data": {
            "dryRun": False,
            "rows": 10_000,
            "created": 10_000,
            "changed": 0,
            "unchanged": 0,
            "errors": [],
        }
    }
    path = f"{organization.path}/sor/schedules/{schedule['id']}/items"
    assert [
        item["rateCents"] for item in data_of(organization.api.get(path, params={"code": "C-09999"}))
    ] == [9999]
    assert publish(organization, schedule)["itemCount"] == 10_000
    assert refused_fields(
        send(organization, new_schedule(organization), HEAD + "".join(rows) + "X,Y,Z,1\n")
    ) == [""]


CENTS: list[tuple[str, int | None]] = [
    ("0", 0),
    ("012", 12),
    (str(10**12), 10**12),
    (str(10**12 + 1), None),
    ("12.00", None),  # twelve of something else than cents
    ("12.5", None),
    ("1e3", None),
    ("-1", None),
    ("+1", None),
    (" 1", None),
    ("1_000", None),
    ('"1,000"', None),
    ("١٢", None),
    ("9" * 100, None),
]


def test_cents_are_whole_numbers_written_as_such(organization: Organization) -> None:
    schedule = new_schedule(organization)
    lines = "".join(f"C-{number},x,x,{text}\n" for number, (text, _) in enumerate(CENTS))
    report = data_of(send(organization, schedule, HEAD + lines, dryRun="true"))
    refused = {error["line"]: error["field"] for error in report["errors"]}
    assert refused == {line: "rateCents" for line, (_, cents) in enumerate(CENTS, start=2) if cents is None}
    good = "".join(
        f"C-{number},x,x,{text}\n" for number, (text, cents) in enumerate(CENTS) if cents is not None
    )
    assert send(organization, schedule, HEAD + good).status_code == 200
    path = f"{organization.path}/sor/schedules/{schedule['id']}/items"
    stored = {item["code"]: item["rateCents"] for item in data_of(organization.api.get(path))}
    assert stored == {f"C-{number}": cents for number, (_, cents) in enumerate(CENTS) if cents is not None}


def test_an_export_is_edited_and_sent_back(organization: Organization) -> None:
    schedule = new_schedule(organization)
    items = [new_item(organization, schedule, code=code) for code in ("A", "B", "C")]
    export = organization.api.get(f"{organization.path}/sor/schedules/{schedule['id']}/items.csv").text
    unchanged = data_of(send(organization, schedule, export))
    assert (unchanged["created"], unchanged["changed"], unchanged["unchanged"]) == (0, 0, 3)
    names, *rows = csv.reader(export.splitlines())
    cells = dict(zip(names, rows[0], strict=True)) | {"rateCents": "9999", "code": "ZZ-1"}
    fresh = dict.fromkeys(names, "") | {"code": "N", "description": "New", "unit": "each", "rateCents": "1"}
    edited = io.StringIO()
    csv.writer(edited).writerows([names, list(cells.values()), *rows[1:], list(fresh.values())])
    report = data_of(send(organization, schedule, edited.getvalue()))
    assert (report["created"], report["changed"], report["unchanged"]) == (1, 1, 2)
    path = f"{organization.path}/sor/schedules/{schedule['id']}/items"
    found = {item["code"]: item for item in data_of(organization.api.get(path))}
    assert found.keys() == {"A", "B", "ZZ-1", "N"}
    assert (found["ZZ-1"]["id"], found["ZZ-1"]["rateCents"]) == (items[2]["id"], 9999)
    assert found["A"] == items[0]
    assert data_of(organization.api.get(path, params={"q": "zz-1"})) == [found["ZZ-1"]]
    assert schedule_now(organization, schedule)["itemCount"] == 4
    taken = f"id,code\n{items[0]['id']},B\n{items[1]['id']},B\n"
    assert refused_fields(send(organization, schedule, taken)) == ["line 2: code"]
    elsewhere = new_schedule(organization)
    assert refused_fields(send(organization, elsewhere, f"id,code\n{items[0]['id']},X\n")) == ["line 2: id"]
