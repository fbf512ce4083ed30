"""What an assistant can read before it asks: the organization as it stands, and the words that records use."""

import asyncio
from collections.abc import Mapping
from typing import Any

import mcp_types as types

from steward_client.errors import Forbidden
from steward_client.mcp.answers import CURSOR, as_text, without_empty
from steward_client.mcp.document import Document, Operation
from steward_client.mcp.requests import call_for
from steward_client.mcp.search import Send
from steward_client.mcp.tools import ApiTool

ORGANIZATION = types.Resource(
    uri="steward://organization",
    name="organization",
    title="The organization",
    description="Its record, and how much there is to do: overdue work orders, active alerts, visitors in the building.",
    mime_type="application/json",
)
STATES = types.Resource(
    uri="steward://states",
    name="states",
    title="States and moves",
    description="Which states, priorities and types records have, and which moves lead from state to state.",
    mime_type="application/json",
)
RESOURCES = (ORGANIZATION, STATES)
_COUNTED = 100
# What an organization is judged by: a list and what it is filtered with.
_FIGURES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "overdueWorkOrders": ("list_work_orders", {"overdue": True}),
    "openWorkOrders": ("list_work_orders", {"status": ["Open"]}),
    "activeAlerts": ("list_alerts", {"status": ["Active"]}),
    "visitorsInTheBuilding": ("list_visitors", {"status": ["CheckedIn"]}),
}


async def organization_summary(tools: Mapping[str, ApiTool], organization: str, send: Send) -> str:
    """What the key may not read, or this server has no tool for, is left out."""

    async def answer(tool: str, given: Mapping[str, Any]) -> Any:
        reader = tools.get(tool)
        if reader is None:
            return None
        try:
            return await send(call_for(reader.operation, reader.takes, organization, given))
        except Forbidden:
            return None

    record, *pages = await asyncio.gather(
        answer("read_organization", {}),
        *(answer(tool, {**given, "limit": _COUNTED}) for tool, given in _FIGURES.values()),
    )
    figures = {name: _count(page) for name, page in zip(_FIGURES, pages, strict=True) if page is not None}
    known = record["data"] if record else {"id": organization}
    return as_text(without_empty({"organization": known, "figures": figures}))


def _count(page: Mapping[str, Any]) -> int | str:
    number = len(page["data"])
    return f"more than {number}" if page.get(CURSOR) else number


def states(document: Document) -> str:
    """From the document: each word that a field can hold, and each move with its tool."""
    words = {name: schema["enum"] for name, schema in document.schemas.items() if "enum" in schema}
    moves: dict[str, list[str]] = {}
    for operation in document.operations:
        if _is_move(operation):
            moves.setdefault(operation.group, []).append(operation.name)
    return as_text({"words": words, "moves": moves})


def _is_move(operation: Operation) -> bool:
    """`POST …/{id}/{verb}`, which makes no record."""
    *_, record, verb = operation.path.split("/")
    return (
        operation.method == "POST"
        and record.startswith("{")
        and not verb.startswith("{")
        and not operation.creates
    )
