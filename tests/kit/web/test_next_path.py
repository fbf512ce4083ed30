from types import SimpleNamespace
from typing import Any, cast

import pytest

from steward.kit.web.page import PageRequest
from steward.kit.web.record_pages import next_path


def _next(path: str) -> str | None:
    return next_path(cast("PageRequest[Any, Any]", SimpleNamespace(arguments={"next": path})))


@pytest.mark.parametrize(
    "path", ["/app", "/app?x=1", "/app/visitors", "/app/work-orders?status=Open&sort=due"]
)
def test_paths_of_our_own_pages_are_accepted(path: str) -> None:
    assert _next(path) == path


def test_it_is_written_as_an_address() -> None:
    assert _next("/app/work-orders?q=lift ü&sort=-due") == "/app/work-orders?q=lift%20%C3%BC&sort=-due"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/docs",
        "/application",
        "//elsewhere.example/app/",
        "https://elsewhere.example/app/",
        "javascript:alert(1)",
        "/app/\\elsewhere.example",
        "/\\elsewhere.example/app/",
        "/app/\r\nSet-Cookie: a=b",
        "/app/\nx",
        "/app/\tx",
    ],
)
def test_other_targets_are_refused(path: str) -> None:
    assert _next(path) is None
