"""One tool that looks for words in everything that has a list with `q`, at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from steward_client._calls import Call
from steward_client.errors import Forbidden, NotFound
from steward_client.mcp.answers import CURSOR
from steward_client.mcp.requests import ArgumentError, call_for
from steward_client.mcp.tools import ApiTool

NAME = "search"
_WORDS = "q"
_MOST = 20
_USUAL = 5
# What tells one record from another, as far as it has it.
_SHOWN = ("id", "number", "title", "name", "code", "email", "company", "status", "externalId")

Send = Callable[[Call], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What can be searched, and which tool reads one of it."""

    name: str
    lists: ApiTool
    reads: ApiTool | None


def kinds_of(tools: Mapping[str, ApiTool]) -> dict[str, Kind]:
    """By name: `work_orders`. What lies in something else, such as the items of a schedule, is found by its own list."""
    by_path = {tool.operation.path: tool for tool in tools.values() if tool.operation.reads}
    found = {}
    for path, tool in by_path.items():
        if _WORDS in tool.takes.query and not tool.takes.path:
            reads = next((other for other in by_path.values() if _is_one_of(other, path)), None)
            name = tool.name.removeprefix("list_")
            found[name] = Kind(name, tool, reads)
    return found


def _is_one_of(tool: ApiTool, path: str) -> bool:
    """Whether it reads a record of the list with this path: `/assets/{assetId}`."""
    return len(tool.takes.path) == 1 and tool.operation.path == f"{path}/{{{next(iter(tool.takes.path))}}}"


def described(kinds: Mapping[str, Kind]) -> types.Tool:
    schema = {
        "type": "object",
        "properties": {
            "q": {"type": "string", "minLength": 1, "description": "Words to be found."},
            "kinds": {
                "type": "array",
                "items": {"enum": sorted(kinds)},
                "minItems": 1,
                "description": "Where to look; everywhere, when absent.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": _MOST,
                "default": _USUAL,
                "description": "How many of each kind are shown at most.",
            },
        },
        "required": ["q"],
        "additionalProperties": False,
    }
    return types.Tool(
        name=NAME,
        title="Search",
        description=f"Searches {', '.join(sorted(kinds))} for words, all at once. Says which tool reads what was found.",
        input_schema=schema,
        annotations=types.ToolAnnotations(
            title="Search",
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


async def search(kinds: Mapping[str, Kind], organization: str, given: Mapping[str, Any], send: Send) -> Any:
    """What was found by kind. A kind that the key may not read is named, and fails nothing."""
    words, chosen, limit = _checked(kinds, given)
    pages = await asyncio.gather(
        *(
            send(
                call_for(
                    kind.lists.operation, kind.lists.takes, organization, {_WORDS: words, "limit": limit}
                )
            )
            for kind in chosen
        ),
        return_exceptions=True,
    )
    found, unread = {}, {}
    for kind, page in zip(chosen, pages, strict=True):
        if isinstance(page, Forbidden | NotFound):
            unread[kind.name] = page
        elif isinstance(page, BaseException):
            raise page
        elif page["data"]:
            found[kind.name] = _found(kind, page)
    if len(unread) == len(chosen):
        raise next(iter(unread.values()))
    return {"found": found, "notSearched": {name: error.message for name, error in unread.items()}}


def _checked(kinds: Mapping[str, Kind], given: Mapping[str, Any]) -> tuple[str, list[Kind], int]:
    if unknown := sorted(set(given) - {"q", "kinds", "limit"}):
        raise ArgumentError(f"There is no argument {', '.join(unknown)}. There are: q, kinds, limit.")
    words, names, limit = given.get("q"), given.get("kinds") or sorted(kinds), given.get("limit", _USUAL)
    if not isinstance(words, str) or not words.strip():
        raise ArgumentError("q holds the words to be found.")
    if not isinstance(names, list) or not all(isinstance(name, str) and name in kinds for name in names):
        raise ArgumentError(f"kinds is a list of: {', '.join(sorted(kinds))}.")
    if not isinstance(limit, int) or not 1 <= limit <= _MOST:
        raise ArgumentError(f"limit is a number from 1 to {_MOST}.")
    return words, [kinds[name] for name in dict.fromkeys(names)], limit


def _found(kind: Kind, page: Mapping[str, Any]) -> dict[str, Any]:
    shown = [
        {name: record[name] for name in _SHOWN if record.get(name) is not None} for record in page["data"]
    ]
    answer: dict[str, Any] = {"records": shown}
    if kind.reads is not None:
        answer["readWith"] = f"{kind.reads.name}({next(iter(kind.reads.takes.path))})"
    if page.get(CURSOR):
        answer["more"] = f"{kind.lists.name}({_WORDS})"
    return answer
