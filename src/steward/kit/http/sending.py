"""Sends an answer: compressed as the caller accepts, as 304 if the caller has it already, with the common
headers.
"""

from steward.kit.http import compression
from steward.kit.http.request import Request
from steward.kit.http.response import NO_SNIFFING, NOT_KEPT, Headers, Response, StreamingResponse
from steward.kit.runtime.helper_threads import SMALLEST, beside_loop


async def send(request: Request, answer: Response | StreamingResponse) -> None:
    await (
        stream_answer(request, answer)
        if isinstance(answer, StreamingResponse)
        else _send_whole(request, answer)
    )


async def _send_whole(request: Request, answer: Response) -> None:
    headers, body = all_headers(request, answer.headers), answer.body
    if len(body) > compression.SMALLEST and (encoding := _encoding(request, headers)):
        body = await _packed(answer, encoding)
        headers = [
            (name, encoding.tag(value)) if name == "etag" else (name, value) for name, value in headers
        ]
    request.exchange.respond(answer.status, headers, body)


async def _packed(answer: Response, encoding: compression.Encoding) -> bytes:
    if answer.kept is None:
        if len(answer.body) < SMALLEST:
            return encoding.pack(answer.body)
        return await beside_loop(encoding.pack_large, answer.body)
    if encoding.name not in answer.kept:
        answer.kept[encoding.name] = await beside_loop(encoding.pack_once, answer.body)
    return answer.kept[encoding.name]


async def stream_answer(request: Request, answer: StreamingResponse) -> None:
    headers, chunks = all_headers(request, answer.headers), answer.chunks
    if encoding := _encoding(request, headers):
        chunks = compression.packed_chunks(chunks, encoding)
    await request.exchange.stream(answer.status, headers, chunks, endless=answer.endless)


def _encoding(request: Request, headers: Headers) -> compression.Encoding | None:
    """The encoding of the answer, which its headers name from here on."""
    if not compression.is_compressible(_header(headers, "content-type")):
        return None
    headers.append(compression.VARY)
    encoding = compression.chosen(request.headers.get("accept-encoding", ""))
    if encoding is not None:
        headers.append(encoding.header)
    return encoding


def _header(headers: Headers, name: str) -> str | None:
    return next((value for each, value in headers if each == name), None)


def all_headers(request: Request, headers: Headers) -> Headers:
    every = [*headers, *request.extra_headers, ("x-request-id", request.id), NO_SNIFFING]
    # Authenticated responses are `no-store` by default; a route that allows caching sets its own header.
    if request.caller is not None and not any(name == "cache-control" for name, _ in headers):
        every.append(NOT_KEPT)
    return every


def or_not_modified(request: Request, answer: Response) -> Response:
    """304 if the caller has this representation already, compressed or not."""
    known = request.headers.get("if-none-match")
    tag = _header(answer.headers, "etag")
    if known is None or tag is None:
        return answer
    held = {
        compression.unpacked_tag(part): part
        for part in (part.strip().removeprefix("W/") for part in known.split(","))
    }
    if tag not in held and known.strip() != "*":
        return answer
    headers = [(name, value) for name, value in answer.headers if name not in {"content-type", "etag"}]
    return Response(304, b"", [("etag", held.get(tag, tag)), *headers])
