"""What a key may do, from where and until when; no key makes one that reaches further than itself."""

from msgspec import UNSET
from msgspec.structs import replace

from steward.api_keys.model import ApiKey, ApiKeyChanges, KeyBounds, NewApiKey
from steward.kit.domain.problems import Faults, Forbidden, Invalid, all_faults
from steward.kit.security.caller import Caller
from steward.kit.security.client_address import is_subnet, network_text, read_network
from steward.kit.security.permissions import Permission, require_held


def grant(new: NewApiKey, who: Caller, own: KeyBounds, now: int) -> NewApiKey:
    """With the permissions that the key gets: no more than its creator has.

    None means whatever the person may do, now and later. A key grants no more than it has, and keys that it
    makes inherit its bounds where the body doesn't narrow them.
    """
    addresses = check_bounds(new, now)
    require_held(who.permissions, new.permissions or (), "give a key")
    permissions = new.permissions
    if permissions is None and who.key is not None:
        permissions = list(who.permissions)
    granted = replace(
        new,
        permissions=None if permissions is None else sorted(set(permissions)),
        expires_at=own.expires_at if new.expires_at is None else new.expires_at,
        allowed_addresses=addresses or own.allowed_addresses,
    )
    require_within(granted, own)
    return granted


def require_within(key: KeyBounds | ApiKey | NewApiKey, own: KeyBounds) -> None:
    """A key with an end or bound to addresses can't create or change a key that reaches further."""
    until = own.expires_at
    if until is not None and (key.expires_at is None or key.expires_at > until):
        raise Forbidden(f"Your key ends at {until}: it can't make or change one that works longer.")
    allowed = [read_network(text) for text in own.allowed_addresses]
    if allowed and not (
        key.allowed_addresses
        and all(is_subnet(read_network(text), allowed) for text in key.allowed_addresses)
    ):
        raise Forbidden(
            f"Your key works from {', '.join(own.allowed_addresses)} only: it can't make or change one that works elsewhere."
        )


def check_bounds(wanted: NewApiKey | ApiKeyChanges, now: int) -> list[str]:
    """422 for an impossible end or address; returns each address once, normalized."""
    with all_faults() as faults:
        if wanted.expires_at is not UNSET:
            faults.check(_require_future, wanted.expires_at, now)
        return _checked_addresses(wanted.allowed_addresses or [], faults)


def _require_future(expires_at: int | None, now: int) -> None:
    if expires_at is not None and expires_at <= now:
        raise Invalid("expiresAt", "must be in the future")


def _checked_addresses(texts: list[str], faults: Faults) -> list[str]:
    """Each once, normalized."""
    found: dict[str, None] = {}
    for place, text in enumerate(texts):
        try:
            found[network_text(read_network(text.strip()))] = None
        except ValueError as error:
            faults.add(f"allowedAddresses[{place}]", str(error))
    return list(found)


def effective_permissions(given: list[str] | None, creator: frozenset[Permission]) -> frozenset[Permission]:
    """A key's permissions, as long as its creator has them."""
    return (
        creator if given is None else frozenset(permission for permission in creator if permission in given)
    )
