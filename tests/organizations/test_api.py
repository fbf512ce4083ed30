from tests.support.organizations import Organization


def test_an_organization_can_be_read(org: Organization) -> None:
    answer = org.api.get(org.path)
    shown = answer.json()["data"]
    assert answer.status_code == 200
    assert shown == {
        "id": org.id,
        "name": "Test house",
        "plan": "Enterprise",
        "created": shown["created"],
        "updated": shown["created"],
    }


def test_its_name_can_be_changed(org: Organization) -> None:
    answer = org.api.patch(org.path, json={"name": "Hafenhaus Zürich 🏠"})
    assert answer.status_code == 200
    assert answer.json()["data"]["name"] == "Hafenhaus Zürich 🏠"
    assert org.api.get(org.path).json() == answer.json()


def test_its_plan_cannot(house: Organization) -> None:
    answer = house.api.patch(house.path, json={"plan": "Enterprise"})
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == ["plan"]


def test_it_is_neither_created_nor_deleted_over_the_api(house: Organization) -> None:
    assert house.api.post("/organizations", json={"name": "More"}).status_code == 404
    answer = house.api.delete(house.path)
    assert answer.status_code == 405
    assert {"GET", "PATCH"} <= {word.strip() for word in answer.headers["allow"].split(",")}
