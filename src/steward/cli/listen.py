"""`steward listen`: for people who write receivers. Shows an organization's events live and hands them to a program."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import click
import msgspec
import uvloop

from steward.cli.errors import OperatorError
from steward.cli.lifecycle import run_until_stopped
from steward.webhooks.signing import new_secret, sign

# So long the service may let us wait for the next event. Where it answers sooner with nothing, it is not asked again at once.
_WAIT_SECONDS = 20
_PAUSE_SECONDS = 1.0
_MAX_PAUSE_SECONDS = 30.0
_STOP_SECONDS = 30.0
_TIMEOUT = aiohttp.ClientTimeout(total=30)
_RETRYABLE_STATUSES = frozenset({429, 500, 502, 503, 504})


class ReceivedEvent(msgspec.Struct, frozen=True):
    id: str
    type: str
    created: int


class _Page(msgspec.Struct, rename="camel"):
    """The events stay as they were written: a signature is over exactly these bytes."""

    data: list[msgspec.Raw]
    last_evaluated_key: str


class _Detail(msgspec.Struct):
    message: str


class _Refusal(msgspec.Struct):
    message: str
    details: list[_Detail] = []


class _RetryableError(Exception):
    """The service can't answer now."""


async def new_events(
    session: aiohttp.ClientSession, url: str, types: Sequence[str]
) -> AsyncIterator[tuple[ReceivedEvent, bytes]]:
    """Follows the change feed from now on: every event once, in the order of the service, with the bytes as a webhook would get
    them. While the service is unreachable it is asked less and less often."""
    query = {"order": "asc", "limit": "100", "after": "now"}
    if types:
        query["type"] = ",".join(types)
    pause = _PAUSE_SECONDS
    while True:
        asked = time.monotonic()
        try:
            page = await _page(session, url, query)
        except _RetryableError as error:
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)
            _say(f"steward: {error}; trying again in {pause:.0f} s")
            await asyncio.sleep(pause)
            continue
        query["after"] = page.last_evaluated_key
        if "wait" not in query:
            # What is there already is not news.
            query["wait"] = str(_WAIT_SECONDS)
            _say("Listening; Ctrl-C ends it.")
            continue
        for raw in page.data:
            yield msgspec.json.decode(raw, type=ReceivedEvent), bytes(raw)
        pause = _PAUSE_SECONDS
        if not page.data and time.monotonic() - asked <= _PAUSE_SECONDS:
            await asyncio.sleep(pause)


async def _page(session: aiohttp.ClientSession, url: str, query: Mapping[str, str]) -> _Page:
    try:
        async with session.get(url, params=query, allow_redirects=False) as answer:
            body = await answer.read()
            if answer.status in _RETRYABLE_STATUSES:
                raise _RetryableError(f"the service answered {answer.status}")
            if answer.status != 200:
                raise OperatorError(_refusal(answer.status, body))
            return msgspec.json.decode(body, type=_Page)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise _RetryableError(f"the service can't be reached: {error or type(error).__name__}") from None
    except msgspec.DecodeError:
        raise OperatorError(f"{url} is not the API of Steward") from None


def _refusal(status: int, body: bytes) -> str:
    try:
        said = msgspec.json.decode(body, type=_Refusal)
    except msgspec.DecodeError:
        return f"the service answered {status}"
    # What is wrong with the types, where several are wrong; the first is in the message.
    more = "".join(f"; {detail.message}" for detail in said.details[1:])
    return f"{status}: {said.message}{more}"


def _say(line: str) -> None:
    """Beside the events, so that these alone can be piped into a program."""
    click.echo(line, err=True)


def _line(event: ReceivedEvent) -> str:
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.created))
    return f"{moment}  {event.type:<26}  {event.id}"


async def forward(
    session: aiohttp.ClientSession, target: str, secret: str, event: ReceivedEvent, body: bytes
) -> str:
    """Like a delivery: the same bytes, signed. Returns what came of it, in a few words."""
    headers = {"content-type": "application/json", **sign([secret], event.id, body, int(time.time()))}
    began = time.monotonic()
    try:
        async with session.post(target, data=body, headers=headers, allow_redirects=False) as answer:
            await answer.content.read(1)
            outcome = str(answer.status)
    except (aiohttp.ClientError, TimeoutError) as error:
        outcome = str(error) or type(error).__name__
    return f"→ {outcome} ({(time.monotonic() - began) * 1000:.0f} ms)"


async def _listen(
    stop: asyncio.Event,
    *,
    url: str,
    organization: str,
    api_key: str,
    forward_to: str | None,
    types: str,
    as_json: bool,
) -> None:
    secret = new_secret()
    if forward_to is not None:
        _say(f"Forwarding to {forward_to}, signed with {secret} (for this session only).")
    url = f"{url.rstrip('/')}/v2/organizations/{organization}/events"
    wanted = [part.strip() for part in types.split(",") if part.strip()]
    # Two sessions: the key is for the service alone.
    async with (
        aiohttp.ClientSession(headers={"X-API-Key": api_key}, timeout=_TIMEOUT) as api,
        aiohttp.ClientSession(timeout=_TIMEOUT) as receiver,
    ):

        async def show() -> None:
            async for event, body in new_events(api, url, wanted):
                outcome = ""
                if forward_to is not None:
                    outcome = await forward(receiver, forward_to, secret, event, body)
                if as_json:
                    click.echo(body)
                    if outcome:
                        _say(f"{event.id}  {outcome}")
                else:
                    click.echo(f"{_line(event)}  {outcome}".rstrip())

        listening, stopping = asyncio.ensure_future(show()), asyncio.ensure_future(stop.wait())
        await asyncio.wait({listening, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening


def _web_address(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    if value is not None and (urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).netloc):
        raise click.BadParameter("must begin with http:// or https://")
    return value


@click.command()
@click.option(
    "--url",
    envvar="STEWARD_URL",
    default="http://127.0.0.1:8000",
    show_default=True,
    callback=_web_address,
    help="Where Steward answers; STEWARD_URL says the same.",
)
@click.option(
    "--organization",
    envvar="STEWARD_ORG",
    required=True,
    metavar="ORG",
    help="Whose events: org_…; STEWARD_ORG says the same.",
)
@click.option(
    "--api-key",
    envvar="STEWARD_API_KEY",
    prompt="API key",
    hide_input=True,
    help="Needs the permission events:read. STEWARD_API_KEY says the same; asked for when neither does.",
)
@click.option(
    "--forward-to", metavar="URL", callback=_web_address, help="Also post every event there, signed."
)
@click.option("--types", metavar="TYPES", default="", help="Only these, comma-separated: workorder.*,asset.*")
@click.option("--json", "as_json", is_flag=True, help="Print each event as it is, one JSON object a line.")
def listen(**options: Any) -> None:
    """Show an organization's events as they happen, and forward them to a local address."""
    uvloop.run(run_until_stopped(partial(_listen, **options), _STOP_SECONDS))
