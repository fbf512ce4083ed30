"""JSON that is none, or too much of it: every body is taken or refused with 400, 413 or 422, soon, and the service goes on."""

import json

import pytest
from tests.security.raw_socket import HANG_SECONDS
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.service import Service

MIB = 1024 * 1024
REFUSED = frozenset({400, 413, 422})
TAKEN = frozenset({200, 201})
EITHER = REFUSED | TAKEN


def _titled(raw: bytes) -> bytes:
    return b'{"title":' + raw + b"}"


def _deep(opening: bytes, closing: bytes, times: int) -> bytes:
    return opening * times + b"1" + closing * times


# Bodies for a work order; what isn't refused must be a work order with the title that was sent.
CORPUS: dict[str, tuple[bytes, frozenset[int]]] = {
    "nothing": (b"", REFUSED),
    "spaces": (b" \n\t ", REFUSED),
    "an array": (b"[]", REFUSED),
    "a text": (b'"title"', REFUSED),
    "null": (b"null", REFUSED),
    "a number": (b"1", REFUSED),
    "two documents": (b'{"title":"a"}{"title":"b"}', REFUSED),
    "a comma too many": (b'{"title":"a",}', REFUSED),
    "single quotes": (b"{'title':'a'}", REFUSED),
    "a comment": (b'{"title":"a"/*b*/}', REFUSED),
    "no quotes": (b"{title:1}", REFUSED),
    "cut": (b'{"title":"a', REFUSED),
    "cut in an escape": (b'{"title":"\\u00', REFUSED),
    "an unknown escape": (_titled(b'"\\x41"'), REFUSED),
    "NaN": (_titled(b"NaN"), REFUSED),
    "infinity": (_titled(b"Infinity"), REFUSED),
    "a number for a text": (_titled(b"1e400"), REFUSED),
    "a long number": (_titled(b"9" * 100_000), REFUSED),
    "a long fraction": (_titled(b"0." + b"1" * 100_000), REFUSED),
    "a huge exponent": (_titled(b"1e999999999999"), REFUSED),
    "a byte order mark": (b'\xef\xbb\xbf{"title":"a"}', EITHER),
    "UTF-16": (_titled(b'"a"').decode().encode("utf-16"), REFUSED),
    "bytes that are no UTF-8": (_titled(b'"\xff\xfe"'), REFUSED),
    "an overlong form": (_titled(b'"\xc0\xaf"'), REFUSED),
    "a surrogate as UTF-8": (_titled(b'"\xed\xa0\x80"'), REFUSED),
    "half of a pair": (_titled(b'"\\ud800"'), REFUSED),
    "the other half": (_titled(b'"\\udc00 a"'), REFUSED),
    "halves in the wrong order": (_titled(b'"\\udc00\\ud800"'), REFUSED),
    "NUL by escape": (_titled(b'"a\\u0000b"'), REFUSED),
    "NUL as a byte": (_titled(b'"a\0b"'), REFUSED),
    "a control character": (_titled(b'"a\x01b"'), REFUSED),
    "a line end in a text": (_titled(b'"a\nb"'), REFUSED),
    "noncharacters": (_titled('"\ufffe\uffff"'.encode()), EITHER),
    "emoji by escape": (_titled(b'"\\ud83d\\ude00"'), TAKEN),
    "text from right to left": (_titled('"\u202eabc"'.encode()), EITHER),
    "spaces only": (_titled(b'"   "'), REFUSED),
    "a long text": (_titled(b'"' + b"a" * 900_000 + b'"'), REFUSED),
    "a name of its own": (b'{"title":"a","__proto__":{"admin":true}}', REFUSED),
    "a name twice": (b'{"title":"a","title":"b"}', EITHER),
    "an empty name": (b'{"title":"a","":1}', REFUSED),
    "very many names": (
        json.dumps({"title": "a"} | {f"f{n}": n for n in range(50_000)}).encode(),
        REFUSED,
    ),
    "brackets without end": (b"[" * MIB, REFUSED),
    "braces without end": (b'{"a":' * (MIB // 5), REFUSED),
    "deep arrays": (_titled(_deep(b"[", b"]", 100_000)), REFUSED),
    "deep objects": (b'{"description":' + _deep(b'{"a":', b"}", 100_000) + b"}", REFUSED),
    "one byte too many": (b" " * MIB + b"1", frozenset({413})),
}


@pytest.fixture(scope="module")
def maker(running_service: Service) -> Organization:
    return Organization(running_service.base_url, running_service.database_url, "Enterprise")


def _client(organization: Organization) -> dict[str, str]:
    return {"X-API-Key": organization.secret, "Content-Type": "application/json"}


@pytest.mark.parametrize("name", CORPUS)
def test_a_body_is_accepted_or_refused(maker: Organization, name: str) -> None:
    raw, allowed = CORPUS[name]
    with maker.client() as client:
        answer = client.post(
            f"{maker.path}/work-orders", content=raw, headers=_client(maker), timeout=HANG_SECONDS
        )
        assert answer.status_code in allowed, answer.text
        if answer.status_code == 201:
            sent = json.loads(raw.decode("utf-8-sig"))["title"]
            id = data_of(answer)["id"]
            read = client.get(f"{maker.path}/work-orders/{id}", headers=_client(maker))
            assert data_of(read)["title"] == sent
        else:
            assert set(answer.json()) <= {"error", "message", "requestId", "details"}
            assert len(answer.content) < 20_000, "the refusal repeats what it refuses"
        assert client.get("/health/live").status_code == 200


# Free forms and special readers: where more than known fields is taken.
FREE = {
    "decks": lambda value: (
        b'{"title":"a","cards":[{"id":"c","type":"text","title":"b","configuration":{"a":'
        + value
        + b'},"layout":{"x":0,"y":0,"w":1,"h":1}}]}'
    ),
    "assets": lambda value: b'{"name":"a","assetTypeId":"aty_0","metadata":{"a":' + value + b"}}",
    "telemetry": lambda value: b'{"readings":[{"assetId":"ast_0","values":{"a":' + value + b"}}]}",
    "integrations/chirpstack": lambda value: (
        b'{"deviceInfo":{"devEui":"a84041b2c3d4e5f6"},"object":{"a":' + value + b"}}"
    ),
    "integrations/ttn": lambda value: (
        b'{"end_device_ids":{"dev_eui":"A84041B2C3D4E5F6"},"uplink_message":'
        b'{"decoded_payload":{"a":' + value + b"}}}"
    ),
}
VALUES = {
    "deep": _deep(b"[", b"]", 100_000),
    "deep objects": _deep(b'{"a":', b"}", 50_000),
    "a long number": b"9" * 100_000,
    "a huge exponent": b"1e999999999",
    "a small one": b"-1e-999999999",
    "NaN": b"NaN",
    "half of a pair": b'"\\ud800"',
    "NUL": b'"\\u0000"',
    "bytes": b'"\xff"',
    "wide": b"[" + b"1," * 200_000 + b"1]",
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("place", FREE)
def test_free_forms_accept_any_storable_value(maker: Organization, place: str, value: str) -> None:
    raw = FREE[place](VALUES[value])
    with maker.client() as client:
        path = f"{maker.path}/{place}"
        answer = client.post(path, content=raw, headers=_client(maker), timeout=HANG_SECONDS)
        assert answer.status_code in EITHER | {404}, answer.text[:500]
        assert len(answer.content) < 2 * MIB
        assert client.get("/health/live").status_code == 200


def test_stored_submissions_can_be_listed(maker: Organization) -> None:
    """Nothing of the above spoils the lists that it stands in."""
    with maker.client() as client:
        for name in ("work-orders", "decks", "assets"):
            answer = client.get(f"{maker.path}/{name}", params={"limit": 100}, headers=_client(maker))
            assert answer.status_code == 200
            assert client.get(f"{maker.path}/{name}.ndjson", headers=_client(maker)).status_code == 200
