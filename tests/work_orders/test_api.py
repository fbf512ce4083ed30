from tests.support.organizations import Organization


def test_a_new_work_order_can_be_read_and_is_listed(org: Organization) -> None:
    answer = org.api.post(
        f"{org.path}/work-orders",
        json={"title": "Lift is stuck", "priority": "High", "description": "Floor 2"},
    )
    assert answer.status_code == 201
    order = answer.json()["data"]
    assert order == {
        "id": order["id"],
        "number": 1,
        "title": "Lift is stuck",
        "description": "Floor 2",
        "status": "Open",
        "priority": "High",
        "assigneeId": None,
        "reportedBy": org.user_id,
        "created": order["created"],
        "updated": order["created"],
    }
    assert answer.headers["location"] == f"{org.path}/work-orders/{order['id']}"
    assert org.api.get(answer.headers["location"]).json() == {"data": order}
    assert org.api.get(f"{org.path}/work-orders").json() == {"data": [order], "lastEvaluatedKey": None}
