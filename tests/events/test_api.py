from tests.support.answers import data_of
from tests.support.organizations import Organization


def test_events_are_listed_newest_first_and_read_one_by_one(organization: Organization) -> None:
    first = organization.created("work-orders", {"title": "One"})
    second = organization.created("work-orders", {"title": "Two"})
    answer = organization.api.get(f"/v2{organization.path}/events").json()
    assert [event["data"]["object"]["id"] for event in answer["data"]] == [second["id"], first["id"]]
    assert answer["requestId"].startswith("req_")
    event = answer["data"][0]
    one = organization.api.get(f"/v2{organization.path}/events/{event['id']}")
    assert data_of(one) == event
    assert one.headers["etag"]
    assert organization.api.get(f"/v2{organization.path}/events/evt_1").status_code == 404


def test_events_can_be_narrowed_by_type_and_time(organization: Organization) -> None:
    order = organization.created("work-orders", {"title": "One"})
    organization.api.post(f"{organization.path}/work-orders/{order['id']}/start")

    def types(query: str) -> list[str]:
        return [
            event["type"] for event in data_of(organization.api.get(f"/v2{organization.path}/events?{query}"))
        ]

    assert types("type=workorder.created") == ["workorder.created"]
    assert types("type=workorder.*") == ["workorder.status.changed", "workorder.created"]
    assert len(types(f"createdAfter={order['created']}")) == 2
    assert types(f"createdAfter={order['created'] + 3600}") == []


def test_an_unknown_type_is_named_with_the_valid_ones(
    shared_organization: Organization,
) -> None:
    answer = shared_organization.api.get(
        f"/v2{shared_organization.path}/events?type=workorder.opened,asset.*"
    )
    assert (answer.status_code, [detail["field"] for detail in answer.json()["details"]]) == (422, ["type"])
    assert "“workorder.opened” is not an event type" in answer.json()["message"]
    assert "workorder.created" in answer.json()["message"]


def test_the_catalogue_lists_every_type_with_its_fields(organization: Organization) -> None:
    types = {entry["type"]: entry for entry in data_of(organization.client().get("/v2/event-types"))}
    assert types["asset.deleted"]["fields"] == ["id", "deleted"]
    assert types["workorder.completed"]["previousAttributes"] is True
    assert types["visitor.registered"]["previousAttributes"] is False
    # What the specification lists, less the test event, which nothing but the test endpoint sends.
    assert set(types) >= {
        "asset.created",
        "asset.telemetry.updated",
        "asset.deleted",
        "asset.status.changed",
        "workorder.created",
        "workorder.updated",
        "workorder.status.changed",
        "workorder.completed",
        "booking.created",
        "booking.cancelled",
        "booking.checked_in",
        "booking.updated",
        "booking.no_show",
        "visitor.registered",
        "visitor.checked_in",
        "visitor.checked_out",
        "sor.schedule.published",
        "sor.quotation.submitted",
        "sor.quotation.approved",
    }


def test_the_document_shows_each_type_with_the_fields_that_it_sends(organization: Organization) -> None:
    kinds = {entry["type"]: entry for entry in data_of(organization.client().get("/v2/event-types"))}
    webhooks = organization.client().get("/openapi.json").json()["webhooks"]
    for name, hook in webhooks.items():
        example = hook["post"]["requestBody"]["content"]["application/json"]["example"]
        assert sorted(example["data"]["object"]) == sorted(kinds[name]["fields"]), name
