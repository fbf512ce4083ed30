"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import Permission, PermissionLike


class NewRole(Model, kw_only=True):
    name: str
    description: str | UnsetType | None = UNSET
    permissions: Sequence[PermissionLike] | UnsetType = UNSET


class Role(Record, kw_only=True):
    id: str
    name: str
    description: str | None
    permissions: list[Permission]
    system: bool
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class RoleChanges(Model, kw_only=True):
    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    permissions: Sequence[PermissionLike] | UnsetType | None = UNSET


class RolesSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


RolesSortLike: TypeAlias = RolesSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]
