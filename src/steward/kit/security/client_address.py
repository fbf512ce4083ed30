"""Client addresses: under which name one is counted, and whether it is one of ours."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from steward.settings import Network

# Whoever has one address of such a network has all of them.
_PREFIX = 64
_MAX_LENGTH = 64
# How a network that speaks IPv6 only shows the IPv4 world (RFC 6052).
_NAT64 = IPv6Network("64:ff9b::/96")


def address_key(address: str) -> str:
    """IPv4 by address, also where it comes inside an IPv6 address; IPv6 by its /64; zones and spellings don't matter."""
    try:
        found = ip_address(address.strip().strip("[]").partition("%")[0])
    except ValueError:
        return address[:_MAX_LENGTH]
    if isinstance(found, IPv6Address):
        inside = _ipv4_inside(found)
        return str(inside or IPv6Network((int(found), _PREFIX), strict=False))
    return str(found)


def _ipv4_inside(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def is_within(address: str, networks: Iterable[Network]) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    # An IPv4 caller on a socket for both kinds looks like ::ffff:192.0.2.7.
    plain = getattr(found, "ipv4_mapped", None) or found
    return any(plain in network for network in networks)
