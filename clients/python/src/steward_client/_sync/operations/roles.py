"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class Roles(Group):
    def list(
        self,
        *,
        updated_after: int | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.RolesSortLike | Sequence[models.RolesSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.Role]:
        """List roles.

        Can be sorted by `name`, `updated`, `created`. Needs the permission `roles:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Role,
            "GET",
            "/organizations/{orgId}/roles",
            organization=organization,
            query={
                "updatedAfter": updated_after,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def create(
        self,
        *,
        name: str,
        description: str | UnsetType | None = UNSET,
        permissions: Sequence[models.PermissionLike] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Role:
        """Create a role.

        Callers can't grant permissions that they lack. Needs the permission `roles:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.Role,
            "POST",
            "/organizations/{orgId}/roles",
            organization=organization,
            body={"name": name, "description": description, "permissions": permissions},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.RolesSortLike | Sequence[models.RolesSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export roles as CSV.

        Needs the permission `roles:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/roles.csv",
            organization=organization,
            query={"updatedAfter": updated_after, "q": q, "sort": sort},
        )

    def export_ndjson(
        self,
        *,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.RolesSortLike | Sequence[models.RolesSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.Role]:
        """Export roles as NDJSON.

        Needs the permission `roles:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Role,
            "GET",
            "/organizations/{orgId}/roles.ndjson",
            organization=organization,
            query={"updatedAfter": updated_after, "q": q, "sort": sort},
        )

    def delete(
        self,
        role_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a role.

        Refused (422) for built-in roles and for roles that are still assigned. Callers can't delete a role
        with permissions that they lack. Needs the permission `roles:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/roles/{roleId}",
            organization=organization,
            values={"roleId": role_id},
            headers={"If-Match": if_match},
        )

    def get(
        self,
        role_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Role:
        """Read a role.

        Needs the permission `roles:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Role,
            "GET",
            "/organizations/{orgId}/roles/{roleId}",
            organization=organization,
            values={"roleId": role_id},
            headers={"If-None-Match": if_none_match},
        )

    def update(
        self,
        role_id: str,
        *,
        name: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        permissions: Sequence[models.PermissionLike] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Role:
        """Change a role.

        Acts on the next request of everybody who holds the role. Built-in roles stay as they are, and
        callers can't change a role with permissions that they lack. Needs the permission `roles:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Role,
            "PATCH",
            "/organizations/{orgId}/roles/{roleId}",
            organization=organization,
            values={"roleId": role_id},
            body={"name": name, "description": description, "permissions": permissions},
            headers={"If-Match": if_match},
        )
