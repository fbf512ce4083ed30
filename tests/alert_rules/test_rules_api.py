"""Alert rules over HTTP."""

from typing import Any

from .conftest import HOT, Plant, refused_fields


def test_a_new_rule_can_be_read_and_is_listed(plant: Plant) -> None:
    answer = plant.api.post(
        plant.rules,
        json={
            "name": "Server room",
            "assetId": plant.asset_id,
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
    rule = answer.json()["data"]
    assert rule == {
        "id": rule["id"],
        "name": "Server room",
        "assetTypeId": None,
        "assetId": plant.asset_id,
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
    read = plant.api.get(answer.headers["location"])
    assert (read.json(), read.headers["etag"]) == ({"data": rule}, answer.headers["etag"])
    assert plant.api.get(plant.rules).json() == {"data": [rule], "lastEvaluatedKey": None}


def test_little_is_enough(plant: Plant) -> None:
    rule = plant.make(workOrder={"title": "Look"})
    assert rule["assetTypeId"] == plant.type_id
    assert (rule["match"], rule["enabled"], rule["noDataSeconds"]) == ("all", True, None)
    assert (rule["forSeconds"], rule["clearForSeconds"], rule["hysteresis"]) == (0, 0, 0)
    assert rule["workOrder"] == {"title": "Look", "priority": "Medium"}
    assert plant.make(conditions=[], noDataSeconds=60)["conditions"] == []


def test_a_threshold_is_given_back_as_it_was_given(plant: Plant) -> None:
    for value in (-40, 0, 27, 27.5, 1e-7, 0.1, 10**15, 1e15, -1e15, True, False):
        rule = plant.make(conditions=[{**HOT, "value": value}])
        read = plant.api.get(plant.one(rule))
        for found in (rule, read.json()["data"], plant.api.get(plant.rules).json()["data"][0]):
            assert found["conditions"][0]["value"] == value
            assert isinstance(found["conditions"][0]["value"], bool) == isinstance(value, bool)
        # Nor do its bytes change on their way through the database.
        assert plant.api.patch(plant.one(rule), json={}).headers["etag"] == read.headers["etag"]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"assetTypeId": None}, "assetId"),
    ({"assetId": "ast_0", "assetTypeId": "aty_0"}, "assetId"),
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


def test_a_rule_that_makes_no_sense_is_refused(plant: Plant) -> None:
    for fields, refused in REFUSED:
        assert refused_fields(plant.api.post(plant.rules, json=plant.body(**fields))) == [refused], fields
    assert plant.listed(plant.rules) == []


def test_limits_themselves_are_allowed(plant: Plant) -> None:
    year = 31_536_000
    plant.make(conditions=[HOT] * 20, forSeconds=year, clearForSeconds=year, noDataSeconds=year)
    plant.make(noDataSeconds=1)


def test_a_rule_is_for_what_there_is_in_the_organization(plant: Plant, neighbour: Plant) -> None:
    for field, foreign in (("assetTypeId", neighbour.type_id), ("assetId", neighbour.asset_id)):
        for id in (foreign, "nothing"):
            assert refused_fields(plant.api.post(plant.rules, json=plant.body(**{field: id}))) == [field]


CHANGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "Hot"}, {"name": "Hot"}),
    ({"severity": "Critical"}, {"severity": "Critical"}),
    ({"match": "any"}, {"match": "any"}),
    ({"match": None}, {"match": "all"}),
    ({"conditions": [{**HOT, "value": 30}]}, {"conditions": [{**HOT, "value": 30}]}),
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


def test_a_change_touches_what_it_names(plant: Plant) -> None:
    for changes, then in CHANGES:
        rule = plant.make(
            forSeconds=60, clearForSeconds=60, hysteresis=1, noDataSeconds=600, workOrder={"title": "Look"}
        )
        answer = plant.api.patch(plant.one(rule), json=changes)
        assert answer.status_code == 200, answer.text
        changed = answer.json()["data"]
        assert changed == {**rule, **then, "updated": changed["updated"]}
        assert plant.api.get(plant.one(rule)).json()["data"] == changed


def test_what_a_rule_is_for_stays(plant: Plant) -> None:
    rule = plant.make()
    for field, id in (("assetTypeId", plant.type_id), ("assetId", plant.asset_id)):
        answer = plant.api.patch(plant.one(rule), json={field: id})
        assert refused_fields(answer) == [field]
        assert "make a new rule" in answer.json()["message"]


def test_a_change_must_leave_the_rule_something_to_say(plant: Plant) -> None:
    rule = plant.make()
    assert refused_fields(plant.api.patch(plant.one(rule), json={"conditions": []})) == ["conditions"]
    quiet = plant.make(conditions=[], noDataSeconds=60)
    assert refused_fields(plant.api.patch(plant.one(quiet), json={"noDataSeconds": None})) == ["conditions"]


def test_a_stale_change_is_refused(plant: Plant) -> None:
    rule = plant.make()
    etag = plant.api.get(plant.one(rule)).headers["etag"]
    assert plant.api.patch(plant.one(rule), json={"name": "A"}, headers={"If-Match": etag}).is_success
    assert plant.api.patch(plant.one(rule), json={"name": "B"}, headers={"If-Match": etag}).status_code == 412
    assert plant.api.delete(plant.one(rule), headers={"If-Match": etag}).status_code == 412


def test_a_deleted_rule_is_gone(plant: Plant) -> None:
    rule = plant.make()
    assert plant.api.delete(plant.one(rule)).json() == {"data": {"deleted": True}}
    assert plant.api.get(plant.one(rule)).status_code == 404
    assert plant.api.delete(plant.one(rule)).status_code == 404
    assert plant.listed(plant.rules) == []


def test_a_retried_creation_makes_one_rule(plant: Plant) -> None:
    headers = {"Idempotency-Key": "once"}
    first, second = (plant.api.post(plant.rules, json=plant.body(), headers=headers) for _ in range(2))
    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert plant.listed(plant.rules) == [first.json()["data"]["id"]]


def test_lists_can_be_narrowed(plant: Plant) -> None:
    of_type = plant.make()["id"]
    of_asset = plant.make(assetId=plant.asset_id, severity="Critical")["id"]
    off = plant.make(assetId=plant.other_id, enabled=False)["id"]
    for query, found in (
        ({}, [off, of_asset, of_type]),
        ({"assetTypeId": plant.type_id}, [of_type]),
        ({"assetId": plant.asset_id}, [of_asset]),
        ({"severity": "Critical"}, [of_asset]),
        ({"severity": "Warning"}, [off, of_type]),
        ({"enabled": "false"}, [off]),
        ({"enabled": "true", "severity": "Warning"}, [of_type]),
    ):
        assert plant.listed(plant.rules, **query) == found, query
    assert refused_fields(plant.api.get(plant.rules, params={"severity": "Bad"})) == ["severity"]


def test_what_a_rule_is_for_cannot_be_deleted_under_it(plant: Plant) -> None:
    rule = plant.make(assetId=plant.asset_id)
    of_type = plant.make(assetTypeId=plant.new_type("Other"))
    refused = plant.api.delete(f"{plant.org.path}/assets/{plant.asset_id}")
    assert (refused.status_code, "alert rules" in refused.json()["message"]) == (409, True)
    path = f"/v2{plant.org.path}/asset-types/{of_type['assetTypeId']}"
    assert plant.api.delete(path).status_code == 409
    plant.api.delete(plant.one(rule))
    plant.api.delete(plant.one(of_type))
    assert plant.api.delete(f"{plant.org.path}/assets/{plant.asset_id}").status_code == 200
    assert plant.api.delete(path).status_code == 200


def test_rules_follow_the_permissions_of_assets(plant: Plant) -> None:
    rule = plant.make()
    reader = plant.org.client(key=plant.org.new_key("assets:read")["secret"])
    stranger = plant.org.client(key=plant.org.new_key("iot:read", "iot:write")["secret"])
    assert reader.get(plant.rules).status_code == reader.get(plant.one(rule)).status_code == 200
    for client in (reader, stranger):
        assert client.post(plant.rules, json=plant.body()).status_code == 403
        assert client.patch(plant.one(rule), json={"name": "X"}).status_code == 403
        assert client.delete(plant.one(rule)).status_code == 403
    assert stranger.get(plant.rules).status_code == stranger.get(plant.one(rule)).status_code == 403


def test_rules_of_others_are_as_good_as_absent(plant: Plant, neighbour: Plant) -> None:
    foreign = neighbour.make()
    assert plant.api.get(plant.one(foreign)).status_code == 404
    assert plant.api.patch(plant.one(foreign), json={"name": "X"}).status_code == 404
    assert plant.api.delete(plant.one(foreign)).status_code == 404
    assert plant.api.get(neighbour.one(foreign)).status_code == 403
    assert neighbour.listed(neighbour.rules) == [foreign["id"]]
