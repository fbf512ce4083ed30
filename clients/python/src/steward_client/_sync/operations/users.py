"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class Users(Group):
    def list(
        self,
        *,
        status: models.UserStatusLike | Sequence[models.UserStatusLike] | None = None,
        email: str | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.MembershipsSortLike | Sequence[models.MembershipsSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.User]:
        """List users.

        Can be sorted by `name`, `updated`, `created`. Needs the permission `users:read`.

        Args:
            email: In upper or lower case.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name or e-mail address.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.User,
            "GET",
            "/organizations/{orgId}/users",
            organization=organization,
            query={
                "status": status,
                "email": email,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "archived": archived,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def create(
        self,
        *,
        email: str,
        name: str,
        password: str,
        role_ids: Sequence[str] | UnsetType = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.User:
        """Create a user.

        Creates an account that opens this organization only, even if other accounts have the same e-mail
        address. One login for several organizations needs an invitation. Callers can't assign roles with
        permissions that they lack. Needs the permission `users:write`.

        Args:
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.User,
            "POST",
            "/organizations/{orgId}/users",
            organization=organization,
            body={
                "email": email,
                "name": name,
                "password": password,
                "roleIds": role_ids,
                "externalId": external_id,
                "metadata": metadata,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        status: models.UserStatusLike | Sequence[models.UserStatusLike] | None = None,
        email: str | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.MembershipsSortLike | Sequence[models.MembershipsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export users as CSV.

        Needs the permission `users:read`.

        Args:
            email: In upper or lower case.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name or e-mail address.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/users.csv",
            organization=organization,
            query={
                "status": status,
                "email": email,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "archived": archived,
                "q": q,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        status: models.UserStatusLike | Sequence[models.UserStatusLike] | None = None,
        email: str | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.MembershipsSortLike | Sequence[models.MembershipsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.User]:
        """Export users as NDJSON.

        Needs the permission `users:read`.

        Args:
            email: In upper or lower case.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name or e-mail address.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.User,
            "GET",
            "/organizations/{orgId}/users.ndjson",
            organization=organization,
            query={
                "status": status,
                "email": email,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "archived": archived,
                "q": q,
                "sort": sort,
            },
        )

    def batch(
        self,
        *,
        items: Sequence[models.UserBatchItem | Mapping[str, Any]],
        atomic: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.UserBatchReport:
        """Create, change, move and delete many users.

        Up to 500 items, each with one of `create`, `change`, `replace`, `move`, `delete`, done in their
        order as by the operation for a user alone; a result for each. With `atomic` all are done or none
        is. Needs the permission `users:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.UserBatchReport,
            "POST",
            "/organizations/{orgId}/users/batch",
            organization=organization,
            body={"items": items, "atomic": atomic},
            headers={"Idempotency-Key": idempotency_key},
        )

    def get_by_external_id(
        self,
        external_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.User:
        """Read a user by its externalId.

        Needs the permission `users:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.User,
            "GET",
            "/organizations/{orgId}/users/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            headers={"If-None-Match": if_none_match},
        )

    def put_by_external_id(
        self,
        external_id: str,
        *,
        email: str,
        name: str,
        password: str | UnsetType | None = UNSET,
        role_ids: Sequence[str] | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        if_match: str | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.User:
        """Create or replace a user by its externalId.

        201 where it was made, 200 where it was there. Replacing takes the body for the whole record: what
        is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.
        Needs the permission `users:write`.

        Args:
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            if_none_match: `*` to create only; 412 when it is there already.
            organization: Another one than the client's.
        """
        return self._record(
            models.User,
            "PUT",
            "/organizations/{orgId}/users/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            body={
                "email": email,
                "name": name,
                "password": password,
                "roleIds": role_ids,
                "metadata": metadata,
            },
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
        )

    def list_invitations(
        self,
        *,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> Pages[models.Invitation]:
        """List open invitations.

        Needs the permission `users:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Invitation,
            "GET",
            "/organizations/{orgId}/users/invitations",
            organization=organization,
            query={"limit": limit, "lastEvaluatedKey": last_evaluated_key},
        )

    def create_invitation(
        self,
        *,
        email: str,
        name: str,
        role_ids: Sequence[str] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.CreatedInvitation:
        """Invite a person.

        The answer holds a link that works once, for 7 days; it is mailed, too, where the deployment has a
        mail server. A person who opens it while logged in adds the organization to their account; without
        one they create it. Inviting an address again replaces the earlier invitation. Callers can't assign
        roles with permissions that they lack. At most 100 invitations per hour and organization. Needs the
        permission `users:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.CreatedInvitation,
            "POST",
            "/organizations/{orgId}/users/invitations",
            organization=organization,
            body={"email": email, "name": name, "roleIds": role_ids},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_invitations_csv(
        self,
        *,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export open invitations as CSV.

        Needs the permission `users:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any], "GET", "/organizations/{orgId}/users/invitations.csv", organization=organization
        )

    def export_invitations_ndjson(
        self,
        *,
        organization: str | None = None,
    ) -> Export[models.Invitation]:
        """Export open invitations as NDJSON.

        Needs the permission `users:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.Invitation,
            "GET",
            "/organizations/{orgId}/users/invitations.ndjson",
            organization=organization,
        )

    def delete_invitation(
        self,
        invitation_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Withdraw an invitation.

        Its link no longer works. Callers can't withdraw an invitation with roles that they could not
        assign. Needs the permission `users:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/users/invitations/{invitationId}",
            organization=organization,
            values={"invitationId": invitation_id},
            headers={"If-Match": if_match},
        )

    def get_invitation(
        self,
        invitation_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Invitation:
        """Read an invitation.

        Needs the permission `users:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Invitation,
            "GET",
            "/organizations/{orgId}/users/invitations/{invitationId}",
            organization=organization,
            values={"invitationId": invitation_id},
            headers={"If-None-Match": if_none_match},
        )

    def delete(
        self,
        user_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Remove a user from the organization.

        Callers can't remove a user who holds permissions that they lack. Needs the permission
        `users:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/users/{userId}",
            organization=organization,
            values={"userId": user_id},
            headers={"If-Match": if_match},
        )

    def get(
        self,
        user_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.User:
        """Read a user.

        Needs the permission `users:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.User,
            "GET",
            "/organizations/{orgId}/users/{userId}",
            organization=organization,
            values={"userId": user_id},
            headers={"If-None-Match": if_none_match},
        )

    def update(
        self,
        user_id: str,
        *,
        email: str | UnsetType = UNSET,
        name: str | UnsetType = UNSET,
        password: str | UnsetType = UNSET,
        role_ids: Sequence[str] | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
        status: models.UserStatusLike | UnsetType = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.User:
        """Change a user.

        Suspending acts on the next request of the user and of the keys that the user made. A new password
        ends every session and token of the account at once. Callers can't change a user who holds
        permissions that they lack. Needs the permission `users:write`.

        Args:
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.User,
            "PATCH",
            "/organizations/{orgId}/users/{userId}",
            organization=organization,
            values={"userId": user_id},
            body={
                "email": email,
                "name": name,
                "password": password,
                "roleIds": role_ids,
                "externalId": external_id,
                "metadata": metadata,
                "status": status,
            },
            headers={"If-Match": if_match},
        )

    def archive(
        self,
        user_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.User:
        """Archive a user.

        Lists and choices no longer show it, unless `archived=true` asks for it; whatever names it stays.
        Who does it again changes nothing. Suspends the user, which acts on the next request of the user
        and of the keys that the user made. Callers can't archive a user who holds permissions that they
        lack. Needs the permission `users:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.User,
            "POST",
            "/organizations/{orgId}/users/{userId}/archive",
            organization=organization,
            values={"userId": user_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def erase(
        self,
        user_id: str,
        *,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.ErasedUser:
        """Erase a user.

        For somebody who was archived or removed. Name, e-mail address, externalId and metadata are erased
        here, in every stored event, in what receivers of webhooks answered to it, in invitations, among
        the attendees of bookings and in stored answers; roles, sessions and tokens end. Records keep the
        identifier, whose name is `Erased person` from then on. The person's account stays where other
        organizations know it. Callers can't erase a user who holds permissions that they lack. Erasing
        again changes nothing. Needs the permission `users:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.ErasedUser,
            "POST",
            "/organizations/{orgId}/users/{userId}/erase",
            organization=organization,
            values={"userId": user_id},
            headers={"Idempotency-Key": idempotency_key},
        )

    def restore(
        self,
        user_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.User:
        """Restore a user that was archived.

        It is in sight again. Who does it again changes nothing. The user stays Suspended until somebody
        makes them Active. Needs the permission `users:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.User,
            "POST",
            "/organizations/{orgId}/users/{userId}/restore",
            organization=organization,
            values={"userId": user_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
