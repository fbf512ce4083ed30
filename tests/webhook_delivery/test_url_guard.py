"""Which URLs and addresses are refused, in every spelling."""

import asyncio
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.waiting import limit

from steward.kit.security import url_guard as guard
from steward.kit.security.special_addresses import CLOUD_INTERNAL_NETWORKS, NON_PUBLIC_NETWORKS, is_public
from steward.kit.security.url_guard import (
    BlockedAddressError,
    check,
    parse_ip_literal,
    validate_url,
)

PUBLIC_URLS = (
    "https://example.com",
    "https://example.com/hook?x=1",
    "https://example.com:8443/hook",
    "https://sub.example.com./hook",
    "https://bücher.example/",
    "https://93.184.216.34/",
    "https://1572395042/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
    "https://localhost.example.com/",
    "https://1.example.com/",
)
LOCAL_ADDRESSES = (
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0177.0.0.1",
    "017700000001",
    "0x7f.0.0.1",
    "0x7f000001",
    "0X7F.1",
    "127.0.0.1.",
    "127.255.255.254",
    "0",
    "0.0.0.0",
    "0x",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "3232235777",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "100.64.0.1",
    "100.127.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:93.184.216.34]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::1]",
    "[100::1]",
    "[2001::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[3fff::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "１２７.0.0.1",  # noqa: RUF001 (the point of it)
    "127。0。0。1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "some.localhost",
    "ⓛocalhost",
)
NONSENSE = (
    "",
    "example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "gopher://example.com",
    "javascript:alert(1)",
    "https://",
    "https:///path",
    "https://user@example.com",
    "https://user:password@example.com",
    "https://@example.com",
    "https://example.com@127.0.0.1/",
    "https://example.com#fragment",
    "https://example.com/#",
    "https://exa mple.com",
    "https://example.com/\r\nX-Header: 1",
    "https://example.com\\@127.0.0.1/",
    "https://example.com:0/",
    "https://example.com:99999/",
    "https://example.com:port/",
    "https://[::1",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://127%2e0.0.1/",
    "https://1.2.3.4.5/",
    "https://1.2.3.256/",
    "https://08.8.8.8/",
    "https://1.2.3.0x100/",
    "https://4294967296/",
    "https://example.0x7f/",
    "https://example.com/" + "x" * 2100,
)


@pytest.mark.parametrize("url", PUBLIC_URLS)
def test_a_public_url_is_fine(url: str) -> None:
    validate_url(url, allow_local=False)


@pytest.mark.parametrize("host", LOCAL_ADDRESSES)
def test_every_spelling_of_an_address_that_is_not_public_is_refused(host: str) -> None:
    with pytest.raises(BlockedAddressError):
        validate_url(f"https://{host}/", allow_local=False)
    with pytest.raises(BlockedAddressError):
        validate_url(f"https://{host}:8443/hook", allow_local=False)


@pytest.mark.parametrize("url", NONSENSE)
@pytest.mark.parametrize("allow_local", [False, True])
def test_malformed_urls_are_refused_everywhere(url: str, allow_local: bool) -> None:
    with pytest.raises(BlockedAddressError):
        validate_url(url, allow_local=allow_local)


def test_http_is_allowed_for_localhost_only() -> None:
    for url in ("http://example.com/", "http://127.0.0.1:8000/", "http://localhost:8000/"):
        with pytest.raises(BlockedAddressError):
            validate_url(url, allow_local=False)
        validate_url(url, allow_local=True)


def test_the_client_is_given_the_address_that_was_judged_not_its_spelling() -> None:
    target = validate_url("https://1572395042:8443/x?y=1", allow_local=False)
    assert str(target.url) == "https://93.184.216.34:8443/x?y=1"


@pytest.mark.parametrize("network", CLOUD_INTERNAL_NETWORKS, ids=str)
@pytest.mark.parametrize("allow_local", [False, True])
def test_cloud_metadata_addresses_are_refused(network, allow_local: bool) -> None:
    for address in (network[0], network[-1]):
        with pytest.raises(BlockedAddressError, match="own cloud or link"):
            guard.validate_addresses([address], allow_local=allow_local)


@pytest.mark.parametrize("network", NON_PUBLIC_NETWORKS, ids=str)
def test_both_ends_of_a_special_network_are_refused(network) -> None:
    assert not is_public(network[0])
    assert not is_public(network[-1])


@given(st.ip_addresses(v=4))
def test_all_spellings_of_an_address_are_judged_alike(address: IPv4Address) -> None:
    number = int(address)
    a, b, c, d = address.packed
    spellings = (
        str(address),
        str(number),
        hex(number),
        f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
        f"0x{a:x}.0{b:o}.{c}.{d}",
    )
    assert {parse_ip_literal(spelling) for spelling in spellings} == {address}


@given(st.ip_addresses(v=4))
def test_an_embedded_ipv4_address_is_judged_too(address: IPv4Address) -> None:
    number = int(address)
    carriers = (0xFFFF << 32 | number, number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80)
    assert not any(is_public(IPv6Address(carrier)) for carrier in carriers)


@given(st.text(max_size=60))
def test_any_text_is_either_refused_or_a_judged_url(text: str) -> None:
    try:
        target = validate_url("https://" + text, allow_local=False)
    except BlockedAddressError:
        return
    assert target.url.scheme == "https"
    assert target.url.raw_user is None
    assert target.address is None or is_public(target.address)


def answers(*addresses: str) -> guard.Resolve:
    async def resolve(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return resolve


async def test_one_forbidden_address_among_good_ones_refuses_a_name() -> None:
    await check("https://example.com/", allow_local=False, resolve=answers("93.184.216.34"))
    for bad in ("127.0.0.1", "::1", "169.254.169.254", "::ffff:10.0.0.1", "fe80::1%eth0"):
        with pytest.raises(BlockedAddressError):
            await check("https://example.com/", allow_local=False, resolve=answers("93.184.216.34", bad))


async def test_a_name_that_does_not_resolve_is_accepted_when_it_is_written_down() -> None:
    async def nothing(_host: str, _port: int) -> list[str]:
        raise OSError("no such name")

    await check("https://nowhere.example/", allow_local=False, resolve=nothing)


async def test_names_are_resolved_by_the_system_resolver() -> None:
    assert await asyncio.wait_for(guard.resolve("localhost", 80), limit(60))
    with pytest.raises(BlockedAddressError):
        await guard.resolve_validated("localhost", 80, allow_local=False)
