"""The one vocabulary of what may be done, for roles and API keys alike."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import groupby

import msgspec


class Permission(StrEnum):
    API_KEYS_CREATE = "api-keys:create"
    API_KEYS_READ = "api-keys:read"
    API_KEYS_REVOKE = "api-keys:revoke"
    ASSETS_READ = "assets:read"
    ASSETS_WRITE = "assets:write"
    BOOKINGS_BOOK = "bookings:book"
    BOOKINGS_READ = "bookings:read"
    BOOKINGS_WRITE = "bookings:write"
    DECKS_READ = "decks:read"
    DECKS_WRITE = "decks:write"
    EVENTS_READ = "events:read"
    FORMS_READ = "forms:read"
    FORMS_SUBMIT = "forms:submit"
    FORMS_WRITE = "forms:write"
    IOT_READ = "iot:read"
    IOT_WRITE = "iot:write"
    LOCATIONS_READ = "locations:read"
    LOCATIONS_WRITE = "locations:write"
    ORGANIZATION_READ = "organization:read"
    ORGANIZATION_WRITE = "organization:write"
    ROLES_READ = "roles:read"
    ROLES_WRITE = "roles:write"
    SOR_APPROVE = "sor:approve"
    SOR_READ = "sor:read"
    SOR_WRITE = "sor:write"
    USERS_ACT_AS = "users:act-as"
    USERS_READ = "users:read"
    USERS_WRITE = "users:write"
    VISITORS_READ = "visitors:read"
    VISITORS_WRITE = "visitors:write"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"
    WORK_ORDERS_READ = "work-orders:read"
    WORK_ORDERS_REQUEST = "work-orders:request"
    WORK_ORDERS_WRITE = "work-orders:write"


MEANINGS: dict[Permission, str] = {
    Permission.API_KEYS_CREATE: "Create API keys",
    Permission.API_KEYS_READ: "View API keys and their usage",
    Permission.API_KEYS_REVOKE: "Revoke API keys",
    Permission.ASSETS_READ: "View assets and IoT devices",
    Permission.ASSETS_WRITE: "Create and update assets",
    Permission.BOOKINGS_BOOK: "See what is booked; make, move and cancel bookings of one's own",
    Permission.BOOKINGS_READ: "View resources and bookings",
    Permission.BOOKINGS_WRITE: "Create and change resources and bookings",
    Permission.DECKS_READ: "View decks",
    Permission.DECKS_WRITE: "Create and change decks",
    Permission.EVENTS_READ: "View the events of records that one may view",
    Permission.FORMS_READ: "View forms and form submissions",
    Permission.FORMS_SUBMIT: "Read published forms, submit them, and read submissions of one's own",
    Permission.FORMS_WRITE: "Create and change forms, and submit them",
    Permission.IOT_READ: "View IoT sensor data and alerts",
    Permission.IOT_WRITE: "Send IoT sensor data",
    Permission.LOCATIONS_READ: "View locations",
    Permission.LOCATIONS_WRITE: "Create and change locations",
    Permission.ORGANIZATION_READ: "View the organization",
    Permission.ORGANIZATION_WRITE: "Change the organization",
    Permission.ROLES_READ: "View roles",
    Permission.ROLES_WRITE: "Create, change and delete roles",
    Permission.SOR_APPROVE: "Approve and reject quotations",
    Permission.SOR_READ: "View schedules of rates and quotations",
    Permission.SOR_WRITE: "Create and change schedules of rates and quotations",
    Permission.USERS_ACT_AS: "Name another person as the one who did something",
    Permission.USERS_READ: "View user information",
    Permission.USERS_WRITE: "Create, change and remove users",
    Permission.VISITORS_READ: "View visitors",
    Permission.VISITORS_WRITE: "Register visitors and check them in and out",
    Permission.WEBHOOKS_READ: "View webhooks and their deliveries",
    Permission.WEBHOOKS_WRITE: "Create and change webhooks, for the events of records that one may view",
    Permission.WORK_ORDERS_READ: "View work orders",
    Permission.WORK_ORDERS_REQUEST: "Report problems; read, comment on and cancel work orders of one's own",
    Permission.WORK_ORDERS_WRITE: "Create and update work orders",
}

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
