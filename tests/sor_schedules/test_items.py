from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import (
    VALVE,
    conflict,
    new_item,
    new_schedule,
    publish,
    published_schedule,
    refused_fields,
    schedule_now,
)


def items_path(organization: Organization, schedule: dict[str, Any]) -> str:
    return f"{organization.path}/sor/schedules/{schedule['id']}/items"


def listed(organization: Organization, schedule: dict[str, Any], **query: str | int) -> list[str]:
    answer = organization.api.get(items_path(organization, schedule), params=query)
    assert answer.status_code == 200, answer.text
    return [item["code"] for item in data_of(answer)]


def test_a_new_item_can_be_read_is_listed_and_counted(organization: Organization) -> None:
    schedule = new_schedule(organization)
    answer = organization.api.post(items_path(organization, schedule), json=VALVE)
    assert answer.status_code == 201
    item = data_of(answer)
    assert item == {
        "id": item["id"],
        "scheduleId": schedule["id"],
        **VALVE,
        "created": item["created"],
        "updated": item["created"],
    }
    assert item["id"].startswith("soi_")
    assert answer.headers["location"] == f"{items_path(organization, schedule)}/{item['id']}"
    assert organization.api.get(answer.headers["location"]).json() == {"data": item}
    assert organization.api.get(items_path(organization, schedule)).json() == {
        "data": [item],
        "lastEvaluatedKey": None,
    }
    assert schedule_now(organization, schedule)["itemCount"] == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"code": ""}, "code"),
        ({"code": " PLB-010"}, "code"),
        ({"code": "PLB-010 "}, "code"),
        ({"code": None}, "code"),
        ({"description": " "}, "description"),
        ({"unit": ""}, "unit"),
        ({"rateCents": -1}, "rateCents"),
        ({"rateCents": 10**12 + 1}, "rateCents"),
        ({"rateCents": 42.5}, "rateCents"),
        ({"rateCents": "42"}, "rateCents"),
        ({"price": 1}, "price"),
    ],
)
def test_an_invalid_item_is_refused(organization: Organization, fields: dict, field: str) -> None:
    schedule = new_schedule(organization)
    assert refused_fields(
        organization.api.post(items_path(organization, schedule), json={**VALVE, **fields})
    ) == [field]
    assert schedule_now(organization, schedule)["itemCount"] == 0


@pytest.mark.parametrize("rate", [0, 10**12])
def test_rates_go_from_nothing_to_a_million_millions_of_cents(organization: Organization, rate: int) -> None:
    assert new_item(organization, new_schedule(organization), rateCents=rate)["rateCents"] == rate


def test_a_code_is_unique_within_a_schedule(organization: Organization) -> None:
    schedule, other = new_schedule(organization), new_schedule(organization)
    new_item(organization, schedule)
    new_item(organization, other)
    second = new_item(organization, schedule, code="PLB-020")
    message = "An item with this code exists already in this schedule."
    assert conflict(organization.api.post(items_path(organization, schedule), json=VALVE)) == message
    path = f"{items_path(organization, schedule)}/{second['id']}"
    assert conflict(organization.api.patch(path, json={"code": "PLB-010"})) == message
    assert schedule_now(organization, schedule)["itemCount"] == 2


def test_an_item_can_be_changed_and_deleted(organization: Organization) -> None:
    schedule = new_schedule(organization)
    item = new_item(organization, schedule)
    path = f"{items_path(organization, schedule)}/{item['id']}"
    changed = data_of(organization.api.patch(path, json={"rateCents": 4400, "description": "Lever valve"}))
    assert changed == {
        **item,
        "rateCents": 4400,
        "description": "Lever valve",
        "updated": changed["updated"],
    }
    assert listed(organization, schedule, q="lever") == ["PLB-010"]
    assert refused_fields(organization.api.patch(path, json={"unit": None})) == ["unit"]
    assert organization.api.delete(path).json() == {"data": {"deleted": True}}
    assert organization.api.get(path).status_code == 404
    assert schedule_now(organization, schedule)["itemCount"] == 0


def test_items_of_a_published_schedule_stay_as_they_are(organization: Organization) -> None:
    schedule, item = published_schedule(organization)
    path = f"{items_path(organization, schedule)}/{item['id']}"
    message = "This schedule is Published; its items can be changed only while it is Draft."
    for answer in (
        organization.api.post(items_path(organization, schedule), json={**VALVE, "code": "X"}),
        organization.api.patch(path, json={"rateCents": 1}),
        organization.api.delete(path),
        organization.api.post(
            f"{items_path(organization, schedule)}/import", content="code,description,unit,rateCents\n"
        ),
    ):
        assert conflict(answer) == message
    assert data_of(organization.api.get(path)) == item
    assert schedule_now(organization, schedule) == schedule


def test_lists_hold_the_items_of_their_schedule_only(organization: Organization) -> None:
    schedule, other = new_schedule(organization), new_schedule(organization)
    for code in ("A-1", "A-2", "B-1"):
        new_item(organization, schedule, code=code, description=f"Paint wall {code[0]}")
    new_item(organization, other, code="A-1")
    assert listed(organization, schedule) == ["B-1", "A-2", "A-1"]
    assert listed(organization, other) == ["A-1"]
    assert listed(organization, schedule, code="A-2") == ["A-2"]
    assert listed(organization, other, code="A-2") == []
    assert listed(organization, schedule, q="paint a-") == ["A-2", "A-1"]
    assert listed(organization, new_schedule(organization)) == []


def test_a_cursor_is_valid_for_the_items_of_one_schedule(organization: Organization) -> None:
    schedule, other = new_schedule(organization), new_schedule(organization)
    for code in ("A-1", "A-2", "A-3"):
        new_item(organization, schedule, code=code)
        new_item(organization, other, code=code)
    first = organization.api.get(items_path(organization, schedule), params={"limit": 2}).json()
    cursor = {"limit": 2, "lastEvaluatedKey": first["lastEvaluatedKey"]}
    rest = organization.api.get(items_path(organization, schedule), params=cursor).json()
    assert [item["code"] for item in first["data"] + rest["data"]] == ["A-3", "A-2", "A-1"]
    assert rest["lastEvaluatedKey"] is None
    assert refused_fields(organization.api.get(items_path(organization, other), params=cursor)) == [
        "lastEvaluatedKey"
    ]


def test_an_item_is_found_in_its_own_schedule_only(organization: Organization) -> None:
    schedule, other = new_schedule(organization), new_schedule(organization)
    item = new_item(organization, schedule)
    new_item(organization, other, code="X")
    stale = {"If-Match": '"stale"'}
    path = f"{items_path(organization, other)}/{item['id']}"
    for answer in (
        organization.api.get(path),
        organization.api.patch(path, json={"unit": "m"}),
        organization.api.patch(path, json={"unit": "m"}, headers=stale),
        organization.api.delete(path),
    ):
        assert (answer.status_code, answer.json()["message"]) == (404, "There is no such item.")
    assert schedule_now(organization, other)["itemCount"] == 1
    assert data_of(organization.api.get(f"{items_path(organization, schedule)}/{item['id']}")) == item


@pytest.mark.parametrize("suffix", ["", ".csv", ".ndjson"])
def test_items_of_no_schedule_are_not_found(
    organization: Organization, new_organization: Callable[..., Organization], suffix: str
) -> None:
    foreign = new_schedule(new_organization())
    for schedule_id in ("sch_nothing", foreign["id"]):
        path = f"{organization.path}/sor/schedules/{schedule_id}/items"
        answer = organization.api.get(path + suffix)
        assert (answer.status_code, answer.json()["message"]) == (404, "There is no such schedule.")
        assert organization.api.post(path, json=VALVE).status_code == 404
        assert (
            organization.api.post(f"{path}/import", content="code,description,unit,rateCents\n").status_code
            == 404
        )


def test_items_can_be_exported(organization: Organization) -> None:
    schedule, other = new_schedule(organization), new_schedule(organization)
    item = new_item(organization, schedule, code="A-1", description='Valve, "lever"')
    new_item(organization, other, code="B-1")
    head, row = organization.api.get(f"{items_path(organization, schedule)}.csv").text.splitlines()
    assert head == "id,scheduleId,code,description,unit,rateCents,created,updated"
    assert row.startswith(f'{item["id"]},{schedule["id"]},A-1,"Valve, ""lever""",each,4250,')
    assert (
        len(organization.api.get(f"{items_path(organization, schedule)}.ndjson?code=A-1").text.splitlines())
        == 1
    )
    assert organization.api.get(f"{items_path(organization, schedule)}.ndjson?code=B-1").text == ""


def test_the_count_is_exact_under_concurrent_changes(organization: Organization) -> None:
    schedule = new_schedule(organization)
    first = [new_item(organization, schedule, code=f"OLD-{i}")["id"] for i in range(6)]
    path = items_path(organization, schedule)
    work = [
        lambda i=i: organization.api.post(path, json={**VALVE, "code": f"NEW-{i // 2}"}) for i in range(20)
    ]
    work += [lambda old=old: organization.api.delete(f"{path}/{old}") for old in first for _ in range(2)]
    with ThreadPoolExecutor(8) as threads:
        answers = [done.result().status_code for done in [threads.submit(call) for call in work]]
    # Every code and every item was fought for by two.
    assert sorted(answers) == [200] * 6 + [201] * 10 + [404] * 6 + [409] * 10
    assert (
        schedule_now(organization, schedule)["itemCount"]
        == len(listed(organization, schedule, limit=100))
        == 10
    )


def test_no_item_slips_into_a_schedule_while_it_is_published(organization: Organization) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    path = items_path(organization, schedule)
    with ThreadPoolExecutor(6) as threads:
        adding = [
            threads.submit(organization.api.post, path, json={**VALVE, "code": f"N-{i}"}) for i in range(10)
        ]
        published = threads.submit(publish, organization, schedule).result()
        codes = [done.result().status_code for done in adding]
    assert set(codes) <= {201, 409}
    assert published["itemCount"] == 1 + codes.count(201)
    assert schedule_now(organization, schedule) == published
    assert len(listed(organization, schedule)) == published["itemCount"]
