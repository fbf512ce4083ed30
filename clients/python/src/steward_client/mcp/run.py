"""From the start of the process to its end, over standard input and output or over HTTP."""

import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from socket import socket
from typing import Any

import httpx
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from steward_client._configuration import address
from steward_client.errors import StewardError
from steward_client.mcp import http
from steward_client.mcp.api import Api, Caller
from steward_client.mcp.curation import UnknownGroupError
from steward_client.mcp.document import DocumentError
from steward_client.mcp.server import Assistant, Context, server_for
from steward_client.mcp.tools import tools_of


class StartError(Exception):
    """Why the server can't begin, in one line."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which service, and what of it."""

    url: str
    groups: tuple[str, ...]
    writes: bool
    version: str


async def over_stdio(choice: Choice, caller: Caller) -> None:
    """Until standard input ends. Nothing but the protocol goes to standard output."""
    async with _server(choice, lambda _: caller) as server:
        # The thread that reads standard input can't be woken, and there is nothing to finish: Ctrl-C ends the process at once.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


async def over_http(
    choice: Choice, *, host: str, port: int, allowed_hosts: Sequence[str], organization: str | None
) -> None:
    """Until SIGINT or SIGTERM."""
    with _listening(host, port) as listener:
        async with _server(choice, lambda context: http.caller_in(context, organization)) as server:
            app = http.application(server, host=host, allowed_hosts=allowed_hosts, organization=organization)
            where, bound, *_ = listener.getsockname()
            name = f"[{where}]" if ":" in where else where
            print(f"mcp ready: http://{name}:{bound}{http.PATH}", file=sys.stderr, flush=True)  # noqa: T201
            await http.serve(app, listener)


def _listening(host: str, port: int) -> socket:
    try:
        return http.listening(host, port)
    except OSError as error:
        raise StartError(f"can't listen on {host} port {port}: {error.strerror}") from error


@asynccontextmanager
async def _server(choice: Choice, caller_of: Callable[[Context], Caller]) -> AsyncIterator[Server[Any]]:
    async with httpx.AsyncClient() as client:
        api = await _api(client, choice.url)
        try:
            document = await api.document()
            tools = tools_of(document, choice.groups, writes=choice.writes)
        except (StewardError, DocumentError) as error:
            raise StartError(f"{api.url} isn't a Steward service that answers: {error}") from error
        except UnknownGroupError as error:
            raise StartError(str(error)) from error
        yield server_for(Assistant(document, tools, api, caller_of, choice.writes), choice.version)


async def _api(client: httpx.AsyncClient, url: str) -> Api:
    try:
        return Api(client, address(url, {}))
    except ValueError as error:
        raise StartError(str(error)) from error
