"""One version of the rates takes the place of another, or they end early; what was quoted stays."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import (
    DAY,
    conflict,
    do,
    events,
    new_item,
    new_quotation,
    publish,
    published_schedule,
    refused_fields,
    schedule_now,
)


def path_of(organization: Organization, schedule: dict[str, Any]) -> str:
    return f"{organization.path}/sor/schedules/{schedule['id']}"


def next_version(organization: Organization, schedule: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer = organization.api.post(f"{path_of(organization, schedule)}/supersede", json=fields)
    assert answer.status_code == 201, answer.text
    draft: dict[str, Any] = data_of(answer)
    assert answer.headers["location"] == path_of(organization, draft)
    return draft


def items_of(organization: Organization, schedule: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = data_of(organization.api.get(f"{path_of(organization, schedule)}/items"))
    return found


def test_a_next_version_is_a_draft_with_the_same_rates(organization: Organization) -> None:
    schedule, item = published_schedule(organization, name="Fabric", description="By contract")
    draft = next_version(organization, schedule)
    assert {name: draft[name] for name in ("name", "description", "status", "version", "itemCount")} == {
        "name": "Fabric",
        "description": "By contract",
        "status": "Draft",
        "version": 2,
        "itemCount": 1,
    }
    assert (draft["supersedes"], draft["supersededBy"]) == (schedule["id"], None)
    (copy,) = items_of(organization, draft)
    assert copy["id"] != item["id"]
    assert {**copy, "id": "", "scheduleId": "", "created": 0, "updated": 0} == {
        **item,
        "id": "",
        "scheduleId": "",
        "created": 0,
        "updated": 0,
    }
    changed = organization.api.patch(
        f"{path_of(organization, draft)}/items/{copy['id']}", json={"rateCents": 9900}
    )
    assert changed.status_code == 200
    assert items_of(organization, schedule) == [item]
    assert schedule_now(organization, schedule) == schedule


def test_publishing_ends_the_previous_version_at_its_start(organization: Organization) -> None:
    schedule, _ = published_schedule(organization)
    begins = int(time.time()) + 3600
    draft = next_version(organization, schedule, effectiveFrom=begins, effectiveTo=begins + DAY)
    published = publish(organization, draft)
    before = schedule_now(organization, schedule)
    assert (before["status"], before["effectiveTo"]) == ("Published", begins)
    assert (before["supersededBy"], published["supersedes"]) == (published["id"], before["id"])

    def in_effect(second: int) -> list[str]:
        answer = organization.api.get(
            f"{organization.path}/sor/schedules", params={"effectiveAt": second}
        ).json()
        return [found["id"] for found in answer["data"]]

    assert in_effect(begins - 1) == [schedule["id"]]
    assert in_effect(begins) == [draft["id"]]
    (told,) = events(organization, "sor.schedule.superseded")
    assert told["data"]["object"]["supersededBy"] == draft["id"]
    was = {"effectiveTo": schedule["effectiveTo"], "supersededBy": None}
    assert told["data"]["previousAttributes"] == was
    assert len(events(organization, "sor.schedule.published")) == 2


def test_a_version_that_replaces_one_from_the_beginning_leaves_it_nothing(organization: Organization) -> None:
    schedule, _ = published_schedule(organization)
    start = schedule["effectiveFrom"] - 10
    publish(
        organization, next_version(organization, schedule, effectiveFrom=start, effectiveTo=start + 2 * DAY)
    )
    before = schedule_now(organization, schedule)
    assert before["effectiveTo"] == before["effectiveFrom"]
    refused = organization.api.post(
        f"{organization.path}/sor/quotations", json={"scheduleId": schedule["id"]}
    )
    assert refused_fields(refused) == ["scheduleId"]


def test_concurrent_requests_make_one_next_version(organization: Organization) -> None:
    schedule, _ = published_schedule(organization)
    path = path_of(organization, schedule)
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: organization.api.post(f"{path}/supersede"), range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert "next version" in conflict(organization.api.post(f"{path}/supersede"))
    (draft,) = (data_of(answer) for answer in answers if answer.status_code == 201)
    assert organization.api.delete(path_of(organization, draft)).status_code == 200
    assert next_version(organization, schedule)["version"] == 2


def test_a_draft_has_no_next_version_and_can_not_be_withdrawn(organization: Organization) -> None:
    draft = organization.created("sor/schedules", {"name": "Fabric"})
    path = path_of(organization, draft)
    for verb in ("supersede", "withdraw"):
        message = conflict(organization.api.post(f"{path}/{verb}"))
        assert message == f"A schedule that is Draft can't {verb}; allowed from here: publish."


def test_withdrawing_ends_the_rates_now(organization: Organization) -> None:
    schedule, item = published_schedule(organization)
    withdrawn = do(organization, f"sor/schedules/{schedule['id']}", "withdraw", {"reason": "Contract ended"})
    assert withdrawn == {
        **schedule,
        "status": "Withdrawn",
        "effectiveTo": withdrawn["withdrawnAt"],
        "withdrawnAt": withdrawn["updated"],
        "withdrawnBy": organization.user_id,
        "withdrawnReason": "Contract ended",
        "updated": withdrawn["updated"],
    }
    body = {"scheduleId": schedule["id"], "lineItems": [{"itemId": item["id"], "quantity": 1}]}
    assert refused_fields(organization.api.post(f"{organization.path}/sor/quotations", json=body)) == [
        "scheduleId"
    ]
    (told,) = events(organization, "sor.schedule.withdrawn")
    assert told["data"]["previousAttributes"]["status"] == "Published"
    assert next_version(organization, withdrawn)["version"] == 2


def test_withdrawn_rates_stay_in_quotations_only(organization: Organization) -> None:
    schedule = organization.created(
        "sor/schedules",
        {"name": "Fabric", "effectiveFrom": int(time.time()) - DAY, "effectiveTo": int(time.time()) + DAY},
    )
    valve, tap = new_item(organization, schedule), new_item(organization, schedule, code="PLB-020")
    publish(organization, schedule)
    line = {"itemId": valve["id"], "quantity": 2}
    quotation = new_quotation(organization, line, scheduleId=schedule["id"])
    do(organization, f"sor/schedules/{schedule['id']}", "withdraw")
    path = f"{organization.path}/sor/quotations/{quotation['id']}"
    assert data_of(organization.api.get(path)) == quotation
    more = organization.api.patch(path, json={"lineItems": [line, {"itemId": tap["id"], "quantity": 1}]})
    assert refused_fields(more) == ["lineItems[1].itemId"]
    assert "not in effect" in more.json()["details"][0]["message"]
    star = {"description": "Escort", "unit": "h", "quantity": 1, "rateCents": 100}
    kept = data_of(organization.api.patch(path, json={"lineItems": [{**line, "quantity": 3}, star]}))
    assert kept["lineItems"][0]["rateCents"] == valve["rateCents"]
    submitted = do(organization, f"sor/quotations/{quotation['id']}", "submit")
    assert submitted["totalAmountCents"] == 3 * valve["rateCents"] + 100
