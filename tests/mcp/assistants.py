"""Assistants as the official SDK lets them speak to us: over a process of ours, or over HTTP with a key of their own."""

import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests.support.organizations import Organization
from tests.support.processes import StewardProcess, environment
from tests.support.waiting import limit, wait_for

from mcp import Client, StdioServerParameters

COMMAND = [sys.executable, "-m", "steward", "mcp"]
ACCEPT = {"Accept": "application/json, text/event-stream"}


def settings(organization: Organization, directory: Path, key: str | None = None) -> dict[str, str]:
    """The environment of a process of ours, without the profiles of the account that runs the tests."""
    return environment(
        STEWARD_URL=organization.base_url,
        STEWARD_ORG=organization.id,
        STEWARD_API_KEY=key or organization.secret,
        XDG_CONFIG_HOME=str(directory),
    )


@contextlib.asynccontextmanager
async def over_stdio(
    organization: Organization, directory: Path, *options: str, key: str | None = None
) -> AsyncIterator[Client]:
    """A client of `steward mcp`; what the process says beside the protocol must be nothing."""
    log = directory / "mcp.log"
    StewardProcess.logs.add(log)
    server = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], *options],
        env=settings(organization, directory, key),
        cwd=directory,
    )
    with log.open("a", encoding="utf-8") as said:
        async with Client(stdio_client(server, errlog=said)) as client:
            yield client
    assert log.read_text(encoding="utf-8") == ""


@contextlib.contextmanager
def http_server(
    organization: Organization, directory: Path, *options: str, lend: bool = False
) -> Iterator[str]:
    """The address of `steward mcp --http`; with neither a key nor an organization of its own unless it shall `lend` them."""
    log = directory / "mcp-http.log"
    StewardProcess.logs.add(log)
    variables = settings(organization, directory)
    if not lend:
        del variables["STEWARD_API_KEY"], variables["STEWARD_ORG"]
    with log.open("ab") as said:
        process = subprocess.Popen(
            [*COMMAND, "--http", "--port", "0", *options],
            env=variables,
            stdout=said,
            stderr=said,
            cwd=directory,
        )

    def address() -> str:
        said = log.read_text(encoding="utf-8")
        assert process.poll() is None, said
        return next(
            (
                line.removeprefix("mcp ready: ")
                for line in said.splitlines(keepends=True)
                if line.startswith("mcp ready: ") and line.endswith("\n")
            ),
            "",
        )

    try:
        yield wait_for("a ready MCP server", address).strip()
    finally:
        process.terminate()
        assert process.wait(limit(60)) == 0


@contextlib.asynccontextmanager
async def over_http(address: str, headers: dict[str, str]) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=limit(60)) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client


def texts(parts: Sequence[Any]) -> list[str]:
    """Of content blocks, resources or messages: all that we answer with is text."""
    return [part.text for part in parts]


async def answer(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answered, as data; fails with the refusal."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return json.loads(texts(result.content)[0])


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool refused with."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return "\n".join(texts(result.content))


async def resource(client: Client, uri: str) -> Any:
    """What a resource holds, as data."""
    return json.loads(texts((await client.read_resource(uri)).contents)[0])
