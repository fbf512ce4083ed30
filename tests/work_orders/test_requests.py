"""Who may report problems and no more: their own orders are all that there is."""

from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.schedules_of_rates import Colleague

REQUESTER = ("work-orders:request",)
REASON = {"reason": "It works again."}


class Requester:
    """Somebody with the Requester role who reported one problem, in an organization where another was reported, too."""

    def __init__(self, organization: Organization) -> None:
        self.client = Colleague(organization, "Requester")
        self.path = f"{organization.path}/work-orders"
        self.own = data_of(
            self.client.post(self.path, json={"title": "My lamp flickers", "priority": "High"})
        )
        self.foreign = organization.work_orders.create("The lamp of the boss flickers")

    def reads(self, rest: str = "", **query: Any) -> httpx.Response:
        return self.client.get(f"{self.path}{rest}", params=query)


@pytest.fixture
def requester(organization: Organization) -> Requester:
    return Requester(organization)


def test_reported_orders_belong_to_their_reporter(requester: Requester) -> None:
    assert requester.own["reportedBy"] == requester.client.user_id
    assert requester.own["priority"] == "High"
    assert data_of(requester.reads(f"/{requester.own['id']}")) == requester.own


def test_lists_exports_and_searches_contain_own_records_only(requester: Requester) -> None:
    own, foreign = requester.own, requester.foreign
    for query in (
        {},
        {"sort": "due"},
        {"status": "Open"},
        {"q": "lamp"},
        {"assigneeId": "none"},
        {"sort": "-number", "q": "flickers"},
    ):
        answer = requester.reads(**query).json()
        assert ([order["id"] for order in answer["data"]], answer["lastEvaluatedKey"]) == (
            [own["id"]],
            None,
        ), query
    assert data_of(requester.reads(reportedBy=foreign["reportedBy"])) == []
    for form in ("csv", "ndjson"):
        text = requester.reads(f".{form}").text
        assert own["id"] in text
        assert foreign["id"] not in text


def test_records_of_other_organizations_are_not_found(requester: Requester) -> None:
    client, path, foreign = requester.client, requester.path, requester.foreign["id"]
    absent = "wo_0"
    tag = {"If-Match": '"an-old-one"'}

    def everything(id: str) -> list[tuple[int, str]]:
        answers = [
            client.get(f"{path}/{id}"),
            client.get(f"{path}/{id}", headers={"If-None-Match": '"x"'}),
            client.get(f"{path}/{id}/comments"),
            client.get(f"{path}/{id}/comments/cmt_0"),
            client.post(f"{path}/{id}/comments", json={"text": "Hm"}),
            client.post(f"{path}/{id}/cancel", json=REASON),
            client.post(f"{path}/{id}/cancel", json=REASON, headers=tag),
        ]
        return [(answer.status_code, answer.json()["message"]) for answer in answers]

    assert everything(foreign) == everything(absent)
    assert {status for status, _ in everything(foreign)} == {404}


def test_a_comment_on_anothers_order_can_not_be_read(
    organization: Organization, requester: Requester
) -> None:
    path = f"{requester.path}/{requester.foreign['id']}/comments"
    comment = data_of(organization.api.post(path, json={"text": "Between us"}))
    assert requester.client.get(path).status_code == 404
    assert requester.client.get(f"{path}/{comment['id']}").status_code == 404


def test_own_orders_can_be_commented_on_and_cancelled_only(requester: Requester) -> None:
    client, path = requester.client, f"{requester.path}/{requester.own['id']}"
    said = client.post(f"{path}/comments", json={"text": "It is the left one."})
    assert (said.status_code, data_of(said)["createdBy"]) == (201, client.user_id)
    assert data_of(client.get(f"{path}/comments")) == [data_of(said)]
    for refused in (
        client.patch(path, json={"title": "x"}),
        client.patch(path, json={"status": "Cancelled", "cancelReason": "x"}),
        client.post(f"{path}/start"),
        client.post(f"{path}/complete"),
        client.delete(path),
    ):
        assert refused.status_code == 403
        assert "work-orders:write" in refused.json()["message"]
    cancelled = data_of(client.post(f"{path}/cancel", json=REASON))
    assert (cancelled["status"], cancelled["cancelReason"]) == ("Cancelled", REASON["reason"])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"assigneeId": "own"}, "work-orders:write"),
        ({"checklist": [{"text": "Look at it"}]}, "work-orders:write"),
        ({"reportedBy": "other"}, "users:act-as"),
    ],
)
def test_a_requester_cannot_assign_or_report_for_others(
    organization: Organization, requester: Requester, fields: dict[str, Any], said: str
) -> None:
    people = {"own": requester.client.user_id, "other": organization.user_id}
    named = {name: people[value] if isinstance(value, str) else value for name, value in fields.items()}
    answer = requester.client.post(requester.path, json={"title": "x", **named})
    assert answer.status_code == 403
    assert said in answer.json()["message"]
    own = {"title": "x", "reportedBy": requester.client.user_id}
    assert requester.client.post(requester.path, json=own).status_code == 201


def test_readers_of_all_orders_get_403_for_changes_to_others(organization: Organization) -> None:
    role = organization.created(
        "roles", {"name": "Watcher", "permissions": ["work-orders:read", "work-orders:request"]}
    )
    email = organization.new_user(roleIds=[role["id"]])["email"]
    watcher = organization.client(bearer=organization.log_in(email)["token"])
    foreign = organization.work_orders.create()
    path = f"{organization.path}/work-orders/{foreign['id']}"
    assert watcher.get(path).status_code == 200
    refused = watcher.post(f"{path}/cancel", json=REASON)
    assert (refused.status_code, refused.json()["message"]) == (403, "This work order is somebody else's.")


def test_a_key_acts_as_its_creator_or_for_others_with_permission(
    organization: Organization,
) -> None:
    """A mailbox that takes reports of everybody, say."""
    caller = organization.new_user("Viewer")
    key = organization.client(key=organization.new_key(*REQUESTER)["secret"])
    own = data_of(key.post(f"{organization.path}/work-orders", json={"title": "x"}))
    assert own["reportedBy"] == organization.user_id
    body = {"title": "y", "reportedBy": caller["id"]}
    assert key.post(f"{organization.path}/work-orders", json=body).status_code == 403
    mailbox = organization.client(key=organization.new_key(*REQUESTER, "users:act-as")["secret"])
    taken = data_of(mailbox.post(f"{organization.path}/work-orders", json=body))
    assert taken["reportedBy"] == caller["id"]
    assert mailbox.get(f"{organization.path}/work-orders/{taken['id']}").status_code == 404


def test_wider_permissions_include_the_narrower(organization: Organization) -> None:
    technician = organization.new_user("Technician")
    bearer = organization.log_in(technician["email"])["token"]
    role = organization.created(
        "roles", {"name": "Keys", "permissions": ["api-keys:create", "work-orders:read", "work-orders:write"]}
    )
    organization.api.patch(f"{organization.path}/users/{technician['id']}", json={"roleIds": [role["id"]]})
    client = organization.client(bearer=bearer)
    made = client.post(
        f"{organization.path}/api-keys", json={"name": "Mail", "permissions": ["work-orders:request"]}
    )
    assert made.status_code == 201, made.text
    key: Client = organization.client(key=data_of(made)["secret"])
    assert key.post(f"{organization.path}/work-orders", json={"title": "x"}).status_code == 201
    assert data_of(key.get(f"{organization.path}/work-orders"))[0]["title"] == "x"


@pytest.mark.parametrize("fields", [{"externalId": "ERP-7"}, {"metadata": {"costCentre": "4711"}}])
def test_a_requester_cannot_set_external_ids_and_metadata(
    requester: Requester, fields: dict[str, Any]
) -> None:
    """Who takes the identifier of a sync would read and cancel what the sync writes there."""
    refused = requester.client.post(requester.path, json={"title": "x", **fields})
    assert refused.status_code == 403
    assert (
        refused.json()["message"] == f"Setting {next(iter(fields))} needs the permission work-orders:write."
    )
    key = {"Idempotency-Key": "once"}
    assert (
        requester.client.post(requester.path, json={"title": "x", **fields}, headers=key).status_code == 403
    )
    external = f"{requester.path}/by-external-id/ERP-7"
    assert requester.client.put(external, json={"title": "x"}).status_code == 403
    item = {"create": {"title": "x", **fields}}
    assert requester.client.post(f"{requester.path}/batch", json={"items": [item]}).status_code == 403


def test_a_requester_sees_no_sync_metadata_of_their_order(
    organization: Organization, requester: Requester
) -> None:
    path = f"{requester.path}/{requester.own['id']}"
    synced = data_of(
        organization.api.patch(path, json={"externalId": "ERP-7", "metadata": {"costCentre": "4711"}})
    )
    shown = {**synced, "externalId": None, "metadata": {}}
    read = requester.client.get(path)
    assert data_of(read) == shown
    assert data_of(requester.reads()) == [shown]
    for answer in (requester.reads(".csv"), requester.reads(".ndjson"), requester.reads(sort="due")):
        assert answer.status_code == 200
        assert "ERP-7" not in answer.text
        assert "4711" not in answer.text
    for rest in ("", ".csv", ".ndjson"):
        refused = requester.reads(rest, externalId="ERP-7")
        assert (refused.status_code, "externalId" in refused.json()["message"]) == (403, True)
    # What they have seen is what If-Match holds against.
    seen = {"If-Match": read.headers["ETag"], "Idempotency-Key": "cancel"}
    cancelled = [requester.client.post(f"{path}/cancel", json=REASON, headers=seen) for _ in range(2)]
    for answer in cancelled:
        assert (data_of(answer)["externalId"], data_of(answer)["metadata"]) == (None, {})
    stale = requester.client.post(f"{path}/comments", json={"text": "x"})
    assert stale.status_code == 201


def test_readers_of_all_orders_see_sync_metadata(organization: Organization) -> None:
    key = organization.client(key=organization.new_key("work-orders:read", "work-orders:request")["secret"])
    path = f"{organization.path}/work-orders"
    organization.work_orders.create(externalId="ERP-8")
    (found,) = data_of(key.get(path, params={"externalId": "ERP-8"}))
    assert found["externalId"] == "ERP-8"
    read = key.get(f"{path}/{found['id']}")
    cancelled = key.post(
        f"{path}/{found['id']}/cancel", json=REASON, headers={"If-Match": read.headers["ETag"]}
    )
    assert data_of(cancelled)["externalId"] == "ERP-8"
    assert key.post(path, json={"title": "x", "externalId": "ERP-9"}).status_code == 403
