"""Alert rules over HTTP."""

from typing import Any

from tests.alert_rules.helpers import refused_fields
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.records.alerts import HOT


def test_a_new_rule_can_be_read_and_is_listed(organization: Organization) -> None:
    answer = organization.api.post(
        organization.alert_rules.path,
        json={
            "name": "Server room",
            "assetId": organization.devices.first_id,
            "severity": "Critical",
            "match": "any",
            "conditions": [HOT, {"key": "LeakStatus", "operator": "eq", "value": True}],
            "forSeconds": 60,
            "clearForSeconds": 120,
            "hysteresis": 0.5,
            "noDataSeconds": 3600,
            "enabled": False,
            "workOrder": {"title": "Look into the server room", "priority": "High"},
        },
    )
    assert answer.status_code == 201, answer.text
    rule = data_of(answer)
    assert rule == {
        "id": rule["id"],
        "name": "Server room",
        "assetTypeId": None,
        "assetId": organization.devices.first_id,
        "severity": "Critical",
        "match": "any",
        "conditions": [HOT, {"key": "LeakStatus", "operator": "eq", "value": True}],
        "forSeconds": 60,
        "clearForSeconds": 120,
        "hysteresis": 0.5,
        "noDataSeconds": 3600,
        "enabled": False,
        "workOrder": {"title": "Look into the server room", "priority": "High"},
        "created": rule["created"],
        "updated": rule["created"],
    }
    assert rule["id"].startswith("arl_")
    read = organization.api.get(answer.headers["location"])
    assert (read.json(), read.headers["etag"]) == ({"data": rule}, answer.headers["etag"])
    assert organization.api.get(organization.alert_rules.path).json() == {
        "data": [rule],
        "lastEvaluatedKey": None,
    }


def test_little_is_enough(organization: Organization) -> None:
    rule = organization.alert_rules.create(workOrder={"title": "Look"})
    assert rule["assetTypeId"] == organization.devices.type_id
    assert (rule["match"], rule["enabled"], rule["noDataSeconds"]) == ("all", True, None)
    assert (rule["forSeconds"], rule["clearForSeconds"], rule["hysteresis"]) == (0, 0, 0)
    assert rule["workOrder"] == {"title": "Look", "priority": "Medium"}
    assert organization.alert_rules.create(conditions=[], noDataSeconds=60)["conditions"] == []


def test_a_threshold_is_returned_as_it_was_sent(organization: Organization) -> None:
    for value in (-40, 0, 27, 27.5, 1e-7, 0.1, 10**15, 1e15, -1e15, True, False):
        rule = organization.alert_rules.create(conditions=[{**HOT, "value": value}])
        read = organization.api.get(organization.alert_rules.path_of(rule))
        for found in (
            rule,
            data_of(read),
            data_of(organization.api.get(organization.alert_rules.path))[0],
        ):
            assert found["conditions"][0]["value"] == value
            assert isinstance(found["conditions"][0]["value"], bool) == isinstance(value, bool)
        # Nor do its bytes change on their way through the database.
        assert (
            organization.api.patch(organization.alert_rules.path_of(rule), json={}).headers["etag"]
            == read.headers["etag"]
        )


REFUSED: list[tuple[dict[str, Any], str | list[str]]] = [
    ({"assetTypeId": None}, "assetId"),
    ({"assetId": "ast_0", "assetTypeId": "aty_0"}, ["assetId", "assetTypeId"]),
    ({"conditions": []}, "conditions"),
    ({"conditions": [HOT] * 21}, "conditions"),
    ({"conditions": [{**HOT, "operator": "above"}]}, "conditions[0].operator"),
    ({"conditions": [{**HOT, "value": "27"}]}, "conditions[0].value"),
    ({"conditions": [{**HOT, "value": None}]}, "conditions[0].value"),
    ({"conditions": [{**HOT, "value": 1e16}]}, "conditions[0].value"),
    ({"conditions": [{**HOT, "key": " "}]}, "conditions[0].key"),
    ({"conditions": [{**HOT, "unit": "K"}]}, "conditions[0].unit"),
    ({"conditions": [{"key": "T", "operator": "gt"}]}, "conditions[0].value"),
    ({"severity": "Normal"}, "severity"),
    ({"match": "one"}, "match"),
    ({"forSeconds": -1}, "forSeconds"),
    ({"forSeconds": 31_536_001}, "forSeconds"),
    ({"forSeconds": 1.5}, "forSeconds"),
    ({"clearForSeconds": -1}, "clearForSeconds"),
    ({"clearForSeconds": 31_536_001}, "clearForSeconds"),
    ({"hysteresis": -0.1}, "hysteresis"),
    ({"hysteresis": "1"}, "hysteresis"),
    ({"noDataSeconds": 0}, "noDataSeconds"),
    ({"noDataSeconds": 31_536_001}, "noDataSeconds"),
    ({"workOrder": {"priority": "High"}}, "workOrder.title"),
    ({"workOrder": {"title": "Look", "priority": "Urgent"}}, "workOrder.priority"),
    ({"name": " "}, "name"),
    ({"status": "Active"}, "status"),
]


def test_an_invalid_rule_is_refused(organization: Organization) -> None:
    for fields, refused in REFUSED:
        assert refused_fields(
            organization.api.post(organization.alert_rules.path, json=organization.alert_rules.body(**fields))
        ) == (refused if isinstance(refused, list) else [refused]), fields
    assert organization.alert_rules.ids() == []


def test_limits_themselves_are_allowed(organization: Organization) -> None:
    year = 31_536_000
    organization.alert_rules.create(
        conditions=[HOT] * 20, forSeconds=year, clearForSeconds=year, noDataSeconds=year
    )
    organization.alert_rules.create(noDataSeconds=1)


def test_a_rule_refers_only_to_records_of_its_organization(
    organization: Organization, other_organization: Organization
) -> None:
    for field, foreign in (
        ("assetTypeId", other_organization.devices.type_id),
        ("assetId", other_organization.devices.first_id),
    ):
        for id in (foreign, "nothing"):
            assert refused_fields(
                organization.api.post(
                    organization.alert_rules.path, json=organization.alert_rules.body(**{field: id})
                )
            ) == [field]


CHANGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "Hot"}, {"name": "Hot"}),
    ({"severity": "Critical"}, {"severity": "Critical"}),
    ({"match": "any"}, {"match": "any"}),
    ({"match": None}, {"match": "all"}),
    ({"conditions": [{**HOT, "value": 31}]}, {"conditions": [{**HOT, "value": 31}]}),
    ({"conditions": None}, {"conditions": []}),
    ({"forSeconds": 7}, {"forSeconds": 7}),
    ({"forSeconds": None}, {"forSeconds": 0}),
    ({"clearForSeconds": None}, {"clearForSeconds": 0}),
    ({"hysteresis": 2}, {"hysteresis": 2}),
    ({"hysteresis": None}, {"hysteresis": 0}),
    ({"noDataSeconds": None}, {"noDataSeconds": None}),
    ({"enabled": False}, {"enabled": False}),
    ({"workOrder": None}, {"workOrder": None}),
    ({"workOrder": {"title": "Go"}}, {"workOrder": {"title": "Go", "priority": "Medium"}}),
    ({}, {}),
]


def test_a_change_sets_only_the_sent_fields(organization: Organization) -> None:
    for changes, then in CHANGES:
        rule = organization.alert_rules.create(
            forSeconds=60, clearForSeconds=60, hysteresis=1, noDataSeconds=600, workOrder={"title": "Look"}
        )
        answer = organization.api.patch(organization.alert_rules.path_of(rule), json=changes)
        assert answer.status_code == 200, answer.text
        changed = data_of(answer)
        assert changed == {**rule, **then, "updated": changed["updated"]}
        assert data_of(organization.api.get(organization.alert_rules.path_of(rule))) == changed


def test_the_target_of_a_rule_stays(organization: Organization) -> None:
    rule = organization.alert_rules.create()
    for field, id in (
        ("assetTypeId", organization.devices.type_id),
        ("assetId", organization.devices.first_id),
    ):
        answer = organization.api.patch(organization.alert_rules.path_of(rule), json={field: id})
        assert refused_fields(answer) == [field]
        assert "make a new rule" in answer.json()["message"]


def test_a_change_cannot_remove_all_conditions_of_a_rule(organization: Organization) -> None:
    rule = organization.alert_rules.create()
    assert refused_fields(
        organization.api.patch(organization.alert_rules.path_of(rule), json={"conditions": []})
    ) == ["conditions"]
    quiet = organization.alert_rules.create(conditions=[], noDataSeconds=60)
    assert refused_fields(
        organization.api.patch(organization.alert_rules.path_of(quiet), json={"noDataSeconds": None})
    ) == ["conditions"]


def test_a_stale_change_is_refused(organization: Organization) -> None:
    rule = organization.alert_rules.create()
    etag = organization.api.get(organization.alert_rules.path_of(rule)).headers["etag"]
    assert organization.api.patch(
        organization.alert_rules.path_of(rule), json={"name": "A"}, headers={"If-Match": etag}
    ).is_success
    assert (
        organization.api.patch(
            organization.alert_rules.path_of(rule), json={"name": "B"}, headers={"If-Match": etag}
        ).status_code
        == 412
    )
    assert (
        organization.api.delete(
            organization.alert_rules.path_of(rule), headers={"If-Match": etag}
        ).status_code
        == 412
    )


def test_a_deleted_rule_is_gone(organization: Organization) -> None:
    rule = organization.alert_rules.create()
    assert organization.api.delete(organization.alert_rules.path_of(rule)).json() == {
        "data": {"deleted": True}
    }
    assert organization.api.get(organization.alert_rules.path_of(rule)).status_code == 404
    assert organization.api.delete(organization.alert_rules.path_of(rule)).status_code == 404
    assert organization.alert_rules.ids() == []


def test_a_retried_creation_makes_one_rule(organization: Organization) -> None:
    headers = {"Idempotency-Key": "once"}
    first, second = (
        organization.api.post(
            organization.alert_rules.path, json=organization.alert_rules.body(), headers=headers
        )
        for _ in range(2)
    )
    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert organization.alert_rules.ids() == [data_of(first)["id"]]


def test_lists_can_be_filtered(organization: Organization) -> None:
    of_type = organization.alert_rules.create(severity="Warning")["id"]
    of_asset = organization.alert_rules.create(assetId=organization.devices.first_id, severity="Critical")[
        "id"
    ]
    off = organization.alert_rules.create(
        assetId=organization.devices.second_id, severity="Warning", enabled=False
    )["id"]
    for query, found in (
        ({}, [off, of_asset, of_type]),
        ({"assetTypeId": organization.devices.type_id}, [of_type]),
        ({"assetId": organization.devices.first_id}, [of_asset]),
        ({"severity": "Critical"}, [of_asset]),
        ({"severity": "Warning"}, [off, of_type]),
        ({"enabled": "false"}, [off]),
        ({"enabled": "true", "severity": "Warning"}, [of_type]),
    ):
        assert organization.alert_rules.ids(**query) == found, query
    assert refused_fields(
        organization.api.get(organization.alert_rules.path, params={"severity": "Bad"})
    ) == ["severity"]


def test_the_target_of_a_rule_cannot_be_deleted(organization: Organization) -> None:
    rule = organization.alert_rules.create(assetId=organization.devices.first_id)
    of_type = organization.alert_rules.create(
        assetTypeId=organization.asset_types.create("Other", isIotDevice=True)["id"]
    )
    refused = organization.api.delete(f"{organization.path}/assets/{organization.devices.first_id}")
    assert (refused.status_code, "alert rules" in refused.json()["message"]) == (409, True)
    path = f"/v2{organization.path}/asset-types/{of_type['assetTypeId']}"
    assert organization.api.delete(path).status_code == 409
    organization.api.delete(organization.alert_rules.path_of(rule))
    organization.api.delete(organization.alert_rules.path_of(of_type))
    assert (
        organization.api.delete(f"{organization.path}/assets/{organization.devices.first_id}").status_code
        == 200
    )
    assert organization.api.delete(path).status_code == 200


def test_rules_follow_the_permissions_of_assets(organization: Organization) -> None:
    rule = organization.alert_rules.create()
    reader = organization.client(key=organization.new_key("assets:read")["secret"])
    stranger = organization.client(key=organization.new_key("iot:read", "iot:write")["secret"])
    assert (
        reader.get(organization.alert_rules.path).status_code
        == reader.get(organization.alert_rules.path_of(rule)).status_code
        == 200
    )
    for client in (reader, stranger):
        assert (
            client.post(organization.alert_rules.path, json=organization.alert_rules.body()).status_code
            == 403
        )
        assert client.patch(organization.alert_rules.path_of(rule), json={"name": "X"}).status_code == 403
        assert client.delete(organization.alert_rules.path_of(rule)).status_code == 403
    assert (
        stranger.get(organization.alert_rules.path).status_code
        == stranger.get(organization.alert_rules.path_of(rule)).status_code
        == 403
    )


def test_rules_of_other_organizations_are_not_found(
    organization: Organization, other_organization: Organization
) -> None:
    foreign = other_organization.alert_rules.create()
    assert organization.api.get(organization.alert_rules.path_of(foreign)).status_code == 404
    assert (
        organization.api.patch(organization.alert_rules.path_of(foreign), json={"name": "X"}).status_code
        == 404
    )
    assert organization.api.delete(organization.alert_rules.path_of(foreign)).status_code == 404
    assert organization.api.get(other_organization.alert_rules.path_of(foreign)).status_code == 403
    assert other_organization.alert_rules.ids() == [foreign["id"]]
