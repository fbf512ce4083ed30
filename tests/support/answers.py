"""What an answer holds, once its status says that it holds it."""

from typing import Any

import httpx


def data_of(answer: httpx.Response) -> Any:
    """The `data` of a success; fails with the whole answer otherwise."""
    assert answer.is_success, (
        f"{answer.request.method} {answer.request.url} -> {answer.status_code}\n{answer.text}"
    )
    return answer.json()["data"]
