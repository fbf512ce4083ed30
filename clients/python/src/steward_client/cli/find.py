"""What people call a record, to its id. Ids begin with their kind; everything else is looked up."""

from steward_client import NotFound, Steward
from steward_client.cli.errors import NOT_FOUND, REFUSED, CommandError


def work_order(client: Steward, reference: str) -> str:
    """By number, with or without `#`, or by id."""
    number = reference.removeprefix("#")
    if not number.isdecimal():
        return reference
    found = next(iter(client.work_orders.list(number=int(number), limit=1)), None)
    if found is None:
        raise CommandError(f"there is no work order #{number}", NOT_FOUND)
    return found.id


def asset(client: Steward, reference: str) -> str:
    """By id, or by what another system calls it."""
    if reference.startswith("ast_"):
        return reference
    try:
        return client.assets.get_by_external_id(reference).id
    except NotFound:
        raise CommandError(f"there is no asset with the id or externalId {reference}", NOT_FOUND) from None


def location(client: Steward, reference: str) -> str:
    """By id, by what another system calls it, or by its code."""
    if reference.startswith("loc_"):
        return reference
    try:
        return client.locations.get_by_external_id(reference).id
    except NotFound:
        pass
    found = [one.id for one in client.locations.list(code=reference, limit=2)]
    return _only(found, f"location with the id, externalId or code {reference}")


def user(client: Steward, reference: str) -> str:
    """By id, or by e-mail address."""
    if "@" not in reference:
        return reference
    found = [one.id for one in client.users.list(email=reference, limit=2)]
    return _only(found, f"user with the address {reference}")


def resource(client: Steward, reference: str) -> str:
    """By id, by what another system calls it, or by its whole name."""
    if reference.startswith("rsc_"):
        return reference
    try:
        return client.bookable_resources.get_by_external_id(reference).id
    except NotFound:
        pass
    named = [one.id for one in client.bookable_resources.list(q=reference) if one.name == reference]
    return _only(named, f"resource with the id, externalId or name {reference}")


def _only(found: list[str], what: str) -> str:
    if not found:
        raise CommandError(f"there is no {what}", NOT_FOUND)
    if len(found) > 1:
        raise CommandError(f"there is more than one {what}: give the id", REFUSED)
    return found[0]
