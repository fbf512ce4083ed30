from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import (
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


def listed(organization: Organization, **query: str | int) -> list[str]:
    answer = organization.api.get(f"{organization.path}/sor/schedules", params=query)
    assert answer.status_code == 200, answer.text
    return [schedule["id"] for schedule in data_of(answer)]


def test_a_new_schedule_is_a_draft_that_can_be_read_and_is_listed(organization: Organization) -> None:
    answer = organization.api.post(f"{organization.path}/sor/schedules", json={"name": "Fabric 2026"})
    assert answer.status_code == 201
    schedule = data_of(answer)
    assert schedule == {
        "id": schedule["id"],
        "name": "Fabric 2026",
        "description": None,
        "status": "Draft",
        "effectiveFrom": None,
        "effectiveTo": None,
        "itemCount": 0,
        "version": 1,
        "supersedes": None,
        "supersededBy": None,
        "publishedBy": None,
        "publishedAt": None,
        "withdrawnBy": None,
        "withdrawnAt": None,
        "withdrawnReason": None,
        "created": schedule["created"],
        "updated": schedule["created"],
    }
    assert schedule["id"].startswith("sch_")
    assert answer.headers["location"] == f"{organization.path}/sor/schedules/{schedule['id']}"
    assert organization.api.get(answer.headers["location"]).json() == {"data": schedule}
    assert organization.api.get(f"{organization.path}/sor/schedules").json() == {
        "data": [schedule],
        "lastEvaluatedKey": None,
    }


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
def test_an_invalid_schedule_is_refused(organization: Organization, body: dict, field: str) -> None:
    assert refused_fields(organization.api.post(f"{organization.path}/sor/schedules", json=body)) == [field]


def test_a_draft_can_be_changed_and_cleared(organization: Organization) -> None:
    schedule = new_schedule(organization, description="Old")
    answer = organization.api.patch(
        f"{organization.path}/sor/schedules/{schedule['id']}",
        json={"name": "New", "description": None, "effectiveTo": None},
    )
    changed = data_of(answer)
    assert changed == {
        **schedule,
        "name": "New",
        "description": None,
        "effectiveTo": None,
        "updated": changed["updated"],
    }
    assert schedule_now(organization, schedule) == changed
    assert listed(organization, q="new") == [schedule["id"]]
    assert listed(organization, q="fabric") == []


def test_a_draft_can_be_deleted_with_its_items(organization: Organization) -> None:
    schedule = new_schedule(organization)
    item = new_item(organization, schedule)
    path = f"{organization.path}/sor/schedules/{schedule['id']}"
    assert organization.api.delete(path).json() == {"data": {"deleted": True}}
    for gone in (path, f"{path}/items", f"{path}/items/{item['id']}"):
        assert organization.api.get(gone).status_code == 404


def test_publishing_stamps_the_schedule_and_writes_an_event(organization: Organization) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    published = publish(organization, schedule)
    assert published == {
        **schedule,
        "status": "Published",
        "itemCount": 1,
        "publishedBy": organization.user_id,
        "publishedAt": published["updated"],
        "updated": published["updated"],
    }
    (event,) = events(organization, "sor.schedule.published")
    shown = (
        "id name status effectiveFrom effectiveTo itemCount publishedBy publishedAt created"  # as specified
    )
    assert event == {
        "id": event["id"],
        "type": "sor.schedule.published",
        "organizationId": organization.id,
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
        ({"effectiveFrom": None, "effectiveTo": None}, False, ["items", "effectiveFrom", "effectiveTo"]),
    ],
)
def test_publishing_says_everything_that_is_missing(
    organization: Organization, fields: dict, with_item: bool, lacking: list[str]
) -> None:
    schedule = new_schedule(organization, **fields)
    if with_item:
        new_item(organization, schedule)
    path = f"{organization.path}/sor/schedules/{schedule['id']}/publish"
    assert refused_fields(organization.api.post(path)) == lacking
    assert schedule_now(organization, schedule)["status"] == "Draft"
    assert events(organization, "sor.schedule.published") == []


def test_a_published_schedule_stays_as_it_is(organization: Organization) -> None:
    schedule, _ = published_schedule(organization)
    path = f"{organization.path}/sor/schedules/{schedule['id']}"
    assert conflict(organization.api.post(f"{path}/publish")) == (
        "A schedule that is Published can't publish; allowed from here: supersede, withdraw."
    )
    assert "Published" in conflict(organization.api.patch(path, json={"name": "Cheaper"}))
    assert "Published" in conflict(organization.api.delete(path))
    new_quotation(organization, scheduleId=schedule["id"])
    assert "Published" in conflict(organization.api.delete(path))
    assert schedule_now(organization, schedule) == schedule


def test_one_of_two_concurrent_publishes_succeeds(organization: Organization) -> None:
    schedule = new_schedule(organization)
    new_item(organization, schedule)
    path = f"{organization.path}/sor/schedules/{schedule['id']}/publish"
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: organization.api.post(path).status_code, range(4)))
    assert sorted(answers) == [200, 409, 409, 409]
    assert len(events(organization, "sor.schedule.published")) == 1


def test_a_stale_schedule_etag_changes_nothing(organization: Organization) -> None:
    schedule = new_schedule(organization)
    path = f"{organization.path}/sor/schedules/{schedule['id']}"
    seen = {"If-Match": organization.api.get(path).headers["etag"]}
    new_item(organization, schedule)
    for answer in (
        organization.api.patch(path, json={"name": "x"}, headers=seen),
        organization.api.post(f"{path}/publish", headers=seen),
        organization.api.delete(path, headers=seen),
    ):
        assert answer.status_code == 412


def test_lists_are_filtered(organization: Organization) -> None:
    past, _ = published_schedule(organization, name="Plumbing past", effectiveFrom=1000, effectiveTo=2000)
    later, _ = published_schedule(organization, name="Plumbing later", effectiveFrom=2000, effectiveTo=3000)
    draft = new_schedule(organization, name="Electrical", effectiveFrom=1000, effectiveTo=3000)
    assert listed(organization) == [draft["id"], later["id"], past["id"]]
    assert listed(organization, status="Draft") == [draft["id"]]
    assert listed(organization, status="Published") == [later["id"], past["id"]]
    assert listed(organization, q="plumb") == [later["id"], past["id"]]
    by_second = {at: listed(organization, effectiveAt=at) for at in (999, 1000, 1999, 2000, 2999, 3000)}
    assert by_second == {
        999: [],
        1000: [past["id"]],
        1999: [past["id"]],
        2000: [later["id"]],
        2999: [later["id"]],
        3000: [],
    }
    assert listed(organization, updatedAfter=past["updated"] - 1) == [draft["id"], later["id"], past["id"]]
    assert listed(organization, updatedAfter=draft["updated"] + 3600) == []
    assert refused_fields(organization.api.get(f"{organization.path}/sor/schedules?status=Gone")) == [
        "status"
    ]


def test_schedules_can_be_exported(organization: Organization) -> None:
    schedule, _ = published_schedule(organization)
    lines = organization.api.get(
        f"{organization.path}/sor/schedules.ndjson?status=Published"
    ).text.splitlines()
    assert lines[0].startswith(f'{{"id":"{schedule["id"]}"')
    head, row = organization.api.get(f"{organization.path}/sor/schedules.csv").text.splitlines()
    assert head == ",".join(schedule)
    assert row.split(",")[:2] == [schedule["id"], "Fabric"]


def test_another_organization_sees_nothing(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    schedule = new_schedule(organization)
    other = new_organization()
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
    assert schedule_now(organization, schedule) == schedule


def test_reading_and_writing_take_their_permissions(organization: Organization) -> None:
    reader = organization.client(key=organization.new_key("sor:read")["secret"])
    stranger = organization.client(key=organization.new_key("assets:read")["secret"])
    path = f"{organization.path}/sor/schedules"
    assert reader.get(path).status_code == 200
    assert reader.post(path, json={"name": "x"}).status_code == 403
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize(("at", "holds"), [(9, False), (10, True), (19, True), (20, False)])
def test_a_schedule_is_valid_from_its_start_until_before_its_end(at: int, holds: bool) -> None:
    fields = {name: getattr(EXAMPLE, name) for name in EXAMPLE.__struct_fields__}
    schedule = type(EXAMPLE)(**{**fields, "effective_from": 10, "effective_to": 20})
    assert in_effect(schedule, at) is holds
