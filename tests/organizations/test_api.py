from tests.support.answers import data_of
from tests.support.organizations import Organization


def test_an_organization_can_be_read(organization: Organization) -> None:
    answer = organization.api.get(organization.path)
    shown = data_of(answer)
    assert answer.status_code == 200
    assert shown == {
        "id": organization.id,
        "name": "Test house",
        "plan": "Enterprise",
        "created": shown["created"],
        "updated": shown["created"],
        "telemetryEvents": False,
    }


def test_its_name_can_be_changed(organization: Organization) -> None:
    answer = organization.api.patch(organization.path, json={"name": "Hafenhaus Zürich 🏠"})
    assert answer.status_code == 200
    assert data_of(answer)["name"] == "Hafenhaus Zürich 🏠"
    assert organization.api.get(organization.path).json() == answer.json()


def test_its_plan_cannot(shared_organization: Organization) -> None:
    answer = shared_organization.api.patch(shared_organization.path, json={"plan": "Enterprise"})
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == ["plan"]


def test_it_is_neither_created_nor_deleted_over_the_api(shared_organization: Organization) -> None:
    assert shared_organization.api.post("/organizations", json={"name": "More"}).status_code == 404
    answer = shared_organization.api.delete(shared_organization.path)
    assert answer.status_code == 405
    assert {"GET", "PATCH"} <= {word.strip() for word in answer.headers["allow"].split(",")}
