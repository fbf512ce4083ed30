"""Client addresses: how one is counted, and whether it is a trusted proxy or in a given list."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from steward.settings import Network

# A client with one address of such a network has all of them.
_PREFIX = 64
_MAX_LENGTH = 64
# How a network that speaks IPv6 only shows the IPv4 world (RFC 6052).
_NAT64 = IPv6Network("64:ff9b::/96")
_MAPPED = IPv6Network("::ffff:0:0/96")


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


def read_network(text: str) -> Network:
    """An address, or a network in CIDR form; ValueError says what is wrong with it, as the rest of a sentence."""
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        raise ValueError("must be an IP address or a network, such as 192.0.2.7 or 2001:db8::/48") from None
    _, slash, prefix = text.partition("/")
    if "%" in text or (slash and not prefix.isdecimal()):
        raise ValueError("must be an IP address or a network, such as 192.0.2.7 or 2001:db8::/48")
    if slash and ip_address(text.partition("/")[0]) != network.network_address:
        raise ValueError(f"must begin where its network does: {network}")
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        # What callers over IPv4 look like on a socket for both kinds; they are compared by their IPv4 address.
        return IPv4Network((int(network.network_address) & 0xFFFFFFFF, network.prefixlen - 96))
    return network


def network_text(network: Network) -> str:
    """One address without its prefix."""
    return str(network.network_address if network.num_addresses == 1 else network)


def is_subnet(network: Network, of: Iterable[Network]) -> bool:
    return any(network.version == each.version and network.subnet_of(each) for each in of)  # type: ignore[arg-type]
