"""Whatever callers write, a process keeps little of it."""

import tracemalloc

import msgspec
import pytest

from steward.kit.db.sql import ALL
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import Problem
from steward.kit.http.decoding import read_body, read_query
from steward.work_orders.queries import LISTING, WORK_ORDERS

KEPT_AT_MOST = 4 * 1024 * 1024
STRANGERS = 20_000


class AnyQuery(PageQuery, frozen=True):
    q: str | None = None


class Nothing(msgspec.Struct, frozen=True):
    pass


def _media_type(number: int) -> None:
    with pytest.raises(Problem):
        read_body(Nothing, f"text/{number:0>1000}", b"{}")


def _query(number: int) -> None:
    read_query(AnyQuery, f"q={number:0>2000}")


def _short_query(number: int) -> None:
    read_query(AnyQuery, f"q={number:0>100}")


def _bad_query(number: int) -> None:
    with pytest.raises(Problem):
        read_query(AnyQuery, f"q{number:0>100}=1")


def _columns(number: int) -> None:
    chosen = tuple(column for bit, column in enumerate(WORK_ORDERS.columns) if number >> bit & 1)
    WORK_ORDERS.update(chosen or WORK_ORDERS.columns, with_events=True)


def _filters(number: int) -> None:
    names = ("status", "priority", "assignee_id", "location_id", "asset_id", "updated_after", "q")
    LISTING.statement(tuple(name for bit, name in enumerate(names) if number >> bit & 1))


@pytest.mark.parametrize("ask", [_media_type, _query, _short_query, _bad_query, _columns, _filters])
def test_a_process_keeps_little_of_what_callers_write(ask) -> None:
    ask(1)
    before = len(ALL)
    tracemalloc.start()
    try:
        for number in range(STRANGERS):
            ask(number)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < KEPT_AT_MOST
    assert len(ALL) - before <= 128
