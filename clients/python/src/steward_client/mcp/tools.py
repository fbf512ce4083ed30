"""A tool for each operation, with what clients should know before they call it."""

from dataclasses import dataclass

import mcp_types as types

from steward_client.mcp.curation import curated
from steward_client.mcp.document import Document, Operation
from steward_client.mcp.schemas import Arguments, arguments_of

# Calling it again with the same arguments changes nothing more.
_IDEMPOTENT = frozenset({"GET", "PUT", "PATCH", "DELETE"})
# Whose writes reach beyond the service: devices, and other people's servers.
_REACH_OUT = frozenset({"commands", "webhooks"})


@dataclass(frozen=True, slots=True)
class ApiTool:
    operation: Operation
    takes: Arguments

    @property
    def name(self) -> str:
        return self.operation.name

    def described(self) -> types.Tool:
        operation = self.operation
        return types.Tool(
            name=operation.name,
            title=operation.summary,
            description=f"{operation.summary}. {operation.description}".strip(),
            input_schema=self.takes.schema,
            annotations=annotations_of(operation),
        )


def annotations_of(operation: Operation) -> types.ToolAnnotations:
    """Only what adds a record and touches nothing else is called harmless."""
    reaches_out = not operation.reads and operation.group in _REACH_OUT
    return types.ToolAnnotations(
        title=operation.summary,
        read_only_hint=operation.reads,
        destructive_hint=not operation.reads and (reaches_out or not operation.creates),
        idempotent_hint=operation.method in _IDEMPOTENT,
        open_world_hint=reaches_out,
    )


def tools_of(document: Document, groups: tuple[str, ...] = (), *, writes: bool = False) -> dict[str, ApiTool]:
    """By name; raises UnknownGroupError."""
    return {
        operation.name: ApiTool(operation, arguments_of(operation, document))
        for operation in curated(document, groups, writes=writes)
    }
