"""Which addresses we may be sent to. One guard for webhooks wherever a URL counts: when it is written and when it is used.

A URL that somebody else chose must not lead into our own network. Its text is judged first, then every address that its
name resolves to; a connection is made to an address that was judged, never to a name. The text is read by the parser of the
HTTP client itself, so that there is no second opinion on what a URL says.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from ipaddress import IPv4Address, ip_address

import msgspec
from yarl import URL

from steward.kit.domain.problems import Invalid
from steward.kit.security.special_addresses import IpAddress, is_cloud_internal, is_public

Resolve = Callable[[str, int], Awaitable[list[str]]]

MAX_URL_LENGTH = 2048

_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\\]")
_AUTHORITY_END = re.compile(r"(?<=[^/:])[/?#]")
_UNREADABLE = "The URL's address can't be read."
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")

# A name server that doesn't answer must not hold up the names of others: as many threads as requests can wait at once.
_RESOLVER_THREADS = ThreadPoolExecutor(max_workers=640, thread_name_prefix="resolve")


class BlockedAddressError(Exception):
    """The URL is refused; the message is a sentence for the person who entered it."""


class CheckedUrl(msgspec.Struct, frozen=True):
    """A URL whose text was judged; `address` is set where its host is an address in any spelling."""

    url: URL
    host: str
    port: int
    address: IpAddress | None


@lru_cache(maxsize=4096)
def validate_url(text: str, *, allow_local: bool) -> CheckedUrl:
    """Raises BlockedAddressError unless the text alone is in order. Pure: no name is resolved."""
    if len(text) > MAX_URL_LENGTH:
        raise BlockedAddressError(f"The URL must have at most {MAX_URL_LENGTH} characters.")
    if _UNPRINTABLE.search(text):
        raise BlockedAddressError("The URL must not hold spaces, control characters or backslashes.")
    try:
        url = URL(text)
        host, port = url.raw_host, url.port
    except ValueError:
        raise BlockedAddressError("This is not a URL.") from None
    _validate_form(text, url, allow_local=allow_local)
    if not host or not port:
        raise BlockedAddressError("The URL must name a host.")
    if "%" in host:
        raise BlockedAddressError("The URL's address must not have a zone.")
    address = parse_ip_literal(host)
    if address is None and "[" in _authority(text):
        # What stands in brackets is an address (RFC 3986), also one of a kind that nobody knows; the client would look up a name.
        raise BlockedAddressError(_UNREADABLE)
    if address is not None:
        validate_addresses([address], allow_local=allow_local)
        # The client must not read another spelling in a way of its own.
        url = url.with_host(str(address))
    elif not allow_local and host.rstrip(".").rpartition(".")[2].lower() == "localhost":
        raise BlockedAddressError(_not_public(host))
    return CheckedUrl(url, host, port, address)


def _validate_form(text: str, url: URL, *, allow_local: bool) -> None:
    if url.scheme not in ({"https", "http"} if allow_local else {"https"}):
        raise BlockedAddressError("The URL must begin with https://.")
    if url.raw_user is not None or url.raw_password is not None or "@" in _authority(text):
        raise BlockedAddressError("The URL must not hold a user name or password.")
    if "#" in text:
        raise BlockedAddressError("The URL must not have a fragment.")


def _authority(text: str) -> str:
    return _AUTHORITY_END.split(text, 1)[0]


def parse_ip_literal(host: str) -> IpAddress | None:
    """The address that a host spells, dotted, short, decimal, octal or hexadecimal; None for a name.

    Raises BlockedAddressError for what looks like an address and is none: resolvers read such things differently.
    """
    host = host.removesuffix(".")
    if ":" in host:
        try:
            return ip_address(host)
        except ValueError:
            raise BlockedAddressError(_UNREADABLE) from None
    parts = host.split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    values = [_number(part) for part in parts]
    last_room = 256 ** (5 - len(values))
    if len(values) > 4 or any(value > 255 for value in values[:-1]) or values[-1] >= last_room:
        raise BlockedAddressError(_UNREADABLE)
    whole = values[-1]
    for index, value in enumerate(values[:-1]):
        whole += value << (24 - 8 * index)
    return IPv4Address(whole)


def _number(part: str) -> int:
    if not _NUMBER.fullmatch(part):
        raise BlockedAddressError(_UNREADABLE)
    try:
        if part[:2].lower() == "0x":
            return int(part[2:] or "0", 16)
        return int(part, 8 if part[0] == "0" else 10)
    except ValueError:
        raise BlockedAddressError(_UNREADABLE) from None


def validate_addresses(addresses: Iterable[str | IpAddress], *, allow_local: bool) -> None:
    """Raises BlockedAddressError when one of them is not public: a name with one bad answer is not to be trusted.

    What a machine tells its own cloud is refused also where local addresses are allowed.
    """
    for address in addresses:
        found = ip_address(address)
        if is_cloud_internal(found):
            raise BlockedAddressError(
                f"{address} is not a public address: it belongs to the machine's own cloud or link."
            )
        if not allow_local and not is_public(found):
            raise BlockedAddressError(_not_public(str(address)))


def _not_public(host: str) -> str:
    return f"{host} is not a public address; deliveries only go to public ones."


async def resolve(host: str, port: int) -> list[str]:
    """Every address of a name, as the system resolves it; raises OSError when there is none."""
    found = await asyncio.get_running_loop().run_in_executor(_RESOLVER_THREADS, _look_up, host, port)
    return list(dict.fromkeys(found))


def _look_up(host: str, port: int) -> list[str]:
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except UnicodeError as error:
        raise OSError(f"{host} is not a name") from error


async def resolve_validated(
    host: str, port: int, *, allow_local: bool, resolve: Resolve = resolve
) -> list[str]:
    """The judged addresses of a name: these and no others are connected to."""
    addresses = await resolve(host, port)
    validate_addresses(addresses, allow_local=allow_local)
    return addresses


async def check(text: str, *, allow_local: bool, resolve: Resolve = resolve) -> None:
    """For a URL that is being written down; one whose name doesn't resolve (yet) is accepted."""
    target = validate_url(text, allow_local=allow_local)
    if target.address is not None:
        return
    try:
        async with asyncio.timeout(5):
            await resolve_validated(target.host, target.port, allow_local=allow_local, resolve=resolve)
    except (OSError, TimeoutError):
        return


async def check_url(allow_local: bool, url: str) -> None:  # noqa: FBT001 (bound once, by its place)
    """422 for a URL in a request that is refused."""
    try:
        await check(url, allow_local=allow_local)
    except BlockedAddressError as blocked:
        raise Invalid("url", str(blocked)) from None
