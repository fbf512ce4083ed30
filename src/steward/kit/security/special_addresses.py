"""Addresses that lead somewhere else than to a machine on the internet: one list, with the origin of each entry.

The registries are IANA's: iana-ipv4-special-registry, iana-ipv6-special-registry (RFC 6890) and ipv6-address-space. The standard
library's own list lacks some of them, and takes most multicast for global.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network

IpAddress = IPv4Address | IPv6Address

NON_PUBLIC_NETWORKS = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network (RFC 791)
        "10.0.0.0/8",  # private (RFC 1918)
        "100.64.0.0/10",  # carriers' NAT (RFC 6598)
        "127.0.0.0/8",  # loopback (RFC 1122)
        "169.254.0.0/16",  # link-local (RFC 3927)
        "172.16.0.0/12",  # private (RFC 1918)
        "192.0.0.0/24",  # protocol assignments (RFC 6890)
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.31.196.0/24",  # AS112 (RFC 7535)
        "192.52.193.0/24",  # AMT (RFC 7450)
        "192.88.99.0/24",  # 6to4 relays (RFC 7526)
        "192.168.0.0/16",  # private (RFC 1918)
        "192.175.48.0/24",  # AS112 (RFC 7534)
        "198.18.0.0/15",  # benchmarks (RFC 2544)
        "198.51.100.0/24",  # documentation (RFC 5737)
        "203.0.113.0/24",  # documentation (RFC 5737)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved (RFC 1112), and broadcast (RFC 919)
        "2001::/23",  # protocol assignments (RFC 2928): Teredo, ORCHID, benchmarks …
        "2001:db8::/32",  # documentation (RFC 3849)
        "2002::/16",  # 6to4 (RFC 3056): carries an IPv4 address of any kind
        "2620:4f:8000::/48",  # AS112 (RFC 7534)
        "3fff::/20",  # documentation (RFC 9637)
    )
)
# Of IPv6 only this part was ever given out (RFC 4291): loopback, mapped and translated IPv4, NAT64, unique local, link-local,
# site-local, segment routing and multicast all lie outside of it.
_GLOBAL_UNICAST = IPv6Network("2000::/3")

# Where a machine in a cloud asks for its own credentials and configuration, or talks to those on its own link. Nobody's webhook is there,
# also not in a deployment that sends to local addresses.
CLOUD_INTERNAL_NETWORKS = tuple(
    ip_network(text)
    for text in (
        "169.254.0.0/16",  # link-local: metadata of AWS, Azure, Google, Oracle, DigitalOcean, OpenStack … (169.254.169.254), ECS (169.254.170.2)
        "168.63.129.16/32",  # Azure's WireServer: a public address, answered by the host of the virtual machine
        "100.100.100.200/32",  # metadata of Alibaba Cloud
        "192.0.0.192/32",  # metadata of Oracle Cloud, classic
        "fd00:ec2::/32",  # what AWS keeps for its own over IPv6: metadata (::254), credentials of pods (::23), name server, time
        "fd00:42::42/128",  # metadata of Scaleway over IPv6
        "fd20:ce::254/128",  # metadata of Google Cloud over IPv6
        "fd00:c1::a9fe:a9fe/128",  # metadata of Oracle Cloud over IPv6
        "fe80::/10",  # link-local (RFC 4291)
    )
)
# What carries an IPv4 address in its last 32 bits.
_CARRIERS = tuple(
    IPv6Network(text)
    for text in (
        "::/96",  # compatible (RFC 4291, deprecated)
        "::ffff:0:0/96",  # mapped (RFC 4291)
        "::ffff:0:0:0/96",  # translated (RFC 2765)
        "64:ff9b::/96",  # NAT64 (RFC 6052)
    )
)
# NAT64 of a network's own (RFC 8215): where the IPv4 address stands depends on its prefix, so that no part of it is to be trusted.
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")


def is_public(address: IpAddress) -> bool:
    if isinstance(address, IPv6Address) and (address.scope_id or address not in _GLOBAL_UNICAST):
        return False
    if is_cloud_internal(address):
        return False
    return address.is_global and not any(address in network for network in NON_PUBLIC_NETWORKS)


def is_cloud_internal(address: IpAddress) -> bool:
    """Also where it is carried by an IPv6 address."""
    if isinstance(address, IPv6Address) and address in _LOCAL_NAT64:
        return True
    return any(
        each in network for each in (address, *_carried(address)) for network in CLOUD_INTERNAL_NETWORKS
    )


def _carried(address: IpAddress) -> list[IPv4Address]:
    """The IPv4 addresses that packets to it may end up at."""
    if isinstance(address, IPv4Address):
        return []
    found = [IPv4Address(int(address) & 0xFFFFFFFF)] if any(address in each for each in _CARRIERS) else []
    if address.sixtofour is not None:
        found.append(address.sixtofour)
    if address.teredo is not None:
        found.extend(address.teredo)
    return found
