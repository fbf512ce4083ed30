"""docs/concepts/lists.md shows the plan and the SQL that the program makes for its request."""

import re
from typing import Any

from tests.docs.pages import Page

from steward.kit.db.listing.plan import BoundedScan, CandidateScan, PagePlan
from steward.kit.db.sql import Row, Sql
from steward.kit.db.transaction import Queries
from steward.kit.http.decoding import convert_query
from steward.kit.http.readable import sortable
from steward.kit.security.caller import TenantId
from steward.work_orders.model import WorkOrderQuery
from steward.work_orders.queries import LISTING

_PAGE = Page.read("docs/concepts/lists.md")
_NAMES = {"PagePlan": PagePlan, "BoundedScan": BoundedScan, "CandidateScan": CandidateScan}
_POSITION = [1763480000, "wor_9"]


class _TooManyRows(Queries):
    """Answers every scan with its last row, so that all of a plan are run."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    async def fetch(self, sql: Sql, *values: Any) -> list[Row]:
        literals = [f"'{value}'" if isinstance(value, str) else value for value in values]
        numbered = ", ".join(f"${number} = {value}" for number, value in enumerate(literals, start=1))
        self.statements.append(_comparable(f"-- {numbered}\n{sql}"))
        return [("wor_1", None, 1, True)]


def _comparable(text: str) -> str:
    """Without line breaks and most columns."""
    text = re.sub(r'(id AS "id"), .*? AS "updated"', r"\1, …", text, count=1)
    text = re.sub(r'(page."id") , .*page."updated" ', r"\1, …", text)
    return "".join(text.split())


def _asked() -> tuple[dict[str, Any], Any]:
    query = convert_query(
        sortable(WorkOrderQuery, LISTING), {"status": "Open", "assetId": "ast_7", "sort": "-updated"}
    )
    filters = LISTING.filters(query, None)
    return filters, LISTING.order(query, filters)


def _blocks(language: str) -> list[str]:
    return [block.code for block in _PAGE.blocks if block.language == language]


def test_page_shows_the_plan() -> None:
    filters, order = _asked()
    declared = {name: filters[name] for name in LISTING.declared.known if name in filters}
    [shown] = _blocks("python")
    assert eval(shown, dict(_NAMES)) == LISTING.plan(declared, order)


async def test_page_shows_the_statements() -> None:
    filters, order = _asked()
    db: Any = _TooManyRows()
    await LISTING.scan(db, TenantId("org_1"), filters, _POSITION, 21, order=order)
    assert [_comparable(block) for block in _blocks("sql")] == db.statements[:2]
    assert len(db.statements) == 4
    assert db.statements[3] == db.statements[0].replace("2000", "8000").replace(
        "1763480000,$6='wor_9'", "1,$6='wor_1'"
    )
