"""A role is a named set of permissions. Six come with every organization and never change."""

from typing import Annotated

from msgspec import Meta

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.fields import Body, Name, Record, Seconds, Text
from steward.kit.domain.list_query import SortedPageQuery, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.kit.security.permissions import ALL_PERMISSIONS, Permission


class Role(Record, frozen=True):
    id: str
    name: str
    description: str | None
    permissions: list[Permission]
    system: bool
    created: Seconds
    updated: Seconds


class NewRole(Body, frozen=True):
    name: Name
    description: Text | None = None
    permissions: list[Permission] = []


@changes_of(NewRole)
class RoleChanges(Body, frozen=True):
    pass


CONSTRAINTS: Constraints = {
    "roles_name_unique": Taken("A role with this name exists already."),
    "membership_roles_role": Reference("roleIds", "role", "users"),
}

ADMINISTRATOR = "Administrator"

_P = Permission
_READ_ALL = frozenset(p for p in Permission if p.endswith(":read"))
_DESK = {_P.LOCATIONS_READ, _P.USERS_READ, _P.WORK_ORDERS_READ, _P.WORK_ORDERS_WRITE}

# Name → description and permissions.
BUILT_IN: dict[str, tuple[str, frozenset[Permission]]] = {
    ADMINISTRATOR: ("Everything, users and keys included.", ALL_PERMISSIONS),
    "Manager": (
        "Runs the site: all records, approvals, but no users, roles or keys.",
        ALL_PERMISSIONS
        - {
            _P.API_KEYS_READ,
            _P.API_KEYS_CREATE,
            _P.API_KEYS_REVOKE,
            _P.ORGANIZATION_WRITE,
            _P.ROLES_WRITE,
            _P.USERS_ACT_AS,
            _P.USERS_WRITE,
            _P.WEBHOOKS_WRITE,
        },
    ),
    "Technician": (
        "Does the work: work orders, assets, forms and sensor data.",
        frozenset(_DESK)
        | {
            _P.ASSETS_READ,
            _P.ASSETS_WRITE,
            _P.DECKS_READ,
            _P.FORMS_READ,
            _P.FORMS_WRITE,
            _P.IOT_READ,
            _P.SOR_READ,
        },
    ),
    "Reception": (
        "Front desk: visitors and bookings.",
        frozenset(_DESK) | {_P.BOOKINGS_READ, _P.BOOKINGS_WRITE, _P.VISITORS_READ, _P.VISITORS_WRITE},
    ),
    "Requester": (
        "Reports problems, books rooms and fills in forms, and sees what is their own.",
        frozenset(
            {
                _P.ASSETS_READ,
                _P.BOOKINGS_BOOK,
                _P.FORMS_SUBMIT,
                _P.LOCATIONS_READ,
                _P.WORK_ORDERS_REQUEST,
            }
        ),
    ),
    "Viewer": ("Sees everything but keys, changes nothing.", _READ_ALL - {_P.API_KEYS_READ}),
}

EXAMPLE = example_of(
    Role,
    id="rol_00064a1b2c3d4e5f60718293a4b5",
    name="Night shift",
    description="Sees and closes work orders at night.",
    permissions=[Permission.WORK_ORDERS_READ, Permission.WORK_ORDERS_WRITE],
    system=False,
)


class RoleQuery(SortedPageQuery, frozen=True):
    updated_after: UpdatedAfter = None
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None
