"""Records are made, changed, moved and refused."""

import pytest
from tests.client.clients import client_of
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward_client import (
    UNSET,
    Conflict,
    Forbidden,
    NotFound,
    NotModified,
    PreconditionFailed,
    Steward,
    StewardError,
    Unauthorized,
    ValidationFailed,
    models,
    to_dict,
)


def test_a_work_order_from_its_report_to_its_end(steward: Steward, organization: Organization) -> None:
    made = steward.work_orders.create(
        title="Leak",
        priority="High",
        checklist=[models.NewChecklistItem(text="Close the valve"), {"text": "Dry the floor"}],
        metadata={"costCentre": "4711"},
    )
    assert made.status == "Open"
    assert made.status is models.WorkOrderStatus.OPEN
    assert made.priority == "High"
    assert [item.text for item in made.checklist] == ["Close the valve", "Dry the floor"]
    assert steward.work_orders.get(made.id) == made
    changed = steward.work_orders.update(made.id, description="Under the sink")
    assert (changed.title, changed.description) == ("Leak", "Under the sink")
    started = steward.work_orders.start(made.id)
    assert started.responded_at is not None
    assert steward.work_orders.hold(made.id, reason="No seal").hold_reason == "No seal"
    steward.work_orders.resume(made.id)
    comment = steward.work_orders.create_comment(made.id, text="It drips")
    assert [one.text for one in steward.work_orders.list_comments(made.id)] == [comment.text]
    done = steward.work_orders.complete(made.id, completed_by=organization.user_id)
    assert (done.status, done.completed_by) == ("Completed", organization.user_id)


def test_none_clears_and_absent_fields_stay(steward: Steward) -> None:
    made = steward.work_orders.create(title="Leak", description="Much water", external_id="N-1")
    changed = steward.work_orders.update(made.id, description=None, external_id=UNSET)
    assert (changed.description, changed.external_id) == (None, "N-1")


def test_a_record_is_plain_data_with_the_names_of_the_api(
    steward: Steward, organization: Organization
) -> None:
    made = steward.work_orders.create(title="Leak", priority=models.Priority.LOW)
    raw = organization.api.get(f"{organization.path}/work-orders/{made.id}")
    assert to_dict(made) == data_of(raw)
    assert f'"{made.etag}"' == raw.headers["ETag"]
    assert made.request_id != raw.headers["X-Request-Id"]


def test_a_stale_bulk_change_is_refused(steward: Steward) -> None:
    made = steward.locations.create(name="Site", type="Site")
    changed = steward.locations.update(made.id, name="Plant", if_match=made.etag)
    with pytest.raises(PreconditionFailed) as raised:
        steward.locations.update(made.id, name="Works", if_match=made.etag)
    assert raised.value.code == "PreconditionFailed"
    with pytest.raises(PreconditionFailed):
        steward.locations.delete(made.id, if_match=made.etag)
    with pytest.raises(NotModified, match="Nothing has changed"):
        steward.locations.get(made.id, if_none_match=changed.etag)
    steward.locations.delete(made.id, if_match=changed.etag)
    with pytest.raises(NotFound):
        steward.locations.get(made.id)


def test_create_or_replace_by_the_name_of_another_system(steward: Steward) -> None:
    site = steward.locations.put_by_external_id("PLANT/1", name="Plant 1", type="Site")
    assert site.external_id == "PLANT/1"
    assert steward.locations.put_by_external_id("PLANT/1", name="Plant 1", type="Site") == site
    assert steward.locations.get_by_external_id("PLANT/1") == site
    with pytest.raises(PreconditionFailed):
        steward.locations.put_by_external_id("PLANT/1", name="Plant 2", type="Site", if_none_match="*")


def test_a_batch_reports_the_result_of_each_item(steward: Steward) -> None:
    items: list[models.LocationBatchItem | dict[str, object]] = [
        models.LocationBatchItem(create=models.NewLocation(name="Site", type="Site")),
        {"create": {"name": "", "type": "Site"}},
    ]
    report = steward.locations.batch(items=items)
    assert (report.succeeded, report.failed) == (1, 1)
    good, bad = report.results
    assert good.data is not None
    assert good.etag is not None
    assert good.etag == f'"{steward.locations.get(good.data.id).etag}"'
    again = models.LocationBatchItem(
        id=good.data.id, change=models.LocationChanges(name="Plant"), if_match=good.etag
    )
    assert steward.locations.batch(items=[again]).succeeded == 1
    with pytest.raises(PreconditionFailed):
        steward.locations.update(good.data.id, name="Site", if_match=good.etag)
    assert bad.error is not None
    assert [detail.field for detail in bad.error.details] == ["name"]


def test_a_refusal_names_the_fields_and_the_request(steward: Steward) -> None:
    with pytest.raises(ValidationFailed) as raised:
        steward.work_orders.create(title=" ", checklist=[{"text": ""}])
    error = raised.value
    assert (error.status, error.code) == (422, "ValidationError")
    assert {detail.field for detail in error.details} == {"title", "checklist[0].text"}
    assert error.request_id == error.body["requestId"]
    assert f"[request {error.request_id}]" in str(error)
    assert "checklist[0].text: " in str(error)


def test_refusals_have_types(steward: Steward, organization: Organization) -> None:
    order = steward.work_orders.create(title="Leak")
    with pytest.raises(Conflict):
        steward.work_orders.resume(order.id)
    with pytest.raises(Forbidden):
        steward.work_orders.list(organization="org_another").page()
    stranger = Steward(organization.base_url, "sk_wrong", organization.id, http_client=organization.client())
    with pytest.raises(Unauthorized) as raised:
        stranger.organizations.get()
    assert raised.value.request_id
    assert isinstance(raised.value, StewardError)


def test_a_token_in_place_of_a_key(organization: Organization) -> None:
    anybody = Steward(organization.base_url, http_client=organization.client())
    tokens = anybody.tokens.create(account=organization.email, password=organization.password)
    person = Steward(
        organization.base_url,
        organization=organization.id,
        token=tokens.token,
        http_client=organization.client(),
    )
    assert person.organizations.get().id == organization.id


def test_any_operation_by_its_path(steward: Steward) -> None:
    made = steward.request("POST", "/organizations/{orgId}/work-orders", body={"title": "Leak"})
    listed = steward.request(
        "GET", "/organizations/{orgId}/work-orders", query={"status": ["Open"], "q": "leak"}
    )
    assert listed["data"] == [made["data"]]


def test_a_word_that_is_newer_than_the_client_is_kept(steward: Steward) -> None:
    word = models.WorkOrderStatus("Dreaming")
    assert word == "Dreaming"
    assert word not in list(models.WorkOrderStatus)
    with pytest.raises(ValidationFailed, match="must be one of"):
        steward.work_orders.list(status=word).page()


def test_weekly_hours_are_read_as_they_were_sent(steward: Steward) -> None:
    targets = {
        str(one): models.SlaTarget(response_minutes=30, resolution_minutes=480) for one in models.Priority
    }
    hours = models.WeeklyHours(
        timezone="Europe/Berlin", monday=[models.OpeningHours(from_="08:00", to="17:00")]
    )
    policy = steward.work_orders.put_sla_policy(targets=targets, calendar=hours)
    assert policy.calendar == hours
    assert steward.work_orders.get_sla_policy().targets == targets


def test_readings_are_sent_and_read(steward: Steward, organization: Organization) -> None:
    asset = organization.assets.create()
    steward.telemetry.send(asset["id"], values={"Temperature": 21.5, "Open": True}, timestamp=1_790_000_000)
    (reading,) = steward.telemetry.list_readings(asset["id"], from_=1_789_999_000, to=1_790_001_000)
    assert reading.values == {"Temperature": 21.5, "Open": 1}
    history = steward.telemetry.history(asset["id"], from_=1_789_999_000, to=1_790_001_000)
    assert {series.key for series in history.series} == {"Temperature", "Open"}


def test_missing_settings_are_reported(organization: Organization) -> None:
    with pytest.raises(ValueError, match="STEWARD_URL"):
        Steward()
    with pytest.raises(ValueError, match="no address"):
        Steward("steward.example.com")
    with pytest.raises(ValueError, match="not both"):
        Steward("https://x", "key", token="token")
    with pytest.raises(ValueError, match="Which organization"):
        Steward("https://x", "key").work_orders.list()
    with pytest.raises(ValueError, match="workOrderId must not be ''"):
        client_of(organization).work_orders.get("")


def test_the_environment_is_enough(organization: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEWARD_URL", organization.base_url + "/")
    monkeypatch.setenv("STEWARD_API_KEY", organization.secret)
    monkeypatch.setenv("STEWARD_ORG", organization.id)
    with Steward() as steward:
        assert steward.organizations.get().id == organization.id
        assert (steward.url, steward.organization) == (organization.base_url, organization.id)
