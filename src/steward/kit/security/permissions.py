"""The one vocabulary of what may be done, for roles and API keys alike."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import groupby
from typing import Self

import msgspec

from steward.kit.domain.problems import Forbidden


class Permission(StrEnum):
    # In words, for people who choose some.
    meaning: str

    def __new__(cls, name: str, meaning: str = "") -> Self:
        permission = str.__new__(cls, name)
        permission._value_, permission.meaning = name, meaning
        return permission

    API_KEYS_CREATE = "api-keys:create", "Create API keys"
    API_KEYS_READ = "api-keys:read", "View API keys and their usage"
    API_KEYS_REVOKE = "api-keys:revoke", "Revoke API keys"
    ASSETS_READ = "assets:read", "View assets and IoT devices"
    ASSETS_WRITE = "assets:write", "Create and update assets"
    BOOKINGS_BOOK = "bookings:book", "See what is booked; make, move and cancel bookings of one's own"
    BOOKINGS_READ = "bookings:read", "View resources and bookings"
    BOOKINGS_WRITE = "bookings:write", "Create and change resources and bookings"
    DECKS_READ = "decks:read", "View decks"
    DECKS_WRITE = "decks:write", "Create and change decks"
    EVENTS_READ = "events:read", "View the events of records that one may view"
    FORMS_READ = "forms:read", "View forms and form submissions"
    FORMS_SUBMIT = "forms:submit", "Read published forms, submit them, and read submissions of one's own"
    FORMS_WRITE = "forms:write", "Create and change forms, and submit them"
    IOT_READ = "iot:read", "View IoT sensor data and alerts"
    IOT_WRITE = "iot:write", "Send IoT sensor data"
    LOCATIONS_READ = "locations:read", "View locations"
    LOCATIONS_WRITE = "locations:write", "Create and change locations"
    ORGANIZATION_READ = "organization:read", "View the organization"
    ORGANIZATION_WRITE = "organization:write", "Change the organization"
    ROLES_READ = "roles:read", "View roles"
    ROLES_WRITE = "roles:write", "Create, change and delete roles"
    SOR_APPROVE = "sor:approve", "Approve and reject quotations"
    SOR_READ = "sor:read", "View schedules of rates and quotations"
    SOR_WRITE = "sor:write", "Create and change schedules of rates and quotations"
    USERS_ACT_AS = "users:act-as", "Name another person as the one who did something"
    USERS_READ = "users:read", "View user information"
    USERS_WRITE = "users:write", "Create, change and remove users"
    VISITORS_READ = "visitors:read", "View visitors"
    VISITORS_WRITE = "visitors:write", "Register visitors and check them in and out"
    WEBHOOKS_READ = "webhooks:read", "View webhooks and their deliveries"
    WEBHOOKS_WRITE = (
        "webhooks:write",
        "Create and change webhooks, for the events of records that one may view",
    )
    WORK_ORDERS_READ = "work-orders:read", "View work orders"
    WORK_ORDERS_REQUEST = (
        "work-orders:request",
        "Report problems; read, comment on and cancel work orders of one's own",
    )
    WORK_ORDERS_WRITE = "work-orders:write", "Create and update work orders"


MEANINGS = {permission: permission.meaning for permission in Permission}
ALL_PERMISSIONS = frozenset(Permission)

# Who holds all of these may do whatever the narrower one allows, and so may hand it on.
WIDER: dict[Permission, frozenset[Permission]] = {
    Permission.BOOKINGS_BOOK: frozenset({Permission.BOOKINGS_READ, Permission.BOOKINGS_WRITE}),
    Permission.FORMS_SUBMIT: frozenset({Permission.FORMS_READ, Permission.FORMS_WRITE}),
    Permission.WORK_ORDERS_REQUEST: frozenset({Permission.WORK_ORDERS_READ, Permission.WORK_ORDERS_WRITE}),
}


class Either(msgspec.Struct, frozen=True):
    """A permission, or a narrower one that reaches less far: `reach` says how far, in the words of the reference."""

    permission: Permission
    narrower: Permission
    reach: str = "for what is one's own"


class Both(msgspec.Struct, frozen=True):
    """Two permissions, for what shows records of two kinds."""

    permission: Permission
    also: Permission


# What a route, a page or a part of one requires.
Need = Permission | Either | Both


def in_full(need: Need) -> Permission:
    """Without the narrower one: for what reaches all records alike."""
    return need.permission if isinstance(need, Either | Both) else need


def is_met(need: Need, held: frozenset[Permission]) -> bool:
    if isinstance(need, Either):
        return need.permission in held or need.narrower in held
    if isinstance(need, Both):
        return need.permission in held and need.also in held
    return need in held


def in_words(need: Need, mark: str = "") -> str:
    """`work-orders:read`, or `work-orders:request` for what is one's own; `mark` stands around each name."""
    if isinstance(need, Either):
        return f"{mark}{need.permission}{mark}, or {mark}{need.narrower}{mark} {need.reach}".rstrip()
    if isinstance(need, Both):
        return f"{mark}{need.permission}{mark} and {mark}{need.also}{mark}"
    return f"{mark}{need}{mark}"


def with_narrower(held: frozenset[Permission]) -> frozenset[Permission]:
    """With the narrow permissions that are part of wider ones."""
    return held | {narrower for narrower, wider in WIDER.items() if wider <= held}


# Where the part before the colon is not yet a name for people.
_AREAS = {"iot": "Sensor data", "sor": "Schedules of rates", "api-keys": "API keys"}


def by_area(held: Iterable[Permission]) -> list[tuple[str, list[Permission]]]:
    """Permissions by the part of the house that they are about."""
    areas = groupby(sorted(held), key=lambda permission: permission.partition(":")[0])
    return [(_AREAS.get(area, area.replace("-", " ").capitalize()), list(those)) for area, those in areas]


def missing_permissions(wanted: Iterable[Permission], held: frozenset[Permission]) -> list[str]:
    """The permissions in `wanted` that aren't held, sorted: users can't grant more than they have."""
    return sorted(set(wanted) - with_narrower(held))


def require_held(held: frozenset[Permission], wanted: Iterable[Permission], verb: str) -> None:
    """403: callers can't give permissions that they lack, nor change what has more permissions than they."""
    if missing := missing_permissions(wanted, held):
        raise Forbidden(f"You can't {verb} permissions that you lack: {', '.join(missing)}.")
