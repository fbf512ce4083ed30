"""Bodies that come packed by gzip are taken as what they were before, and none becomes larger than a body may be."""

import gzip
import json
import random
import tracemalloc

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization

from steward.kit.domain.problems import BadRequest, PayloadTooLarge, UnsupportedMediaType
from steward.kit.http.unpacking import is_packed, unpacked

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("name", "packed"),
    [(None, False), ("", False), ("identity", False), ("gzip", True), (" GZIP ", True), ("x-gzip", True)],
)
def test_gzip_is_known_by_its_names(name: str | None, packed: bool) -> None:
    assert is_packed(name) is packed


@pytest.mark.parametrize("name", ["br", "zstd", "deflate", "gzip, gzip", "utf-8"])
def test_other_values_are_refused_with_the_allowed_ones(name: str) -> None:
    with pytest.raises(UnsupportedMediaType) as caught:
        is_packed(name)
    assert caught.value.headers == {"Accept-Encoding": "gzip"}
    assert "gzip" in caught.value.message


def _padding(size: int) -> bytes:
    """Blanks that don't become next to nothing when they are packed."""
    return bytes(random.Random(size).choices(b" \t\n\r", k=size))


@pytest.mark.parametrize("size", [0, 1, 1000, MIB])
async def test_a_body_survives_packing_unchanged(size: int) -> None:
    body = _padding(size)
    assert await unpacked(gzip.compress(body), MIB) == body


async def test_a_body_grows_by_no_more_than_records_do() -> None:
    assert len(await unpacked(gzip.compress(bytes(60_000)), MIB)) == 60_000
    with pytest.raises(PayloadTooLarge, match="more than 250 times its size"):
        await unpacked(gzip.compress(bytes(900_000)), MIB)


async def test_several_streams_are_one_body() -> None:
    assert await unpacked(gzip.compress(b"ab") + gzip.compress(b"") + gzip.compress(b"cd"), 4) == b"abcd"
    with pytest.raises(PayloadTooLarge):
        await unpacked(gzip.compress(b"ab") + gzip.compress(b"cde"), 4)


async def test_gzip_members_beyond_a_limit_are_not_unpacked() -> None:
    empty = gzip.compress(b"")
    assert await unpacked(empty * 256, MIB) == b""
    with pytest.raises(BadRequest, match="more than 256 gzip streams"):
        await unpacked(empty * 50_000, MIB)


WHOLE = gzip.compress(b"abc", mtime=0)


@pytest.mark.parametrize("body", [b"{}", b"\x1f\x8b", WHOLE[:-1], WHOLE + b"rest", WHOLE[:-8] + b"12345678"])
async def test_truncated_gzip_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        await unpacked(body, MIB)


async def test_a_compression_bomb_takes_no_memory() -> None:
    bomb = gzip.compress(bytes(64 * MIB))
    tracemalloc.start()
    try:
        with pytest.raises(PayloadTooLarge):
            await unpacked(bomb, MIB)
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()


def _post(client: Client, path: str, body: bytes, encoding: str = "gzip", **headers: str) -> httpx.Response:
    more = {"content-type": "application/json", "content-encoding": encoding, **headers}
    return client.post(path, content=body, headers=more)


def test_a_compressed_body_is_processed(organization: Organization) -> None:
    path, api = f"{organization.path}/work-orders", organization.api
    body = json.dumps({"title": "Leak"}).encode()
    packed = _post(api, path, gzip.compress(body), **{"idempotency-key": "once"})
    again = _post(api, path, body, "identity", **{"idempotency-key": "once"})
    assert (packed.status_code, data_of(packed)["title"]) == (201, "Leak")
    assert again.headers["idempotent-replayed"] == "true"
    sheet = gzip.compress(b"odd,name\nx,Pump\n")
    imported = _post(api, f"{organization.path}/assets/import", sheet, **{"content-type": "text/csv"})
    assert (imported.status_code, imported.json()["details"][0]["field"]) == (422, "odd")


def test_the_limit_of_the_route_applies_to_the_uncompressed_body(shared_organization: Organization) -> None:
    api, path = shared_organization.api, f"{shared_organization.path}/work-orders"
    body = json.dumps({"title": "Leak"}).encode()
    most = gzip.compress(body + _padding(MIB - len(body)))
    more = gzip.compress(body + _padding(MIB - len(body) + 1))
    login = gzip.compress(b'{"account": "a"}' + b" " * 64 * 1024)
    found = [
        _post(api, path, most),
        _post(api, path, more),
        _post(api, path, gzip.compress(bytes(64 * MIB))),
        _post(Client(shared_organization.base_url), "/authentications/tokens", login),
        _post(api, path, b"no gzip"),
        _post(api, path, body, "br"),
    ]
    assert [answer.status_code for answer in found] == [201, 413, 413, 413, 400, 415]
    assert found[-1].headers["accept-encoding"] == "gzip"
