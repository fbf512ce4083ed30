import httpx


def refused_fields(answer: httpx.Response) -> list[str]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError"), answer.text
    return [detail["field"] for detail in answer.json()["details"]]
