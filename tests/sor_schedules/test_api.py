from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.organizations import Organization
from tests.support.rates import (
    conflict,
    events,
    new_item,
    new_quotation,
    new_schedule,
    publish,
    published_schedule,
    refused_fields,
    schedule_now,
)

from steward.sor_schedules.model import EXAMPLE
from steward.sor_schedules.rules import in_effect


def listed(org: Organization, **query: str | int) -> list[str]:
    answer = org.api.get(f"{org.path}/sor/schedules", params=query)
    assert answer.status_code == 200, answer.text
    return [schedule["id"] for schedule in answer.json()["data"]]


def test_a_new_schedule_is_a_draft_that_can_be_read_and_is_listed(org: Organization) -> None:
    answer = org.api.post(f"{org.path}/sor/schedules", json={"name": "Fabric 2026"})
    assert answer.status_code == 201
    schedule = answer.json()["data"]
    assert schedule == {
        "id": schedule["id"],
        "name": "Fabric 2026",
        "description": None,
        "status": "Draft",
        "effectiveFrom": None,
        "effectiveTo": None,
        "itemCount": 0,
        "publishedBy": None,
        "publishedAt": None,
        "created": schedule["created"],
        "updated": schedule["created"],
    }
    assert schedule["id"].startswith("sch_")
    assert answer.headers["location"] == f"{org.path}/sor/schedules/{schedule['id']}"
    assert org.api.get(answer.headers["location"]).json() == {"data": schedule}
    assert org.api.get(f"{org.path}/sor/schedules").json() == {"data": [schedule], "lastEvaluatedKey": None}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x", "status": "Published"}, "status"),
        ({"name": "x", "itemCount": 3}, "itemCount"),
        ({"name": "x", "effectiveFrom": -1}, "effectiveFrom"),
        ({"name": "x", "effectiveTo": "2026"}, "effectiveTo"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused(org: Organization, body: dict, field: str) -> None:
    assert refused_fields(org.api.post(f"{org.path}/sor/schedules", json=body)) == [field]


def test_a_draft_can_be_changed_and_cleared(org: Organization) -> None:
    schedule = new_schedule(org, description="Old")
    answer = org.api.patch(
        f"{org.path}/sor/schedules/{schedule['id']}",
        json={"name": "New", "description": None, "effectiveTo": None},
    )
    changed = answer.json()["data"]
    assert changed == {
        **schedule,
        "name": "New",
        "description": None,
        "effectiveTo": None,
        "updated": changed["updated"],
    }
    assert schedule_now(org, schedule) == changed
    assert listed(org, q="new") == [schedule["id"]]
    assert listed(org, q="fabric") == []


def test_a_draft_can_be_deleted_with_its_items(org: Organization) -> None:
    schedule = new_schedule(org)
    item = new_item(org, schedule)
    path = f"{org.path}/sor/schedules/{schedule['id']}"
    assert org.api.delete(path).json() == {"data": {"deleted": True}}
    for gone in (path, f"{path}/items", f"{path}/items/{item['id']}"):
        assert org.api.get(gone).status_code == 404


def test_publishing_stamps_the_schedule_and_tells_of_it(org: Organization) -> None:
    schedule = new_schedule(org)
    new_item(org, schedule)
    published = publish(org, schedule)
    assert published == {
        **schedule,
        "status": "Published",
        "itemCount": 1,
        "publishedBy": org.user_id,
        "publishedAt": published["updated"],
        "updated": published["updated"],
    }
    (event,) = events(org, "sor.schedule.published")
    shown = (
        "id name status effectiveFrom effectiveTo itemCount publishedBy publishedAt created"  # as specified
    )
    assert event == {
        "id": event["id"],
        "type": "sor.schedule.published",
        "organizationId": org.id,
        "created": event["created"],
        "data": {
            "object": {name: published[name] for name in shown.split()},
            "previousAttributes": {"status": "Draft"},
        },
        "livemode": True,
    }


@pytest.mark.parametrize(
    ("fields", "with_item", "lacking"),
    [
        ({}, False, ["items"]),
        ({"effectiveFrom": None}, True, ["effectiveFrom"]),
        ({"effectiveTo": None}, True, ["effectiveTo"]),
        ({"effectiveFrom": 200, "effectiveTo": 200}, True, ["effectiveTo"]),
        ({"effectiveFrom": 201, "effectiveTo": 200}, True, ["effectiveTo"]),
        ({"effectiveFrom": None, "effectiveTo": None}, False, ["items", "effectiveFrom", "effectiveTo"]),
    ],
)
def test_publishing_says_everything_that_is_missing(
    org: Organization, fields: dict, with_item: bool, lacking: list[str]
) -> None:
    schedule = new_schedule(org, **fields)
    if with_item:
        new_item(org, schedule)
    path = f"{org.path}/sor/schedules/{schedule['id']}/publish"
    assert refused_fields(org.api.post(path)) == lacking
    assert schedule_now(org, schedule)["status"] == "Draft"
    assert events(org, "sor.schedule.published") == []


def test_a_published_schedule_stays_as_it_is(org: Organization) -> None:
    schedule, _ = published_schedule(org)
    path = f"{org.path}/sor/schedules/{schedule['id']}"
    assert conflict(org.api.post(f"{path}/publish")) == (
        "A schedule that is Published can't publish; allowed from here: none."
    )
    assert "Published" in conflict(org.api.patch(path, json={"name": "Cheaper"}))
    assert "Published" in conflict(org.api.delete(path))
    new_quotation(org, scheduleId=schedule["id"])
    assert "Published" in conflict(org.api.delete(path))
    assert schedule_now(org, schedule) == schedule


def test_of_two_who_publish_at_once_one_does(org: Organization) -> None:
    schedule = new_schedule(org)
    new_item(org, schedule)
    path = f"{org.path}/sor/schedules/{schedule['id']}/publish"
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: org.api.post(path).status_code, range(4)))
    assert sorted(answers) == [200, 409, 409, 409]
    assert len(events(org, "sor.schedule.published")) == 1


def test_who_has_seen_an_older_schedule_changes_nothing(org: Organization) -> None:
    schedule = new_schedule(org)
    path = f"{org.path}/sor/schedules/{schedule['id']}"
    seen = {"If-Match": org.api.get(path).headers["etag"]}
    new_item(org, schedule)
    for answer in (
        org.api.patch(path, json={"name": "x"}, headers=seen),
        org.api.post(f"{path}/publish", headers=seen),
        org.api.delete(path, headers=seen),
    ):
        assert answer.status_code == 412


def test_lists_are_filtered(org: Organization) -> None:
    past, _ = published_schedule(org, name="Plumbing past", effectiveFrom=1000, effectiveTo=2000)
    later, _ = published_schedule(org, name="Plumbing later", effectiveFrom=2000, effectiveTo=3000)
    draft = new_schedule(org, name="Electrical", effectiveFrom=1000, effectiveTo=3000)
    assert listed(org) == [draft["id"], later["id"], past["id"]]
    assert listed(org, status="Draft") == [draft["id"]]
    assert listed(org, status="Published") == [later["id"], past["id"]]
    assert listed(org, q="plumb") == [later["id"], past["id"]]
    by_second = {at: listed(org, effectiveAt=at) for at in (999, 1000, 1999, 2000, 2999, 3000)}
    assert by_second == {
        999: [],
        1000: [past["id"]],
        1999: [past["id"]],
        2000: [later["id"]],
        2999: [later["id"]],
        3000: [],
    }
    assert listed(org, updatedAfter=past["updated"] - 1) == [draft["id"], later["id"], past["id"]]
    assert listed(org, updatedAfter=draft["updated"] + 3600) == []
    assert refused_fields(org.api.get(f"{org.path}/sor/schedules?status=Gone")) == ["status"]


def test_schedules_can_be_exported(org: Organization) -> None:
    schedule, _ = published_schedule(org)
    lines = org.api.get(f"{org.path}/sor/schedules.ndjson?status=Published").text.splitlines()
    assert lines[0].startswith(f'{{"id":"{schedule["id"]}"')
    head, row = org.api.get(f"{org.path}/sor/schedules.csv").text.splitlines()
    assert head == ",".join(schedule)
    assert row.split(",")[:2] == [schedule["id"], "Fabric"]


def test_another_organization_sees_nothing(org: Organization, found: Callable[..., Organization]) -> None:
    schedule = new_schedule(org)
    other = found()
    path = f"{other.path}/sor/schedules/{schedule['id']}"
    for answer in (
        other.api.get(path),
        other.api.patch(path, json={"name": "Mine"}),
        other.api.delete(path),
        other.api.post(f"{path}/publish"),
        other.api.get(f"{path}/items"),
        other.api.post(f"{path}/items", json={}),
    ):
        assert answer.status_code in {404, 422}
    assert other.api.get(path).status_code == 404
    assert listed(other) == []
    assert schedule_now(org, schedule) == schedule


def test_reading_and_writing_take_their_permissions(org: Organization) -> None:
    reader = org.client(key=org.new_key("sor:read")["secret"])
    stranger = org.client(key=org.new_key("assets:read")["secret"])
    path = f"{org.path}/sor/schedules"
    assert reader.get(path).status_code == 200
    assert reader.post(path, json={"name": "x"}).status_code == 403
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize(("at", "holds"), [(9, False), (10, True), (19, True), (20, False)])
def test_a_schedule_holds_from_its_first_second_until_before_its_last(at: int, holds: bool) -> None:
    fields = {name: getattr(EXAMPLE, name) for name in EXAMPLE.__struct_fields__}
    schedule = type(EXAMPLE)(**{**fields, "effective_from": 10, "effective_to": 20})
    assert in_effect(schedule, at) is holds
