"""The links of the document: from whatever makes a record to everything that can be done with it."""

from tests.fuzz.valid_requests import MAKERS, OPERATIONS
from tests.fuzz.valid_values import placeholders

LINKS = [
    (maker, status, link)
    for maker, (_, _, operation) in OPERATIONS.items()
    for status, answer in operation["responses"].items()
    for link in answer.get("links", {}).values()
]


def test_a_link_fills_the_path_of_the_operation_that_it_leads_to() -> None:
    for _, _, link in LINKS:
        _, path, _ = OPERATIONS[link["operationId"]]
        assert list(link["parameters"]) == placeholders(path)


def test_a_link_takes_the_identifier_from_where_the_answer_has_it() -> None:
    for maker, status, link in LINKS:
        content = OPERATIONS[maker][2]["responses"][status]["content"]["application/json"]
        field = list(link["parameters"].values())[-1].removeprefix("$response.body#/data/")
        assert field in content["example"]["data"]


def test_everything_that_can_be_made_leads_to_reading_it() -> None:
    makers = {
        maker
        for maker, (method, path, operation) in OPERATIONS.items()
        # What is put under its name elsewhere, and the next version of a record, were made from an address of their own.
        if "201" in operation["responses"] and method == "POST" and not path.endswith("/supersede")
    }
    assert {maker for maker, _, _ in LINKS} == makers
    assert {"workOrderId", "webhookId", "keyId", "submissionId"} <= set(MAKERS)
