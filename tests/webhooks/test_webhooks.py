"""Webhooks themselves: made, read, changed, paused and deleted."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.records.webhooks import URL
from tests.support.service import Service


def test_the_secret_of_a_webhook_is_returned_only_on_creation(organization: Organization) -> None:
    body = {
        "url": URL,
        "events": ["workorder.created", "asset.*"],
        "description": "ERP",
        "filtering": {
            "mode": "include",
            "criteria": {"locationId": [organization.locations.first_id], "priority": ["High"]},
            "includeDescendants": True,
        },
    }
    answer = organization.api.post(organization.webhooks.path, json=body)
    assert answer.status_code == 201
    assert set(answer.json()) == {"data", "requestId"}
    assert answer.json()["requestId"].startswith("req_")
    made = data_of(answer)
    secret = made.pop("signingSecret")
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
    assert re.fullmatch(r"whk_\w+", made["webhookId"])
    assert made == {
        **body,
        "webhookId": made["webhookId"],
        "status": "active",
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
        "disabledReason": None,
        "secretLastFour": secret[-4:],
        "types": made["types"],
    }
    assert made["createdAt"] > 10**12
    assert answer.headers["location"] == organization.webhooks.path_of(made)
    one = organization.api.get(organization.webhooks.path_of(made))
    assert data_of(one) == made
    assert one.headers["etag"] == answer.headers["etag"]
    assert data_of(organization.api.get(organization.webhooks.path)) == [made]


def test_the_secret_is_not_stored_in_the_clear(organization: Organization) -> None:
    made = organization.webhooks.create()
    ((stored,),) = organization.sql("SELECT secrets FROM webhooks WHERE id = $1", made["webhookId"])
    assert made["signingSecret"].encode() not in stored
    rows = organization.sql("SELECT w::text FROM webhooks w WHERE id = $1", made["webhookId"])
    assert made["signingSecret"] not in rows[0][0]


def test_a_bearer_token_works_like_a_key(organization: Organization) -> None:
    person = organization.client(bearer=organization.log_in()["token"])
    answer = person.post(organization.webhooks.path, json={"url": URL, "events": ["*"]})
    assert answer.status_code == 201
    assert person.get(organization.webhooks.path_of(data_of(answer))).status_code == 200


def test_a_read_only_key_creates_nothing(organization: Organization) -> None:
    made = organization.webhooks.create()
    reader: Client = organization.client(key=organization.new_key("webhooks:read")["secret"])
    assert reader.get(organization.webhooks.path_of(made)).status_code == 200
    assert reader.post(organization.webhooks.path, json={"url": URL, "events": ["*"]}).status_code == 403
    assert reader.post(organization.webhooks.path_of(made, "/test")).status_code == 403


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"events": ["*"]}, "url"),
        ({"url": URL}, "events"),
        ({"url": URL, "events": []}, "events"),
        ({"url": URL, "events": ["asset.created", "asset.invented"]}, "events[1]"),
        ({"url": URL, "events": ["invented.*"]}, "events[0]"),
        ({"url": URL, "events": ["asset*"]}, "events[0]"),
        ({"url": URL, "events": ["*"], "filtering": {"mode": "include"}}, "filtering.criteria"),
        ({"url": URL, "events": ["*"], "filtering": {"mode": "only", "criteria": {}}}, "filtering.mode"),
        (
            {"url": URL, "events": ["*"], "filtering": {"mode": "include", "criteria": {}}},
            "filtering.criteria",
        ),
        (
            {"url": URL, "events": ["*"], "filtering": {"mode": "include", "criteria": {"color": ["red"]}}},
            "filtering.criteria.color",
        ),
        (
            {"url": URL, "events": ["*"], "filtering": {"mode": "include", "criteria": {"assetId": []}}},
            "filtering.criteria.assetId",
        ),
        (
            {
                "url": URL,
                "events": ["*"],
                "filtering": {"mode": "include", "criteria": {"assetId": ["a"] * 101}},
            },
            "filtering.criteria.assetId",
        ),
        ({"url": URL, "events": ["*"], "secret": "whsec_mine"}, "secret"),
    ],
)
def test_errors_of_a_new_webhook_are_named(organization: Organization, body: dict, field: str) -> None:
    answer = organization.api.post(organization.webhooks.path, json=body)
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field
    assert data_of(organization.api.get(organization.webhooks.path)) == []


def test_an_unknown_type_is_refused_with_the_valid_ones(organization: Organization) -> None:
    message = organization.api.post(
        organization.webhooks.path, json={"url": URL, "events": ["asset.invented"]}
    ).json()["message"]
    known = [entry["type"] for entry in data_of(organization.api.get("/v2/event-types"))]
    assert all(name in message for name in [*known, "asset.*", "workorder.*", "sor.*", "*"])


REFUSED_URLS = [
    "http://93.184.215.14/",
    "ftp://93.184.215.14/",
    "https://user:password@93.184.215.14/",
    "https://127.0.0.1/",
    "https://localhost/",
    "https://10.1.2.3/",
    "https://169.254.169.254/latest/meta-data",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "not a url",
]


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_an_address_that_is_not_public_and_https_is_refused_in_every_form(
    organization: Organization, url: str
) -> None:
    made = organization.webhooks.create()
    for answer in (
        organization.api.post(organization.webhooks.path, json={"url": url, "events": ["*"]}),
        organization.api.patch(organization.webhooks.path_of(made), json={"url": url}),
    ):
        assert answer.status_code == 422
        (detail,) = answer.json()["details"]
        assert detail["field"] == "url"
        assert "URL" in detail["message"] or "public" in detail["message"]
    assert organization.webhooks.read(made)["url"] == URL


def test_a_local_address_is_accepted_when_the_operator_allows_it(service: Service) -> None:
    api = service.another_api(STEWARD_WEBHOOK_ALLOW_LOCAL="on")
    organization = Organization(api.base_url, service.database_url, "Enterprise")
    body = {"url": "http://127.0.0.1:9/hook", "events": ["sor.schedule.published"]}
    assert organization.api.post(f"/v2{organization.path}/webhooks", json=body).status_code == 201


def test_a_change_sets_only_sent_fields_and_null_clears(organization: Organization) -> None:
    filtering = {"mode": "exclude", "criteria": {"resourceId": [organization.resources.create()["id"]]}}
    made = organization.webhooks.create("asset.*", description="Old", filtering=filtering)
    del made["signingSecret"]
    changed = organization.webhooks.change(made, events=["booking.*"], url=URL + "/new")
    assert {name.partition(".")[0] for name in changed["types"]} == {"booking"}
    expected = {
        **made,
        "events": ["booking.*"],
        "types": changed["types"],
        "url": URL + "/new",
        "updatedAt": changed["updatedAt"],
    }
    assert changed == expected
    assert changed["updatedAt"] > made["updatedAt"]
    cleared = organization.webhooks.change(made, description=None, filtering=None)
    assert (cleared["description"], cleared["filtering"]) == (None, None)
    assert organization.webhooks.read(made) == cleared
    assert organization.webhooks.change(made, description=None) == cleared
    refused = organization.api.patch(organization.webhooks.path_of(made), json={"status": "disabled"})
    assert refused.status_code == 422
    assert organization.api.patch(organization.webhooks.path_of(made), json={"url": None}).status_code == 422


def test_a_stale_etag_changes_nothing(organization: Organization) -> None:
    made = organization.webhooks.create()
    old = organization.api.get(organization.webhooks.path_of(made)).headers["etag"]
    organization.webhooks.change(made, description="New")
    for answer in (
        organization.api.patch(
            organization.webhooks.path_of(made), json={"description": "Newer"}, headers={"If-Match": old}
        ),
        organization.api.delete(organization.webhooks.path_of(made), headers={"If-Match": old}),
        organization.api.post(
            organization.webhooks.path_of(made, "/rotate-secret"), headers={"If-Match": old}
        ),
    ):
        assert answer.status_code == 412
    current = organization.api.get(organization.webhooks.path_of(made)).headers["etag"]
    ok = organization.api.patch(
        organization.webhooks.path_of(made), json={"description": "Newer"}, headers={"If-Match": current}
    )
    assert data_of(ok)["description"] == "Newer"


def test_a_paused_webhook_skips_pending_and_new_deliveries(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create("One")
    assert organization.webhooks.change(made, status="paused")["status"] == "paused"
    organization.work_orders.create("Two")
    assert organization.webhooks.change(made, status="active")["status"] == "active"
    organization.work_orders.create("Three")
    rows = [
        (d["status"], d["reason"], d["finishedAt"] is None) for d in organization.webhooks.deliveries(made)
    ]
    skipped = ("skipped", "webhook_paused", False)
    assert rows == [skipped, skipped, ("pending", None, True)]


def test_a_reactivated_webhook_starts_without_counted_failures(
    organization: Organization,
) -> None:
    made = organization.webhooks.create()
    organization.sql(
        """UPDATE webhooks SET status = 'disabled', disabled_reason = 'no_success', failing_since = 1,
                  failed_attempts = 99 WHERE id = $1""",
        made["webhookId"],
    )
    assert organization.webhooks.read(made)["disabledReason"] == "no_success"
    organization.work_orders.create()
    back = organization.webhooks.change(made, status="active")
    assert (back["status"], back["disabledReason"]) == ("active", None)
    clock = organization.sql(
        "SELECT failing_since, failed_attempts FROM webhooks WHERE id = $1", made["webhookId"]
    )
    assert tuple(clock[0]) == (None, 0)
    assert [d["reason"] for d in organization.webhooks.deliveries(made)] == ["webhook_disabled"]


def test_failures_go_on_counting_when_something_else_is_changed(organization: Organization) -> None:
    made = organization.webhooks.create()
    organization.sql(
        "UPDATE webhooks SET failing_since = 7, failed_attempts = 3 WHERE id = $1", made["webhookId"]
    )
    organization.webhooks.change(made, description="New", status="active")
    clock = "SELECT failing_since, failed_attempts FROM webhooks WHERE id = $1"
    assert tuple(organization.sql(clock, made["webhookId"])[0]) == (7, 3)
    organization.webhooks.change(made, url=URL + "/moved")
    assert tuple(organization.sql(clock, made["webhookId"])[0]) == (None, 0)


def test_deleting_cancels_pending_deliveries_and_keeps_finished_ones(organization: Organization) -> None:
    made = organization.webhooks.create("workorder.created")
    organization.work_orders.create("One")
    organization.work_orders.create("Two")
    done, _ = organization.webhooks.deliveries(made)
    organization.webhooks.finish_delivery(done, "succeeded")
    assert data_of(organization.api.delete(organization.webhooks.path_of(made))) == {"deleted": True}
    assert organization.api.get(organization.webhooks.path_of(made)).status_code == 404
    rows = [(d["status"], d["reason"], d["nextAttemptAt"]) for d in organization.webhooks.deliveries(made)]
    assert rows == [("succeeded", "exhausted", None), ("cancelled", "webhook_deleted", None)]
    organization.work_orders.create("Three")
    assert len(organization.webhooks.deliveries(made)) == 2
    assert organization.api.delete(organization.webhooks.path_of(made)).status_code == 404


def test_an_organization_has_at_most_fifty_however_many_ask_at_once(organization: Organization) -> None:
    for _ in range(48):
        organization.webhooks.create()
    body = {"url": URL, "events": ["*"]}
    with ThreadPoolExecutor(6) as threads:
        answers = list(
            threads.map(lambda _: organization.api.post(organization.webhooks.path, json=body), range(6))
        )
    assert sorted(answer.status_code for answer in answers) == [201, 201, 409, 409, 409, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert "at most 50 webhooks" in refused.json()["message"]


def test_the_same_idempotency_key_makes_one_webhook_with_one_secret(organization: Organization) -> None:
    body = {"url": URL, "events": ["*"]}
    first, second = (
        organization.api.post(organization.webhooks.path, json=body, headers={"Idempotency-Key": "k"})
        for _ in range(2)
    )
    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert len(data_of(organization.api.get(organization.webhooks.path))) == 1


def test_webhooks_get_no_events_of_other_tenants(new_organization: Callable[[], Organization]) -> None:
    ours, theirs = new_organization(), new_organization()
    made = ours.webhooks.create()
    theirs.work_orders.create()
    assert ours.webhooks.deliveries(made) == []
