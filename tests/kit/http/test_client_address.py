"""Whose address a request comes from, behind proxies and without."""

from ipaddress import ip_network

import pytest
from tests.support.app_transport import exchange

from steward.kit.http.request import Request
from steward.kit.http.server.wire_format import add_header

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


def client_of(peer: str, *forwarded: str) -> str:
    headers: dict[str, str] = {}
    for value in forwarded:
        add_header(headers, b"X-Forwarded-For", value.encode())
    return Request(exchange(headers=headers, peer=peer), TRUSTED).client


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.9", None, "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1 ,10.0.0.2,  10.0.0.3", "198.51.100.1"),
        ("10.0.0.1", "10.0.0.7", "10.0.0.7"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "<script>", "10.0.0.1"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("fd00::1", "2001:db8::1, fd00::2", "2001:db8::1"),
        ("2001:db8::9", "198.51.100.1", "2001:db8::9"),
    ],
)
def test_the_client_is_the_nearest_hop_that_is_no_proxy_of_ours(
    peer: str, forwarded: str | None, client: str
) -> None:
    assert client_of(peer, *([] if forwarded is None else [forwarded])) == client


def test_a_second_proxy_may_write_a_header_line_of_its_own() -> None:
    assert client_of("10.0.0.1", "198.51.100.1", "10.0.0.2") == "198.51.100.1"


def test_an_ipv4_proxy_is_known_on_an_ipv6_socket_as_well() -> None:
    assert client_of("::ffff:10.0.0.1", "198.51.100.1") == "198.51.100.1"
