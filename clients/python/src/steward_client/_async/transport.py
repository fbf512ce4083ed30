"""Sends calls, again where that helps, and turns refusals into errors."""

import time
from typing import Any, TypeVar

import httpx

from .. import _aio
from .._answers import Page, bare_etag, read, read_record
from .._calls import Call
from .._retries import RetryPolicy, jitter, parse_retry_after, repeatable, retried_answer, retried_fault
from ..errors import ConnectionFailed, InvalidAnswer, StewardError, refusal

T = TypeVar("T")


class AsyncTransport:
    """`organization` is the one that calls are for which name none."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        url: str,
        headers: dict[str, str],
        *,
        organization: str | None,
        timeout: float,
        policy: RetryPolicy,
    ) -> None:
        self.http = http
        self.url = url
        self.organization = organization
        self.timeout = timeout
        self.policy = policy
        self._headers = headers

    def organization_or_default(self, given: str | None) -> str:
        organization = given or self.organization
        if organization is None:
            raise ValueError(
                "Which organization? Name it in Steward(organization=…) or STEWARD_ORG, or in the call."
            )
        return organization

    async def send(
        self, call: Call, *, stream: bool = False, policy: RetryPolicy | None = None, patience: float = 0.0
    ) -> httpx.Response:
        """A success; `patience` is how many seconds the service may wait before it begins to answer."""
        policy = policy or self.policy
        attempt, waited = 0, 0.0
        while True:
            try:
                return await self._attempt(call, stream=stream, patience=patience, attempt=attempt)
            except _Passing as passing:
                pause = policy.pause(
                    attempt, waited=waited, jitter=jitter(), retry_after=passing.error.retry_after
                )
                if pause is None:
                    raise passing.error from passing.__cause__
            await _aio.sleep(pause)
            attempt += 1
            waited += pause

    async def _attempt(self, call: Call, *, stream: bool, patience: float, attempt: int) -> httpx.Response:
        may_repeat = repeatable(call.method, call.headers)
        try:
            response = await self.http.send(self._request(call, patience), stream=stream)
            if not response.is_success:
                await response.aread()
        except httpx.RequestError as fault:
            error = _failed(fault)
            if call.whole and retried_fault(fault, repeatable=may_repeat):
                raise _Passing(error) from fault
            raise error from fault
        if response.is_success:
            return response
        refused = _refused(response)
        if call.whole and retried_answer(refused, repeatable=may_repeat, attempt=attempt):
            raise _Passing(refused)
        raise refused

    def _request(self, call: Call, patience: float) -> httpx.Request:
        content = call.content if call.upload is None else _aio.chunks(call.upload)
        timeout = httpx.Timeout(self.timeout, read=self.timeout + patience)
        return self.http.build_request(
            call.method,
            self.url + call.path,
            params=call.query,
            headers=self._headers | call.headers,
            content=content,
            timeout=timeout,
        )

    async def record(self, call: Call, kind: type[T]) -> T:
        response = await self.send(call)
        return read_record(
            kind,
            response.content,
            status=response.status_code,
            request_id=_request_id(response),
            etag=bare_etag(response.headers.get("ETag")),
        )

    async def page(
        self, call: Call, kind: Any, *, policy: RetryPolicy | None = None, patience: float = 0.0
    ) -> Page[Any]:
        response = await self.send(call, policy=policy, patience=patience)
        page: Page[Any] = read(
            Page[kind], response.content, status=response.status_code, request_id=_request_id(response)
        )
        return page

    async def data(self, call: Call) -> Any:
        """The answer's JSON as it is."""
        response = await self.send(call)
        return read(Any, response.content, status=response.status_code, request_id=_request_id(response))

    async def text(self, call: Call) -> str:
        return (await self.send(call)).text


class _Passing(Exception):  # noqa: N818  no error as yet
    """What went wrong may be over the next time."""

    def __init__(self, error: StewardError) -> None:
        super().__init__(error)
        self.error = error


def _failed(fault: httpx.RequestError) -> ConnectionFailed:
    said = str(fault) or type(fault).__name__
    return ConnectionFailed(None, "ConnectionFailed", f"There was no answer: {said}")


def _refused(response: httpx.Response) -> StewardError:
    request_id = _request_id(response)
    try:
        body = read(dict[str, Any], response.content, status=response.status_code, request_id=request_id)
    except InvalidAnswer:
        body = {"message": _what_it_says(response)}
    return refusal(
        response.status_code,
        body,
        request_id=request_id,
        retry_after=parse_retry_after(response.headers.get("Retry-After"), time.time()),
    )


def _what_it_says(response: httpx.Response) -> str:
    """Of an answer that isn't Steward's: somebody stands between us."""
    if response.status_code == 304:
        return "Nothing has changed."
    if response.has_redirect_location:
        return f"The address leads to {response.headers['Location']}; is it the one of the service?"
    return response.text[:200] or response.reason_phrase


def _request_id(response: httpx.Response) -> str | None:
    found: str | None = response.headers.get("X-Request-Id")
    return found
