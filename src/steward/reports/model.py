"""A report is data: what it counts, by which formula, in which columns. One page shows them all."""

from collections.abc import Awaitable, Callable
from datetime import tzinfo
from typing import Any, Literal

import msgspec

from steward.kit.db.pool import Database
from steward.kit.domain.fields import Body
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission

MOST_ROWS = 1000

CellKind = Literal["text", "number", "percent", "duration", "day"]
Cells = tuple[Any, ...]


class ReportSpan(msgspec.Struct, frozen=True):
    """From one time to another, in the zone of its days and months."""

    start: int
    end: int
    zone: tzinfo


class ReportColumn(msgspec.Struct, frozen=True):
    title: str
    kind: CellKind = "text"


class ReportRow(msgspec.Struct, frozen=True):
    cells: Cells
    # The list of the counted records.
    link: str | None = None


Load = Callable[[Database, TenantId, ReportSpan], Awaitable[list[ReportRow]]]
Draw = Callable[[list[ReportRow]], dict[str, Any]]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    title: str
    # How each figure is computed, for people who want to check it.
    formula: str
    columns: tuple[ReportColumn, ...]
    load: Load
    permission: Permission
    # The default range.
    days: int
    chart: Draw | None = None
    # It shows the present state, whatever range is asked for.
    about_now: bool = False


class ReportQuery(Body, frozen=True):
    # Days, as a date field sends them: 2026-11-16.
    since: str | None = None
    until: str | None = None
