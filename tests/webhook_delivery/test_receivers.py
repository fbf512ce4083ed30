"""Receivers that misbehave: each costs one place for a while, and is named for what it did."""

import asyncio
import ssl
from contextlib import asynccontextmanager

import pytest
from tests.support.ports import free_port
from tests.support.special_addresses import CLOUD
from tests.support.waiting import limit
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver, raw_receiver, raw_server, status

pytestmark = pytest.mark.long

OK_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


async def attempt(database: DeliveryDatabase, url: str, *, timeout: float = limit(30), **more):
    """The one attempt that is made to reach this URL."""
    await database.webhook(tenant := await database.new_tenant(), url)
    await database.publish(tenant)
    async with database.engine(schedule=(0,), timeout=timeout, **more):
        await database.until_all("succeeded", "failed")
    [*_, made] = await database.attempts()
    return made


async def answered_attempt(database: DeliveryDatabase, url: str):
    """One that hears the status before its time is over, which takes longer on a busy machine."""
    for seconds in (1, 5, 25):
        made = await attempt(database, url, timeout=seconds)
        if made["status_code"] is not None:
            break
    return made


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_is_a_failure_and_is_not_followed(
    database: DeliveryDatabase, receiver: Receiver, code: int
) -> None:
    receiver.answers["/moved"] = status(code, Location=receiver.url("/elsewhere"))
    made = await attempt(database, receiver.url("/moved"))
    assert (made["status_code"], made["error"]) == (code, "http_status")
    assert [received.path for received in receiver.got] == ["/moved"]


async def test_a_receiver_that_trickles_its_body_times_out(database: DeliveryDatabase) -> None:
    async def trickle(_reader, writer) -> None:
        writer.write(OK_HEAD + b"Content-Length: 1000000\r\n\r\n")
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.05)  # the pace of the receiver; it never comes to an end

    async with raw_receiver(trickle) as url:
        made = await answered_attempt(database, url)
    assert (made["status_code"], made["error"]) == (200, "response_too_slow")
    assert made["duration_ms"] >= 1000


async def test_a_receiver_that_trickles_its_headers_times_out(database: DeliveryDatabase) -> None:
    async def trickle(_reader, writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(10_000):
            writer.write(b"X-%d: x\r\n" % number)
            await writer.drain()
            await asyncio.sleep(0.05)  # the pace of the receiver; it never comes to an end

    async with raw_receiver(trickle) as url:
        made = await attempt(database, url, timeout=1)
    assert (made["status_code"], made["error"]) == (None, "timeout")


async def test_a_silent_receiver_times_out(database: DeliveryDatabase) -> None:
    async def silent(reader, _writer) -> None:
        await reader.read()

    async with raw_receiver(silent) as url:
        assert (await attempt(database, url, timeout=0.5))["error"] == "timeout"


async def test_an_endless_answer_is_read_up_to_a_bound_and_kept_up_to_a_smaller_one(
    database: DeliveryDatabase,
) -> None:
    sent = 0

    async def endless(_reader, writer) -> None:
        nonlocal sent
        writer.write(OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            await writer.drain()
            sent += 4096

    async with raw_receiver(endless) as url:
        made = await attempt(database, url)
    assert (made["status_code"], made["error"]) == (200, None)
    assert made["response"] == b"x" * 16_384


async def test_ten_megabytes_are_not_taken(database: DeliveryDatabase) -> None:
    async def much(_reader, writer) -> None:
        writer.write(OK_HEAD + b"Content-Length: 10000000\r\n\r\n")
        for _ in range(10):
            writer.write(b"y" * 1_000_000)
            await writer.drain()

    async with raw_receiver(much) as url:
        made = await attempt(database, url)
    assert (made["status_code"], made["error"], made["response"]) == (200, None, b"y" * 16_384)


async def test_a_receiver_that_resets_is_named(database: DeliveryDatabase) -> None:
    async def reset(_reader, writer) -> None:
        writer.transport.abort()

    async with raw_receiver(reset) as url:
        assert (await attempt(database, url))["error"] == "connection_reset"


async def test_a_receiver_that_closes_in_the_middle_of_its_answer_has_failed(
    database: DeliveryDatabase,
) -> None:
    async def half(_reader, writer) -> None:
        writer.write(OK_HEAD + b"Content-Length: 100\r\n\r\nhalf")
        await writer.drain()

    async with raw_receiver(half) as url:
        made = await attempt(database, url)
    assert made["status_code"] == 200
    assert made["error"] in {"connection_reset", "protocol_error"}


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x00\x01\x02\x03 nonsense\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 banana OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: minus\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 100_000 + b"\r\n\r\n",
        OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n",
    ],
)
async def test_a_receiver_that_speaks_nonsense_is_named(database: DeliveryDatabase, nonsense: bytes) -> None:
    async def talk(_reader, writer) -> None:
        writer.write(nonsense)
        await writer.drain()

    async with raw_receiver(talk) as url:
        assert (await attempt(database, url))["error"] in {"protocol_error", "connection_reset"}


async def test_a_compressed_bomb_is_not_opened(database: DeliveryDatabase, receiver: Receiver) -> None:
    bomb = bytes([31, 139, 8, 0]) + b"\xff" * 1000

    async def talk(_reader, writer) -> None:
        writer.write(OK_HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb)
        await writer.drain()

    async with raw_receiver(talk) as url:
        made = await attempt(database, url)
    assert (made["error"], made["response"]) == (None, bomb)


async def test_a_closed_port_refuses_connections(database: DeliveryDatabase) -> None:
    assert (await attempt(database, f"http://127.0.0.1:{free_port()}/"))["error"] == "connection_refused"


async def test_a_name_that_does_not_resolve_is_a_dns_error(database: DeliveryDatabase) -> None:
    async def nothing(host: str, _port: int) -> list[str]:
        raise OSError(f"no such name: {host}")

    assert (await attempt(database, "http://nowhere.example/", resolve=nothing))["error"] == "dns_error"


async def test_http_spoken_to_an_https_url_is_a_tls_error(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    made = await attempt(database, f"https://127.0.0.1:{receiver.port}/")
    assert made["error"] == "tls_error"
    assert receiver.got == []


async def test_dns_rebinding_between_check_and_connection_is_blocked(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    asked = []

    async def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"] if len(asked) == 1 else ["127.0.0.1"]

    # As when the webhook was made: the first answer is fine.
    assert await rebinding("rebinding.example", 443) == ["93.184.216.34"]
    made = await attempt(
        database, f"https://rebinding.example:{receiver.port}/", allow_local=False, resolve=rebinding
    )
    assert len(asked) == 2
    assert (made["status_code"], made["error"]) == (None, "blocked_address")
    assert receiver.got == []


@pytest.mark.parametrize("host", CLOUD)
@pytest.mark.parametrize("allow_local", [False, True])
async def test_nothing_is_delivered_to_the_inside_of_a_cloud(
    database: DeliveryDatabase, host: str, allow_local: bool
) -> None:
    made = await attempt(database, f"https://{host}/hook", allow_local=allow_local)
    assert (made["status_code"], made["error"]) == (None, "blocked_address")


@pytest.mark.parametrize("allow_local", [False, True])
@pytest.mark.parametrize(
    "address", ["169.254.169.254", "168.63.129.16", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"]
)
async def test_a_name_that_resolves_to_cloud_metadata_is_refused(
    database: DeliveryDatabase, address: str, allow_local: bool
) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        return ["93.184.216.34", address]

    made = await attempt(database, "https://metadata.example/hook", allow_local=allow_local, resolve=resolve)
    assert (made["status_code"], made["error"]) == (None, "blocked_address")


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"])
async def test_a_forbidden_stored_address_is_refused_at_delivery(
    database: DeliveryDatabase, receiver: Receiver, host: str
) -> None:
    made = await attempt(database, f"https://{host}:{receiver.port}/", allow_local=False)
    assert made["error"] == "blocked_address"
    assert receiver.got == []


async def test_the_connection_goes_to_the_address_that_was_judged_under_the_right_name(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    """Names are resolved once by us, and by nobody else: this one exists nowhere."""

    async def resolve(host: str, _port: int) -> list[str]:
        return ["127.0.0.1"] if host == "receiver.example" else []

    made = await attempt(database, f"http://receiver.example:{receiver.port}/", resolve=resolve)
    assert made["error"] is None
    assert receiver.got[0].headers["host"] == f"receiver.example:{receiver.port}"


async def test_proxies_of_the_environment_are_ignored(
    database: DeliveryDatabase, receiver: Receiver, monkeypatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    assert (await attempt(database, receiver.url()))["error"] is None
    assert len(receiver.got) == 1


@asynccontextmanager
async def tls_receiver(certificate, names: list):
    """Notes the name that each client asks for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.chain, certificate.key)
    context.sni_callback = lambda _socket, name, _context: names.append(name)

    async def talk(_reader, writer) -> None:
        writer.write(OK_HEAD + b"Content-Length: 2\r\n\r\nok")
        await writer.drain()

    async with raw_server(talk, context) as port:
        yield port


async def resolve_to_loopback(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


async def test_certificates_are_checked_against_the_name_of_the_url(
    database: DeliveryDatabase, certificate, monkeypatch
) -> None:
    names: list = []
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.authority))
    async with tls_receiver(certificate, names) as port:
        made = await attempt(database, f"https://receiver.example:{port}/", resolve=resolve_to_loopback)
        assert (made["status_code"], made["error"]) == (200, None)
        assert names == ["receiver.example"]


async def test_a_certificate_for_another_name_is_refused(
    database: DeliveryDatabase, certificate, monkeypatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.authority))
    async with tls_receiver(certificate, []) as port:
        made = await attempt(database, f"https://other.example:{port}/", resolve=resolve_to_loopback)
    assert made["error"] == "tls_error"


async def test_an_untrusted_certificate_is_refused(database: DeliveryDatabase, certificate) -> None:
    async with tls_receiver(certificate, []) as port:
        made = await attempt(database, f"https://receiver.example:{port}/", resolve=resolve_to_loopback)
    assert made["error"] == "tls_error"
