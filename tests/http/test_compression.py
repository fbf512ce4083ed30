"""Answers of more than 1 KB come packed where the caller takes that, and are the same answers."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncGenerator

import brotli
import httpx
import pytest
import zstandard
from tests.support.app_transport import AppTransport
from tests.support.organizations import Organization

from steward.kit.http.compression import (
    ENCODINGS,
    Encoding,
    chosen,
    is_compressible,
    packed_chunks,
    unpacked_tag,
)
from steward.kit.http.request import Request
from steward.kit.http.response import StreamingResponse
from steward.kit.http.sending import stream_answer
from steward.kit.http.server.exchange import Exchange

GZIP = {"accept-encoding": "gzip"}
IDENTITY = {"accept-encoding": "identity"}


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("x-gzip", "gzip"),
        ("gzip ; q=1", "gzip"),
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br", "br"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("deflate, gzip;q=0.5, br", "br"),
        ("gzip, br;q=0.9, zstd;q=0.8", "gzip"),
        ("zstd;q=0, br;q=0.1", "br"),
        ("*", "zstd"),
        ("zstd;q=0, *", "br"),
        ("br;q=0.1, *;q=0.5", "zstd"),
        ("gzip;q=0.5, identity;q=0.5", "gzip"),
        ("gzip;q=0.5, identity;q=0", "gzip"),
    ],
)
def test_content_negotiation_prefers_quality_then_cost(header: str, name: str) -> None:
    found = chosen(header)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "header",
    [
        "",
        " , ;q=1",
        "identity",
        "deflate, compress",
        "gzip;q=0",
        "gzip;q=0.000",
        "*;q=0",
        "gzip;q=0, br;q=0, zstd;q=0, *",
        "gzip;q=x",
        "gzip;q=nan",
        "gzip;q=2",
        "gzip;q=0.5, identity;q=0.6",
    ],
)
def test_clients_without_accept_encoding_get_plain_answers(header: str) -> None:
    assert chosen(header) is None


@pytest.mark.parametrize(
    ("content_type", "packed"),
    [
        ("application/json", True),
        ("text/html; charset=utf-8", True),
        ("text/csv; charset=utf-8", True),
        ("image/svg+xml", True),
        ("text/event-stream", False),
        ("font/woff2", False),
        ("image/png", False),
        (None, False),
    ],
)
def test_only_text_is_packed_and_never_a_stream_of_events(content_type: str | None, packed: bool) -> None:
    assert is_compressible(content_type) is packed


def test_a_validator_names_the_bytes_and_is_known_again() -> None:
    tags = [encoding.tag('"ab.cd"') for encoding in ENCODINGS]
    assert tags == ['"ab.cd-zstd"', '"ab.cd-br"', '"ab.cd-gzip"']
    assert {unpacked_tag(tag) for tag in [*tags, '"ab.cd"']} == {'"ab.cd"'}
    assert ENCODINGS[0].tag('W/"ab"') == 'W/"ab"'


READERS = {
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj().decompress,
    "br": lambda: brotli.Decompressor().process,
    "gzip": lambda: zlib.decompressobj(31).decompress,
}


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: encoding.name)
async def test_a_stream_is_readable_as_far_as_it_has_come(encoding: Encoding) -> None:
    async def lines() -> AsyncGenerator[bytes]:
        for number in range(3):
            yield b"line %d\n" % number
            yield b""

    read = READERS[encoding.name]()
    seen = [read(chunk) async for chunk in packed_chunks(lines(), encoding)]
    assert seen == [b"line 0\n", b"line 1\n", b"line 2\n", b""]


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: encoding.name)
def test_packed_values_can_be_unpacked(encoding: Encoding) -> None:
    body = b"drip " * 5000
    assert READERS[encoding.name]()(encoding.pack(body)) == body
    assert READERS[encoding.name]()(encoding.pack_once(body)) == body


async def test_a_stream_that_nobody_reads_to_its_end_is_closed() -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncGenerator[bytes]:
        try:
            while True:
                yield b"more"
        finally:
            closed.set()

    stream = packed_chunks(endless(), ENCODINGS[0])
    await anext(stream)
    await stream.aclose()
    assert closed.is_set()


@pytest.mark.parametrize(("content_type", "packed"), [("text/csv", True), ("text/event-stream", False)])
async def test_exports_are_packed_and_events_are_not(content_type: str, packed: bool) -> None:
    async def chunks() -> AsyncGenerator[bytes]:
        yield b"data: 1\n\n"

    async def app(exchange: Exchange) -> None:
        await stream_answer(
            Request(exchange, ()), StreamingResponse([("content-type", content_type)], chunks())
        )

    async with httpx.AsyncClient(transport=AppTransport(app), base_url="http://steward.test") as client:
        answer = await client.get("/", headers=GZIP)
    assert ("content-encoding" in answer.headers) is packed
    assert ("vary" in answer.headers) is packed
    assert answer.content == b"data: 1\n\n"


@pytest.fixture
def order(shared_organization: Organization) -> httpx.Response:
    """One that is larger than 1 KB, as it is read."""
    made = shared_organization.created("work-orders", {"title": "Leak", "description": "drip " * 300})
    path = f"{shared_organization.path}/work-orders/{made['id']}"
    return shared_organization.api.get(path, headers=GZIP)


def raw(organization: Organization, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    with organization.api.stream("GET", path, headers=headers) as answer:
        return answer, b"".join(answer.iter_raw())


def test_json_is_packed_for_who_takes_it(shared_organization: Organization, order: httpx.Response) -> None:
    path = order.request.url.path
    packed, packed_bytes = raw(shared_organization, path, **GZIP)
    plain, plain_bytes = raw(shared_organization, path, **IDENTITY)
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(packed_bytes) == plain_bytes
    assert len(packed_bytes) < len(plain_bytes) / 2
    assert int(packed.headers["content-length"]) == len(packed_bytes)
    assert packed.headers["vary"] == plain.headers["vary"] == "accept-encoding"


def test_each_encoding_has_its_own_bytes_and_validator(
    shared_organization: Organization, order: httpx.Response
) -> None:
    path, seen = order.request.url.path, {}
    for encoding in ENCODINGS:
        answer, body = raw(shared_organization, path, **{"accept-encoding": encoding.name})
        assert answer.headers["content-encoding"] == encoding.name
        assert READERS[encoding.name]()(body) == order.content
        seen[answer.headers["etag"]] = encoding
        known = shared_organization.api.get(path, headers={"if-none-match": answer.headers["etag"]})
        assert (known.status_code, known.headers["etag"]) == (304, answer.headers["etag"])
    assert len(seen) == len(ENCODINGS)


def test_small_answers_stay_as_they_are(shared_organization: Organization) -> None:
    answer, _ = raw(shared_organization, f"{shared_organization.path}/work-orders/wo_unknown", **GZIP)
    assert "content-encoding" not in answer.headers
    assert "vary" not in answer.headers


def test_the_etag_of_a_compressed_answer_is_strong_and_distinct(
    shared_organization: Organization, order: httpx.Response
) -> None:
    plain = shared_organization.api.get(order.request.url.path, headers=IDENTITY)
    assert order.headers["etag"].startswith('"')
    assert order.headers["etag"] != plain.headers["etag"]


@pytest.mark.parametrize("accepted", [GZIP, IDENTITY])
def test_either_validator_answers_that_nothing_has_changed(
    shared_organization: Organization, order: httpx.Response, accepted: dict[str, str]
) -> None:
    path = order.request.url.path
    tag = shared_organization.api.get(path, headers=accepted).headers["etag"]
    again = shared_organization.api.get(path, headers={**accepted, "if-none-match": f'"other", W/{tag}'})
    assert (again.status_code, again.headers["etag"], again.content) == (304, tag, b"")
    assert "content-encoding" not in again.headers


@pytest.mark.parametrize("accepted", [GZIP, IDENTITY])
def test_a_change_with_either_validator_is_made_once(
    shared_organization: Organization, order: httpx.Response, accepted: dict[str, str]
) -> None:
    path = order.request.url.path
    tag = shared_organization.api.get(path, headers=accepted).headers["etag"]
    title = {"title": f"Leak, seen as {tag}"}
    headers = {**accepted, "if-match": tag}
    assert shared_organization.api.patch(path, json=title, headers=headers).status_code == 200
    assert shared_organization.api.patch(path, json=title, headers=headers).status_code == 412


@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
def test_an_export_is_compressed_while_streaming(
    shared_organization: Organization, order: httpx.Response, suffix: str
) -> None:
    path = f"{shared_organization.path}/work-orders.{suffix}"
    packed, packed_bytes = raw(shared_organization, path, **GZIP)
    _, plain_bytes = raw(shared_organization, path, **IDENTITY)
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed_bytes) == plain_bytes


def test_the_head_of_a_packed_answer_is_that_of_the_answer(
    shared_organization: Organization, order: httpx.Response
) -> None:
    head = shared_organization.api.head(order.request.url.path, headers=GZIP)
    for name in ("content-length", "content-encoding", "etag"):
        assert head.headers[name] == order.headers[name]


def test_the_document_of_the_api_is_packed_and_revalidated(shared_organization: Organization) -> None:
    answer, body = raw(shared_organization, "/openapi.json", **GZIP)
    assert len(body) < len(gzip.decompress(body)) / 10
    tag = answer.headers["etag"]
    known = shared_organization.api.get("/openapi.json", headers={"if-none-match": tag})
    assert known.status_code == 304
    smaller, smaller_body = raw(shared_organization, "/openapi.json", **{"accept-encoding": "gzip, br"})
    assert smaller.headers["content-encoding"] == "br"
    assert len(smaller_body) < len(body)
