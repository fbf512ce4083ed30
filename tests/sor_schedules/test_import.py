"""Items from a CSV file: all of them or none, with a dry run that says what is wrong."""

from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import new_item, new_schedule, publish, refused_fields, schedule_now

from steward.kit.domain.csv_rows import Rows
from steward.sor_schedules.items.model import ItemRow
from steward.sor_schedules.items.rules import item_of, refuse_bad_rates, refuse_repeated_codes

HEAD = "code,description,unit,rateCents\n"


def send(organization: Organization, schedule: dict[str, Any], text: str, **query: str) -> httpx.Response:
    return organization.api.post(
        f"{organization.path}/sor/schedules/{schedule['id']}/items/import",
        content=text.encode(),
        headers={"Content-Type": "text/csv"},
        params=query,
    )


def codes(organization: Organization, schedule: dict[str, Any]) -> list[str]:
    items = organization.api.get(
        f"{organization.path}/sor/schedules/{schedule['id']}/items?limit=100"
    ).json()["data"]
    return [item["code"] for item in items]


def test_a_file_becomes_items(organization: Organization) -> None:
    schedule = new_schedule(organization)
    text = 'unit,code,rateCents,description\r\nm2,A-1,1250,"Paint, two coats"\r\n\r\nh,A-2,6500,Labour\r\n'
    answer = send(organization, schedule, text)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"data": {"dryRun": False, "rows": 2, "created": 2, "errors": []}}
    path = f"{organization.path}/sor/schedules/{schedule['id']}/items"
    labour, paint = organization.api.get(path).json()["data"]
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
    assert organization.api.get(path, params={"q": "two coats"}).json()["data"] == [paint]
    assert organization.api.get(f"{path}/{paint['id']}").json() == {"data": paint}
    assert schedule_now(organization, schedule)["itemCount"] == 2


def test_a_dry_run_changes_nothing(organization: Organization) -> None:
    schedule = new_schedule(organization)
    answer = send(organization, schedule, f"{HEAD}A-1,Paint,m2,1250\n", dryRun="true")
    assert answer.json() == {"data": {"dryRun": True, "rows": 1, "created": 1, "errors": []}}
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


def test_a_dry_run_says_what_is_wrong_line_by_line(organization: Organization) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule, code="OLD")
    report = send(organization, schedule, BROKEN, dryRun="true").json()["data"]
    assert (report["dryRun"], report["rows"], report["created"]) == (True, 7, 0)
    assert [(error["line"], error["field"]) for error in report["errors"]] == BROKEN_AT
    assert report["errors"][0]["message"] == "A-1 stands in line 2 already"
    assert report["errors"][1]["message"] == "the schedule has an item OLD already"


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
    assert answer.json() == {"data": {"dryRun": False, "rows": 10_000, "created": 10_000, "errors": []}}
    path = f"{organization.path}/sor/schedules/{schedule['id']}/items"
    assert [
        item["rateCents"] for item in organization.api.get(path, params={"code": "C-09999"}).json()["data"]
    ] == [9999]
    assert publish(organization, schedule)["itemCount"] == 10_000
    assert refused_fields(
        send(organization, new_schedule(organization), HEAD + "".join(rows) + "X,Y,Z,1\n")
    ) == [""]


@pytest.mark.parametrize(
    ("text", "cents"),
    [
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
        ("1,000", None),
        ("١٢", None),
        ("9" * 100, None),
    ],
)
def test_cents_are_whole_numbers_written_as_such(text: str, cents: int | None) -> None:
    rows: Rows[ItemRow] = Rows()
    rows.by_line[2] = ItemRow(code="A", description="x", unit="x", rate_cents=text)
    refuse_bad_rates(rows)
    if cents is None:
        assert [(error.line, error.field) for error in rows.errors] == [(2, "rateCents")]
    else:
        assert rows.errors == []
        assert item_of(rows.by_line[2]).rate_cents == cents


@given(st.lists(st.sampled_from("abcdef"), max_size=12), st.sets(st.sampled_from("abcdef")))
def test_what_is_left_after_refusals_has_every_code_once(in_file: list[str], taken: set[str]) -> None:
    rows: Rows[ItemRow] = Rows()
    for line, code in enumerate(in_file, start=2):
        rows.by_line[line] = ItemRow(code=code, description="x", unit="x", rate_cents="1")
    refuse_repeated_codes(rows, taken)
    refused = {error.line for error in rows.errors}
    left = [item.code for line, item in rows.by_line.items() if line not in refused]
    assert len(left) == len(set(left))
    assert set(left) == set(in_file) - taken
