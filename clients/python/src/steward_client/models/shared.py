"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Literal, TypeAlias

from .._answers import Model, OpenEnum, Record


class ConditionOperator(OpenEnum):
    EQ = "eq"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    NE = "ne"


ConditionOperatorLike: TypeAlias = ConditionOperator | Literal["eq", "gt", "gte", "lt", "lte", "ne"]


class ErrorDetail(Model, kw_only=True):
    """One field that is wrong, and how."""

    field: str
    message: str


class RowError(Model, kw_only=True):
    """What is wrong in one line; the head is line 1."""

    line: int
    field: str
    message: str


class ImportReport(Record, kw_only=True):
    """What an import did, or in a dry run would do."""

    dry_run: bool
    rows: int
    created: int
    changed: int
    unchanged: int
    errors: list[RowError]


class ItemError(Model, kw_only=True):
    """What the operation by itself would have been answered."""

    error: str
    message: str
    details: list[ErrorDetail] = []


class Permission(OpenEnum):
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


PermissionLike: TypeAlias = (
    Permission
    | Literal[
        "api-keys:create",
        "api-keys:read",
        "api-keys:revoke",
        "assets:read",
        "assets:write",
        "bookings:book",
        "bookings:read",
        "bookings:write",
        "decks:read",
        "decks:write",
        "events:read",
        "forms:read",
        "forms:submit",
        "forms:write",
        "iot:read",
        "iot:write",
        "locations:read",
        "locations:write",
        "organization:read",
        "organization:write",
        "roles:read",
        "roles:write",
        "sor:approve",
        "sor:read",
        "sor:write",
        "users:act-as",
        "users:read",
        "users:write",
        "visitors:read",
        "visitors:write",
        "webhooks:read",
        "webhooks:write",
        "work-orders:read",
        "work-orders:request",
        "work-orders:write",
    ]
)


class Priority(OpenEnum):
    CRITICAL = "Critical"
    HIGH = "High"
    LOW = "Low"
    MEDIUM = "Medium"


PriorityLike: TypeAlias = Priority | Literal["Critical", "High", "Low", "Medium"]


class PropertyType(OpenEnum):
    BOOLEAN = "boolean"
    FLOAT = "float"
    INTEGER = "integer"
    STRING = "string"


PropertyTypeLike: TypeAlias = PropertyType | Literal["boolean", "float", "integer", "string"]


class Severity(OpenEnum):
    CRITICAL = "Critical"
    WARNING = "Warning"


SeverityLike: TypeAlias = Severity | Literal["Critical", "Warning"]
